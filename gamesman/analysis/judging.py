"""How easy it is to go wrong in a variant that is not solved: positions of games at random, judged by searches.

Searches are sure of some positions only. What they leave open may be either, and is counted apart.
"""

import random
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from gamesman.analysis.playouts import Playouts
from gamesman.model.progress import Progress, Silent
from gamesman.model.variant import Position, Variant
from gamesman.search.searcher import Searcher
from gamesman.values import LOSE, WIN, negate

FEWEST = 10  # that are judged whatever time there is, each search in LEAST seconds
LEAST = 0.01


class Judged(NamedTuple):
    """Says of how many moves, or positions, something is sure, and of how many more it may be so."""

    of: int
    sure: int
    unknown: int


class Judge:
    """Draws moves of games at random, each as likely, and searches so many moves ahead from where they are made.

    For each question there are so many `seconds`, if they are given: what they do not do for is left out, but a few.
    """

    def __init__(
        self,
        variant: Variant,
        playouts: Playouts,
        lengths: Sequence[int],
        searcher: Searcher,
        depth: int,
        count: int,
        seed: int,
        seconds: float | None = None,
        progress: Progress | None = None,
    ):
        self._variant, self._playouts, self._searcher, self._depth = variant, playouts, searcher, depth
        self._count, self._seed, self._progress = count, seed, progress or Silent()
        self._seconds, self._end = seconds, float("inf")
        self._ends = np.cumsum(np.asarray(lengths, np.int64))

    def moves(self) -> Judged:
        """Judge whether moves give the value of their position away."""

        def gives_away(before: Position, after: Position) -> bool | None:
            worth, left = self._value(before), self._worth(before, after)
            if worth == LOSE or left == WIN or worth is not None and worth == left:
                return False
            return None if worth is None or left is None else True

        return self._judged("moves", gives_away)

    def traps(self) -> Judged:
        """Judge whether positions are traps: with two moves or more of which all but one lose."""

        def is_trap(before: Position, _: Position) -> bool | None:
            variant = self._variant
            moves = list(variant.generate_moves(before))
            if len(moves) == 1:
                return False
            safe = unknown = 0
            for move in moves:
                worth = self._worth(before, variant.do_move(before, move))
                safe, unknown = safe + (worth is not None and worth != LOSE), unknown + (worth is None)
                if safe > 1:
                    return False
            return safe == 1 if not unknown else None

        return self._judged("traps", is_trap)

    def _judged(self, what: str, judge: Callable[[Position, Position], bool | None]) -> Judged:
        self._progress.start(f"judging {what} of {self._variant.name}", self._count)
        if self._seconds is not None:
            self._end = time.monotonic() + self._seconds
        found: list[bool | None] = []
        for before, after in self._drawn(what):
            if len(found) >= FEWEST and time.monotonic() > self._end:
                break
            found.append(judge(before, after))
            self._progress.advance(1)
        self._progress.finish()
        return Judged(len(found), found.count(True), found.count(None))

    def _drawn(self, what: str) -> Iterator[tuple[Position, Position]]:
        """Yield where moves are made, and where they lead."""
        dice, ends = random.Random(f"{self._seed} {what} {self._variant.name}"), self._ends
        for _ in range(self._count if len(ends) and ends[-1] else 0):
            place = dice.randrange(int(ends[-1]))
            game = int(np.searchsorted(ends, place, side="right"))
            number = place - int(ends[game - 1] if game else 0)
            yield self._playouts.position(game, number), self._playouts.position(game, number + 1)

    def _value(self, position: Position) -> int | None:
        left = None if self._seconds is None else max(LEAST, self._end - time.monotonic())
        return self._searcher.search(position, self._depth, left).value

    def _worth(self, before: Position, after: Position) -> int | None:
        """Return what a move is sure to be worth to who makes it."""
        found = self._value(after)
        is_other = self._variant.turn(before) != self._variant.turn(after)
        return negate(found) if found is not None and is_other else found
