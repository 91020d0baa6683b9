"""Games are played here in which a player who searches stands where a perfect one would, whom nobody has.

He makes one of the moves that a search to a depth finds best, each as likely. Each game is drawn by its own number, so
those that were played before the time was up are the same ones as if there had been more.

The rules are those that `play` has: where no position may come back none does, and in any other game one that is there
for the third time ends it, as a draw.
"""

import random
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from gamesman.analysis.kernels.playouts import CUT, FIRST, NOBODY, RETURNED, SECOND
from gamesman.analysis.playouts import Games
from gamesman.errors import BrokenGame
from gamesman.machine import signals
from gamesman.model.progress import Progress, Silent
from gamesman.model.variant import Position, Variant
from gamesman.search.deepening import legal_moves
from gamesman.search.evenly import BestMoves, Stopped
from gamesman.search.returns import REPETITIONS, can_come_back
from gamesman.search.searcher import Searcher
from gamesman.values import TIE, UNDECIDED, WIN

Rates = tuple[float, float]  # at which the first and the second player make any move instead of a best one


class SearchingGames:
    """Plays games of kinds of players in turn, each kind given by its name and the rates at which the two err.

    Ctrl-C, or so many `seconds`, end it before there are as many as asked for, but not before there are `fewest`.
    """

    def __init__(
        self,
        variant: Variant,
        searcher: Searcher,
        kinds: Mapping[str, Rates],
        depth: int,
        seed: int,
        most_moves: int,
        fewest: int = 1,
    ):
        self._variant, self._kinds, self._seed = variant, kinds, seed
        self._most_moves, self._fewest = most_moves, fewest
        self._first = variant.turn(variant.start())
        self._heeds = variant.game.no_repetition or can_come_back(variant)
        self._best = BestMoves(searcher, depth, self._must_stop)
        self._rows: dict[str, list[tuple[int, ...]]] = {name: [] for name in kinds}
        self._end = float("inf")
        self.is_interrupted = False

    def play(self, count: int, seconds: float | None = None, progress: Progress | None = None) -> dict[str, Games]:
        """Play so many games of each kind, or as many as there is time for; return them. Raises BrokenGame."""
        progress = progress or Silent()
        progress.start(f"searching in games of {self._variant.name}", count * len(self._kinds))
        if seconds is not None:
            self._end = time.monotonic() + seconds
        with signals.noted(self._interrupt):
            try:
                for number in range(count):
                    for name, rates in self._kinds.items():
                        self._rows[name].append(self._game(name, rates, number))
                        progress.advance(1)
            except Stopped:
                pass
        progress.finish()
        return {
            name: Games(*(np.array(column, np.int64) for column in zip(*rows, strict=True)))
            for name, rows in self._rows.items()
        }

    def _interrupt(self) -> None:
        """End the games at the first Ctrl-C if there are enough; else, and at the second, do as ever."""
        if self.is_interrupted or not self._has_enough():
            raise KeyboardInterrupt
        self.is_interrupted = True

    def _has_enough(self) -> bool:
        return all(len(rows) >= self._fewest for rows in self._rows.values())

    def _must_stop(self) -> bool:
        return self.is_interrupted or (time.monotonic() > self._end and self._has_enough())

    def _game(self, name: str, rates: Rates, number: int) -> tuple[int, ...]:
        """Play a game; return its outcome, its moves, those with a choice, and the moves there were to choose from."""
        variant, dice = self._variant, random.Random(f"{self._seed} {name} {number} {self._variant.name}")
        position, length, choices, offered = variant.start(), 0, 0, 0
        been: list[Position] = []  # of the tier that the game is in: no other can come back
        while True:
            outcome, moves = self._standing(position, been, is_cut=length == self._most_moves)
            if outcome is not None:
                return outcome, length, choices, offered
            if self._must_stop():
                raise Stopped
            is_erring = dice.random() < rates[variant.turn(position) ^ self._first]
            best = moves if is_erring or len(moves) == 1 else self._best.of(position, been)
            after = variant.do_move(position, dice.choice(sorted(best)))
            if self._heeds:
                been = [*been, position] if variant.tier(after) == variant.tier(position) else []
            position, length = after, length + 1
            choices, offered = choices + (len(moves) > 1), offered + len(moves)

    def _standing(self, position: Position, been: list[Position], *, is_cut: bool) -> tuple[int | None, Any]:
        """Return how a game has ended, or None, and the moves that may be made."""
        variant = self._variant
        value, is_first = variant.primitive(position), variant.turn(position) == self._first
        if value != UNDECIDED:
            return NOBODY if value == TIE else FIRST if (value == WIN) == is_first else SECOND, ()
        if been.count(position) >= REPETITIONS - 1:
            return RETURNED, ()
        if is_cut:
            return CUT, ()
        moves = legal_moves(variant, position, been)
        if moves or variant.game.no_repetition:
            return (None, moves) if moves else (SECOND if is_first else FIRST, ())
        name = variant.game.name
        raise BrokenGame(f"{name}: primitive leaves a position undecided that has no move; run: gamesman check")
