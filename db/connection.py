"""One database: a SQLite file or a PostgreSQL server, how to connect to it, and what its errors mean."""

import contextlib
import os
import sqlite3
import time
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, StaticPool, create_engine, event, inspect
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from gamesman.db import room, schema
from gamesman.db.held_files import Handle
from gamesman.db.location import file_name, secrets, solve_command, stored_name
from gamesman.db.lock import FileLock, Lock, ServerLock, wait_for
from gamesman.errors import Damaged, DatabaseError, GamesmanError, MissingExtra, NoDatabase, StorageFailed, shorten
from gamesman.machine.files import NEW, is_file, may_replace, remove_file, sync_names
from gamesman.model.advice import hide_password

# What SQLite waits for another process's transaction, which takes as long as writing 32 MB.
BUSY_SECONDS = 60
# How long the last one to write waits for those who are reading, again and again.
CLOSING_SECONDS = (0.05, 0.2, 0.5, 1)
MAGIC = b"SQLite format 3\0"
# What the name of a file ends in that is to replace another (see gamesman.db.again).
AGAIN = ".again"


class Base(Protocol):
    where: str  # for messages
    is_own: bool  # whether one variant has it to itself
    secrets: tuple[str, ...]  # what no message may say

    def exists(self) -> bool:
        """Whether there is a database with our tables, damaged or not."""

    def size(self) -> int | None:
        """Its bytes, or None where others share it."""

    def reading(self) -> Engine:
        """To read; creates and changes nothing. Raises DatabaseError for what is no sound database."""

    def writing(self) -> Engine:
        """To read and write; the tables are there afterwards."""

    def lock(self, variant: str) -> Lock:
        """What excludes a second writer of a variant."""

    def give_back(self, engine: Engine) -> None:
        """Give the system back the room of what has been removed, where that does not take long."""

    def close_writing(self, engine: Engine) -> None:
        """The writer is done, for better or worse."""


class SQLiteFile:
    """A SQLite file; `is_own` where one variant has it to itself."""

    secrets: tuple[str, ...] = ()

    def __init__(self, path: Path, is_own: bool):
        self.path = path
        self.where = str(path)
        self.is_own = is_own

    def exists(self) -> bool:
        return is_file(self.path)

    def size(self) -> int | None:
        return self.path.stat().st_size if self.is_own else None

    def reading(self) -> Engine:
        is_file(self.path)
        handle = Handle(self.path)
        try:
            head = self._check(handle)
        except BaseException:
            handle.release()
            raise
        # Reading what has a write-ahead log makes SQLite create files beside it, unless it is told that nobody writes.
        # A finished file has none (see close_writing). This one was finished while somebody was reading it.
        is_wal = head[18:19] == b"\2"
        is_still = not self._beside("-wal").exists() and (self.is_own or not os.access(self.path.parent, os.W_OK))
        mode = "mode=ro&immutable=1" if is_wal and is_still else "mode=ro"
        # What a writer was at when it was killed is undone by the first who opens the file and may write.
        if self._beside("-journal").exists():
            mode = "mode=rw"
        address = f"file:{quote(os.fsencode(self.path.absolute()))}?{mode}"

        def connect() -> sqlite3.Connection:
            return sqlite3.connect(address, uri=True, timeout=BUSY_SECONDS, check_same_thread=False)

        return _holding(handle, create_engine("sqlite://", creator=connect, poolclass=StaticPool))

    def writing(self) -> Engine:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self._is_new():
            may_replace(self.path)
            creating = FileLock(self._beside(f"{NEW}.lock"))
            wait_for(creating)
            try:
                # One with another variant for the same file may have been first, and have it in there by now.
                if self._is_new():
                    self._create()
            finally:
                creating.release()
            sync_names(self.path.parent)
        handle = Handle(self.path)
        engine = _holding(handle, _sqlite_writing(self.path))
        try:
            self._check(handle)
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
        return not is_file(self.path) or not self.path.stat().st_size

    def _create(self) -> None:
        """The file is there, with its tables, only as a whole: it gets its name when they are in it."""
        new = self._beside(NEW)
        remove_file(new)
        try:
            engine = _sqlite_writing(new)
            if not self.is_own:
                room.keep_count(engine)
            schema.metadata.create_all(engine)
            engine.dispose()
            new.replace(self.path)
        finally:
            remove_file(new)

    def lock(self, variant: str) -> Lock:
        return FileLock(self._beside(".lock" if self.is_own else f".{file_name(variant)}.lock"))

    def give_back(self, engine: Engine) -> None:
        room.give_back(engine)

    def close_writing(self, engine: Engine) -> None:
        """Leave one file behind that can be read where nothing can be written: without a write-ahead log.

        Where somebody goes on reading or writing it keeps its log, until the next writer closes it.
        """
        # Whatever may be wrong has been said when it mattered: nothing that was promised is lost here.
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
        """Where the variant of this file is solved once more, beside it, until that can take its place."""
        return SQLiteFile(self._beside(AGAIN), is_own=True)

    def give_way(self, new: "SQLiteFile") -> None:
        """Let a file that is written and closed take the place of this one: at any moment one of them is there, whole.

        Raises StorageFailed, with both as they were, where this one is read in a way that does not let go.
        """
        if may_replace(self.path):
            self._settle()
        # A log that is found beside another file than it was written for would be taken for that one's.
        for ending in ("-wal", "-shm", "-journal"):
            remove_file(self._beside(ending))
        os.replace(new.path, self.path)
        sync_names(self.path.parent)

    def _settle(self) -> None:
        """Have all that has been written in the file itself, so that its log is not needed."""
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
        """The file first: without it the rest is nothing. Raises StorageFailed for what is no file."""
        may_replace(self.path)
        for ending in ("", "-wal", "-shm", "-journal"):
            remove_file(self._beside(ending))

    def _beside(self, ending: str) -> Path:
        return self.path.with_name(self.path.name + ending)

    def _check(self, handle: Handle) -> bytes:
        """The first bytes of the file, if they are those of a SQLite file that is as long as it says."""
        head = handle.read(100)
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


class Server:
    """A PostgreSQL server's database."""

    is_own = False

    def __init__(self, url: URL):
        self.where = hide_password(url.render_as_string(hide_password=True))
        self.secrets = secrets(url)
        settings: dict[str, Any] = {}
        if url.get_driver_name() in ("psycopg", "psycopg2") and "connect_timeout" not in url.query:
            settings["connect_timeout"] = 10
        try:
            self._engine = create_engine(url, poolclass=NullPool, connect_args=settings)
        except ImportError as error:
            what = "'gamesman[postgres]'" if url.get_driver_name() == "psycopg" else str(error.name)
            raise MissingExtra(
                f"{self.where} needs {error.name}, which is not installed; run: pip install {what}"
            ) from error
        except SQLAlchemyError as error:
            raise MissingExtra(
                f"{self.where}: {shorten(hide_password(str(error)))}; give postgresql+psycopg://…"
            ) from error

    def exists(self) -> bool:
        with self._engine.connect() as connection:
            return inspect(connection).has_table(schema.blocks.name)

    def size(self) -> int | None:
        return None

    def reading(self) -> Engine:
        return self._engine.execution_options(isolation_level="AUTOCOMMIT")

    def writing(self) -> Engine:
        try:
            schema.metadata.create_all(self._engine)
        except DBAPIError:
            # Two that create the same table at once: one of them fails, and then it is there.
            schema.metadata.create_all(self._engine)
        return self._engine

    def lock(self, variant: str) -> Lock:
        return ServerLock(self._engine, stored_name(variant))

    def give_back(self, engine: Engine) -> None:
        pass  # the server does that by itself

    def close_writing(self, engine: Engine) -> None:
        pass


def _sqlite_writing(path: Path) -> Engine:
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, check_same_thread=False, isolation_level=None)
        connection.execute("PRAGMA synchronous=FULL")
        return connection

    # One connection, kept: closing the last one would take the write-ahead log away each time.
    engine = create_engine("sqlite://", creator=connect, poolclass=StaticPool)

    # Python's module would begin transactions at moments of its own choosing. Ours know that they will write.
    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def _holding(handle: Handle, engine: Engine) -> Engine:
    """The engine, which releases the file when it is disposed of, or when nobody has it any more."""
    release = weakref.finalize(engine, handle.release)
    event.listen(engine, "engine_disposed", lambda _: release())
    return engine


@contextlib.contextmanager
def connected(base: Base) -> Iterator[Connection]:
    """A connection to read with, gone afterwards."""
    engine = base.reading()
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()


@contextlib.contextmanager
def meaning(base: Base, variant: str = "", is_writing: bool = False) -> Iterator[None]:
    """Errors of the database inside become ours, and say what to do next."""
    try:
        yield
    except (Damaged, NoDatabase) as error:
        raise type(error)(f"{error}{_remedy(base, variant)}") from error
    except GamesmanError:
        raise
    except (DBAPIError, sqlite3.Error, OSError, UnicodeError) as error:
        raise _meant(error, base, variant, is_writing) from error


def _meant(error: Exception, base: Base, variant: str, is_writing: bool) -> GamesmanError:
    cause = getattr(error, "orig", None) or error
    said = str(cause).strip().split("\n")[0]
    for secret in base.secrets:
        said = said.replace(secret, "***")
    said = shorten(said, 200) or type(cause).__name__
    again = f"; then run: {solve_command(variant)}" if variant and is_writing else ""
    if isinstance(cause, UnicodeEncodeError):
        name = shorten(repr(variant or cause.object))
        return StorageFailed(f"{base.where} cannot hold {name}: its name is no Unicode text; rename the game's file")
    if isinstance(cause, OSError):
        return StorageFailed(f"{base.where} cannot be used: {cause.strerror or said}; see to that{again}")
    if isinstance(error, DBAPIError) and not isinstance(cause, sqlite3.Error | UnicodeError):
        return StorageFailed(f"{base.where} does not answer as it should: {said}; see to that{again}")
    if "not a database" in said:
        return NoDatabase(f"{base.where} is no database: {said}{_remedy(base, variant)}")
    if "no such table" in said:
        return NoDatabase(f"{base.where} is no database of gamesman: {said}{_remedy(base, variant)}")
    if is_writing and ("full" in said or "disk I/O" in said):
        return StorageFailed(f"{base.where} cannot be written: {said}; make room{again}")
    outside = ("readonly", "read-only", "unable to open", "locked", "permission", "disk I/O", "full")
    if any(word in said for word in outside):
        return StorageFailed(f"{base.where} cannot be used: {said}; see to that{again}")
    return Damaged(f"{base.where} is damaged: {said}{_remedy(base, variant)}")


def _remedy(base: Base, variant: str) -> str:
    """What to do about a file that cannot be believed."""
    if isinstance(base, SQLiteFile) and not base.is_own:
        return "; bring back a copy of it, or remove it and solve again"
    return f"; run: {solve_command(variant, '--restart')}" if variant else ""
