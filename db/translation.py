"""Errors of a database and of the system are translated into ours, each a line that says what to do next."""

import contextlib
import sqlite3
from collections.abc import Iterator

from sqlalchemy.exc import DBAPIError, PendingRollbackError

from gamesman.db.connection import Database
from gamesman.db.location import solve_command
from gamesman.errors import Damaged, GamesmanError, NoDatabase, StorageFailed, shorten


@contextlib.contextmanager
def translated_errors(database: Database, variant: str = "", is_writing: bool = False) -> Iterator[None]:
    """Raise errors of the database in what is inside as errors of ours, which say what to do next."""
    try:
        yield
    except (Damaged, NoDatabase) as error:
        raise type(error)(f"{error}{database.advice(variant)}") from error
    except GamesmanError:
        raise
    except (DBAPIError, PendingRollbackError, sqlite3.Error, OSError, UnicodeError) as error:
        raise _translated(error, database, variant, is_writing) from error


def _translated(error: Exception, database: Database, variant: str, is_writing: bool) -> GamesmanError:
    """Return the error of ours that says what one of the database or the system means."""
    cause = getattr(error, "orig", None) or error
    said = str(cause).strip().split("\n")[0]
    for secret in database.secrets:
        said = said.replace(secret, "***")
    said = shorten(said, 200) or type(cause).__name__
    again = f"; then run: {solve_command(variant)}" if variant and is_writing else ""
    if isinstance(cause, UnicodeEncodeError):
        name = shorten(repr(variant or cause.object))
        why = "its name is no Unicode text; rename the game's file"
        return StorageFailed(f"{database.where} cannot hold {name}: {why}")
    if isinstance(cause, OSError):
        return StorageFailed(f"{database.where} cannot be used: {cause.strerror or said}; see to that{again}")
    # A connection that has failed says so once, and from then on that it is to be rolled back.
    if isinstance(error, DBAPIError | PendingRollbackError) and not isinstance(cause, sqlite3.Error | UnicodeError):
        return StorageFailed(f"{database.where} does not answer as it should: {said}; see to that{again}")
    if isinstance(cause, sqlite3.ProgrammingError):  # like a connection that has been closed
        return StorageFailed(f"{database.where} cannot be used: {said}; see to that{again}")
    if "not a database" in said:
        return NoDatabase(f"{database.where} is no database: {said}{database.advice(variant)}")
    if "no such table" in said:
        return NoDatabase(f"{database.where} is no database of gamesman: {said}{database.advice(variant)}")
    if is_writing and ("full" in said or "disk I/O" in said):
        return StorageFailed(f"{database.where} cannot be written: {said}; make room{again}")
    outside = ("readonly", "read-only", "unable to open", "locked", "permission", "disk I/O", "full")
    if any(word in said for word in outside):
        return StorageFailed(f"{database.where} cannot be used: {said}; see to that{again}")
    return Damaged(f"{database.where} is damaged: {said}{database.advice(variant)}")
