"""Database files are held open, and closed only when SQLite has closed them, too.

POSIX takes all locks of a process on a file away as soon as the process closes any handle of that file. SQLite minds
that with its own handles, but knows nothing of ours. Without its locks, another process that writes into the same file
would take this one for ended, and remove the write-ahead log that this one goes on writing to.
"""

import os
import threading
from collections import Counter
from pathlib import Path

# The file may have been replaced by a named pipe since its kind was looked at: to open that must not wait for a writer.
FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)

File = tuple[int, int]  # what file it is, whatever its name: the number of its device, and its own

_guard = threading.RLock()  # the garbage collector may release a file in a thread that has this lock already
_handles: dict[File, list[int]] = {}
_holders: Counter[File] = Counter()


class HeldFile:
    """Holds a file open, from before SQLite opens it until it is released.

    >>> held = HeldFile(Path(__file__))
    >>> held.read(3), held.release()
    (b'\"""', None)
    """

    def __init__(self, path: Path):
        with _guard:
            self._file = _identity(os.stat(path))
            _holders[self._file] += 1  # first of all: the garbage collector may release the last other holder
            try:
                if self._file not in _handles:
                    self._open(path)
            except BaseException:
                self.release()
                raise

    def _open(self, path: Path) -> None:
        """Open the file, or the one that has replaced it meanwhile."""
        handle = os.open(path, FLAGS)
        file = _identity(os.fstat(handle))
        _handles.setdefault(file, []).append(handle)
        if file != self._file:  # it has been replaced just now
            _holders[file] += 1
            self.release()
            self._file = file

    def read(self, length: int) -> bytes:
        """Return the first bytes of the file."""
        with _guard:
            handle = _handles[self._file][0]
            os.lseek(handle, 0, os.SEEK_SET)
            return os.read(handle, length)

    def release(self) -> None:
        """Let the file go, once, after SQLite has closed it; the last of its holders closes it."""
        with _guard:
            _holders[self._file] -= 1
            if not _holders[self._file]:
                del _holders[self._file]
                for handle in _handles.pop(self._file, ()):
                    os.close(handle)


def _identity(status: os.stat_result) -> File:
    """Return what tells a file from all others."""
    return status.st_dev, status.st_ino
