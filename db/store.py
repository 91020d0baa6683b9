"""The solved variants of a folder, a file or a server are opened, written, listed and deleted here."""

import contextlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from gamesman.db import schema
from gamesman.db.again import erase, new_name
from gamesman.db.connection import Database, connected
from gamesman.db.location import (
    AGAIN_PREFIX,
    SUFFIX,
    earlier_file_name,
    file_name,
    plain_name,
    read_location,
    shown_name,
    solve_command,
)
from gamesman.db.lock import Lock, wait_for
from gamesman.db.reader import Reader
from gamesman.db.rows import VariantRows, find_variant_row, read_variant_row
from gamesman.db.server import Server
from gamesman.db.sqlite_file import AGAIN, SQLiteFile
from gamesman.db.translation import translated_errors
from gamesman.errors import (
    Damaged,
    DatabaseError,
    InUse,
    NoDatabase,
    NotSolved,
    OtherFormat,
    OtherRules,
    OtherVariant,
    StorageFailed,
    shorten,
)
from gamesman.model.advice import command
from gamesman.model.paths import whole_name
from gamesman.model.ports import CompileImages
from gamesman.model.variant import UP_TO, Variant

if TYPE_CHECKING:
    from gamesman.db.writer import Writer


ENDGAMES = "all positions of the lowest tiers, reachable or not; not solved from the start"
ENDINGS = SUFFIX, SUFFIX + AGAIN  # of a variant's file, and of one that is to replace it


@dataclass(frozen=True)
class Entry:
    """Holds what is listed of a variant."""

    variant: str
    status: str  # solved, endgames, unfinished, being solved or unusable
    positions: int | None = None  # of an unfinished one, those of its finished tiers
    tiers: int | None = None
    bytes: int | None = None
    finished: str | None = None
    seconds: float | None = None
    detail: str | None = None  # who is at work, or what is wrong


class Store:
    """Opens, writes, lists and deletes the variants of one location; creates nothing before something is written."""

    def __init__(self, location: str | None = None, compile_images: CompileImages | None = None):
        self._compile_images = compile_images
        found = read_location(location)
        self._folder: Path | None = None
        self._shared: Database | None = None
        if isinstance(found, Path):
            self._folder = found
        elif found.get_backend_name() == "sqlite":
            self._shared = SQLiteFile(Path(found.database or ""), is_own=False)
        else:
            self._shared = Server(found)

    def open(self, variant: Variant) -> Reader:
        """Open a solved variant, to read. Raises NotSolved or DatabaseError."""
        database = self._database(variant.name)
        with translated_errors(database, variant.name):
            if not database.exists():
                raise NotSolved(self._not_there(variant.name))
            engine = database.reading()
            connection = engine.connect()
            try:
                row = find_variant_row(connection, database, variant)
                if row is None or VariantRows(database, connection, row).solved() is None:
                    raise NotSolved(_not_solved(database, variant.name))
            except BaseException:
                connection.close()
                engine.dispose()
                raise
        return Reader(database, engine, connection, variant, row, self._compile_images)

    def writer(
        self, variant: Variant, restart: bool = False, wait: bool = False, *, is_classes: bool = False
    ) -> "Writer":
        """Return a context manager that stores a variant's tiers, going on with what an interrupted solve has stored.

        With `restart` it is solved again: what is there stays until that is solved, and an interrupted restart goes on.
        With `is_classes` a solve that is begun stores one position of each class: see gamesman.model.symmetry.
        Raises InUse where another process is solving the variant, unless `wait` says to wait until it is done.
        """
        database = self._database(variant.name)
        with translated_errors(database, variant.name, is_writing=True):
            database.prepare(is_restart=restart)
            lock = database.lock(variant.name)
            if wait:
                wait_for(lock)
            elif not lock.acquire():
                raise InUse(f"{variant.name} is being solved by {_worker(database, variant.name)}; wait for it: --wait")
            try:
                begin = self._again if restart else self._new_writer
                return begin(database, lock, variant, is_classes=is_classes)
            except BaseException:
                lock.release()
                raise

    def _new_writer(
        self, database: Database, lock: Lock, variant: Variant, *, is_again: bool = False, is_classes: bool = False
    ) -> "Writer":
        """Return a writer; its module, which imports numpy, is loaded only now: who reads must not wait for that."""
        # lazy: start-up time
        from gamesman.db.writer import Writer

        images = self._compile_images
        return Writer(database, lock, variant, is_again=is_again, is_classes=is_classes, compile_images=images)

    def _again(self, database: Database, lock: Lock, variant: Variant, *, is_classes: bool) -> "Writer":
        """Return a writer that goes on with an earlier restart, or begins one where none can be believed."""
        new = database.again()
        try:
            with translated_errors(new, variant.name, is_writing=True):
                return self._new_writer(database, lock, variant, is_again=True, is_classes=is_classes)
        except (Damaged, NoDatabase, OtherFormat, OtherRules, OtherVariant):
            if new.is_own:
                new.remove()
            else:
                engine = new.writing()
                with engine.begin() as connection:
                    erase(connection, new_name(database, variant.name))
                new.close_writing(engine)
        return self._new_writer(database, lock, variant, is_again=True, is_classes=is_classes)

    def begun(self, names: Sequence[str]) -> list[str]:
        """Return those of some variants' names, in their order, of which something is stored."""
        if self._folder is not None:
            return [name for name in names if self._database(name).exists()]
        assert self._shared is not None
        with translated_errors(self._shared):
            if not names or not self._shared.exists():
                return []
            with connected(self._shared) as connection:
                rows = set(connection.execute(select(schema.variants.c.name)).scalars())
        return [name for name in names if whole_name(name) in rows]

    def list(self) -> Iterator[Entry]:
        """Yield what there is, sorted by game, then by options, numbers by their size."""
        if self._folder is not None:
            yield from sorted(self._in_folder(self._folder), key=lambda entry: _order(entry.variant))
            return
        assert self._shared is not None
        with translated_errors(self._shared):
            if self._shared.exists():
                yield from _entries(self._shared)

    def _in_folder(self, folder: Path) -> Iterator[Entry]:
        """Yield the entries of a folder's files, in any order."""
        try:
            with os.scandir(folder) as found:
                names = {entry.name.removesuffix(AGAIN) for entry in found if entry.name.endswith(ENDINGS)}
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageFailed(f"{folder} cannot be read: {error.strerror or error}; see to that") from error
        for name in names:
            database = SQLiteFile(folder / name, is_own=True)
            try:
                with translated_errors(database):
                    yield from _own_entries(database)
            except DatabaseError as error:
                yield Entry(name.removesuffix(SUFFIX), "unusable", bytes=_size(database), detail=str(error))

    def delete(self, variant: Variant | str) -> None:
        """Remove a variant. Raises NotSolved where it is not there, InUse while it is being solved."""
        name = variant if isinstance(variant, str) else variant.name
        database = self._database(name)
        if not database.exists() and not database.again().exists() and (earlier := self._earlier(name)):
            database = earlier
        again = database.again()
        with translated_errors(database, is_writing=True):
            if not database.exists() and not again.exists():
                raise NotSolved(f"{name} is not stored; see: {command('list')}")
            lock = database.lock(name)
            if not lock.acquire():
                raise InUse(f"{name} is being solved by {_worker(database, name)}; stop that first")
            try:
                if database.is_own:
                    again.remove()
                    database.remove()
                    return
                engine = database.writing()
                with engine.begin() as connection:
                    names = whole_name(name), new_name(database, name)
                    table = schema.variants
                    if not connection.execute(select(table.c.id).where(table.c.name.in_(names))).first():
                        raise NotSolved(f"{name} is not stored; see: {command('list')}")
                    for each in names:
                        erase(connection, each)
                database.shrink(engine)
                database.close_writing(engine)
            finally:
                lock.release()

    def _database(self, variant: str) -> Database:
        """Return the database that a variant is in, or would be."""
        if self._shared is not None:
            return self._shared
        assert self._folder is not None
        return SQLiteFile(self._folder / file_name(variant), is_own=True)

    def _earlier(self, name: str) -> SQLiteFile | None:
        """Return the file of a variant that was stored as it was typed, whose game may be another one, or None."""
        if self._folder is None or whole_name(name) == name:
            return None
        typed = [name, name.removeprefix("./")]
        found = (SQLiteFile(self._folder / earlier_file_name(text), is_own=True) for text in typed)
        return next((database for database in found if database.exists()), None)

    def _not_there(self, name: str) -> str:
        """Return the line that says that a variant is not solved."""
        said = f"{name} is not solved; run: {solve_command(name)}"
        if earlier := self._earlier(name):
            said += f" (an earlier gamesman solved one called so, maybe another file: {earlier.where})"
        return said


def _order(name: str) -> tuple[object, ...]:
    """Return what variants are sorted by.

    >>> sorted(["b:n=10", "b:n=9", "b", "b_c", "a:n=11"], key=_order)
    ['a:n=11', 'b', 'b:n=9', 'b:n=10', 'b_c']
    """
    game, _, options = name.partition(":")
    return _pieces(game), _pieces(options), name


def _shown_order(stored: str) -> tuple[object, ...]:
    """Return what the names of rows are sorted by."""
    return _order(shown_name(stored))


def _pieces(text: str) -> list[tuple[int, str]]:
    """Return the numbers in a text, and what is between them, so that numbers are sorted by their size."""
    return [(int(piece) if piece.isdecimal() else -1, piece) for piece in re.split(r"([0-9]{1,4000})", text)]


def _own_entries(database: SQLiteFile) -> Iterator[Entry]:
    """Yield the entry of a file with one variant: of the old solution while it is being solved again."""
    if database.exists():
        for entry in _entries(database):
            yield _with_restart(database, entry) if database.again().exists() else entry
        return
    for entry in _entries(database.again()):
        yield _only_restart(database, entry)


def _with_restart(database: Database, entry: Entry) -> Entry:
    """Return the entry of a variant, which is being solved again or has been in part, with a detail that says so."""
    if entry.status == "unusable":
        return entry
    if database.lock(entry.variant).is_held():
        return replace(entry, detail=f"{_worker(database, entry.variant)} is solving it again")
    again = solve_command(entry.variant, "--restart")
    return replace(entry, detail=f"it has been solved again in part; go on with that: {again}")


def _only_restart(database: Database, entry: Entry) -> Entry:
    """Return the entry of a variant of which there is nothing but what a restart has written."""
    name = entry.variant
    if database.lock(name).is_held():
        return replace(entry, status="being solved", detail=_worker(database, name))
    return replace(entry, status="unfinished", detail=f"go on with it: {solve_command(name, '--restart')}")


def _entries(database: Database) -> Iterator[Entry]:
    """Yield the entries of all variants in a database, sorted."""
    with connected(database) as connection:
        names = list(connection.execute(select(schema.variants.c.name)).scalars())
        if not all(isinstance(name, str) for name in names):
            raise Damaged(f"{database.where} is damaged: the name of a variant")
        plain = {plain_name(name) for name in names}
        for name in sorted(plain & set(names), key=_shown_order):
            with contextlib.suppress(NotSolved):  # it has been deleted since
                entry = _entry(database, connection, name)
                yield _with_restart(database, entry) if AGAIN_PREFIX + name in names else entry
        for name in sorted(plain - set(names), key=_shown_order):
            with contextlib.suppress(NotSolved):
                yield _only_restart(database, _entry(database, connection, AGAIN_PREFIX + name))


def _size(database: Database) -> int | None:
    """Return the size of a database, or None where it is no file, or has been removed meanwhile."""
    try:
        return database.size()
    except OSError:
        return None


def _entry(database: Database, connection: Connection, stored: str) -> Entry:
    """Return the entry of the variant whose row has a name. Raises NotSolved where it has been deleted."""
    name = shown_name(stored)
    try:
        row = read_variant_row(connection, database, stored)
        if row is None:
            raise NotSolved(f"{name} is not stored")
        rows = VariantRows(database, connection, row)
        positions = sum(tier.summary.positions for tier in rows.tiers.values())
        size = database.size()
        if rows.solved() is not None:
            summary = rows.summary()
            finished = (rows.solved() or ("", ""))[1]
            size = size or summary.database_bytes
            status, detail = ("endgames", ENDGAMES) if re.search(rf"[:,]{UP_TO}=[0-9]+$", name) else ("solved", None)
            return Entry(name, status, positions, len(rows.tiers), size, finished, summary.seconds, detail)
        worker = _worker(database, name) if database.lock(name).is_held() else None
        status = "being solved" if worker else "unfinished"
        return Entry(name, status, positions, len(rows.tiers), size, detail=worker)
    except DatabaseError as error:
        return Entry(name, "unusable", bytes=_size(database), detail=str(error))


def _not_solved(database: Database, name: str) -> str:
    """Return the line that says why a variant, begun or not, cannot be read."""
    if database.lock(name).is_held():
        return f"{name} is not solved yet: {_worker(database, name)} is solving it"
    return f"{name} is not solved; run: {solve_command(name)}"


def _worker(database: Database, name: str) -> str:
    """Return, in words, which process is at work on a variant: the last that has written so."""
    said: list[Any] = []
    table = schema.work
    for each in {each.where: each for each in (database, database.again())}.values():
        # The process may have only just begun, and not have created its database yet.
        with contextlib.suppress(DatabaseError), translated_errors(each):
            if each.exists():
                with connected(each) as connection:
                    said += connection.execute(select(table).where(table.c.name == whole_name(name))).all()
    row = max(said, key=lambda row: str(row.since), default=None)
    return shorten(f"process {row.pid} on {row.host} since {row.since}", 200) if row else "another process"
