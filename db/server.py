"""A PostgreSQL server's database is connected to here."""

from typing import Any

from sqlalchemy import URL, Connection, Engine, Select, create_engine, inspect
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from gamesman.db import schema
from gamesman.db.connection import Database, FindRow
from gamesman.db.location import restart_advice, secrets
from gamesman.db.lock import Lock, ServerLock
from gamesman.errors import MissingExtra, shorten
from gamesman.model.advice import hide_password
from gamesman.model.paths import whole_name


class Server:
    """Connects to a PostgreSQL server's database, which several variants share."""

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
        """Return whether our tables are there."""
        with self._engine.connect() as connection:
            return inspect(connection).has_table(schema.blocks.name)

    def size(self) -> int | None:
        """Return None: several variants share a server."""
        return None

    def state(self) -> tuple[int, ...]:
        """Return nothing: a server does not tell."""
        return ()

    def reading(self) -> Engine:
        """Return an engine in which every query is a transaction of its own."""
        return self._engine.execution_options(isolation_level="AUTOCOMMIT")

    def row_finder(self, connection: Connection, query: Select[Any]) -> FindRow:
        """Return what runs one query over and over, with other parameters each time."""
        return lambda values: connection.execute(query, dict(values)).first()

    def prepare(self, *, is_restart: bool) -> None:
        """Do nothing: a server is ready."""

    def writing(self) -> Engine:
        """Return an engine to write with, after creating the tables if they are missing."""
        try:
            schema.metadata.create_all(self._engine)
        except DBAPIError:
            # Where two processes create the same table at once one of them fails, and then the table is there.
            schema.metadata.create_all(self._engine)
        return self._engine

    def lock(self, variant: str) -> Lock:
        """Return the lock of a variant, which the server keeps."""
        return ServerLock(self._engine, whole_name(variant))

    def shrink(self, engine: Engine) -> None:
        """Do nothing: the server sees to its files itself."""

    def close_writing(self, engine: Engine) -> None:
        """Do nothing: the engine keeps no connection."""

    def again(self) -> Database:
        """Return itself: what is solved again has rows of its own here."""
        return self

    def replace_by(self, new: Database) -> None:
        """Do nothing: rows have been replaced by rows already."""

    def remove(self) -> None:
        """Do nothing: others share the server."""

    def advice(self, variant: str) -> str:
        """Return what to do when the rows of a variant cannot be believed."""
        return restart_advice(variant)
