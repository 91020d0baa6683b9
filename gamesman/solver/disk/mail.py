"""Messages from shard to shard wait here for the next level: in memory while there is room, and beyond that in files.

They are rows of numbers: where each goes with what it says there, in one, or in two where one has no room for both.
"""

import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from gamesman.solver.disk.blocks import damaged, writing


class Waiting(NamedTuple):
    """Describes what waits in the file of a shard, where memory had no room for it."""

    path: Path
    rows: int
    total: int  # the sum of all numbers, which is a checksum


class Box:
    """Holds the messages that wait for one shard: those in memory, and those in its file."""

    def __init__(self, path: Path):
        self.held: list[np.ndarray] = []
        self._file = Waiting(path, 0, 0)

    def spill(self) -> Path:
        """Write the messages in memory to the file, behind those that it has, and forget them; return where it is."""
        path, rows, total = self._file
        with writing(path), path.open("ab" if self._file.rows else "wb") as file:
            for each in self.held:
                file.write(np.ascontiguousarray(each).data)
                rows, total = rows + len(each), total + int(each.sum())
        self.held, self._file = [], Waiting(path, rows, total)
        return path

    def rows(self, most: int, width: int) -> Iterator[np.ndarray]:
        """Yield the messages, at most `most` rows of the file at a time. Raises Damaged before it has yielded any."""
        path, rows, total = self._file
        if rows:
            for read in self._read(most, width):
                rows, total = rows - len(read), total - int(read.sum())
            if rows or total & (1 << 64) - 1:
                raise damaged(path)
            yield from self._read(most, width)
        if self.held:
            yield np.concatenate(self.held)

    def _read(self, most: int, width: int) -> Iterator[np.ndarray]:
        try:
            with self._file.path.open("rb") as file:
                while len(read := np.fromfile(file, np.int64, most * width)):
                    yield read.reshape(-1, width)
        except (OSError, ValueError) as error:
            raise damaged(self._file.path) from error

    def empty(self) -> None:
        """Forget what has waited."""
        self.held = []
        if self._file.rows:
            # The next but one level will write to it: a file that is there costs less than a new one.
            with writing(self._file.path):
                os.truncate(self._file.path, 0)


class Mail:
    """Takes messages to the shards of a tier, and has them heard."""

    def __init__(self, path: Path, firsts: np.ndarray, shift: int, room: int):
        """`firsts` says where each shard begins, and `room` how many bytes may wait in memory; files begin like `path`.

        With a shift what is said is in the low bits of where it goes.
        """
        self._path, self._firsts, self._shift, self._room = path, firsts, shift, room
        self.width = 1 if shift else 2
        self._lock = threading.Lock()
        self._size = self._level = 0
        self._posted: dict[int, Box] = {}
        self._due: dict[int, Box] = {}
        self._files: set[Path] = set()

    def post(self, where: np.ndarray, what: np.ndarray) -> None:
        """Take messages, which are copied."""
        rows = where[:, None].copy() if self._shift else np.stack((where, what), 1)
        rows = _ordered(rows)
        cuts = np.append(np.searchsorted(rows[:, 0], self._firsts << self._shift), len(rows))
        with self._lock:
            for shard in np.flatnonzero(np.diff(cuts)).tolist():
                self.put(shard, rows[cuts[shard] : cuts[shard + 1]])

    def put(self, shard: int, rows: np.ndarray) -> None:
        """Take messages to one shard."""
        if shard not in self._posted:
            path = self._path.with_name(f"{self._path.name}.shard-{shard}.{self._level % 2}.mail")
            self._posted[shard] = Box(path)
        self._posted[shard].held.append(rows)
        self._size += rows.nbytes
        if self._size > self._room:
            for box in self._posted.values():
                self._files.add(box.spill())
            self._size = 0

    def deliver(self) -> set[int]:
        """Let what was posted be heard at the next level; return the shards that have something to hear."""
        self._due, self._posted, self._size, self._level = self._posted, {}, 0, self._level + 1
        return {*self._due}

    def heard(self, shard: int, most: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield what a shard has to hear, sorted, so many at a time; then it is forgotten."""
        if (box := self._due.pop(shard, None)) is None:
            return
        for rows in box.rows(most, self.width):
            for begin in range(0, len(rows), most):
                part = _ordered(rows[begin : begin + most])
                yield np.ascontiguousarray(part[:, 0]), np.ascontiguousarray(part[:, 1:]).reshape(-1)
        box.empty()

    def end(self) -> None:
        """Remove all files, now that nothing is posted any more."""
        for path in self._files:
            path.unlink(missing_ok=True)

    def posted(self, most: int) -> Iterator[tuple[int, Iterator[np.ndarray]]]:
        """Yield for each shard what has been posted to it since the last delivery."""
        for shard, box in sorted(self._posted.items()):
            yield shard, box.rows(most, self.width)


def _ordered(rows: np.ndarray) -> np.ndarray:
    """Return rows sorted by where they go; those that go to one place in no order."""
    if rows.shape[1] > 1:
        return rows[np.argsort(rows[:, 0])]
    rows.reshape(-1).sort()
    return rows
