"""How many positions a variant has is found here without solving it: counted, or estimated.

Positions are enumerated as a solve does it, from the highest tier down, as long as there is time and memory. If that
comes to an end they are known. Else the tiers below are estimated from random games: see gamesman.solver.estimate for
what these show, and gamesman.solver.curve for where sizes lie on a curve.
"""

import contextlib
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gamesman.compiler.clock import compile_clock
from gamesman.compiler.compile import compiler_for, rules_for
from gamesman.machine.memory import Allowance
from gamesman.machine.workers import Workers
from gamesman.model.progress import Progress
from gamesman.model.symmetry import Symmetry
from gamesman.model.variant import Variant
from gamesman.solver import need, upfront
from gamesman.solver.dense import Dense, NotDense
from gamesman.solver.forecast import Enumerated, Forecast, between, off
from gamesman.solver.frontier import in_a_row
from gamesman.solver.kernels import expand, hashing
from gamesman.solver.kernels import survey as surveys
from gamesman.solver.kernels.sorting import packed_bytes
from gamesman.solver.kernels.survey import COUNTS
from gamesman.solver.keyset import SpillFolder, Unforeseen
from gamesman.solver.sparse import Enumeration
from gamesman.values import KEY_LIMIT

SECONDS = 15.0  # of counting
LATEST = 3  # times as many have passed, at the most, where other programs are busy
SAMPLED = 4096  # positions of a tier whose moves are counted where not all of them are, and up to twice as many
PACKED = 1 << 14  # keys one after the other of which it is seen how many bytes they take
LEAST_PACKED = 256  # of a tier that has less it is not looked at
KEY_BYTES, FILE_BYTES = 2.0, 3.0  # of a key where no tier has so many
ARRAYS = 1.1  # bytes for each number of a position, while positions are counted in arrays
REST = -1  # stands for all tiers together that have not been counted in arrays
FILLED = 4  # times as many numbers as positions, at the most, are taken to be there in these


Packed = Callable[[np.ndarray], int]


class Extent(NamedTuple):
    """Says how far a variant reaches. Its tiers have positions up to symmetry: *classes*."""

    sizes: dict[int, float]  # classes of each tier, most likely
    low: float  # positions, at least
    high: float
    ways: set[tuple[int, int]]  # from which tier to which moves lead, also within one
    is_counted: bool  # whether all this is exact
    weight: float  # positions of a class
    inner: float  # moves of a class within its tier
    links: float  # bytes that finding who leads to a class within its tier takes
    key_bytes: float  # of a class's key, as it is stored
    file_bytes: float  # of the same in a file, where a solve goes on in files
    seconds: float  # of computing that enumerating a class has taken
    spread: int | None  # numbers of positions where arrays with a place for each hold them

    @property
    def classes(self) -> float:
        """Return how many classes there most likely are."""
        return sum(self.sizes.values())

    @property
    def positions(self) -> float:
        """Return how many positions there most likely are."""
        return min(self.high, max(self.low, self.weight * self.classes))


class _Enough(Exception):
    """Says that the time is over."""


class _Surveyor:
    """Looks tiers through as they are enumerated, and ends that when its time is over or enough has been expanded."""

    def __init__(
        self,
        functions: dict[str, Any],
        survey: Any,
        rules: Any,
        pack: Packed,
        progress: Progress,
        seconds: float,
        most: int | None,
    ):
        self._functions, self._survey, self._rules, self._pack, self._progress = (
            functions,
            survey,
            rules,
            pack,
            progress,
        )
        self._begun, self._seconds, self._most = time.monotonic(), seconds, most
        self._since = self._first = time.process_time()
        self._expanded = self.positions = 0
        self._stands_for = self._inner = self._of = 0.0
        self._packed = self._bytes = self._file_bytes = 0.0
        self.sizes: dict[int, int] = {}
        self.ways: set[tuple[int, int]] = set()

    def is_finished(self, enumerate: Callable[..., object], start: tuple[int, int]) -> bool:
        """Have positions enumerated; return whether all were."""
        with compile_clock() as self._compiling:
            try:
                enumerate(*start, self._advanced)
            except (_Enough, Unforeseen):
                return False
            finally:
                spent = time.process_time() - self._since - self._compiling.seconds
                self.seconds = max(0.0, spent) / max(1, self._expanded)
        return True

    def _advanced(self, tier: int, positions: int) -> None:
        self._expanded += positions
        self._progress.note(f"tier {tier}")
        self._progress.advance(positions)
        if self._is_over() or (self._most is not None and self._expanded >= self._most):
            raise _Enough

    def _is_over(self) -> bool:
        """Return whether the time has passed, also of computing, unless others leave hardly any of it.

        What compiling takes is left out.
        """
        passed, spent = time.monotonic() - self._begun, time.process_time() - self._first
        seconds = self._seconds + self._compiling.seconds
        return passed > seconds and (spent > seconds or passed > LATEST * seconds)

    def closed(self, tier: int, keys: np.ndarray) -> None:
        """Count what the classes of a tier that has been enumerated, or of a part of it, stand for."""
        before = time.process_time()
        self.sizes[tier] = self.sizes.get(tier, 0) + len(keys)
        self.positions += self.sample(tier, keys, len(keys))
        if len(keys) >= LEAST_PACKED:
            together = in_a_row(keys, PACKED)
            self._bytes += len(keys) * self._pack(together) / len(together)
            self._file_bytes += len(keys) * packed_bytes(together)
            self._packed += len(keys)
        self._since += time.process_time() - before

    def sample(self, tier: int, keys: np.ndarray, classes: float) -> int:
        """Look at keys that are `classes` of a tier, or a sample of them; return how many positions they stand for."""
        if not len(keys):
            return 0
        counts = np.zeros(COUNTS, np.int64)
        self._survey(self._rules, keys, tier, max(1, len(keys) // SAMPLED), counts)
        positions, surveyed, inner = counts.tolist()
        self._stands_for += positions / len(keys) * classes
        self._inner += inner / surveyed * classes
        self._of += classes
        if inner:
            self.ways.add((tier, tier))
        return positions

    @property
    def weight(self) -> float:
        """Return how many positions a class stands for, on the average."""
        return self._stands_for / max(1.0, self._of)

    def each(self) -> tuple[float, float, float, float, float, float]:
        """Return what an Extent tells of a class: its positions, its moves, its bytes of each kind, and its time."""
        inner = self._inner / max(1.0, self._of)
        links = need.links(inner, self._functions)
        stored, in_file = KEY_BYTES, FILE_BYTES
        if self._packed:
            stored, in_file = self._bytes / self._packed, self._file_bytes / self._packed
        return self.weight, inner, links, stored, in_file, self.seconds


class Extents:
    """Measures how far a variant reaches."""

    def __init__(
        self,
        variant: Variant,
        symmetry: Symmetry | None,
        allowance: Allowance,
        pack: Packed,
        threads: int | None = None,
    ):
        """Begin to measure; `pack` says how many bytes PACKED ascending keys take where they are stored."""
        self._pack = pack
        self._variant, self._symmetry, self._allowance = variant, symmetry, allowance
        self._threads = threads
        self._compiler, self._rules = compiler_for(variant, symmetry), rules_for(variant, symmetry)
        self._survey = surveys.kernels(self._compiler.kernel, self._compiler.functions)["survey"]
        self._start = variant.tier(variant.start()), variant.hash(variant.start())

    def measure(self, progress: Progress, seconds: float = SECONDS, most: int | None = None) -> Extent:
        """Count for so many seconds, or expanded classes, at the most; then estimate what is left."""
        workers, folder, bound = Workers(self._threads), SpillFolder(None), self._variant.key_bound()
        self._survey(self._rules, np.array([self._start[1]]), 0, 1, np.zeros(COUNTS, np.int64))  # compiled now
        progress.start(f"counting the positions of {self._variant.name}")
        begin = partial(
            _Surveyor, self._compiler.functions, self._survey, self._rules, self._pack, progress, seconds, most
        )
        surveyor = begin()
        try:
            if bound is not None and upfront.is_dense(self._variant) and self._allowance.has(ARRAYS * bound):
                with contextlib.suppress(NotDense):
                    return self._in_arrays(workers, surveyor, bound)
                surveyor = begin()
            return self._by_hashing(workers, folder, surveyor, progress)
        finally:
            progress.finish()
            workers.close()
            folder.remove()

    def _in_arrays(self, workers: Workers, surveyor: _Surveyor, bound: int) -> Extent:
        """Enumerate in arrays; where that does not come to its end, tiers are taken to be as full as complete ones."""
        given = self._compiler, self._rules, workers, self._allowance, self._symmetry
        strategy = Dense(self._variant, *given, is_solved=False)
        is_counted = surveyor.is_finished(strategy.enumerate, self._start)
        for number in strategy.tiers():
            for keys in strategy.reached(number):
                surveyor.closed(number, keys)
        sizes = dict[int, float](surveyor.sizes)
        ways = surveyor.ways | {(number, child) for number in sizes for child in strategy.children(number)}
        if is_counted:
            return self._counted(surveyor, sizes, ways, bound)
        # Where the one tier that is looked at has not been looked through nothing but its numbers is known.
        looked_at = sum(strategy.positions(number) for number in sizes)
        filled = sum(sizes.values()) / looked_at if sizes else 1 / (self._symmetry.order if self._symmetry else 1)
        sizes[REST] = (bound - looked_at) * filled
        some = next(filter(len, strategy.reached(strategy.at)))
        surveyor.sample(strategy.at, some, sizes[REST])
        likely = surveyor.weight * sum(sizes.values())
        return Extent(
            sizes, max(surveyor.positions, likely / FILLED), bound, ways | surveyor.ways, False, *surveyor.each(), bound
        )

    def _by_hashing(self, workers: Workers, folder: SpillFolder, surveyor: _Surveyor, progress: Progress) -> Extent:
        """Enumerate in sets; the tiers that have not been enumerated by then are estimated from games."""
        kernel, functions = self._compiler.kernel, self._compiler.functions
        kernels = {**hashing.kernels(kernel), **expand.kernels(kernel, functions)}
        given = self._rules, workers, self._allowance, folder
        enumeration = Enumeration(kernels, *given, closed=surveyor.closed)
        is_counted = surveyor.is_finished(enumeration.run, self._start)
        known = enumeration.known()
        if is_counted:
            return self._counted(surveyor, dict[int, float](known.sizes), known.ways | surveyor.ways, None)
        del enumeration
        return self._guessed(known, surveyor, progress)

    def _counted(
        self, surveyor: _Surveyor, sizes: dict[int, float], ways: set[tuple[int, int]], spread: int | None
    ) -> Extent:
        positions = surveyor.positions
        return Extent(sizes, positions, positions, ways, True, *surveyor.each(), spread)

    def _guessed(self, known: Enumerated, surveyor: _Surveyor, progress: Progress) -> Extent:
        """Estimate the tiers that are not known, by games and where there is one by a curve."""
        progress.start(f"playing games of {self._variant.name} at random", 0)
        kernel, functions, bound = self._compiler.kernel, self._compiler.functions, self._variant.key_bound()
        given = self._variant.name, kernel, functions, self._rules, self._start[1], self._allowance
        told = Forecast(*given, is_stored=True, bound=bound).told(known)
        sizes = between(told.by_games, told.by_curve)
        for number in sizes.keys() - known.sizes.keys():
            surveyor.sample(number, told.games.met(number), sizes[number])
        classes, weight = sum(sizes.values()), surveyor.weight
        low, high = weight * told.sure, float(bound or KEY_LIMIT)
        if told.is_seen:
            factor = off(classes / max(1, sum(known.sizes.values())))
            low, high = max(low, weight * classes / factor), min(high, max(low, weight * classes) * factor)
        spread = bound if upfront.is_dense(self._variant) else None
        ways = told.ways | surveyor.ways
        return Extent(sizes, min(low, high), high, ways, False, *surveyor.each(), spread)
