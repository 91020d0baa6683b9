"""All solved variants of a place: opened, written, listed, deleted."""

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, select

from gamesman.db import schema
from gamesman.db.again import erase, new_base, new_name
from gamesman.db.connection import AGAIN, Base, Server, SQLiteFile, connected, meaning
from gamesman.db.location import (
    PREFIX,
    SUFFIX,
    earlier_file_name,
    file_name,
    plain_name,
    read_place,
    shown_name,
    solve_command,
    stored_name,
)
from gamesman.db.lock import Lock, wait_for
from gamesman.db.reader import Stored
from gamesman.db.rows import Shelf, find_owner, read_owner
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
from gamesman.machine.files import may_replace
from gamesman.model.advice import command
from gamesman.model.variant import Variant

if TYPE_CHECKING:
    from gamesman.db.writer import Writer


ENDINGS = SUFFIX, SUFFIX + AGAIN  # of a variant's file, and of one that is to take its place


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
                raise NotSolved(self._not_there(variant.name))
            engine = base.reading()
            connection = engine.connect()
            try:
                owner = find_owner(connection, base, variant)
                if owner is None or Shelf(base, connection, owner).solved() is None:
                    raise NotSolved(_not_solved(base, variant.name))
            except BaseException:
                connection.close()
                engine.dispose()
                raise
        return Stored(base, engine, connection, variant, owner)

    def writer(
        self, variant: Variant, restart: bool = False, wait: bool = False, *, is_classes: bool = False
    ) -> "Writer":
        """A sink for solving a variant: a context manager.

        With `restart` it is solved again: what is there stays until that is solved, and an earlier restart goes on.
        With `is_classes` a solve that is begun stores one position of each class: see gamesman.model.symmetry.
        Raises InUse where another process is solving the variant, unless told to wait until it is done.
        """
        base = self._base(variant.name)
        with meaning(base, variant.name, is_writing=True):
            if isinstance(base, SQLiteFile):
                base.path.parent.mkdir(parents=True, exist_ok=True)
                if base.is_own and restart:
                    may_replace(base.path)
            lock = base.lock(variant.name)
            if wait:
                wait_for(lock)
            elif not lock.acquire():
                raise InUse(f"{variant.name} is being solved by {_worker(base, variant.name)}; wait for it: --wait")
            try:
                begin = _again if restart else _new_writer
                return begin(base, lock, variant, is_classes=is_classes)
            except BaseException:
                lock.release()
                raise

    def list(self) -> Iterator[Entry]:
        """What there is, sorted by game, then by options, numbers by their size."""
        if self._folder is not None:
            yield from sorted(self._in_folder(self._folder), key=lambda entry: _order(entry.variant))
            return
        assert self._shared is not None
        with meaning(self._shared):
            if self._shared.exists():
                yield from _entries(self._shared)

    def _in_folder(self, folder: Path) -> Iterator[Entry]:
        try:
            with os.scandir(folder) as found:
                names = {entry.name.removesuffix(AGAIN) for entry in found if entry.name.endswith(ENDINGS)}
        except FileNotFoundError:
            return
        except OSError as error:
            raise StorageFailed(f"{folder} cannot be read: {error.strerror or error}; see to that") from error
        for name in names:
            base = SQLiteFile(folder / name, is_own=True)
            try:
                with meaning(base):
                    yield from _own_entries(base)
            except DatabaseError as error:
                yield Entry(name.removesuffix(SUFFIX), "unusable", bytes=_size(base), detail=str(error))

    def delete(self, variant: Variant | str) -> None:
        """Remove a variant. Raises NotSolved where it is not there, InUse while it is being solved."""
        name = variant if isinstance(variant, str) else variant.name
        base = self._base(name)
        if not base.exists() and not new_base(base).exists() and (earlier := self._earlier(name)):
            base = earlier
        again = new_base(base)
        with meaning(base, is_writing=True):
            if not base.exists() and not again.exists():
                raise NotSolved(f"{name} is not stored; see: {command('list')}")
            lock = base.lock(name)
            if not lock.acquire():
                raise InUse(f"{name} is being solved by {_worker(base, name)}; stop that first")
            try:
                if isinstance(base, SQLiteFile) and isinstance(again, SQLiteFile) and base.is_own:
                    again.remove()
                    base.remove()
                    return
                engine = base.writing()
                with engine.begin() as connection:
                    names = stored_name(name), new_name(base, name)
                    table = schema.variants
                    if not connection.execute(select(table.c.id).where(table.c.name.in_(names))).first():
                        raise NotSolved(f"{name} is not stored; see: {command('list')}")
                    for each in names:
                        erase(connection, each)
                base.give_back(engine)
                base.close_writing(engine)
            finally:
                lock.release()

    def _base(self, variant: str) -> Base:
        if self._shared is not None:
            return self._shared
        assert self._folder is not None
        return SQLiteFile(self._folder / file_name(variant), is_own=True)

    def _earlier(self, name: str) -> SQLiteFile | None:
        """What was once stored of a game that is a file, under what was typed: nobody knows of which file."""
        if self._folder is None or stored_name(name) == name:
            return None
        typed = [name, name.removeprefix("./")]
        found = (SQLiteFile(self._folder / earlier_file_name(text), is_own=True) for text in typed)
        return next((base for base in found if base.exists()), None)

    def _not_there(self, name: str) -> str:
        said = f"{name} is not solved; run: {solve_command(name)}"
        if earlier := self._earlier(name):
            said += f" (an earlier gamesman solved one called so, maybe another file: {earlier.where})"
        return said


def _new_writer(
    base: Base, lock: Lock, variant: Variant, *, is_again: bool = False, is_classes: bool = False
) -> "Writer":
    from gamesman.db.writer import Writer

    return Writer(base, lock, variant, is_again=is_again, is_classes=is_classes)


def _again(base: Base, lock: Lock, variant: Variant, *, is_classes: bool) -> "Writer":
    """A writer that goes on with an earlier restart, or begins one where there is none that can be believed."""
    try:
        with meaning(new_base(base), variant.name, is_writing=True):
            return _new_writer(base, lock, variant, is_again=True, is_classes=is_classes)
    except (Damaged, NoDatabase, OtherFormat, OtherRules, OtherVariant):
        new = new_base(base)
        if isinstance(new, SQLiteFile) and new.is_own:
            new.remove()
        else:
            engine = new.writing()
            with engine.begin() as connection:
                erase(connection, new_name(base, variant.name))
            new.close_writing(engine)
    return _new_writer(base, lock, variant, is_again=True, is_classes=is_classes)


def _order(name: str) -> tuple[object, ...]:
    """What to sort variants by.

    >>> sorted(["b:n=10", "b:n=9", "b", "b_c", "a:n=11"], key=_order)
    ['a:n=11', 'b', 'b:n=9', 'b:n=10', 'b_c']
    """
    game, _, options = name.partition(":")
    return _pieces(game), _pieces(options), name


def _shown_order(stored: str) -> tuple[object, ...]:
    return _order(shown_name(stored))


def _pieces(text: str) -> list[tuple[int, str]]:
    return [(int(piece) if piece.isdecimal() else -1, piece) for piece in re.split(r"([0-9]{1,4000})", text)]


def _own_entries(base: SQLiteFile) -> Iterator[Entry]:
    """The entry of a file with one variant; of one that is being solved again, what there is of the old one."""
    if base.exists():
        for entry in _entries(base):
            yield _with_restart(base, entry) if base.again().exists() else entry
        return
    for entry in _entries(base.again()):
        yield _only_restart(base, entry)


def _with_restart(base: Base, entry: Entry) -> Entry:
    """What is listed of a variant that there is, and that is being solved again, or has been in part."""
    if entry.status == "unusable":
        return entry
    if base.lock(entry.variant).is_held():
        return replace(entry, detail=f"{_worker(base, entry.variant)} is solving it again")
    again = solve_command(entry.variant, "--restart")
    return replace(entry, detail=f"it has been solved again in part; go on with that: {again}")


def _only_restart(base: Base, entry: Entry) -> Entry:
    """What is listed of a variant of which there is nothing but what a restart has written."""
    name = entry.variant
    if base.lock(name).is_held():
        return replace(entry, status="being solved", detail=_worker(base, name))
    return replace(entry, status="unfinished", detail=f"go on with it: {solve_command(name, '--restart')}")


def _entries(base: Base) -> Iterator[Entry]:
    with connected(base) as connection:
        names = list(connection.execute(select(schema.variants.c.name)).scalars())
        if not all(isinstance(name, str) for name in names):
            raise Damaged(f"{base.where} is damaged: the name of a variant")
        plain = {plain_name(name) for name in names}
        for name in sorted(plain & set(names), key=_shown_order):
            with contextlib.suppress(NotSolved):  # it has been deleted since
                entry = _entry(base, connection, name)
                yield _with_restart(base, entry) if PREFIX + name in names else entry
        for name in sorted(plain - set(names), key=_shown_order):
            with contextlib.suppress(NotSolved):
                yield _only_restart(base, _entry(base, connection, PREFIX + name))


def _size(base: Base) -> int | None:
    """The size of what may be no file, and may be gone."""
    try:
        return base.size()
    except OSError:
        return None


def _entry(base: Base, connection: Connection, stored: str) -> Entry:
    name = shown_name(stored)
    try:
        owner = read_owner(connection, base, stored)
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
        worker = _worker(base, name) if base.lock(name).is_held() else None
        status = "being solved" if worker else "unfinished"
        return Entry(name, status, positions, len(shelf.tiers), size, detail=worker)
    except DatabaseError as error:
        return Entry(name, "unusable", bytes=_size(base), detail=str(error))


def _not_solved(base: Base, name: str) -> str:
    """Why a variant, begun or not, cannot be read."""
    if base.lock(name).is_held():
        return f"{name} is not solved yet: {_worker(base, name)} is solving it"
    return f"{name} is not solved; run: {solve_command(name)}"


def _worker(base: Base, name: str) -> str:
    """Who is at work on a variant: who has said so last, here or where it is solved again."""
    said: list[Any] = []
    table = schema.work
    for each in {base.where: base, new_base(base).where: new_base(base)}.values():
        # It may have only just begun, and its database not be there yet.
        with contextlib.suppress(DatabaseError), meaning(each):
            if each.exists():
                with connected(each) as connection:
                    said += connection.execute(select(table).where(table.c.name == stored_name(name))).all()
    row = max(said, key=lambda row: str(row.since), default=None)
    return shorten(f"process {row.pid} on {row.host} since {row.since}", 200) if row else "another process"
