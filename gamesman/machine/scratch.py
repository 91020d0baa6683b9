"""Folders are made for what does not fit memory; each is removed at the end, or by the next run after a kill.

A process holds a lock on a file in its folder, which the system releases when the process has ended, however it ended.
A process number would not do: numbers are used again. The file names the machine, because machines may share a folder
for temporary files, but not each other's locks.
"""

import contextlib
import os
import platform
import shutil
import tempfile
from pathlib import Path

from gamesman.machine import signals

try:
    import fcntl
except ImportError:  # where files cannot be locked like this no folder of another process is removed
    fcntl = None  # type: ignore[assignment]

PREFIX = "gamesman-scratch-"
LOCK = "owner"


class Scratch:
    """Makes a new folder, and keeps it locked until it is removed or the process ends."""

    def __init__(self, parent: Path | None = None):
        self._lock: int | None = None
        while self._lock is None:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=parent))
            signals.temporary.add(self.path)
            try:
                self._lock = _claim(self.path)
            except BaseException:
                self.remove()
                raise

    def remove(self) -> None:
        """Remove the folder with all that is in it, and release its lock."""
        shutil.rmtree(self.path, ignore_errors=True)
        signals.temporary.discard(self.path)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def sweep(parent: Path | None = None) -> None:
    """Remove the folders of this user's processes on this machine that were killed."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(parent or tempfile.gettempdir()):
            if entry.name.startswith(PREFIX):
                with contextlib.suppress(OSError):
                    _remove_if_left(Path(entry.path))


def _claim(folder: Path) -> int | None:
    """Lock a new folder; return the handle of its lock, or None where another process has removed it meanwhile."""
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    except FileNotFoundError:
        return None
    if _has_locked(handle):
        os.write(handle, platform.node().encode())  # last, because a folder without a name in its lock is left alone
    return handle


def _remove_if_left(folder: Path) -> None:
    """Remove a folder if it is this user's and nobody has its lock."""
    if fcntl is None or folder.is_symlink() or folder.stat().st_uid != os.getuid():
        return
    try:
        handle = os.open(folder / LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        folder.rmdir()  # its process was killed before it made the lock; a folder with files in it is not removed
        return
    try:
        if os.read(handle, 1000) == platform.node().encode() and _has_locked(handle):
            shutil.rmtree(folder)
    finally:
        os.close(handle)


def _has_locked(handle: int) -> bool:
    """Lock an open file; return False if another process has locked it."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (AttributeError, OSError):
        return False
    return True
