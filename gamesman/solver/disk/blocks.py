"""Keys and records are in files of blocks, each with a checksum; an index at the end, which has one, too, finds them.

    block 0 | block 1 | ... | first keys | ends | checksums | how many blocks, items, items a block, last key | checksum

Keys are written as differences, and their sum is the checksum, as it costs nothing. Records are compressed.

A file is written under another name and renamed when it is whole: under its own name there is all of it or nothing.
"""

import contextlib
import os
import socket
import struct
import threading
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from gamesman.errors import Damaged, StorageFailed
from gamesman.solver.kernels.sorting import MOST_BYTES

NEW = ".new"  # what the name of a file ends in that is being written
LEVEL = 1

_TAIL = struct.Struct("<8sqqqqI")
_MARK = b"gamesman"


def write(path: Path, chunks: Iterable[bytes | memoryview]) -> int:
    """Write a file, whole or not at all; return its size. Raises StorageFailed."""
    new = path.with_name(f"{path.name}.{socket.gethostname()}-{os.getpid()}-{threading.get_ident()}{NEW}")
    try:
        with writing(path):
            with new.open("wb") as file:
                for chunk in chunks:
                    file.write(chunk)
                size = file.tell()
            new.replace(path)
    finally:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
    return size


def overwrite(path: Path, chunks: Iterable[bytes | memoryview]) -> None:
    """Write a file in place: what it was before need not stay where this is not written to the end.

    For what is written again and again: a file of a new name costs as much as writing some hundred kilobytes.
    """
    with writing(path), open(os.open(path, os.O_WRONLY | os.O_CREAT, 0o666), "wb") as file:
        for chunk in chunks:
            file.write(chunk)
        file.truncate()


def named(path: Path) -> int:
    """Return what the checksum of a file begins with, so that a file in the place of another is found."""
    return zlib.crc32(path.name.encode())


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Raise StorageFailed where the system cannot do what is done to a file inside."""
    try:
        yield
    except OSError as error:
        raise StorageFailed(
            f"cannot write {path}: {error.strerror or error}; make room there, or give another folder with --work; "
            "the same command goes on where it stopped"
        ) from error


def write_keys(path: Path, keys: np.ndarray, block: int, encode: Any) -> int:
    """Write ascending keys, so many a block; return the size of the file."""
    packed = np.empty(min(block, len(keys)) * MOST_BYTES, np.uint8)

    def contents() -> Iterator[tuple[bytes, int]]:
        for begin in range(0, len(keys), block):
            size, total = encode(keys[begin : begin + block], packed)
            yield packed[:size].tobytes(), total

    return _write_blocks(path, contents(), keys, block)


def write_records(path: Path, keys: np.ndarray, records: np.ndarray, block: int) -> int:
    """Write the records of ascending keys, or what else is theirs, in the same blocks; return the size of the file."""
    compress = zstandard.ZstdCompressor(LEVEL).compress
    parts = (compress(records[begin : begin + block].tobytes()) for begin in range(0, len(keys), block))
    return _write_blocks(path, ((part, zlib.crc32(part)) for part in parts), keys, block)


def write_links(path: Path, keys: np.ndarray, parts: Iterable[bytes], block: int) -> int:
    """Write something for each block of ascending keys, as it comes; return the size of the file."""
    compress = zstandard.ZstdCompressor(LEVEL).compress
    packed = (compress(part) for part in parts)
    return _write_blocks(path, ((part, zlib.crc32(part)) for part in packed), keys, block)


def _write_blocks(path: Path, contents: Iterable[tuple[bytes, int]], keys: np.ndarray, block: int) -> int:
    def chunks() -> Iterator[bytes]:
        ends, totals = [0], []
        for content, total in contents:
            ends.append(ends[-1] + len(content))
            totals.append(total)
            yield content
        index = keys[::block].tobytes() + np.array([*ends[1:], *totals], np.int64).tobytes()
        tail = _TAIL.pack(_MARK, len(totals), len(keys), block, int(keys[-1]) if len(keys) else -1, 0)[:-4]
        yield index + tail + zlib.crc32(index + tail, named(path)).to_bytes(4, "little")

    return write(path, chunks())


class Blocks:
    """Reads a file of blocks. Whatever is wrong with it raises Damaged."""

    def __init__(self, path: Path):
        self.path = path
        with self._reading() as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(end - _TAIL.size)
            tail = file.read()
            mark, count, self.items, self.size, self.last, checksum = _TAIL.unpack(tail)
            start = end - _TAIL.size - 24 * count
            if mark != _MARK or count < 0 or start < 0:
                raise ValueError
            file.seek(start)
            index = file.read(24 * count)
            if zlib.crc32(index + tail[:-4], named(path)) != checksum:
                raise ValueError
        self.firsts, self._ends, self._totals = np.frombuffer(bytearray(index), np.int64).reshape(3, count)

    def lengths(self) -> np.ndarray:
        """Return how many items each block has."""
        found = np.full(len(self.firsts), self.size, np.int64)
        found[-1:] = self.items - self.size * (len(found) - 1)
        return found

    def about(self, bounds: np.ndarray) -> np.ndarray:
        """Return about how many items are from each bound to the next, as if those of a block were evenly apart."""
        places, counts = np.append(self.firsts, self.last + 1), np.append(0, np.cumsum(self.lengths()))
        return np.diff(np.interp(bounds, places, counts))

    def read_keys(self, begin: int, end: int, decode: Any, room: np.ndarray) -> np.ndarray:
        """Return the keys of the blocks from `begin` to before `end`, at the front of room for them. Raises Damaged."""
        keys = room[: max(0, min(end * self.size, self.items) - begin * self.size)]
        start = int(self._ends[begin - 1]) if begin else 0
        packed = np.frombuffer(self._read(start, int(self._ends[end - 1])) if end > begin else b"", np.uint8)
        which = slice(begin, end)
        if not decode(packed, self._ends[which] - start, self.firsts[which], self._totals[which], self.size, keys):
            raise self.damaged()
        return keys

    def read_records(self, begin: int, end: int, kind: type = np.uint16) -> np.ndarray:
        """Return the records of the blocks from `begin` to before `end`, or what else is there. Raises Damaged."""
        return np.concatenate([content for _, content in self.contents(begin, end, kind)])

    def contents(self, begin: int, end: int, kind: type) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the numbers of the blocks from `begin` to before `end` with what each has, if not keys."""
        start = place = int(self._ends[begin - 1]) if begin else 0
        read, decompress = self._read(start, int(self._ends[end - 1])), zstandard.ZstdDecompressor().decompress
        for number in range(begin, end):
            content = read[place - start : int(self._ends[number]) - start]
            if zlib.crc32(content) != self._totals[number]:
                raise self.damaged()
            yield number, np.frombuffer(decompress(content), kind)
            place = int(self._ends[number])

    def _read(self, start: int, end: int) -> memoryview:
        with self._reading() as file:
            file.seek(start)
            return memoryview(file.read(end - start))

    def may_have(self, bounds: np.ndarray) -> np.ndarray:
        """Return of each bound whether any key from it to before the next may be here."""
        begins = np.maximum(0, np.searchsorted(self.firsts, bounds[:-1], "right") - 1)
        return (bounds[:-1] <= self.last) & (begins < np.searchsorted(self.firsts, bounds[1:]))

    def between(self, low: int, last: int, *, has_twins: bool = False) -> tuple[int, int]:
        """Return the first of the blocks that may have keys from `low` to `last`, and the end of them.

        A key with twins may end one block and begin the next.
        """
        if low > self.last:
            return len(self.firsts), len(self.firsts)
        begin = max(0, int(np.searchsorted(self.firsts, low, "left" if has_twins else "right")) - 1)
        return begin, max(begin, int(np.searchsorted(self.firsts, last, "right")))

    @contextlib.contextmanager
    def _reading(self) -> Iterator[Any]:
        try:
            with self.path.open("rb") as file:
                yield file
        except (OSError, ValueError, struct.error) as error:
            raise self.damaged() from error

    def damaged(self) -> "DamagedFile":
        """Return the error of this file, if something is wrong with it."""
        return damaged(self.path)


class DamagedFile(Damaged):
    """Says that something is wrong with a file of a work folder."""


def damaged(path: Path) -> DamagedFile:
    """Return the error of a file that is not there any more, or not as it was written."""
    what = "damaged" if path.exists() else "missing"
    return DamagedFile(f"{path} is {what}; remove the folder {path.parent} and give the same command again")
