"""Un-moves of a game that is not ours are held against its moves here, at its solved positions and all their images.

Neither solving nor proving asks for all of them: not for those of images, nor of positions that decide nothing. With
another start, or other options, they would be asked for.
"""

import time
from collections import Counter
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from gamesman.analysis import walk
from gamesman.analysis.kernels import undoing
from gamesman.errors import BrokenGame
from gamesman.machine.workers import Workers
from gamesman.model import culprit
from gamesman.model.check import Check
from gamesman.model.made import times
from gamesman.model.progress import Progress, Silent
from gamesman.model.symmetry import MOST_IMAGES
from gamesman.model.variant import Position

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

SECONDS = 5.0  # of CPU that it takes, at least, where there are as many positions
AT_ONCE = 1 << 10  # classes that a thread takes at a time


def hold(
    stored: "SolvedPositions", seconds: float = SECONDS, threads: int | None = None, progress: Progress | None = None
) -> int:
    """Hold the un-moves of all positions against moves, or of those that there is time for, drawn at random.

    Returns how many they were. Raises BrokenGame, naming the position at fault.
    """
    return _Holding(stored, seconds, threads, progress or Silent()).run()


class _Holding:
    """Knows how long it takes, and so what share of the positions there is time for."""

    def __init__(self, stored: "SolvedPositions", seconds: float, threads: int | None, progress: Progress):
        self._stored, self._variant, self._progress = stored, stored.variant, progress
        self._seconds, self._symmetry = seconds, stored.symmetry
        self._left = sum(tier.classes for tier in stored.summary.tiers)
        is_little = self._left <= walk.MOST_INTERPRETED
        self._workers = Workers(1 if is_little else threads)
        kernel, functions, self._rules = walk.form_for(self._variant, self._left, self._symmetry, is_bounded=True)
        self._kernel = undoing.kernel(kernel, functions, is_turned=self._symmetry is not None)
        self._dice = np.random.default_rng(0)

    def run(self) -> int:
        total = self._stored.summary.positions
        self._progress.start(f"undoing moves of {self._variant.name}", total)
        try:
            self._hold_some(np.array([self._variant.hash(self._variant.start())]))  # compiled now
            return self._run()
        finally:
            self._progress.finish()
            self._workers.close()

    def _run(self) -> int:
        began, held, count = time.process_time(), 0, 0
        at_once = AT_ONCE * self._workers.threads
        for part in self._stored.positions(is_classes=True):
            for begin in range(0, len(part.keys), at_once):
                keys = part.keys[begin : begin + at_once]
                used = time.process_time() - began
                share = held * (self._seconds - used) / (used * self._left) if used and held else 1.0
                self._left -= len(keys)
                if share < 1:
                    keys = keys[self._dice.random(len(keys)) < share]
                count += self._hold_all(keys)
                held += len(keys)
        return count

    def _hold_all(self, keys: np.ndarray) -> int:
        pieces = [(begin, begin + AT_ONCE) for begin in range(0, len(keys), AT_ONCE)]
        count = sum(self._workers.share(lambda _, begin, end: self._hold_some(keys[begin:end]), pieces))
        self._progress.advance(count)
        return count

    def _hold_some(self, keys: np.ndarray) -> int:
        sums, begin, count = np.zeros(MOST_IMAGES, np.int64), 0, 0
        while begin < len(keys):
            try:
                begin, found, held = self._kernel(self._rules, keys, begin, sums)
            except (BrokenGame, MemoryError, OSError):
                raise
            except Exception as error:  # of the game, in machine code or in Python
                for key in keys[begin:].tolist():
                    self._blame(key)
                raise BrokenGame(f"{self._variant.name}: undo_moves: {error}") from error
            count += held
            if found == undoing.RIGHT:
                break
            key = int(keys[begin])
            count += self._blame(key)
            if found == undoing.WRONG:
                at = self._variant.show(self._variant.unhash(key))
                raise BrokenGame(f"{self._variant.name}: undo_moves: {culprit.DIFFER}, at {at}")
            begin += 1
        return count

    def _blame(self, key: int) -> int:
        """Raise what is wrong with the un-moves of a class in plain Python; return how many positions it has."""
        variant, position = self._variant, self._variant.unhash(key)
        orbit = [position] if self._symmetry is None else self._symmetry.orbit(position)
        for image in orbit:
            culprit.find([variant.hash(image)], variant)
        check, undone = Check(variant), {image: Counter(variant.undo_moves(image)) for image in orbit}
        parents = {parent for every in undone.values() for parent in every}
        if self._symmetry is not None:
            parents = {image for parent in parents for image in self._symmetry.orbit(parent)}
        for image, parent in product(orbit, parents):
            there, count = self._leads(parent, image), undone[image][parent]
            if there != count and self._stored.get(parent) is not None:
                check.fail(
                    "undo_moves", image, f"must yield {check.show(parent)} {times(there)}, got it {times(count)}"
                )
        return len(orbit)

    def _leads(self, parent: Position, position: Position) -> int:
        """Return how many moves lead from one position to another."""
        variant = self._variant
        return sum(variant.do_move(parent, move) == position for move in variant.generate_moves(parent))
