"""The room of what has been removed from a SQLite file that several variants share, given back to the system.

SQLite keeps it for what is written next. A file that counts where each of its pages belongs can give pages back from
its end, some at a time, in time that depends on how many they are and not on what is left. Files have to be created so;
one that was not is written anew, if what is left of it is small.
"""

import contextlib
import sqlite3
from collections.abc import Iterator
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

INCREMENTAL = 2
PAGES = 4096  # given back in one transaction, for which others that write may have to wait
BUSY = 1000  # milliseconds to wait for others
WORTHWHILE = 64  # pages
SMALL = 16384  # pages that are copied, 64 MB


def keep_count(engine: Engine) -> None:
    """Have a file, in which there is nothing yet, count where its pages belong."""
    with _raw(engine) as raw:
        raw.execute(f"PRAGMA auto_vacuum={INCREMENTAL}")


def give_back(engine: Engine) -> None:
    """Give back the pages of a file that nothing is in; where somebody is in the way they stay, for the next time."""
    with contextlib.suppress(SQLAlchemyError, sqlite3.Error), _raw(engine) as raw:
        raw.execute(f"PRAGMA busy_timeout={BUSY}")
        free, pages = _number(raw, "freelist_count"), _number(raw, "page_count")
        if free < WORTHWHILE:
            return
        if _number(raw, "auto_vacuum") != INCREMENTAL:
            if pages - free <= SMALL:
                raw.execute(f"PRAGMA auto_vacuum={INCREMENTAL}")
                raw.execute("VACUUM")
            return
        while free:
            raw.execute(f"PRAGMA incremental_vacuum({PAGES})").fetchall()
            before, free = free, _number(raw, "freelist_count")
            if free >= before:
                return


def _number(raw: Any, name: str) -> int:
    return int(raw.execute(f"PRAGMA {name}").fetchone()[0])


@contextlib.contextmanager
def _raw(engine: Engine) -> Iterator[Any]:
    """The connection below SQLAlchemy's, which begins no transaction."""
    with engine.connect() as connection:
        raw = connection.connection.dbapi_connection
        assert raw is not None
        yield raw
