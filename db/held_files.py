"""Handles of database files, closed only when SQLite has closed the file, too.

POSIX takes all locks of a process on a file away as soon as the process closes any handle of that file. SQLite minds
that with its own handles, but knows nothing of ours. Without its locks, another process that writes into the same file
would take this one for gone, and remove the write-ahead log that this one goes on writing to.
"""

import os
import threading
from collections import Counter
from pathlib import Path

# A named pipe that has come to that name since it was looked at is opened at once, and is then no database.
FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)

File = tuple[int, int]  # what file it is, whatever its name: the device's number and its own

_guard = threading.RLock()  # a claim may be released by the garbage collector, in a thread that is in here
_handles: dict[File, list[int]] = {}
_claims: Counter[File] = Counter()


class Handle:
    """A claim to a file, made before SQLite opens it: until it is released no handle of the file is closed.

    >>> handle = Handle(Path(__file__))
    >>> handle.read(3), handle.release()
    (b'\"""', None)
    """

    def __init__(self, path: Path):
        with _guard:
            self._file = _identity(os.stat(path))
            _claims[self._file] += 1  # before anything else: the garbage collector may release the last other claim
            try:
                if self._file not in _handles:
                    self._open(path)
            except BaseException:
                self.release()
                raise

    def _open(self, path: Path) -> None:
        handle = os.open(path, FLAGS)
        file = _identity(os.fstat(handle))
        _handles.setdefault(file, []).append(handle)
        if file != self._file:  # it has been replaced just now
            _claims[file] += 1
            self.release()
            self._file = file

    def read(self, length: int) -> bytes:
        """The first bytes of the file."""
        with _guard:
            handle = _handles[self._file][0]
            os.lseek(handle, 0, os.SEEK_SET)
            return os.read(handle, length)

    def release(self) -> None:
        """Give the claim up, once, after SQLite has closed the file."""
        with _guard:
            _claims[self._file] -= 1
            if not _claims[self._file]:
                del _claims[self._file]
                for handle in _handles.pop(self._file, ()):
                    os.close(handle)


def _identity(status: os.stat_result) -> File:
    return status.st_dev, status.st_ino
