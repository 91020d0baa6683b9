"""Who may write a variant: one process at a time, until it ends, however it ends.

The operating system (or the server) gives the lock up when its process is gone, so a killed solve never has to be
cleaned up after. Who holds it stands in the table `work`, for people.
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
# A lock's file is one that we have made: no link is followed to another, and no named pipe waited for.
FLAGS = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Lock(Protocol):
    def acquire(self) -> bool:
        """Take the lock if it is free; whether it was."""

    def release(self) -> None:
        """Give the lock up."""

    def is_held(self) -> bool:
        """Whether any process has the lock; takes nothing and creates nothing."""

    def is_kept(self) -> bool:
        """Whether the lock that was taken is still ours."""


def wait_for(lock: Lock) -> None:
    """Take a lock as soon as it is free."""
    while not lock.acquire():
        time.sleep(POLL_SECONDS)


class FileLock:
    """A lock on a file of its own beside the database's, there only while it is held (or its process was killed).

    SQLite's own locks are on the database file, and are all lost when any other handle to it is closed.
    """

    def __init__(self, path: Path):
        self._path = path
        self._handle: int | None = None

    def acquire(self) -> bool:
        # Somebody who only asks whether it is held holds it for a moment.
        for pause in (0.01, 0.05, 0):
            if self._acquire():
                return True
            time.sleep(pause)
        return False

    def _acquire(self) -> bool:
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
        if self._handle is not None:
            with contextlib.suppress(OSError):
                # By now another file may have the name, where this one has got another.
                if os.path.samestat(os.fstat(self._handle), os.stat(self._path, follow_symlinks=False)):
                    self._path.unlink()
            os.close(self._handle)
            self._handle = None

    def is_kept(self) -> bool:
        return self._handle is not None

    def is_held(self) -> bool:
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
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
except ImportError:
    import msvcrt

    def _lock(handle: int) -> bool:
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True


class ServerLock:
    """A lock in the server that its connection holds."""

    def __init__(self, engine: Engine, name: str):
        self._engine = engine
        digest = hashlib.sha256(f"gamesman {name}".encode()).digest()
        self._key = int.from_bytes(digest[:8], "big", signed=True)
        self._connection: Connection | None = None

    def acquire(self) -> bool:
        connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        if connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": self._key}).scalar():
            self._connection = connection
            return True
        connection.close()
        return False

    def release(self) -> None:
        if self._connection is not None:
            # Nothing is pooled: the connection ends here, and the lock with it, also where the server is gone.
            with contextlib.suppress(SQLAlchemyError):
                self._connection.close()
            self._connection = None

    def is_kept(self) -> bool:
        """The server gives the lock up with the connection, whoever has cut that."""
        if self._connection is None:
            return False
        try:
            self._connection.execute(text("SELECT 1"))
        except SQLAlchemyError:
            return False
        return not self._connection.invalidated

    def is_held(self) -> bool:
        high, low = self._key >> 32 & 0xFFFFFFFF, self._key & 0xFFFFFFFF
        query = text(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
            " AND classid = :high AND objid = :low"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        with self._engine.connect() as connection:
            return bool(connection.execute(query, {"high": high, "low": low}).scalar())
