"""Writing a solve: the sink that stores its tiers, on a thread of its own, so that storing runs beside solving.

What a process that is killed leaves behind, whenever it is: every tier that was finished a second before, whole; of the
next ones perhaps some blocks, which nobody sees and the next solve removes. Each transaction waits for the disk, so
small tiers share one: at most a second's work is lost. Only `complete` waits for all to be stored.
"""

import contextlib
import datetime
import json
import os
import queue
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from sqlalchemy import Connection, Engine, delete, insert, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from gamesman.db import schema
from gamesman.db.again import erase, new_base, new_name, take_place
from gamesman.db.codec.packer import Packer
from gamesman.db.connection import Base, SQLiteFile, connected, meaning
from gamesman.db.kept import check_file, sort_tiers
from gamesman.db.location import solve_command, stored_name
from gamesman.db.lock import Lock
from gamesman.db.rows import Owner, Shelf, find_owner, owner_checksum
from gamesman.errors import InUse, StorageFailed
from gamesman.model.ports import Part
from gamesman.model.summary import Summary, TierSummary
from gamesman.model.symmetry import Symmetry
from gamesman.model.variant import Variant

# Compressed bytes of one transaction. A tier that has more is written in several, and shows with the last.
TRANSACTION = 32 << 20
# Parts are taken in pieces of so many keys, of which so many may wait: the solver runs ahead of storing by this much.
PIECE = 1 << 20
WAITING = 16
# How long a finished tier may wait for others to share its transaction.
SECONDS = 1.0

Item = tuple[int, Part] | TierSummary | None  # None: store all that waits


class Writer:
    """A variant being stored: a gamesman.model.ports.Sink, and a context manager that ends the work.

    `summary` is there where the variant is solved already; then there is nothing to write.
    """

    def __init__(self, base: Base, lock: Lock, variant: Variant, *, is_again: bool = False, is_classes: bool = False):
        """Go on with the variant, or begin with it. The lock is held, and given up by `close`, if this does not raise.

        With `is_again` what is solved stays until that which is written has come so far (see gamesman.db.again). What
        is begun is to be given all positions, or with `is_classes` one of each class.
        """
        self.variant = variant
        self.summary: Summary | None = None
        self._old, self._base = base, new_base(base) if is_again else base
        self._name = new_name(base, variant.name) if is_again else stored_name(variant.name)
        self._is_again, self._is_classes = is_again, is_classes
        self._is_complete = self._is_closing = False
        is_new = not self._base.exists()
        self._engine: Engine = self._base.writing()
        self._lock: Lock | None = lock
        self._queue: queue.Queue[Item] = queue.Queue(WAITING)
        self._failure: BaseException | None = None
        self._packer = Packer()
        self._tiers: list[dict[str, Any]] = []  # the rows that wait
        self._due = 0.0
        self._thread: threading.Thread | None = None
        try:
            self._open()
        except BaseException:
            self._base.close_writing(self._engine)
            if is_new and isinstance(self._base, SQLiteFile) and self._base.is_own:
                self._base.remove()
            raise

    def _open(self) -> None:
        with self._engine.begin() as connection:
            _sign(connection, self.variant)
            self._owner = self._begin(connection)
            shelf = Shelf(self._base, connection, self._owner)
            self._finished: dict[int, TierSummary] = {}
            if shelf.solved() is not None:
                self.summary = shelf.summary()
                self.summary.database_bytes = self._base.size() or self.summary.database_bytes
                self._has_tiers = True
                return
            has_rows = next(shelf.each_tier(), None) is not None
        unsound: list[Any] = []
        if has_rows:
            with connected(self._base) as connection:
                check_file(self._base, connection)
                self._finished, unsound = sort_tiers(self._base, connection, self._owner, self._symmetry)
        self._has_tiers = bool(self._finished)
        with self._engine.begin() as connection:
            _purge(connection, self._owner.id, unsound)

    @property
    def has_tiers(self) -> bool:
        """Whether finished tiers are in the database, after which an interrupted solve goes on."""
        return self._has_tiers

    @property
    def _symmetry(self) -> Symmetry | None:
        return self.variant.symmetry if self.takes_classes else None

    @property
    def takes_classes(self) -> bool:
        """Whether it is to be given one position of each class."""
        return self._owner.format == schema.CLASSES

    def finished(self) -> Mapping[int, TierSummary]:
        """The tiers that an earlier, interrupted solve has finished."""
        return self._finished

    def load(self, tier: int) -> Iterator[Part]:
        """A finished tier: runs of consecutive keys where it was written so, lists of keys where it was not."""
        from gamesman.db.codec.arrays import decode, spread

        self.flush()
        with meaning(self._base, self.variant.name), connected(self._base) as connection:
            shelf = Shelf(self._base, connection, self._owner)
            for raw in shelf.stream(tier):
                keys, records = decode(*raw)
                if shelf.tiers[tier].is_dense:
                    yield Part(raw.first, None, spread(keys, records))
                else:
                    yield Part(raw.first, keys, records)

    def write(self, tier: int, part: Part) -> None:
        for begin in range(0, len(part.records), PIECE):
            piece = slice(begin, begin + PIECE)
            if part.keys is None:
                self._put((tier, Part(part.first + begin, None, part.records[piece])))
            else:
                keys = part.keys[piece]
                self._put((tier, Part(int(keys[0]), keys, part.records[piece])))

    def finish(self, tier: TierSummary) -> None:
        self._put(tier)

    def flush(self) -> None:
        """Wait until all that has been taken is stored."""
        if self._thread is not None:
            self._queue.put(None)
            self._queue.join()
        self._raise_failure()

    def complete(self, summary: Summary) -> None:
        """All is on the disk and the variant is solved; the summary is told the size of the database."""
        self.flush()
        with self._meaning(), self._transaction() as connection:
            self._drop_other_tiers(connection, summary)
            summary.database_bytes = self._bytes(connection)
            text, finished = schema.summary_text(summary), _now()
            checksum = schema.checksum(self._owner.fingerprint, text, finished)
            row = {"variant": self._owner.id, "summary": text, "finished": finished, "checksum": checksum}
            connection.execute(insert(schema.solves), row)
            if not self._base.is_own:
                if self._is_again:
                    take_place(connection, self._owner, self.variant.name)
                else:
                    erase(connection, new_name(self._base, self.variant.name))
        self.summary, self._is_complete = summary, True
        with self._meaning():
            self.close()
        summary.database_bytes = self._old.size() or summary.database_bytes

    def close(self) -> None:
        """Store what has been taken and give the lock up; more than once does no harm."""
        if self._thread is not None:
            self._is_closing = True
            self._queue.put(None)
            self._thread.join()
            self._thread = None
        if self._lock is not None:
            lock, self._lock = self._lock, None
            try:
                self._leave(lock.is_kept())
            finally:
                lock.release()

    def _leave(self, is_alone: bool) -> None:
        """Close the database. Of a solve that was refused, or stopped before its first tier, nothing stays behind."""
        is_empty = self.summary is None and not self._has_tiers and is_alone
        if is_empty and not self._base.is_own:
            with contextlib.suppress(SQLAlchemyError), self._engine.begin() as connection:
                erase(connection, self._name)
        if not self._base.is_own:
            self._base.give_back(self._engine)
        self._base.close_writing(self._engine)
        if not (isinstance(self._base, SQLiteFile) and isinstance(self._old, SQLiteFile) and self._base.is_own):
            return
        if is_empty:
            with contextlib.suppress(OSError):
                self._base.remove()
        elif self._is_again and self.summary is not None:
            self._old.give_way(self._base)
        elif self._is_complete:
            self._old.again().remove()

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()
        if kind is None:
            self._raise_failure()

    def _begin(self, connection: Connection) -> Owner:
        """The variant's row, a new one if there is none."""
        table = schema.variants
        if find_owner(connection, self._base, self.variant, self._name) is None:
            options = {kind.name: getattr(self.variant.options, kind.name) for kind in self.variant.game.options}
            wanted = schema.CLASSES if self._is_classes else schema.FORMAT
            owner = Owner(0, self._name, wanted, json.dumps(options), self.variant.fingerprint, 0)
            row = {**owner._asdict(), "checksum": owner_checksum(owner)}
            del row["id"]
            connection.execute(insert(table), row)
        found = find_owner(connection, self._base, self.variant, self._name)
        assert found is not None
        return found

    def _put(self, item: Item) -> None:
        self._raise_failure()
        if self._thread is None:
            self._thread = threading.Thread(target=self._store, name="gamesman-store", daemon=True)
            self._thread.start()
        self._queue.put(item)

    def _store(self) -> None:
        """The thread: pack what comes, write it. After a failure nothing more is stored, and the solver is told."""
        while True:
            try:
                item = self._queue.get(timeout=max(0, self._due - time.monotonic()) if self._tiers else None)
            except queue.Empty:
                self._try(self._write)
                continue
            self._try(self._write if item is None else partial(self._take, item))
            is_closing = item is None and self._is_closing
            self._queue.task_done()
            if is_closing:
                return

    def _try(self, step: Callable[[], None]) -> None:
        if self._failure is None:
            try:
                with self._meaning():
                    step()
            except BaseException as error:
                self._failure = error
        if self._failure is not None:
            self._tiers = []

    def _take(self, item: tuple[int, Part] | TierSummary) -> None:
        if isinstance(item, TierSummary):
            fields = {"tier": int(item.number), **self._packer.finish(item), "summary": schema.tier_text(item)}
            checksum = schema.checksum(self._owner.fingerprint, *fields.values())
            if not self._tiers:
                self._due = time.monotonic() + SECONDS
            self._tiers.append({"variant": self._owner.id, **fields, "checksum": checksum})
        else:
            self._packer.add(*item)
        if self._packer.size >= TRANSACTION or (self._tiers and time.monotonic() >= self._due):
            self._write()

    def _write(self) -> None:
        """Store what waits: blocks, also of a tier that is not finished, and the rows of those that are."""
        rows = self._packer.take(self._owner.id, self._owner.fingerprint)
        tiers, self._tiers = self._tiers, []
        if not rows and not tiers:
            return
        with self._transaction() as connection:
            if rows:
                connection.execute(insert(schema.blocks), rows)
            if tiers:
                connection.execute(insert(schema.tiers), tiers)
        self._has_tiers |= bool(tiers)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """A transaction to write in, while no other process may. Raises InUse, StorageFailed where one may."""
        try:
            with self._engine.begin() as connection:
                yield connection
                self._check_lock()
        except IntegrityError as error:
            self._check_lock()
            raise self._other_writer() from error

    def _check_lock(self) -> None:
        if self._lock is not None and not self._lock.is_kept():
            raise self._other_writer()

    def _other_writer(self) -> InUse | StorageFailed:
        name = self.variant.name
        said = f"{self._base.where}: the connection that kept others from solving {name} was cut"
        with contextlib.suppress(SQLAlchemyError):
            if self._base.lock(name).is_held():
                return InUse(f"{said}, and another process is solving it now; wait for that: --wait")
        return StorageFailed(f"{said}; run: {solve_command(name, '--restart' if self._is_again else '')}")

    def _drop_other_tiers(self, connection: Connection, summary: Summary) -> None:
        """Remove tiers that the game does not have: nobody has solved them, whatever the file says."""
        tiers, blocks = schema.tiers, schema.blocks
        found = connection.execute(select(tiers.c.tier).where(tiers.c.variant == self._owner.id)).scalars()
        for number in set(found) - {int(tier.number) for tier in summary.tiers}:
            for table in (tiers, blocks):
                connection.execute(delete(table).where(table.c.variant == self._owner.id, table.c.tier == number))

    def _bytes(self, connection: Connection) -> int | None:
        """The size of what is stored, where a file does not tell."""
        if self._base.is_own:
            return None
        from sqlalchemy import func

        blocks = schema.blocks.c
        total = func.sum(func.coalesce(func.length(blocks.packed_keys), 0) + func.length(blocks.packed_records))
        return int(connection.execute(select(total).where(blocks.variant == self._owner.id)).scalar() or 0)

    def _meaning(self) -> Any:
        return meaning(self._base, self.variant.name, is_writing=True)

    def _raise_failure(self) -> None:
        if self._failure is not None:
            raise self._failure


def _sign(connection: Connection, variant: Variant) -> None:
    """Say who is at work on the variant."""
    work, name = schema.work, stored_name(variant.name)
    connection.execute(delete(work).where(work.c.name == name))
    row = {"name": name, "pid": os.getpid(), "host": socket.gethostname(), "since": _now()}
    connection.execute(insert(work), row)


def _purge(connection: Connection, owner: int, unsound: list[Any]) -> None:
    """Remove the tiers that are not sound, and the blocks of those that were not finished."""
    blocks, tiers = schema.blocks, schema.tiers
    for number in unsound:
        connection.execute(delete(tiers).where(tiers.c.variant == owner, tiers.c.tier == number))
    finished = select(tiers.c.tier).where(tiers.c.variant == owner)
    connection.execute(delete(blocks).where(blocks.c.variant == owner, blocks.c.tier.not_in(finished)))


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
