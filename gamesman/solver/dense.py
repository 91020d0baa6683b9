"""Tiers that fill their keys well are enumerated and solved here in arrays with a place for every key."""

import mmap
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

import numpy as np

from gamesman.compiler.compile import Compiler
from gamesman.errors import BrokenGame
from gamesman.machine.memory import Allowance
from gamesman.machine.workers import Workers
from gamesman.model import culprit, endless
from gamesman.model.ports import Part
from gamesman.model.summary import TierSummary
from gamesman.model.symmetry import Symmetry
from gamesman.model.variant import Variant
from gamesman.solver import levels, upfront
from gamesman.solver.kernels import acyclic, beginning, places, retrograde
from gamesman.solver.kernels.acyclic import TOO_FAR
from gamesman.solver.kernels.places import CHUNK_BITS, DIRTY, MANY, MIXED, MOVES, NEW, PRIMITIVES
from gamesman.solver.kernels.retrograde import Where
from gamesman.solver.levels import Levels, Pieces, new_due, no_links, raise_for
from gamesman.values import UNREACHED

CHUNKS = 1 << 10  # chunks a kernel is given at once
PIECES = 8  # of so many chunks, between two looks at the memory that is left
# Places without a single position are left out so many at a time: pages of memory are larger than chunks.
KEYS_LEFT_OUT = 1 << 16
CHUNKS_A_PAGE = 1 << 20 >> CHUNK_BITS  # a page of two megabytes has the records of so many


class NotDense(Exception):
    """Says while enumerating that these positions have to be found by hashing."""


class Dense:
    """Enumerates and solves, one by one, the tiers of a variant whose keys are consecutive tier by tier."""

    def __init__(
        self,
        variant: Variant,
        compiler: Compiler,
        rules: Any,
        workers: Workers,
        allowance: Allowance,
        symmetry: Symmetry | None = None,
        *,
        is_solved: bool = True,
    ):
        """Begin; what is not to be solved takes no room for records."""
        functions, kernel = compiler.functions, compiler.kernel
        self._kernels = {
            **acyclic.kernels(kernel, functions),
            **places.kernels(kernel, functions),
            **beginning.kernels(kernel, functions, dense=True),
            **retrograde.kernels(kernel, functions, dense=True),
        }
        self._variant, self._rules, self._workers, self._allowance = variant, rules, workers, allowance
        self._symmetry = symmetry
        self._spans: dict[int, tuple[int, int]] = {}
        self._children: dict[int, set[int]] = {}
        self.at = 0  # the tier that is enumerated
        bound = variant.key_bound()
        assert bound is not None  # see upfront.is_dense
        self._known, self._known_pages = _zeros(bound, np.uint8)
        self._records, self._record_pages = _zeros(bound, np.uint16)
        self._dirty = np.zeros((bound >> CHUNK_BITS) + 1, np.uint8)
        self._is_short = is_solved and not allowance.has(upfront.PLACE * bound)

    def enumerate(self, start_tier: int, start_key: int, advanced: Callable[[int, int], None]) -> None:
        """Find every reachable position, from the start's tier down. Raises NotDense where that cannot be done so."""
        self._mark(start_key)
        waiting = {start_tier}
        self._span(start_tier)
        with endless.suspected(self._at_work):
            while waiting:
                number = self.at = max(waiting)
                waiting.remove(number)
                self._sweep(number, advanced)
                self._children[number] = found = self._marked_tiers(number)
                waiting |= found

    def _at_work(self) -> Iterator[int]:
        """Yield the keys that may be expanded now, first those of chunks that are not noted any more, and not done.

        A chunk is noted again where a move inside it leads to another position of it.
        """
        first, end = self._span(self.at)
        shared = first >> CHUNK_BITS, (end - 1) >> CHUNK_BITS
        for is_likely in (True, False):
            for piece in levels.pieces(end - first):
                for key in (first + piece[0] + self._new(first, *piece)).tolist():
                    chunk = key >> CHUNK_BITS
                    if (self._dirty[chunk] != DIRTY or chunk in shared) == is_likely:
                        yield key

    def _mark(self, key: int) -> None:
        """Note a key as reached and not expanded."""
        self._known[key] = NEW
        self._dirty[key >> CHUNK_BITS] = DIRTY

    def _span(self, number: int) -> tuple[int, int]:
        """Return a tier's first key and the one after its last. Raises NotDense where the game does not tell."""
        if number not in self._spans:
            first, count = self._variant.game.functions["tier_keys"](self._variant.rules, number)
            if not count:
                raise NotDense
            end, bound = first + count, len(self._known)
            if not 0 <= first < end <= bound:
                raise BrokenGame(
                    f"{self._variant.name}: tier_keys gives keys {first} to {end - 1} for tier {number}, "
                    f"key_bound is {bound}"
                )
            for other, (its_first, its_end) in self._spans.items():
                if first < its_end and its_first < end:
                    name = self._variant.name
                    raise BrokenGame(f"{name}: tier_keys gives tiers {number} and {other} keys in common")
            self._spans[number] = first, end
        return self._spans[number]

    def _sweep(self, number: int, advanced: Callable[[int, int], None]) -> None:
        """Expand every reachable position of a tier."""
        first, end = self._span(number)
        chunks = range(first >> CHUNK_BITS, (end - 1 >> CHUNK_BITS) + 1, CHUNKS)

        def expand(worker: int, begin: int, stop: int) -> int:
            done = self._kernels["sweep"](self._rules, self._known, self._dirty, first, end, begin, stop)
            if done == MANY:
                raise NotDense
            if done < 0:
                self._blame(~done)
            advanced(number, done)
            return done

        while True:
            pieces = [(begin, min(begin + CHUNKS, chunks.stop)) for begin in chunks]
            dirty, expanded = [p for p in pieces if (self._dirty[slice(*p)] == DIRTY).any()], 0
            at_once = PIECES if self._is_short else max(1, len(dirty))
            for i in range(0, len(dirty), at_once):
                # What is raised here, and not by a function made here, keeps no array in memory.
                self._reserve_records()
                expanded += sum(self._workers.share(expand, dirty[i : i + at_once]))
            if expanded:
                continue
            # A mark and the note of its chunk are two writes: look whether a thread has seen one without the other.
            missed = [
                key for piece in levels.pieces(end - first) for key in first + piece[0] + self._new(first, *piece)
            ]
            if not missed:
                return
            self._dirty[np.array(missed) >> CHUNK_BITS] = DIRTY

    def _reserve_records(self) -> None:
        """Raise TooLarge where no room is left for the records of all that has been reached, if there may be none."""
        if self._is_short:
            pages = np.logical_or.reduceat(self._dirty, np.arange(0, len(self._dirty), CHUNKS_A_PAGE)).sum()
            size = int(pages) * CHUNKS_A_PAGE * self._records.itemsize << CHUNK_BITS
            upfront.reserve(self._variant, self._allowance, size, "at least ")

    def _new(self, first: int, begin: int, end: int) -> np.ndarray:
        """Return the places from `begin` to `end`, counted from the first, that are marked and not expanded."""
        return np.flatnonzero(self._known[first + begin : first + end] == NEW)

    def _marked_tiers(self, above: int) -> set[int]:
        """Return the tiers that have positions not expanded, now that the one above them has been."""
        found: set[int] = set()
        at = 0
        while True:
            later = np.flatnonzero(self._dirty[at >> CHUNK_BITS :] == DIRTY)
            if not len(later):
                return found
            chunk = (at >> CHUNK_BITS) + int(later[0])
            begin = max(at, chunk << CHUNK_BITS)
            new = self._new(0, begin, min(chunk + 1 << CHUNK_BITS, len(self._known)))
            if not len(new):
                at = chunk + 1 << CHUNK_BITS
                continue
            key = begin + int(new[0])
            try:
                number = self._variant.tier(self._variant.unhash(key))
            except Exception:  # of a key that is none
                number = -1
            if not 0 <= number <= above:
                self._blame(key, f"a move of tier {above} leads to key {key}, which is of no lower tier")
            found.add(number)
            first, at = self._span(number)
            if not first <= key < at:
                self._blame(key, f"a move of tier {above} leads to key {key}, which is of no lower tier")

    def _blame(self, key: int, said: str = culprit.DIFFER) -> NoReturn:
        """Raise what is wrong with a key that was met while enumerating."""
        culprit.blame(self._variant, key, self._leading_to, said=said)

    def _leading_to(self, key: int) -> int | None:
        """Return the key of a position met so far with a move to another key, if there is one.

        What has been expanded is expanded again, a chunk at a time, with nothing else marked, until the key is.
        """
        known, dirty = _zeros(len(self._known), np.uint8)[0], np.zeros_like(self._dirty)
        for first, end in sorted(self._spans.values()):
            for chunk in range(first >> CHUNK_BITS, (end - 1 >> CHUNK_BITS) + 1):
                places = slice(max(first, chunk << CHUNK_BITS), min(end, chunk + 1 << CHUNK_BITS))
                expanded = places.start + np.flatnonzero(self._known[places] >= MIXED)
                known[expanded], dirty[chunk], known[key] = NEW, DIRTY, 0
                self._kernels["sweep"](self._rules, known, dirty, first, end, chunk, chunk + 1)
                if known[key] and (parent := culprit.parent(self._variant, expanded.tolist(), key)) is not None:
                    return parent
        return None

    def positions(self, number: int) -> int:
        """Return how many keys a tier has, reachable or not."""
        first, end = self._span(number)
        return end - first

    def reached(self, number: int) -> Iterator[np.ndarray]:
        """Yield the keys of a tier that have been reached, while it is enumerated or after."""
        first, end = self._span(number)
        for begin, stop in levels.pieces(end - first):
            yield first + begin + np.flatnonzero(self._known[first + begin : first + stop])

    def _pieces(self, number: int) -> Pieces:
        """Return the bounds of the parts of an enumerated tier that have positions, one part if it is small.

        Where images are far apart by their keys, the least ones are in few of them. What is left out is never written
        to, and so takes no memory.
        """
        first, end = self._span(number)
        if end - first < levels.SMALL_TIER:
            return [(0, end - first)]
        found: Pieces = []
        for begin, stop in levels.pieces(end - first, min(KEYS_LEFT_OUT, levels.POSITIONS_PER_PIECE)):
            if not self._dirty[first + begin >> CHUNK_BITS : (first + stop - 1 >> CHUNK_BITS) + 1].any():
                continue
            if found and found[-1][1] == begin and stop - found[-1][0] <= levels.POSITIONS_PER_PIECE:
                begin = found.pop()[0]
            found.append((begin, stop))
        return found

    def children(self, number: int) -> set[int]:
        """Return the other tiers that moves from a tier lead to."""
        return self._children[number]

    def tiers(self) -> list[int]:
        """Return the tiers that were enumerated to the end, the lowest first."""
        return sorted(self._children)

    def solve(self, number: int, advanced: Callable[[int], None]) -> TierSummary:
        """Solve a tier, all of whose children have their records, and return what was found."""
        first, end = self._span(number)
        n, pieces = end - first, self._pieces(number)
        records, left = self._records[first:end], self._known[first:end]
        dues = [new_due() for _ in range(self._workers.threads)]
        tallies = np.zeros((self._workers.threads, 4), np.int64)

        def begin(w: int, begin: int, stop: int) -> None:
            wrong = self._kernels["begin"](
                self._rules, number, first, end, begin, stop, self._known, self._records, left, dues[w], tallies[w]
            )
            if wrong < TOO_FAR:
                culprit.blame(self._variant, first + TOO_FAR - 1 - wrong)
            raise_for(wrong)

        self._workers.share(begin, pieces)
        tally = tallies.sum(axis=0)
        empty = np.empty(0, np.int64)
        where, links = Where(first, empty, 0, 0, n, self._known.ctypes.data), no_links()
        if "link" in self._kernels:
            given = self._rules, where, number, left, self._allowance
            links = levels.link(self._kernels["link"], *given, lambda i: culprit.blame(self._variant, first + i))
        arrays = where, links, records, left, sum(dues), pieces
        Levels(self._kernels, self._workers, self._rules, *arrays).run(advanced)
        primitives, moves = int(tally[PRIMITIVES]), int(tally[MOVES])
        found = self._kernels, self._rules, first, empty, records, self._workers, pieces
        histogram, classes = levels.counted(*found, are_classes=self._symmetry is not None)
        return TierSummary(number, histogram, primitives, moves, classes)

    def parts(self, number: int) -> Iterator[Part]:
        """Yield the records of a solved tier, in the order of their keys."""
        first, _ = self._span(number)
        for begin, end in self._pieces(number):
            # Copied, as `forget` erases them.
            yield Part(first + begin, None, self._records[first + begin : first + end].copy())

    def restore(self, number: int, parts: Iterable[Part]) -> bool:
        """Take the records of a tier solved earlier; return whether they are of just its positions."""
        first, end = self._span(number)
        records, known, pieces = self._records[first:end], self._known[first:end], self._pieces(number)
        for begin, stop in pieces:
            records[begin:stop] = UNREACHED
        for part in parts:
            keys = part.keys if part.keys is not None else np.arange(part.first, part.first + len(part.records))
            reached = part.records != UNREACHED
            places = keys[reached] - first
            if len(places) and (places[0] < 0 or places[-1] >= end - first or not known[places].all()):
                return False
            records[places] = part.records[reached]
        return all(np.array_equal(records[begin:stop] != UNREACHED, known[begin:stop] != 0) for begin, stop in pieces)

    def forget(self, number: int) -> None:
        """Give back the memory of a tier that no unsolved one leads to."""
        first, end = self._span(number)
        _free(self._record_pages, 2 * first, 2 * end)
        _free(self._known_pages, first, end)

    def record(self, number: int, key: int) -> int:
        """Return the record of a position."""
        return int(self._records[key])


def _zeros(n: int, kind: type) -> tuple[np.ndarray, mmap.mmap]:
    """Return an array of zeros whose memory is only taken where it is written to, and can be given back in part."""
    size = max(1, n * np.dtype(kind).itemsize)
    pages = mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_HUGEPAGE"):
        pages.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(pages, kind, n), pages


def _free(pages: mmap.mmap, begin: int, end: int) -> None:
    """Give back the whole pages between two offsets."""
    size = mmap.PAGESIZE
    begin, end = -(-begin // size) * size, end // size * size
    if end > begin and hasattr(mmap, "MADV_DONTNEED"):
        pages.madvise(mmap.MADV_DONTNEED, begin, end - begin)
