"""The work folder of a variant: who is at work in it, what has been done, and how it is removed.

What a step has yielded is noted in a file of its own once its other files are there, so that a step of which there is a
sound note was done. A folder begun for another game, or for more memory than there is now, is begun anew.
"""

import contextlib
import json
import os
import secrets
import shutil
import zlib
from pathlib import Path
from typing import Any

from gamesman.errors import InUse, StorageFailed
from gamesman.solver.disk import BEGUN
from gamesman.solver.disk.blocks import NEW, damaged, named, write

try:
    import fcntl
except ImportError:  # where files cannot be locked like this nobody is kept from a folder that is in use
    fcntl = None  # type: ignore[assignment]

LOCK = "owner"
NUMBER = "number"


class WorkFolder:
    """Keeps the files of one variant that is being solved, in a folder of their own."""

    def __init__(self, path: Path):
        self.path = path
        self._lock: int | None = None

    def is_begun(self) -> bool:
        """Return whether a solve has been begun here, and not ended."""
        return (self.path / BEGUN).is_file()

    def open(self, mark: dict[str, Any]) -> dict[str, Any]:
        """Make the folder, or go on with one that was begun with the same mark, and keep others out; return its mark.

        Numbers in it say how much is taken at once: what was begun with goes on where it is not more than now. What is
        begun anew has a number of its own, by which others know that what they have of these files is of no use.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            names = set(os.listdir(self.path))
            if names and not names & {BEGUN, LOCK}:
                raise StorageFailed(f"expected a folder of ours at {self.path}, got other files; give another --work")
            self._claim()
        except OSError as error:
            raise StorageFailed(
                f"no folder for what does not fit memory: {self.path}: {error.strerror or error}; give another --work"
            ) from error
        begun = self.read(BEGUN)
        if begun is None or not _is_continued(begun, mark):
            self.clear()
            begun = {**mark, NUMBER: secrets.token_hex(8)}
            self.note(BEGUN, begun)
        for name in names:
            if name.endswith(NEW):
                self.drop(name)
        return begun

    def _claim(self) -> None:
        self._lock = os.open(self.path / LOCK, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        if fcntl is None:
            return
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            self._lock = None
            raise InUse(f"another process is at work in {self.path}; wait for it, or give another --work") from None

    def clear(self) -> None:
        """Remove all files but the lock."""
        for name in sorted(os.listdir(self.path), key=lambda name: name != BEGUN):
            if name != LOCK:
                self.drop(name)

    def close(self) -> None:
        """Let others in; what is there stays, to be gone on with."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def remove(self) -> None:
        """Remove the folder with all that is in it, if it was opened."""
        if self._lock is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            self.close()

    def names(self, begin: str, end: str) -> list[str]:
        """Return the names of the files that begin and end so."""
        return [name for name in os.listdir(self.path) if name.startswith(begin) and name.endswith(end)]

    def drop(self, *names: str) -> None:
        """Remove files, as far as they are there."""
        for name in names:
            with contextlib.suppress(OSError):
                (self.path / name).unlink(missing_ok=True)

    def note(self, name: str, found: dict[str, Any]) -> None:
        """Write down what a step has yielded."""
        text = json.dumps(found).encode()
        write(self.path / name, [b"%08x " % zlib.crc32(text, named(self.path / name)), text])

    def read(self, name: str) -> dict[str, Any] | None:
        """Return what a step has yielded, or None where there is no sound note of it, or not the files it names."""
        try:
            checksum, text = (self.path / name).read_bytes().split(b" ", 1)
            if int(checksum, 16) != zlib.crc32(text, named(self.path / name)):
                return None
        except (OSError, ValueError):
            return None
        found: dict[str, Any] = json.loads(text)
        return found if all(self._size(name) == size for name, size in found.get("files", {}).items()) else None

    def check(self, files: dict[str, int]) -> None:
        """Raise Damaged unless all files are as large as they were written."""
        for name, size in files.items():
            if self._size(name) != size:
                raise damaged(self.path / name)

    def _size(self, name: str) -> int:
        try:
            return (self.path / name).stat().st_size
        except OSError:
            return -1


def _is_continued(begun: dict[str, Any], mark: dict[str, Any]) -> bool:
    """Return whether marks agree, and no number was larger."""
    numbers = {name for name, each in mark.items() if isinstance(each, int)}
    return begun.keys() == {*mark, NUMBER} and all(
        begun[name] <= mark[name] if name in numbers else begun[name] == mark[name] for name in mark
    )
