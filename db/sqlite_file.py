"""A SQLite file is created, opened to read and to write, closed, replaced and removed here."""

import contextlib
import os
import sqlite3
import time
import weakref
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, Select, StaticPool, create_engine, event
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import SQLAlchemyError

from gamesman.db import schema, vacuum
from gamesman.db.connection import Database, FindRow
from gamesman.db.held_files import HeldFile
from gamesman.db.location import file_name, restart_advice
from gamesman.db.lock import FileLock, Lock, wait_for
from gamesman.errors import Damaged, DatabaseError, NoDatabase, StorageFailed
from gamesman.machine.files import NEW, is_file, may_replace, remove_file, sync_names

# How long SQLite waits for another process's transaction, which takes as long as writing 32 MB.
BUSY_SECONDS = 60
# How long the last one to write waits for those who are reading, at each try.
CLOSING_SECONDS = (0.05, 0.2, 0.5, 1)
MAGIC = b"SQLite format 3\0"
# The ending of the name of a file that is to replace another (see gamesman.db.again).
AGAIN = ".again"


class SQLiteFile:
    """Connects to a SQLite file; `is_own` says that one variant has it to itself."""

    secrets: tuple[str, ...] = ()

    def __init__(self, path: Path, is_own: bool):
        self.path = path
        self.where = str(path)
        self.is_own = is_own

    def exists(self) -> bool:
        """Return whether there is a file. Raises StorageFailed for what is none."""
        return is_file(self.path)

    def size(self) -> int | None:
        """Return its bytes, or None where several variants share it."""
        return self.path.stat().st_size if self.is_own else None

    def state(self) -> tuple[int, ...]:
        """Return which file it is and when it was last written; nothing where there is none."""
        try:
            found = self.path.stat()
        except OSError:
            return ()
        return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size

    def reading(self) -> Engine:
        """Return an engine to read with. Raises NoDatabase, Damaged, and StorageFailed for what is no file."""
        is_file(self.path)
        held = HeldFile(self.path)
        try:
            head = self._check(held)
        except BaseException:
            held.release()
            raise
        # Reading what has a write-ahead log makes SQLite create files beside it, unless it is told that nobody writes.
        # A finished file has none (see close_writing). This one was finished while somebody was reading it.
        is_wal = head[18:19] == b"\2"
        is_still = not self._beside("-wal").exists() and (self.is_own or not os.access(self.path.parent, os.W_OK))
        mode = "mode=ro&immutable=1" if is_wal and is_still else "mode=ro"
        # A transaction that a killed writer had begun is undone by the first who opens the file and may write.
        if self._beside("-journal").exists():
            mode = "mode=rw"
        address = f"file:{quote(os.fsencode(self.path.absolute()))}?{mode}"

        def connect() -> sqlite3.Connection:
            return sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)

        return _holding(held, create_engine("sqlite://", creator=connect, poolclass=StaticPool))

    def row_finder(self, connection: Connection, query: Select[Any]) -> FindRow:
        """Return what runs one query over and over; SQLAlchemy would take longer for that than SQLite itself."""
        compiled = query.compile(dialect=sqlite.dialect(paramstyle="named"))
        text, fixed, raw = str(compiled), compiled.params, connection.connection.dbapi_connection
        assert raw is not None
        return lambda values: raw.execute(text, {**fixed, **values}).fetchone()

    def prepare(self, *, is_restart: bool) -> None:
        """Make the folder of the file and its lock. Raises StorageFailed for what a restart could not replace."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.is_own and is_restart:
            may_replace(self.path)

    def writing(self) -> Engine:
        """Return an engine to write with, of a file that is created if there is none. Raises NoDatabase, Damaged."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self._is_new():
            may_replace(self.path)
            creating = FileLock(self._beside(f"{NEW}.lock"))
            wait_for(creating)
            try:
                # Another process may have created the file meanwhile, and have its variant in there.
                if self._is_new():
                    self._create()
            finally:
                creating.release()
            sync_names(self.path.parent)
        held = HeldFile(self.path)
        engine = _holding(held, _sqlite_writing(self.path))
        try:
            self._check(held)
            with engine.connect() as connection:
                raw = connection.connection.dbapi_connection
                assert raw is not None
                raw.execute("PRAGMA journal_mode=WAL")
            if not self.is_own:
                schema.metadata.create_all(engine)
        except BaseException:
            engine.dispose()
            raise
        return engine

    def _is_new(self) -> bool:
        """Return whether there is no file yet, or an empty one."""
        return not is_file(self.path) or not self.path.stat().st_size

    def _create(self) -> None:
        """Create the file under another name, and give it its own when the tables are in it."""
        new = self._beside(NEW)
        remove_file(new)
        try:
            engine = _sqlite_writing(new)
            if not self.is_own:
                vacuum.enable(engine)
            schema.metadata.create_all(engine)
            engine.dispose()
            new.replace(self.path)
        finally:
            remove_file(new)

    def lock(self, variant: str) -> Lock:
        """Return the lock of a variant: a file beside this one."""
        return FileLock(self._beside(".lock" if self.is_own else f".{file_name(variant)}.lock"))

    def shrink(self, engine: Engine) -> None:
        """Give the file's free pages back to the system where several variants share it."""
        if not self.is_own:
            vacuum.shrink(engine)

    def close_writing(self, engine: Engine) -> None:
        """Close the file so that it can be read where nothing can be written: without a write-ahead log.

        While others read or write it keeps its log, until the next writer closes it.
        """
        # Errors are passed over: all that counts as stored was on the disk before.
        with contextlib.suppress(SQLAlchemyError, sqlite3.Error):
            for pause in CLOSING_SECONDS:
                with engine.connect() as connection:
                    raw = connection.connection.dbapi_connection
                    assert raw is not None
                    raw.execute(f"PRAGMA busy_timeout={int(1000 * pause)}")
                    with contextlib.suppress(sqlite3.OperationalError):
                        raw.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                        if raw.execute("PRAGMA journal_mode=DELETE").fetchone()[0] == "delete":
                            break
                    connection.invalidate()  # two that are closing must not both wait for the other to let go
                time.sleep(pause)
        engine.dispose()

    def again(self) -> "SQLiteFile":
        """Return the file beside this one in which its variant is solved again; itself where several share it."""
        return SQLiteFile(self._beside(AGAIN), is_own=True) if self.is_own else self

    def replace_by(self, new: Database) -> None:
        """Replace the file, where it is a variant's own, by a new one: at any moment one of them is there, whole.

        Raises StorageFailed, with both as they were, where this one is read in a way that does not let go.
        """
        if not (self.is_own and isinstance(new, SQLiteFile)):
            return
        if may_replace(self.path):
            self._checkpoint()
        # A log found beside another file than the one it was written for would be taken for that one's.
        for ending in ("-wal", "-shm", "-journal"):
            remove_file(self._beside(ending))
        os.replace(new.path, self.path)
        sync_names(self.path.parent)

    def _checkpoint(self) -> None:
        """Move what is in the file's log into the file itself. Raises StorageFailed while it is being read."""
        if not self._beside("-wal").exists() and not self._beside("-journal").exists():
            return
        try:
            engine = self.writing()
        except (DatabaseError, SQLAlchemyError, sqlite3.Error):
            return  # what cannot be opened has nothing to lose
        self.close_writing(engine)
        if self._beside("-wal").exists() and self._beside("-wal").stat().st_size:
            raise StorageFailed(f"{self.where} is being read just now, and cannot be replaced; see to that")

    def remove(self) -> None:
        """Remove the file where it is a variant's own. Raises StorageFailed for what is no file."""
        if self.is_own:
            may_replace(self.path)
            for ending in ("", "-wal", "-shm", "-journal"):  # the file first: without it the others are nothing
                remove_file(self._beside(ending))

    def advice(self, variant: str) -> str:
        """Return what to do when the file cannot be believed; to solve again replaces only a variant's own file."""
        return restart_advice(variant) if self.is_own else "; bring back a copy of it, or remove it and solve again"

    def _beside(self, ending: str) -> Path:
        """Return the path of the file whose name is this one's with an ending."""
        return self.path.with_name(self.path.name + ending)

    def _check(self, held: HeldFile) -> bytes:
        """Return the file's first bytes. Raises NoDatabase where they are not SQLite's, Damaged if it is cut short."""
        head = held.read(100)
        if not head:
            raise NoDatabase(f"{self.where} is empty, 0 bytes: no database")
        if not head.startswith(MAGIC[: len(head)]):
            raise NoDatabase(f"{self.where} is no database: it does not begin like a SQLite file")
        page = int.from_bytes(head[16:18], "big")
        expected = int.from_bytes(head[28:32], "big") * (65536 if page == 1 else page)
        # With a write-ahead log the file may lag behind its first page.
        size = self.path.stat().st_size
        if len(head) < 100 or (size < expected and not self._beside("-wal").exists()):
            raise Damaged(f"{self.where} is cut short: expected {max(expected, 100)} bytes, got {size}")
        return head


def _sqlite_writing(path: Path) -> Engine:
    """Return an engine that writes a SQLite file."""

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None)
        connection.execute("PRAGMA synchronous=FULL")
        return connection

    # One connection is kept: SQLite removes the write-ahead log whenever the last one is closed.
    engine = create_engine("sqlite://", creator=connect, poolclass=StaticPool)

    # Python's module would begin transactions when it chooses to; these begin when they should, and as writing ones.
    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _holding(held: HeldFile, engine: Engine) -> Engine:
    """Return the engine, after seeing to it that the file is released with it."""
    release = weakref.finalize(engine, held.release)
    event.listen(engine, "engine_disposed", lambda _: release())
    return engine
