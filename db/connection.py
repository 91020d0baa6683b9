"""SQLite files and servers are used through one class of methods, which is described here."""

import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from sqlalchemy import Connection, Engine, Select

from gamesman.db.lock import Lock

# SQLAlchemy logs the traceback of what goes wrong while it closes a connection, an interruption even; an error says it.
logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())

# Runs a query with these parameters and returns the fields of its first row, or None if it finds none.
FindRow = Callable[[Mapping[str, int]], Any]


class Database(Protocol):
    """Says what a SQLite file and a PostgreSQL server's database both can do."""

    where: str  # for messages
    is_own: bool  # whether one variant has it to itself
    secrets: tuple[str, ...]  # what no message may say

    def exists(self) -> bool:
        """Return whether there is a database with our tables, damaged or not."""

    def size(self) -> int | None:
        """Return its bytes, or None where others share it."""

    def state(self) -> tuple[int, ...]:
        """Return numbers that change when another database takes its place; the same for ever where one cannot tell."""

    def reading(self) -> Engine:
        """Return an engine to read with; create and change nothing. Raises DatabaseError for what is no database."""

    def row_finder(self, connection: Connection, query: Select[Any]) -> FindRow:
        """Return what runs one query over and over, with other parameters each time."""

    def prepare(self, *, is_restart: bool) -> None:
        """Make ready for a lock and for writing. Raises StorageFailed for what a restart could not replace."""

    def writing(self) -> Engine:
        """Return an engine to read and write with; the tables are there afterwards."""

    def lock(self, variant: str) -> Lock:
        """Return the lock that excludes a second writer of a variant."""

    def shrink(self, engine: Engine) -> None:
        """Give the room of what has been removed back to the system, where several variants share a file."""

    def close_writing(self, engine: Engine) -> None:
        """Close the engine of a writer, whether it has failed or not."""

    def again(self) -> "Database":
        """Return the database in which a variant is solved again: another one where a variant has one to itself."""

    def replace_by(self, new: "Database") -> None:
        """Replace the database, where a variant has it to itself, by another one that is written and closed."""

    def remove(self) -> None:
        """Remove the database where one variant has it to itself; what several share is left alone."""

    def advice(self, variant: str) -> str:
        """Return what to do when the database cannot be believed, as the end of a line."""


@contextlib.contextmanager
def connected(database: Database) -> Iterator[Connection]:
    """Yield a connection to read with, and close it afterwards."""
    engine = database.reading()
    try:
        with engine.connect() as connection:
            yield connection
    finally:
        engine.dispose()
