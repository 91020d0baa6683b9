"""Whole tiers of a solved variant are loaded here, and positions found in them by their keys.

A tier whose keys are consecutive is an array of records with a place for every key. Of any other the keys are listed
in ascending order beside their records, and a directory says where those begin that agree in their higher bits. What
there is no room for lies in a file, of which the system keeps what it has room for: memory does not grow with the
variant.
"""

import mmap
import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamesman.analysis.kernels.walking import CHUNK_BITS
from gamesman.errors import Damaged, StorageFailed
from gamesman.model.advice import command
from gamesman.values import UNREACHED

if TYPE_CHECKING:
    from gamesman.model.ports import Positions, SolvedPositions

# Bytes of tiers held in memory, if nobody says otherwise.
TIER_BYTES = 1 << 28

# Bytes of the memory allowed that are kept for all but tiers.
SPARE_BYTES = 24 << 20

# What a position that is looked up in files may take of memory at most: a page of four arrays, and what the system
# gives with each, which is all that it has of 16 pages side by side. And the least that is reckoned with.
MOST_TOUCHED, LEAST_TOUCHED = 4 * 16 * mmap.PAGESIZE, 256
LEAST_AT_ONCE = 64  # positions looked up in files at a time
GROWN_BYTES = 8 << 20  # of files that have come into memory, to be worth giving back
FILLED_AT_ONCE = 1 << 20

GROUPS_AT_ONCE = 1 << 15  # groups of a directory worked out at a time


class LoadedTier(NamedTuple):
    """Holds the positions of a tier by their place, as kernels take them too."""

    number: int
    first: int  # the first key, where every key has a place
    keys: np.ndarray  # empty where every key has a place
    records: np.ndarray
    directory: np.ndarray
    reached: np.ndarray  # 1 where a position has been found; empty where that is not asked for
    done: np.ndarray  # 1 where a walk has been, for a walk to fill in; as long as `reached`
    dirty: np.ndarray  # 1 for a chunk of places in which one has been found since it was last looked at

    @property
    def is_dense(self) -> bool:
        return not len(self.keys) and len(self.records) > 0

    def key(self, place: int) -> int:
        return int(self.first + place if self.is_dense else self.keys[place])


class Lookup:
    """Looks positions up in the tiers of a variant, each loaded when it is first asked for; threads may share it.

    `positions` is what gives those of a tier, by default the database, and `sizes` how many it gives. With
    `is_marking` the positions found are noted. Where tiers are whole, as those of endgames, every key has to be stored
    and counts as found: that records are true follows from their moves, wherever positions come from. Where little is
    `left` of the memory that the process may have, what lies in files is let go.
    """

    def __init__(
        self,
        stored: "SolvedPositions",
        kernels: dict[str, Any],
        room: int,
        positions: Callable[[int], Iterable["Positions"]] | None = None,
        *,
        sizes: dict[int, int] | None = None,
        is_marking: bool = False,
        is_whole: bool = False,
        left: Callable[[], int] = lambda: 1 << 62,
    ):
        self._variant, self._kernels, self._room = stored.variant, kernels, room
        self._positions = positions or stored.positions
        self._is_marking, self._is_whole, self._left = is_marking, is_whole, left
        self._sizes = sizes or {tier.number: tier.positions for tier in stored.summary.tiers}
        self._loaded: dict[int, LoadedTier] = {}
        self._touched = MOST_TOUCHED  # bytes that a position looked up in files takes, by the latest ones
        self._left_at_best = 1 << 62  # when memory was given back
        self._on_disk: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()
        self._asked: dict[int, int] = {}  # when each was last asked for, counted in tiers walked
        self._now = 0
        self._lock = RLock()

    def begin_tier(self) -> None:
        """Note that a walk has come to its next tier, and let go the tiers that the last two had no use for."""
        self._now += 1
        for tier in [tier for tier in self._loaded if self._asked[tier] < self._now - 2]:
            self.drop(tier)

    def drop(self, tier: int) -> None:
        self._loaded.pop(tier, None)

    def release(self) -> None:
        """Give the memory of what lies in files back to the system, if there is need; ask it after every few MB."""
        if self._on_disk and self._left() < min(SPARE_BYTES, self._left_at_best - GROWN_BYTES):
            with self._lock:
                for pages in list(self._on_disk):
                    pages.madvise(mmap.MADV_DONTNEED)
            self._left_at_best = self._left()

    def passing(self, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
        """Yield ranges of places that are looked at one after the other, with memory for each."""
        for each in ranges:
            self.release()
            yield each

    def tier(self, number: int) -> LoadedTier:
        with self._lock:
            self.release()
            if number not in self._loaded:
                self._loaded[number] = self._load(number)
            self._asked[number] = self._now
            return self._loaded[number]

    def find(self, number: int, t: int, n: int, wanted: np.ndarray, which: np.ndarray, found: np.ndarray) -> None:
        """Fill in the records of those of the n children that are in this tier, and note them if that is asked for."""
        tier = self.tier(number)
        if not len(tier.records):
            found[:n][which[:n] == t] = UNREACHED
        elif isinstance(tier.records, np.memmap):
            begin = 0
            while begin < n:
                self.release()
                left = self._left()
                end = min(n, begin + max(LEAST_AT_ONCE, left // self._touched))
                self._find(tier, t, end - begin, wanted[begin:end], which[begin:end], found[begin:end])
                touched = (left - self._left()) // (end - begin)
                self._touched = min(MOST_TOUCHED, max(LEAST_TOUCHED, self._touched // 2, 2 * touched))
                begin = end
        else:
            self._find(tier, t, n, wanted, which, found)

    def _find(self, tier: LoadedTier, t: int, n: int, *arrays: np.ndarray) -> None:
        if tier.is_dense:
            self._kernels["find_dense"](tier, t, n, *arrays)
        else:
            self._kernels["find_sparse"](tier, shift(tier.keys), t, n, *arrays)

    def _load(self, number: int) -> LoadedTier:
        first, count = self._variant.tier_keys(number)
        size = count or self._sizes.get(number, 0)
        marks = size if self._is_marking else 0
        array = self._allocator((2 if count else 12) * size + 2 * marks)
        records, keys, directory = array(size, np.uint16), np.empty(0, np.int64), np.zeros(1, np.int64)
        if count:
            self._fill(records, UNREACHED)
            for part in self._positions(number):
                if len(part.keys) and (part.keys[0] < first or part.keys[-1] >= first + count):
                    raise self._damaged(number)
                records[part.keys - first] = part.records
                self.release()
        elif size:
            keys = array(size, np.int64)
            place = 0
            for part in self._positions(number):
                end = place + len(part.keys)
                if end > size:
                    raise self._damaged(number)
                keys[place:end], records[place:end] = part.keys, part.records
                place = end
                self.release()
            if place < size:
                raise self._damaged(number)
            directory = array((int(keys[-1] - keys[0]) >> shift(keys)) + 2, np.int64)
            self._fill_directory(directory, keys)
        reached, done = array(marks, np.uint8), array(marks, np.uint8)
        self._fill(reached, int(self._is_whole))
        if self._is_whole and (len(keys) or (records == UNREACHED).any()):
            raise self._damaged(number)
        self._fill(done, 0)
        dirty = np.full((marks >> CHUNK_BITS) + 1, self._is_whole, np.uint8)
        return LoadedTier(number, first, keys, records, directory, reached, done, dirty)

    def _damaged(self, number: int) -> Damaged:
        """Return the error of a tier that holds other positions than it says."""
        name = self._variant.name
        return Damaged(f"{name} has not the positions that tier {number} says; run: {command('verify', name)}")

    def _fill(self, array: np.ndarray, value: int) -> None:
        if isinstance(array, np.memmap) and not value:  # there is nothing else in a new file
            return
        for begin in range(0, len(array), FILLED_AT_ONCE):
            array[begin : begin + FILLED_AT_ONCE] = value
            self.release()

    def _fill_directory(self, directory: np.ndarray, keys: np.ndarray) -> None:
        """Fill in where the keys of each group begin, and after the last one how many keys there are."""
        groups = len(directory) - 1
        for begin in range(0, groups, GROUPS_AT_ONCE):
            end = min(begin + GROUPS_AT_ONCE, groups)
            directory[begin:end] = np.searchsorted(keys, (np.arange(begin, end) << shift(keys)) + keys[0])
            self.release()
        directory[groups] = len(keys)

    def _allocator(self, size: int) -> Callable[[int, Any], np.ndarray]:
        """Return the function that makes the arrays of a tier of so many bytes: in memory, or in a file."""
        held = sum(part.nbytes for tier in self._loaded.values() for part in tier if isinstance(part, np.ndarray))
        return np.empty if held + size <= self._room else self._new_file

    def _new_file(self, size: int, kind: Any) -> np.ndarray:
        array = array_on_disk(size, kind) if size else np.empty(size, kind)
        if isinstance(array, np.memmap) and hasattr(mmap, "MADV_DONTNEED"):
            self._on_disk.add(array._mmap)  # type: ignore[attr-defined]
        return array


def array_on_disk(size: int, kind: Any) -> np.ndarray:
    """Return an array of zeros in a file without a name. Raises StorageFailed where there is no room for it."""
    folder = tempfile.gettempdir()
    with tempfile.TemporaryFile(prefix="gamesman-", dir=folder) as file:
        try:
            # A file that turns out to have no room when it is written to through memory ends the process.
            if hasattr(os, "posix_fallocate"):
                os.posix_fallocate(file.fileno(), 0, size * np.dtype(kind).itemsize)
        except OSError as error:
            raise StorageFailed(
                f"{folder} cannot be written: {error.strerror}; make room, or allow more --memory"
            ) from error
        return np.memmap(file, kind, "r+", shape=(size,))


def shift(keys: np.ndarray) -> int:
    """Return how many low bits of the keys a group of the directory spans, so that it has about four keys."""
    return max(0, int(keys[-1] - keys[0]).bit_length() - max(0, len(keys).bit_length() - 3))
