"""Locks let one process at a time write a variant, until it ends, however it ends.

The operating system, or the server, releases a lock when its process is gone, so that nobody has to clean up after a
killed solve. The table `work` says, for people, which process it is.
"""

import contextlib
import hashlib
import os
import time
from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import SQLAlchemyError

POLL_SECONDS = 0.2
# Only a file that we have made is a lock: no link is followed, and no named pipe waited for.
FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Lock(Protocol):
    """Excludes other processes while it is held."""

    def acquire(self) -> bool:
        """Take the lock if it is free; return whether it was."""

    def release(self) -> None:
        """Release the lock if it is ours."""

    def is_held(self) -> bool:
        """Return whether any process has the lock; take nothing and create nothing."""

    def is_kept(self) -> bool:
        """Return whether the lock that was taken is still ours."""


def wait_for(lock: Lock) -> None:
    """Wait until a lock is free, and take it."""
    while not lock.acquire():
        time.sleep(POLL_SECONDS)


class FileLock:
    """Locks a file beside the database's, which is removed on release, and left behind only by a killed process.

    SQLite's own locks are on the database file, and are all lost when any other handle to it is closed.
    """

    def __init__(self, path: Path):
        self._path = path
        self._handle: int | None = None

    def acquire(self) -> bool:
        """Take the lock if it is free; return whether it was."""
        # A process that only asks whether the lock is held has to take it for a moment.
        for pause in (0.01, 0.05, 0):
            if self._acquire():
                return True
            time.sleep(pause)
        return False

    def _acquire(self) -> bool:
        """Try once to take the lock; return whether it was free."""
        while True:
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | FLAGS, 0o666)
            if not _lock(handle):
                os.close(handle)
                return False
            # The holder before us may have removed the file between our opening and our locking it: then another
            # process could create and lock the next one.
            try:
                if os.path.samestat(os.fstat(handle), os.stat(self._path)):
                    self._handle = handle
                    return True
            except FileNotFoundError:
                pass
            os.close(handle)

    def release(self) -> None:
        """Release the lock and remove its file."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                # This file may have been renamed, and another may have its name.
                if os.path.samestat(os.fstat(self._handle), os.stat(self._path, follow_symlinks=False)):
                    self._path.unlink()
            os.close(self._handle)
            self._handle = None

    def is_kept(self) -> bool:
        """Return whether the lock is ours: the system does not take it away."""
        return self._handle is not None

    def is_held(self) -> bool:
        """Return whether any process has the lock."""
        try:
            handle = os.open(self._path, os.O_RDONLY | FLAGS)
        except OSError:
            return False
        try:
            return not _lock(handle)
        finally:
            os.close(handle)


try:
    import fcntl

    def _lock(handle: int) -> bool:
        """Lock an open file; return False if another process has locked it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
except ImportError:
    import msvcrt

    def _lock(handle: int) -> bool:
        """Lock an open file; return False if another process has locked it."""
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True


class ServerLock:
    """Locks a name in the server, by a connection that holds the lock."""

    def __init__(self, engine: Engine, name: str):
        self._engine = engine
        digest = hashlib.sha256(f"gamesman {name}".encode()).digest()
        self._key = int.from_bytes(digest[:8], "big", signed=True)
        self._connection: Connection | None = None

    def acquire(self) -> bool:
        """Take the lock if it is free; return whether it was."""
        connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        if connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": self._key}).scalar():
            self._connection = connection
            return True
        connection.close()
        return False

    def release(self) -> None:
        """Release the lock by closing its connection."""
        if self._connection is not None:
            # Connections are not pooled: this one ends here and the lock with it, even if the server is gone.
            with contextlib.suppress(SQLAlchemyError):
                self._connection.close()
            self._connection = None

    def is_kept(self) -> bool:
        """Return whether the lock is ours: the server releases it when the connection is cut, by whomever."""
        if self._connection is None:
            return False
        try:
            self._connection.execute(text("SELECT 1"))
        except SQLAlchemyError:
            return False
        return not self._connection.invalidated

    def is_held(self) -> bool:
        """Return whether any connection has the lock."""
        high, low = self._key >> 32 & 0xFFFFFFFF, self._key & 0xFFFFFFFF
        query = text(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
            " AND classid = :high AND objid = :low"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        with self._engine.connect() as connection:
            return bool(connection.execute(query, {"high": high, "low": low}).scalar())
