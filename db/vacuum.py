"""A SQLite file that several variants share is made smaller when some of them have been removed.

SQLite keeps free pages for what is written next. A file that is set to auto_vacuum=INCREMENTAL can give pages back to
the system, some at a time, in time that depends on how many they are and not on what is left. Files have to be created
so; one that was not is written anew, if what is left of it is small.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

INCREMENTAL = 2
STEP_PAGES = 4096  # given back in one transaction, for which others that write may have to wait
BUSY_MILLISECONDS = 1000  # to wait for others
LEAST_PAGES = 64  # below so many free ones nothing is done
SMALL_PAGES = 16384  # 64 MB: a file of so many is written anew


def enable(engine: Engine) -> None:
    """Set a file, in which there is nothing yet, so that it can be made smaller later."""
    with _raw(engine) as raw:
        raw.execute(f"PRAGMA auto_vacuum={INCREMENTAL}")


def shrink(engine: Engine) -> None:
    """Give the free pages of a file back to the system; while others use the file they stay, for the next time."""
    with contextlib.suppress(SQLAlchemyError, sqlite3.Error), _raw(engine) as raw:
        raw.execute(f"PRAGMA busy_timeout={BUSY_MILLISECONDS}")
        free, pages = _number(raw, "freelist_count"), _number(raw, "page_count")
        if free < LEAST_PAGES:
            return
        if _number(raw, "auto_vacuum") != INCREMENTAL:
            if pages - free <= SMALL_PAGES:
                raw.execute(f"PRAGMA auto_vacuum={INCREMENTAL}")
                raw.execute("VACUUM")
            return
        while free:
            raw.execute(f"PRAGMA incremental_vacuum({STEP_PAGES})").fetchall()
            before, free = free, _number(raw, "freelist_count")
            if free >= before:
                return


def _number(raw: Any, name: str) -> int:
    """Return the number that SQLite says of the file by a name."""
    return int(raw.execute(f"PRAGMA {name}").fetchone()[0])


@contextlib.contextmanager
def _raw(engine: Engine) -> Iterator[Any]:
    """Yield the connection that SQLAlchemy's stands on, which begins no transaction."""
    with engine.connect() as connection:
        raw = connection.connection.dbapi_connection
        assert raw is not None
        yield raw
