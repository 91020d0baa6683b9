"""Programs choose moves here: perfectly from a database, by search to a depth or for a time, or at random."""

import random
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gamesman.errors import CallError, NotSolved, shorten
from gamesman.model.advice import command
from gamesman.model.variant import Variant
from gamesman.model.wording import VERBS, count
from gamesman.play.record import GameRecord
from gamesman.play.review import spoken
from gamesman.play.standing import ranked_legal
from gamesman.search.deepening import MOST_DEPTH
from gamesman.search.found import Found
from gamesman.search.searcher import Searcher
from gamesman.values import NAMES

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

# Of several moves that keep a draw, the one is played that this search likes best: a draw may still be won.
DRAW_DEPTH = 6


@dataclass(frozen=True, slots=True)
class Strength:
    """Says how well a program plays.

    >>> Strength.read("depth 4"), str(Strength.read("time=0.5"))
    (Strength(kind='depth', amount=4.0), 'time=0.5')
    >>> Strength.read("strong")
    Traceback (most recent call last):
    ...
    gamesman.errors.CallError: expected a strength: perfect, depth=N, time=S, mistakes=RATE or random, got strong
    """

    kind: str  # perfect, depth, time, mistakes or random
    amount: float = 0  # plies, seconds, or the share of moves made at random by who plays perfectly else

    @staticmethod
    def read(text: str) -> "Strength":
        """Read a strength from text. Raises CallError."""
        match = re.fullmatch(
            r"(perfect|random)|(depth)[ =]*([0-9]{1,9})|(time|mistakes)[ =]*([0-9]{1,9}(?:\.[0-9]{1,9})?)", text.strip()
        )
        if not match:
            raise CallError(
                f"expected a strength: perfect, depth=N, time=S, mistakes=RATE or random, "
                f"got {shorten(text) or 'nothing'}"
            )
        if match[1]:
            return Strength(match[1])
        if match[2]:
            if not 1 <= int(match[3]) <= MOST_DEPTH:
                raise CallError(f"depth must be 1 to {MOST_DEPTH}, got {match[3]}")
            return Strength("depth", float(match[3]))
        if match[4] == "mistakes":
            if not 0 <= float(match[5]) <= 1:
                raise CallError(f"mistakes must be a share from 0 to 1, like 0.2, got {match[5]}")
            return Strength("mistakes", float(match[5]))
        if not float(match[5]):
            raise CallError(f"time must be more than 0 seconds, got {match[5]}")
        return Strength("time", float(match[5]))

    def __str__(self) -> str:
        return self.kind if self.kind in ("perfect", "random") else f"{self.kind}={self.amount:g}"


@dataclass(frozen=True, slots=True)
class ChosenMove:
    """Holds a move and what the program thinks of it."""

    move: int
    remark: str


class Program:
    """Chooses moves at a given strength. Raises NotSolved where it is to play perfectly and has no database."""

    def __init__(
        self,
        variant: Variant,
        strength: Strength,
        stored: "SolvedPositions | None" = None,
        chance: random.Random | None = None,
        searcher: Searcher | None = None,
    ):
        self.strength = strength
        self._stored = stored
        self._chance = chance or random.Random()
        self._searcher = searcher or Searcher(variant)
        if strength.kind in ("perfect", "mistakes") and stored is None:
            solving, proving = command("solve", variant.name), command("prove", variant.name)
            said = f"{variant.name} is not solved; run: {solving}; or play at another strength"
            raise NotSolved(f"{said}; who wins is proved by: {proving}")

    def choose(self, game: GameRecord) -> ChosenMove:
        """Choose a move for the player whose turn it is in a game that is not over; return it.

        A search takes no longer than the game's clock allows for a move.
        """
        errs = self.strength.kind == "mistakes" and self._chance.random() < self.strength.amount
        if errs or self.strength.kind == "random":
            return ChosenMove(self._chance.choice(game.legal_moves()), "at random")
        if self.strength.kind in ("perfect", "mistakes"):
            choice = self._perfect(game)
            if choice is not None:
                return choice
        depth = int(self.strength.amount) if self.strength.kind == "depth" else None
        seconds = self.strength.amount if self.strength.kind == "time" else None
        if depth is seconds is None:
            depth = DRAW_DEPTH
        at_most = game.clock.for_a_move(game.turn)
        if at_most is not None:
            seconds = min(at_most, seconds or at_most)
        found = self._searcher.search(game.position, depth, seconds, game.past)
        assert found.move is not None
        return ChosenMove(found.move, remark(found))

    def _perfect(self, game: GameRecord) -> ChosenMove | None:
        """Return the best of the legal moves by the database, or None where it does not have the position."""
        assert self._stored is not None
        if self._stored.get(game.position) is None:
            return None
        moves = ranked_legal(game.variant, self._stored, game.position, game.past)
        best = moves[0]
        if best.value == "draw":
            keeping = {answer.move for answer in moves if answer.value == "draw"}
            if len(keeping) > 1:
                barred = {answer.move for answer in moves} - keeping
                found = self._searcher.search(game.position, DRAW_DEPTH, past=game.past, barred=barred)
                assert found.move is not None
                return ChosenMove(found.move, "draws")
        return ChosenMove(best.move, spoken(best))


def remark(found: Found) -> str:
    """Say in words what a search thinks of its move."""
    if found.value is not None:
        return f"{VERBS[NAMES[found.value]]} in {found.remoteness}" if found.remoteness else VERBS[NAMES[found.value]]
    return f"{found.estimate}, {count(found.depth, 'move')} ahead"
