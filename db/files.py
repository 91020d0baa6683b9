"""What may be opened, created and replaced at a path: files, and nothing else that has a name."""

import os
import stat
from pathlib import Path

from gamesman.errors import StorageFailed

KINDS = {
    stat.S_IFREG: "a file",
    stat.S_IFDIR: "a folder",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
FILE = KINDS[stat.S_IFREG]


def kind(path: Path, is_followed: bool = True) -> str | None:
    """What is at a path, in words, or None; a symbolic link is what it leads to, unless it is not to be followed.

    >>> kind(Path(__file__)), kind(Path(__file__).parent), kind(Path(__file__) / "x")
    ('a file', 'a folder', None)
    """
    try:
        mode = os.stat(path, follow_symlinks=is_followed).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    return KINDS.get(stat.S_IFMT(mode), "something else")


def is_file(path: Path) -> bool:
    """Whether there is a file to open. Raises StorageFailed for what is none: a pipe would never answer."""
    return _is_file(path, is_followed=True)


def may_replace(path: Path) -> bool:
    """Whether there is a file that may be replaced or removed. Raises StorageFailed for anything else.

    A link is not replaced: what it leads to may be used by another name, and be no business of ours.
    """
    return _is_file(path, is_followed=False)


def _is_file(path: Path, is_followed: bool) -> bool:
    found = kind(path, is_followed)
    if found not in (None, FILE):
        raise StorageFailed(f"expected a file at {path}, got {found}, which is left alone; give another place")
    return found is not None


def remove_file(path: Path) -> None:
    """Remove a file if there is one; anything else of that name stays."""
    if kind(path, is_followed=False) == FILE:
        path.unlink(missing_ok=True)


def keep_names(folder: Path) -> None:
    """Have the names in a folder survive a loss of power, where the system can be told so."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError:
        pass
    finally:
        os.close(handle)
