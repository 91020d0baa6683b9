"""The retrograde kernels are driven over one tier, level after level, on one thread if it is small and else on all."""

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from gamesman.errors import BrokenGame, TooLarge
from gamesman.machine.memory import Allowance
from gamesman.machine.workers import Workers
from gamesman.model.summary import Histogram
from gamesman.solver.kernels.acyclic import MISSING, MOST_MOVES, TOO_FAR, TOO_MANY, new_scratch
from gamesman.solver.kernels.retrograde import (
    ALONE,
    BY_FORCE,
    BY_TIE,
    RELEASE,
    SPREAD,
    Links,
    Queues,
    Step,
    TierArrays,
    Where,
)
from gamesman.values import MAX_REMOTENESS, UNREACHED, unpack

# A tier of fewer positions is not worth handing to threads.
SMALL_TIER = 50_000
# A kernel is given no more at once, so that Ctrl-C and the progress bar need not wait for it.
POSITIONS_PER_PIECE = 1 << 18

MOST_COUNTED = 65_000  # moves of a position in a tier with cycles, counted in 16 bits

# Room in a queue beyond a sixteenth of the positions; what does not fit is found by looking through all of them.
SPARE_ROOM = 4096

Pieces = list[tuple[int, int]]  # the bounds of parts of a tier


def new_due() -> np.ndarray:
    """Return a count of 0 for each kind and remoteness."""
    return np.zeros((2, MAX_REMOTENESS + 1), np.int64)


def no_links() -> Links:
    """Return the links of a tier whose game tells the parents itself."""
    return Links(np.empty(0, np.int64), np.empty(0, np.int64))


def nobody(place: int, *_: Any) -> None:
    """Blame nobody in particular for what is wrong at a place."""
    raise BrokenGame("the game's functions are not consistent")


def raise_for(result: int) -> None:
    """Raise the error that a kernel's negative result stands for."""
    if result == TOO_FAR:
        raise TooLarge(f"a remoteness is more than {MAX_REMOTENESS:,}, the most that a record holds")
    if result == TOO_MANY:
        raise TooLarge(f"a position has more than {MOST_MOVES // 2:,} moves, or moves that lead to it")
    if result == MISSING:
        raise BrokenGame("a move leads to a position that was not met before: the game's functions are not consistent")


def pieces(n: int, at_most: int | None = None) -> Pieces:
    """Return the bounds of parts of range(n), none longer than that, or else than POSITIONS_PER_PIECE."""
    return list(itertools.pairwise([*range(0, n, at_most or POSITIONS_PER_PIECE), n]))


def counted(
    kernels: dict[str, Any], rules: Any, first: int, keys: np.ndarray, records: np.ndarray, workers: Workers,
    where: Pieces, *, are_classes: bool,
) -> tuple[Histogram, int | None]:  # fmt: skip
    """Return how many positions have each value and remoteness, and where records are those of classes, how many.

    They are in the pieces given. Without keys the records are of those from `first` on.
    """
    if not are_classes:
        return _histogram(kernels["count"], records, workers, where), None
    classes = sum(int(np.count_nonzero(records[begin:end] != UNREACHED)) for begin, end in where)
    return _weighed(kernels["weigh"], rules, first, keys, records, workers, where), classes


def _histogram(count: Any, records: np.ndarray, workers: Workers, where: Pieces) -> Histogram:
    """Return how many records there are of each value and remoteness."""
    if len(records) < 1000:
        return by_value(Counter(record for begin, end in where for record in records[begin:end].tolist()))
    counts = [np.zeros(1 << 16, np.int64) for _ in range(workers.threads)]
    workers.share(lambda w, begin, end: count(records[begin:end], counts[w]), where)
    return by_value(_added_up(counts))


def _weighed(
    weigh: Any, rules: Any, first: int, keys: np.ndarray, records: np.ndarray, workers: Workers, where: Pieces
) -> Histogram:
    """Return the same, each record counted as often as its class has positions."""
    counts = [np.zeros(1 << 16, np.int64) for _ in range(workers.threads)]

    def count(w: int, begin: int, end: int) -> None:
        weigh(rules, first + begin, keys[begin:end], records[begin:end], counts[w])

    workers.share(count, where)
    return by_value(_added_up(counts))


def _added_up(counts: list[np.ndarray]) -> Counter[int]:
    total = sum(counts)
    return Counter({int(record): int(total[record]) for record in np.flatnonzero(total)})


def by_value(found: Counter[int]) -> Histogram:
    """Return counts of records as counts of values and remotenesses."""
    found.pop(UNREACHED, None)
    values: Histogram = {}
    for record, number in sorted(found.items()):
        value, remoteness = unpack(record)
        values.setdefault(value, Counter())[remoteness] += number
    return values


def link(
    kernel: Any,
    rules: Any,
    where: Where,
    here: int,
    left: np.ndarray,
    allowance: Allowance,
    blame: Callable[[int], None] = nobody,
) -> Links:
    """Return the parents within the tier of every position of it, for games that do not tell them."""
    n = len(left)
    allowance.reserve(8 * n, f"a tier of {n:,} positions, in a game without undo_moves,")
    heads, links = np.zeros(n + 2, np.int64), np.empty(0, np.int64)
    for begin, end in pieces(n):
        if (wrong := kernel(rules, where, here, left, heads, links, begin, end)) < 0:
            blame(~wrong)
    np.cumsum(heads, out=heads)
    edges = int(heads[-1])
    allowance.reserve(8 * edges, f"a tier with {edges:,} moves within it, in a game without undo_moves,")
    # Never empty: that would be counting once more.
    links = np.empty(max(1, edges), np.int64)
    for begin, end in pieces(n):
        kernel(rules, where, here, left, heads, links, begin, end)
    return Links(heads, links)


class Levels:
    """Solves one tier with cycles, level after level."""

    def __init__(
        self,
        kernels: dict[str, Any],
        workers: Workers,
        rules: Any,
        where: Where,
        links: Links,
        records: np.ndarray,
        left: np.ndarray,
        due: np.ndarray,
        pieces: Pieces,
    ):
        """Take a tier, and the bounds of the parts of it that have positions, one part if it is small."""
        self._advance, self._finish = kernels["advance"], kernels["finish"]
        self._workers, self._rules = workers, rules
        self._tier = TierArrays(where, links, records, left, due)
        self._records, self._left, self._due, self._pieces = records, left, due, pieces

    def run(self, advanced: Callable[[int], None]) -> None:
        """Decide all positions, and say so to `advanced`."""
        if len(self._records) < SMALL_TIER:
            self._alone()
        else:
            self._together()
        advanced(len(self._records))

    def _alone(self) -> None:
        """Solve a small tier in one call of the kernel for wins and losses, and one for ties."""
        n = len(self._records)
        scratch, queues = new_scratch(), Queues(np.empty(n, np.int64), np.empty(n, np.int64))
        for kind in (BY_FORCE, BY_TIE):
            if self._due[kind].any():
                raise_for(self._advance_by(Step(ALONE, kind, 0, False, 0, n), queues, 0, scratch)[0])
        self._finish(self._records, self._left, 0, n)

    def _advance_by(self, step: Step, queues: Queues, queued: int, scratch: Any) -> tuple[int, bool]:
        """Run the kernel; return how many are in the queue it writes to, and whether more did not fit."""
        shared = step.task != ALONE and self._workers.threads > 1
        found: tuple[int, bool] = self._advance(self._rules, self._tier, shared, step, queues, queued, scratch)
        return found

    def _together(self) -> None:
        """Solve a tier on all threads, which wait for each other at the end of each level."""
        n, threads = sum(end - begin for begin, end in self._pieces), self._workers.threads
        room = n // 16 // threads + SPARE_ROOM
        self._now = [np.empty(room, np.int64) for _ in range(threads)]
        self._following = [np.empty(room, np.int64) for _ in range(threads)]
        self._scratch = [new_scratch() for _ in range(threads)]
        for kind in (BY_FORCE, BY_TIE):
            queued, scan = [0] * threads, False
            level = self._next_due(kind, 0)
            while level is not None:
                if self._due[kind, level]:
                    scan |= self._release(kind, level, queued)
                queued, scan = self._spread(kind, level, queued, scan)
                self._now, self._following = self._following, self._now
                if level == MAX_REMOTENESS and (scan or any(queued)):
                    raise_for(TOO_FAR)
                level = level + 1 if scan or any(queued) else self._next_due(kind, level + 1)
        self._workers.share(lambda w, begin, end: self._finish(self._records, self._left, begin, end), self._pieces)

    def _release(self, kind: int, level: int, queued: list[int]) -> bool:
        """Queue what lower tiers, or the rules, decide at a level; return whether some of it did not fit."""

        def release(w: int, begin: int, end: int) -> bool:
            step, queues = Step(RELEASE, kind, level, False, begin, end), Queues(self._now[w], self._following[w])
            queued[w], full = self._advance_by(step, queues, queued[w], self._scratch[w])
            return full

        return any(self._workers.share(release, self._pieces))

    def _spread(self, kind: int, level: int, queued: list[int], scan: bool) -> tuple[list[int], bool]:
        """Take a level back one move; return how many positions that queues, and whether some did not fit."""
        found = [0] * len(queued)

        def spread(w: int, begin: int, end: int, source: int = 0) -> bool:
            step, queues = Step(SPREAD, kind, level, scan, begin, end), Queues(self._now[source], self._following[w])
            found[w], full = self._advance_by(step, queues, found[w], self._scratch[w])
            raise_for(found[w])
            return full

        if scan:
            runs: list[tuple[int, ...]] = [*self._pieces]
        else:
            runs = [(*piece, source) for source, count in enumerate(queued) for piece in pieces(count)]
        overflown = any(self._workers.share(spread, runs))
        return found, overflown

    def _next_due(self, kind: int, level: int) -> int | None:
        """Return the first level from this one on at which positions are due, or None."""
        later = np.flatnonzero(self._due[kind, level:])
        return level + int(later[0]) if len(later) else None
