"""Compiled code is kept on disk, a folder a game; nothing is used that somebody else could have put there or damaged.

    ~/.cache/gamesman/                       $GAMESMAN_CACHE, else in the user's cache folder
        konane-3f0c...b2/                    a game, under a digest of its functions and of what compiles them
            sparse.count.6a1e...77.nbc       a compiled function: a checksum, then what numba made of it
            51d2...0e.checked                a variant whose functions have been held against each other

Code that is loaded runs. So the folders and the file must belong to the user that runs the program, with nobody else
allowed to write, and the content must be what its checksum says, before a byte of it is looked at. Whatever is not so
is as if it were not there: it is compiled anew, and replaced. Where nothing can be written it is compiled each time.
"""

import contextlib
import hashlib
import os
import re
import secrets
import shlex
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

CODE_SUFFIX = ".nbc"
CHECKED_SUFFIX = ".checked"
KEPT_VERSIONS = 8  # versions of a game, and of a function, that are kept: those used latest
MOST_BYTES = 512 << 20  # bytes of all games; the earliest used go first
ABANDONED_SECONDS = 3600  # seconds after which a file that is still being written never will be

_HEAD = b"gamesman compiled code 1\n"
_GAME_FOLDER = re.compile(r"(?P<game>.+)-[0-9a-f]{24}")
_FILES = re.compile(r".+\.(nbc|nbi|checked|part)|.+\.tmp\.[0-9a-f]+")
_told: set[Path] = set()


class KeptGame(NamedTuple):
    """Says what is kept of one game in one form."""

    game: str
    folder: Path
    functions: int
    bytes: int
    used: float  # seconds since 1970


def cache_folder() -> Path:
    """Return where compiled code is kept: $GAMESMAN_CACHE, else the user's cache folder."""
    if os.environ.get("GAMESMAN_CACHE"):
        return Path(os.environ["GAMESMAN_CACHE"])
    # lazy: start-up time
    from platformdirs import user_cache_path

    return user_cache_path("gamesman", appauthor=False)


class CodeFolder:
    """Keeps the compiled code of one game, in files by name. Where it cannot be trusted it is empty, and stays so."""

    def __init__(self, path: Path):
        self.path = path
        self.is_used = _is_safe(path)
        if self.is_used:
            with contextlib.suppress(OSError):
                os.utime(path)

    def read(self, name: str) -> bytes | None:
        """Return what was written under a name; None where nothing was, or what is there is not it."""
        content = self._content(name) if self.is_used else None
        if content is None or not content.startswith(_HEAD):
            return None
        checksum, data = content[len(_HEAD) : len(_HEAD) + 32], content[len(_HEAD) + 32 :]
        return data if checksum == _checksum(name, data) else None

    def has(self, start: str) -> bool:
        """Tell whether anything is kept under a name that begins so; it has yet to be read."""
        return self.is_used and any(self.path.glob(f"{start}*"))

    def write(self, name: str, data: bytes) -> None:
        """Keep data under a name, all or nothing of it; nothing where that cannot be done."""
        if not self.is_used:
            return
        part = self.path / f".{name}.{secrets.token_hex(8)}.part"
        with contextlib.suppress(OSError):
            try:
                file = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
                with open(file, "wb") as stream:
                    stream.write(_HEAD + _checksum(name, data) + data)
                os.replace(part, self.path / name)
            except BaseException:
                with contextlib.suppress(OSError):
                    part.unlink()
                raise
            self._forget_versions(name)

    def _content(self, name: str) -> bytes | None:
        try:
            # No link is followed, and a pipe is not waited for.
            flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
            with open(os.open(self.path / name, flags), "rb") as stream:
                status = os.fstat(stream.fileno())
                return stream.read() if stat.S_ISREG(status.st_mode) and _is_only_ours(status) else None
        except OSError:
            return None

    def _forget_versions(self, name: str) -> None:
        """Delete the earliest versions of a function: its file's name is its own, a dot and a digest."""
        own, _, _ = name.removesuffix(CODE_SUFFIX).rpartition(".")
        if own:
            found = [
                path for path in self.path.glob(f"{own}.*{CODE_SUFFIX}") if path.name.count(".") == name.count(".")
            ]
            for path in sorted(found, key=_changed, reverse=True)[2 * KEPT_VERSIONS :]:
                path.unlink(missing_ok=True)


def kept() -> list[KeptGame]:
    """Return what is kept of every game, the latest used first."""
    found = []
    for folder in _folders(cache_folder()):
        sizes = [status.st_size for path, status in _files(folder)]
        functions = sum(path.suffix == CODE_SUFFIX for path, _ in _files(folder))
        match = _GAME_FOLDER.fullmatch(folder.name)
        assert match is not None
        found.append(KeptGame(match["game"], folder, functions, sum(sizes), _changed(folder)))
    return sorted(found, key=lambda one: (-one.used, one.folder))


def clear() -> list[KeptGame]:
    """Delete all that is kept, and nothing else that may be there; return what it was."""
    found = kept()
    for one in found:
        _delete(one.folder)
    return found


def _checksum(name: str, data: bytes) -> bytes:
    """Return a checksum of the data and of the name, because a renamed file holds the code of another function."""
    return hashlib.blake2b(data, digest_size=32, key=hashlib.sha256(name.encode()).digest()).digest()


def _is_safe(folder: Path) -> bool:
    """Make a game's folder if it is not there, and say whether only we can write in it and in the one around it."""
    is_new = False
    try:
        for path in (folder.parent, folder):
            if not path.exists():
                path.mkdir(mode=0o700, parents=True, exist_ok=True)
                is_new = True
            status = path.stat() if path == folder.parent else path.lstat()
            if not stat.S_ISDIR(status.st_mode) or not _is_only_ours(status):
                _tell(path, status)
                return False
    except OSError:
        return False
    if is_new:
        _sweep(folder)
    return True


def _is_only_ours(status: os.stat_result) -> bool:
    """Tell whether a file or folder belongs to us, and nobody else may change it."""
    return not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _tell(path: Path, status: os.stat_result) -> None:
    """Say once why what is kept is not used."""
    if path in _told or sys.stderr is None:
        return
    _told.add(path)
    if not stat.S_ISDIR(status.st_mode):
        why, advice = "is no folder", "move it away"
    elif status.st_uid != os.geteuid():
        why, advice = "belongs to another user", "set GAMESMAN_CACHE to a folder of your own"
    else:
        why, advice = "can be written by other users", f"run: chmod go-w {shlex.quote(str(path))}"
    print(f"compiled code is neither kept nor used: {path} {why}; {advice}", file=sys.stderr)


def _folders(root: Path) -> list[Path]:
    try:
        return [
            path
            for path in root.iterdir()
            if _GAME_FOLDER.fullmatch(path.name) and path.is_dir() and not path.is_symlink()
        ]
    except OSError:
        return []


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    with contextlib.suppress(OSError):
        for path in sorted(folder.iterdir()):
            if _FILES.fullmatch(path.name):
                with contextlib.suppress(OSError):
                    yield path, path.lstat()


def _changed(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def _delete(folder: Path) -> None:
    """Delete a game's files, and its folder if nothing else is in it."""
    with contextlib.suppress(OSError):
        for path, _ in _files(folder):
            path.unlink(missing_ok=True)
        folder.rmdir()


def _sweep(new: Path) -> None:
    """Delete what is not used any more: earlier versions of this game, the earliest used of all, and what was left half
    written."""
    every = kept()
    match = _GAME_FOLDER.fullmatch(new.name)
    mine = [one for one in every if match and one.game == match["game"] and one.folder != new]
    gone = mine[KEPT_VERSIONS - 1 :]
    total = 0
    for one in every:
        total += one.bytes
        if total > MOST_BYTES and one.folder != new and one not in gone:
            gone.append(one)
    for one in gone:
        _delete(one.folder)
    for one in every:
        for path, status in _files(one.folder):
            if path.suffix == ".part" and time.time() - status.st_mtime > ABANDONED_SECONDS:
                path.unlink(missing_ok=True)
