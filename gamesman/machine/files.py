"""Files are told from all else that can be at a path: nothing but files is replaced, and no named pipe waited for."""

import contextlib
import errno
import os
import shutil
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


# What the name of a file ends in that is written before it takes the place of another.
NEW = ".gamesman-new"


def kind(path: Path, is_followed: bool = True) -> str | None:
    """Return what is at a path, in words, or None; a link is what it leads to, unless it is not to be followed.

    >>> kind(Path(__file__)), kind(Path(__file__).parent), kind(Path(__file__) / "x")
    ('a file', 'a folder', None)
    """
    try:
        mode = os.stat(path, follow_symlinks=is_followed).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    return KINDS.get(stat.S_IFMT(mode), "something else")


def free(path: Path) -> int:
    """Return how many bytes there is room for at a path, whose folders need not be there yet."""
    while kind(path) is None and path != path.parent:
        path = path.parent
    try:
        return shutil.disk_usage(path).free
    except OSError:
        return 0


def is_file(path: Path) -> bool:
    """Return whether there is a file to open. Raises StorageFailed for anything else: a pipe would never answer."""
    return _is_file(path, is_followed=True)


def may_replace(path: Path) -> bool:
    """Return whether there is a file that may be replaced or removed. Raises StorageFailed for anything else.

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


def at_once(path: str, flags: int) -> int:
    """Open a path, as an opener of `open`: a named pipe that nobody writes to is empty, one that nobody reads an error.

    >>> with open(os.devnull, opener=at_once) as file:
    ...     file.read()
    ''
    """
    handle = os.open(path, flags | getattr(os, "O_NONBLOCK", 0))
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(handle, True)  # who is at the other end may take his time
    return handle


def write_text(path: Path, text: str) -> None:
    """Write a text file as `write_bytes` does. Raises ValueError for a text that cannot be written, too."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file so that at any moment there is the old one or the new one, whole.

    Of a link it is the file behind it that is replaced. What is there and no file, as a device, is written to.
    Raises OSError, or ValueError for a path that cannot be written.
    """
    path = Path(os.path.realpath(path))
    found = kind(path)
    if found not in (None, FILE):
        with open(path, "wb", opener=at_once) as file:
            file.write(content)
        return
    new = path.with_name(f"{path.name}.{os.getpid()}{NEW}")
    try:
        with new.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if found is not None:
            new.chmod(stat.S_IMODE(path.stat().st_mode))
        new.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            remove_file(new)
        raise


def check_writable(path: Path) -> None:
    """Try whether `write_bytes` can write a file, and leave nothing of that. Raises OSError, or ValueError."""
    path = Path(os.path.realpath(path))
    if kind(path) == KINDS[stat.S_IFDIR]:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if kind(path) in (None, FILE):
        new = path.with_name(f"{path.name}.{os.getpid()}{NEW}")
        new.open("xb").close()
        remove_file(new)


def sync_names(folder: Path) -> None:
    """Make the names in a folder survive a loss of power, where the system can be told so."""
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
