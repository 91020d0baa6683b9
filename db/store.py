"""All solved variants of a place: opened, written, listed, deleted."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, select

from db import schema
from db.base import Base, Server, SQLiteFile, connected, meaning
from db.lock import wait_for
from db.place import SUFFIX, file_name, read_place, solve_command
from db.shelf import Shelf, find_owner, read_owner
from db.stored import Stored
from gamesman.errors import DatabaseError, InUse, NotSolved
from gamesman.variant import Variant

if TYPE_CHECKING:
    from db.writer import Writer


@dataclass(frozen=True)
class Entry:
    """What `list` shows of a variant."""

    variant: str
    status: str  # solved, unfinished, being solved or unusable
    positions: int | None = None  # of an unfinished one, those of its finished tiers
    tiers: int | None = None
    bytes: int | None = None
    finished: str | None = None
    seconds: float | None = None
    detail: str | None = None  # who is at work, or what is wrong


class Store:
    """The solved variants of a folder, a file or a server. Nothing is created before something is written."""

    def __init__(self, place: str | None = None):
        found = read_place(place)
        self._folder: Path | None = None
        self._shared: Base | None = None
        if isinstance(found, Path):
            self._folder = found
        elif found.get_backend_name() == "sqlite":
            self._shared = SQLiteFile(Path(found.database or ""), is_own=False)
        else:
            self._shared = Server(found)

    def open(self, variant: Variant) -> Stored:
        """A solved variant, to read. Raises NotSolved or DatabaseError."""
        base = self._base(variant.name)
        with meaning(base, variant.name):
            if not base.exists():
                raise NotSolved(f"{variant.name} is not solved; run: {solve_command(variant.name)}")
            engine = base.reading()
            connection = engine.connect()
            try:
                owner = find_owner(connection, base, variant)
                if owner is None or Shelf(base, connection, owner).solved() is None:
                    raise NotSolved(_not_solved(base, connection, variant.name))
            except BaseException:
                connection.close()
                engine.dispose()
                raise
        return Stored(base, engine, connection, variant, owner)

    def writer(
        self, variant: Variant, restart: bool = False, wait: bool = False, *, is_classes: bool = False
    ) -> "Writer":
        """A sink for solving a variant: a context manager. `restart` throws away what is there.

        With `is_classes` a solve that is begun stores one position of each class: see gamesman.symmetry.

        Raises InUse where another process is solving the variant, unless told to wait until it is done.
        """
        from db.writer import Writer, erase

        base = self._base(variant.name)
        with meaning(base, variant.name, is_writing=True):
            lock = base.lock(variant.name)
            if wait:
                wait_for(lock)
            elif not lock.acquire():
                raise InUse(f"{variant.name} is being solved by {_worker(base, variant.name)}; wait for it: --wait")
            engine = None
            try:
                if restart and isinstance(base, SQLiteFile) and base.is_own:
                    base.remove()
                engine = base.writing()
                if restart and not base.is_own:
                    with engine.begin() as connection:
                        erase(connection, variant.name)
                return Writer(base, engine, lock, variant, is_classes=is_classes)
            except BaseException:
                if engine is not None:
                    base.close_writing(engine)
                lock.release()
                raise

    def list(self) -> Iterator[Entry]:
        """What there is, in the order of the names."""
        if self._folder is not None:
            for path in sorted(self._folder.glob(f"*{SUFFIX}")):
                base = SQLiteFile(path, is_own=True)
                try:
                    with meaning(base):
                        yield from _entries(base)
                except DatabaseError as error:
                    yield Entry(path.name.removesuffix(SUFFIX), "unusable", bytes=base.size(), detail=str(error))
            return
        assert self._shared is not None
        with meaning(self._shared):
            if self._shared.exists():
                yield from _entries(self._shared)

    def delete(self, variant: Variant | str) -> None:
        """Remove a variant. Raises NotSolved where it is not there, InUse while it is being solved."""
        from db.writer import erase

        name = variant if isinstance(variant, str) else variant.name
        base = self._base(name)
        with meaning(base, is_writing=True):
            if not base.exists():
                raise NotSolved(f"{name} is not stored; see: gamesman list")
            lock = base.lock(name)
            if not lock.acquire():
                raise InUse(f"{name} is being solved by {_worker(base, name)}; stop that first")
            try:
                if isinstance(base, SQLiteFile) and base.is_own:
                    base.remove()
                    return
                engine = base.writing()
                with engine.begin() as connection:
                    table = schema.variants
                    if not connection.execute(select(table.c.id).where(table.c.name == name)).first():
                        raise NotSolved(f"{name} is not stored; see: gamesman list")
                    erase(connection, name)
                base.close_writing(engine)
            finally:
                lock.release()

    def _base(self, variant: str) -> Base:
        if self._shared is not None:
            return self._shared
        assert self._folder is not None
        return SQLiteFile(self._folder / file_name(variant), is_own=True)


def _entries(base: Base) -> Iterator[Entry]:
    with connected(base) as connection:
        for name in sorted(connection.execute(select(schema.variants.c.name)).scalars()):
            with contextlib.suppress(NotSolved):  # it has been deleted since
                yield _entry(base, connection, name)


def _entry(base: Base, connection: Connection, name: str) -> Entry:
    try:
        owner = read_owner(connection, base, name)
        if owner is None:
            raise NotSolved(f"{name} is not stored")
        shelf = Shelf(base, connection, owner)
        positions = sum(tier.summary.positions for tier in shelf.tiers.values())
        size = base.size()
        if shelf.solved() is not None:
            summary = shelf.summary()
            finished = (shelf.solved() or ("", ""))[1]
            size = size or summary.database_bytes
            return Entry(name, "solved", positions, len(shelf.tiers), size, finished, summary.seconds)
        worker = _worker(base, name, connection) if base.lock(name).is_held() else None
        status = "being solved" if worker else "unfinished"
        return Entry(name, status, positions, len(shelf.tiers), size, detail=worker)
    except DatabaseError as error:
        return Entry(name, "unusable", bytes=base.size(), detail=str(error))


def _not_solved(base: Base, connection: Connection, name: str) -> str:
    """Why a variant that has been begun cannot be read."""
    if base.lock(name).is_held():
        return f"{name} is not solved yet: {_worker(base, name, connection)} is solving it"
    return f"{name} is not solved; run: {solve_command(name)}"


def _worker(base: Base, name: str, connection: Connection | None = None) -> str:
    """Who is at work on a variant."""
    if connection is None:
        try:
            with meaning(base), connected(base) as connection:
                return _worker(base, name, connection)
        except DatabaseError:  # it has only just begun, and its database is not there yet
            return "another process"
    row = connection.execute(select(schema.work).where(schema.work.c.name == name)).first()
    return f"process {row.pid} on {row.host} since {row.since}" if row else "another process"
