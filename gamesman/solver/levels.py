"""Driving the retrograde kernels over one tier: level after level, alone if it is small, on all threads if not."""

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
from gamesman.solver.kernels.retrograde import ALONE, BY_FORCE, BY_TIE, RELEASE, SPREAD, Links, Where
from gamesman.values import MAX_REMOTENESS, UNREACHED, unpack

# A tier of fewer positions is not worth handing to threads; more positions than PIECE are never given to a kernel at
# once, so that Ctrl-C and the progress bar need not wait for it.
SMALL_TIER = 50_000
PIECE = 1 << 18

# Room in a queue beyond a sixteenth of the positions; what does not fit is found by looking through all of them.
SPARE_ROOM = 4096


def new_due() -> np.ndarray:
    return np.zeros((2, MAX_REMOTENESS + 1), np.int64)


def no_links() -> Links:
    return Links(np.empty(0, np.int64), np.empty(0, np.int64))


def nobody(place: int, *_: Any) -> None:
    """Blame nobody in particular for what is wrong at a place."""
    raise BrokenGame("the game's functions are not consistent")


def complain(result: int) -> None:
    """Raise what a kernel says is wrong."""
    if result == TOO_FAR:
        raise TooLarge(f"a remoteness is more than {MAX_REMOTENESS:,}, the most that a record holds")
    if result == TOO_MANY:
        raise TooLarge(f"a position has more than {MOST_MOVES // 2:,} moves, or moves that lead to it")
    if result == MISSING:
        raise BrokenGame("a move leads to a position that was not met before: the game's functions are not consistent")


def pieces(n: int) -> list[tuple[int, ...]]:
    """All of range(n) in parts of at most PIECE."""
    return list(itertools.pairwise([*range(0, n, PIECE), n]))


def histogram(count: Any, records: np.ndarray, workers: Workers) -> Histogram:
    """How many positions have each value and remoteness."""
    if len(records) < 1000:
        return _by_value(Counter(records.tolist()))
    counts = [np.zeros(1 << 16, np.int64) for _ in range(workers.threads)]
    workers.share(lambda w, begin, end: count(records[begin:end], counts[w]), pieces(len(records)))
    return _by_value(_added_up(counts))


def weighed(weigh: Any, rules: Any, first: int, keys: np.ndarray, records: np.ndarray, workers: Workers) -> Histogram:
    """The same where a record is that of a whole class; without keys they are those from `first` on."""
    counts = [np.zeros(1 << 16, np.int64) for _ in range(workers.threads)]

    def count(w: int, begin: int, end: int) -> None:
        weigh(rules, first + begin, keys[begin:end], records[begin:end], counts[w])

    workers.share(count, pieces(len(records)))
    return _by_value(_added_up(counts))


def _added_up(counts: list[np.ndarray]) -> Counter[int]:
    total = sum(counts)
    return Counter({int(record): int(total[record]) for record in np.flatnonzero(total)})


def _by_value(found: Counter[int]) -> Histogram:
    found.pop(UNREACHED, None)
    values: Histogram = {}
    for record, number in found.items():
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
    """The parents of every position of a tier within it, for games that do not tell them."""
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
    """One tier being solved."""

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
    ):
        self._advance, self._finish = kernels["advance"], kernels["finish"]
        self._workers = workers
        self._given = (rules, where, links)
        self._records, self._left, self._due = records, left, due

    def run(self, advanced: Callable[[int], None]) -> None:
        """Decide all positions; tell how many at a time."""
        if len(self._records) < SMALL_TIER:
            self._alone()
        else:
            self._together()
        advanced(len(self._records))

    def _alone(self) -> None:
        n = len(self._records)
        scratch, queues = new_scratch(), (np.empty(n, np.int64), np.empty(n, np.int64))
        for kind in (BY_FORCE, BY_TIE):
            if self._due[kind].any():
                complain(self._step(ALONE, kind, 0, False, 0, n, queues[0], 0, queues[1], scratch)[0])
        self._finish(self._records, self._left, 0, n)

    def _step(self, task: int, kind: int, level: int, scan: bool, begin: int, end: int, *rest: Any) -> tuple[int, bool]:
        shared = task != ALONE and self._workers.threads > 1
        place = task, kind, level, scan, self._records, self._left, self._due, begin, end
        return self._advance(*self._given, shared, *place, *rest)

    def _together(self) -> None:
        n, threads = len(self._records), self._workers.threads
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
                    complain(TOO_FAR)
                level = level + 1 if scan or any(queued) else self._next_due(kind, level + 1)
        self._workers.share(lambda w, begin, end: self._finish(self._records, self._left, begin, end), pieces(n))

    def _release(self, kind: int, level: int, queued: list[int]) -> bool:
        """Queue what lower tiers, or the rules, decide at a level; whether some of it did not fit the queues."""

        def release(w: int, begin: int, end: int) -> bool:
            queues = self._now[w], queued[w], self._following[w], self._scratch[w]
            queued[w], full = self._step(RELEASE, kind, level, False, begin, end, *queues)
            return full

        return any(self._workers.share(release, pieces(len(self._records))))

    def _spread(self, kind: int, level: int, queued: list[int], scan: bool) -> tuple[list[int], bool]:
        """Take a level back one move: how many positions that queues for the next, and whether some did not fit."""
        found = [0] * len(queued)

        def spread(w: int, begin: int, end: int, source: int = 0) -> bool:
            queues = self._now[source], found[w], self._following[w], self._scratch[w]
            found[w], full = self._step(SPREAD, kind, level, scan, begin, end, *queues)
            complain(found[w])
            return full

        if scan:
            runs = pieces(len(self._records))
        else:
            runs = [(*piece, source) for source, count in enumerate(queued) for piece in pieces(count)]
        overflown = any(self._workers.share(spread, runs))
        return found, overflown

    def _next_due(self, kind: int, level: int) -> int | None:
        later = np.flatnonzero(self._due[kind, level:])
        return level + int(later[0]) if len(later) else None
