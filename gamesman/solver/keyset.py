"""The keys of one tier are collected in a table that grows, then packed, and put to disk while they are not in use."""

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from gamesman.errors import StorageFailed, TooLarge
from gamesman.machine.memory import Allowance
from gamesman.machine.scratch import Scratch, sweep
from gamesman.machine.workers import Workers
from gamesman.solver.kernels import hashing

# Packed keys smaller than this stay in memory: most tiers of small games, which then never touch the disk.
STAYS_IN_MEMORY = 4 << 20

# Work on fewer keys than this is not worth handing to threads.
FEW_KEYS = 20_000


def address(array: np.ndarray) -> int:
    """Return the address of an array's first item."""
    return array.__array_interface__["data"][0]


def new_keys(n: int) -> np.ndarray:
    """Return room for n packed keys, with more behind it that may be read."""
    keys = np.empty(n + hashing.BEYOND, np.int64)
    keys[n:] = hashing.EMPTY
    return keys[:n]


class Unforeseen(TooLarge):
    """Says that there is no memory for a table; how much the whole solve needs is for others to say."""


class Slots:
    """Keeps the memory of tables that are done with for new ones, as fresh memory takes longer than filling it."""

    def __init__(self, kernels: dict[str, Any], workers: Workers, allowance: Allowance):
        self._kernels, self._workers, self._allowance = kernels, workers, allowance
        self._free: dict[int, list[np.ndarray]] = {}

    def take(self, size: int) -> np.ndarray:
        """Return 2**size empty slots."""
        free = self._free.get(size)
        if free:
            slots = free.pop()
        else:
            self.reserve(8 << size, f"a tier of {hashing.most(size - 1) * hashing.SHARDS:,} positions")
            slots = np.empty(1 << size, np.int64)
        step = len(slots) // hashing.SHARDS

        def clear(first: int, last: int) -> None:
            self._kernels["clear"](slots, first * step, last * step)

        self._workers.spread(clear, hashing.SHARDS, least=FEW_KEYS, count=len(slots))
        return slots

    def reserve(self, size: int, purpose: str) -> None:
        """See to it that so much memory may be taken, if need be by letting go of what is kept. Raises Unforeseen."""
        if not self._allowance.has(size):
            self._free.clear()
        try:
            self._allowance.reserve(size, purpose)
        except TooLarge as error:
            raise Unforeseen(str(error), error.needed) from None

    def give_back(self, slots: np.ndarray) -> None:
        """Keep the slots of a table that is done with."""
        self._free.setdefault(len(slots).bit_length() - 1, []).append(slots)


class KeyTable:
    """Collects keys, each once, in a table that grows."""

    def __init__(self, kernels: dict[str, Any], workers: Workers, memory: Slots, size: int = hashing.SMALLEST):
        self._kernels, self._workers, self._memory = kernels, workers, memory
        self.size = size
        self._slots = memory.take(size)
        self._used = np.zeros(hashing.SHARDS, np.int64)

    def __len__(self) -> int:
        return int(self._used.sum())

    def some(self, count: int) -> np.ndarray:
        """Return some of the keys, at most about so many, those whose scrambled values are least."""
        found = self._slots[: max(1, len(self._slots) * count // max(count, len(self)))]
        return found[found != hashing.EMPTY]

    def insert(self, buckets: np.ndarray, filled: np.ndarray) -> np.ndarray:
        """Add the keys of buckets[shard, :filled[shard]], the new ones moved to its front; return how many are new."""
        done, fresh = np.zeros_like(filled), np.zeros_like(filled)

        def insert(first: int, last: int) -> bool:
            return self._kernels["insert"](
                self._slots,
                address(self._slots),
                self._used,
                hashing.most(self.size),
                hashing.segment_mask(self.size),
                buckets,
                filled,
                done,
                fresh,
                first,
                last,
            )

        while not all(self._workers.spread(insert, hashing.SHARDS, least=FEW_KEYS, count=int(filled.sum()))):
            self._grow()
        return fresh

    def _grow(self) -> None:
        """Move the keys to a table of twice as many slots."""
        old, step = self._slots, len(self._slots) // hashing.SHARDS
        self.size += 1
        self._slots = self._memory.take(self.size)

        def grow(first: int, last: int) -> None:
            self._kernels["grow"](old, self._slots, hashing.segment_mask(self.size), first * step, last * step)

        self._workers.spread(grow, hashing.SHARDS, least=FEW_KEYS, count=len(old))
        self._memory.give_back(old)

    def pack(self) -> "KeySet":
        """Return the keys found so far, packed for finding them again."""
        n = len(self)
        self._memory.reserve(8 * n + len(self._slots) // 4, f"a tier of {n:,} positions")
        keys = new_keys(n)
        directory = np.empty(len(self._slots) // 32, np.int64)
        starts = np.concatenate([[0], np.cumsum(self._used)])
        step = len(self._slots) // hashing.SHARDS

        def pack(first: int, last: int) -> None:
            places = starts[first], starts[last]
            self._kernels["pack"](self._slots, keys, directory, *places, first * step, last * step)

        self._workers.spread(pack, hashing.SHARDS, least=FEW_KEYS, count=n)
        return KeySet(keys, directory, self.size)

    def close(self) -> None:
        """Give the slots back."""
        self._memory.give_back(self._slots)


class KeySet:
    """Holds the packed keys of a tier, which are found by their place."""

    def __init__(self, keys: np.ndarray, directory: np.ndarray, size: int):
        self.keys, self.directory, self.size = keys, directory, size
        self._file: Path | None = None
        self._written: Future[None] | None = None
        self._length = len(keys)

    def __len__(self) -> int:
        return self._length

    def put_away(self, folder: "SpillFolder") -> None:
        """Write the keys to disk and free their memory, if they are large."""
        if self.keys.nbytes + self.directory.nbytes < STAYS_IN_MEMORY:
            return
        self._file = folder.new_file()
        self._written = folder.write(self._file, [self.keys, self.directory])
        self.keys = self.directory = np.empty(0, np.int64)

    def fetch(self) -> None:
        """Have the keys in memory again."""
        if self._file is None or self._written is None:
            return
        self._written.result()
        with self._file.open("rb") as file:
            self.keys = new_keys(self._length)
            file.readinto(self.keys.data)  # type: ignore[arg-type]
            self.directory = np.fromfile(file, np.int64)
        self._file.unlink()
        self._file = None

    def drop(self) -> None:
        """Free the keys for good; how many there were is still known."""
        if self._file is not None and self._written is not None:
            self._written.result()
            self._file.unlink()
            self._file = None
        self.keys = self.directory = np.empty(0, np.int64)


class SpillFolder:
    """Keeps keys not in use in a folder of its own, made when it is first needed and removed at the end."""

    def __init__(self, parent: Path | None):
        self._parent = parent
        self._folder: Scratch | None = None
        sweep(parent)
        self._files = 0
        self._writer = ThreadPoolExecutor(1)
        self._last: Future[None] | None = None

    def new_file(self) -> Path:
        """Return the path of a file that is not there yet. Raises StorageFailed if no folder can be made."""
        if self._folder is None:
            try:
                self._folder = Scratch(self._parent)
            except OSError as error:
                raise StorageFailed(
                    f"no room for positions not in use: {error.strerror or error}; set TMPDIR to a folder with room"
                ) from error
        self._files += 1
        return self._folder.path / f"{self._files}.keys"

    def write(self, path: Path, arrays: list[np.ndarray]) -> "Future[None]":
        """Write arrays to a file beside other work; no more than one at a time waits in memory."""
        if self._last is not None:
            self._last.result()
        self._last = self._writer.submit(_write, path, arrays)
        return self._last

    def remove(self) -> None:
        """Remove the folder and all that is in it."""
        self._writer.shutdown(cancel_futures=True)
        if self._folder is not None:
            self._folder.remove()
            self._folder = None


def _write(path: Path, arrays: list[np.ndarray]) -> None:
    """Write arrays to a file. Raises StorageFailed if there is no room."""
    try:
        with path.open("wb") as file:
            for array in arrays:
                array.tofile(file)
    except OSError as error:
        raise StorageFailed(
            f"no room for positions not in use: {error.strerror or error}; make room in {path.parent.parent}, "
            "or set TMPDIR to a folder with more"
        ) from error
