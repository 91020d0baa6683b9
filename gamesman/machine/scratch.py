"""Folders for what does not fit memory: each is removed at the end, or by the next run if its owner was killed.

The owner holds a lock on a file in it, which the system gives up when the process is gone, however it went. A process
number would say less: numbers are used again. The file names the machine, because machines may share a folder for
temporary files and not each other's locks.
"""

import contextlib
import os
import platform
import shutil
import tempfile
from pathlib import Path

try:
    import fcntl
except ImportError:  # where files cannot be locked like this nothing is swept
    fcntl = None  # type: ignore[assignment]

PREFIX = "gamesman-scratch-"
LOCK = "owner"


class Scratch:
    """A new folder, which is this process's until it removes it or ends."""

    def __init__(self, parent: Path | None = None):
        self._lock: int | None = None
        while self._lock is None:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
            try:
                self._lock = _claim(self.path)
            except BaseException:
                self.remove()
                raise

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def sweep(parent: Path | None = None) -> None:
    """Remove the folders that this user's processes on this machine have left behind when they were killed."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(parent or tempfile.gettempdir()):
            if entry.name.startswith(PREFIX):
                with contextlib.suppress(OSError):
                    _remove_if_left(Path(entry.path))


def _claim(folder: Path) -> int | None:
    """The handle of a new folder's lock; None where a sweep took the folder for one that was left empty."""
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileNotFoundError:
        return None
    if _has_locked(handle):
        os.write(handle, platform.node().encode())  # only now: a file without a name is never swept
    return handle


def _remove_if_left(folder: Path) -> None:
    if fcntl is None or folder.is_symlink() or folder.stat().st_uid != os.getuid():
        return
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        folder.rmdir()  # its owner was killed before it came to the lock; one with files in it is not removed
        return
    try:
        if os.read(handle, 1000) == platform.node().encode() and _has_locked(handle):
            shutil.rmtree(folder)
    finally:
        os.close(handle)


def _has_locked(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (AttributeError, OSError):
        return False
    return True
