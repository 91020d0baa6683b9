"""The tiers of a solve are written by a thread of its own, while the solver goes on.

A process that is killed leaves behind every tier that was finished a second before, whole, and perhaps some blocks of
the next ones, which nobody sees and the next solve removes. Each transaction waits for the disk, so small tiers share
one: at most a second's work is lost. Only `complete` and `flush` wait until all is stored.
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
from contextlib import AbstractContextManager
from contextvars import copy_context
from functools import partial
from typing import Any

from sqlalchemy import Connection, Engine, delete, func, insert, select
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from gamesman.db import schema
from gamesman.db.again import erase, new_name, rename_rows
from gamesman.db.codec.packer import Packer
from gamesman.db.connection import Database, connected
from gamesman.db.kept import check_file, check_tiers
from gamesman.db.location import solve_command
from gamesman.db.lock import Lock
from gamesman.db.rows import VariantRow, VariantRows, find_variant_row, variant_checksum
from gamesman.db.translation import translated_errors
from gamesman.errors import InUse, StorageFailed
from gamesman.model.paths import whole_name
from gamesman.model.ports import CompileImages, Part
from gamesman.model.summary import Summary, TierSummary
from gamesman.model.symmetry import Symmetry
from gamesman.model.variant import Variant

# The compressed bytes of one transaction. A tier that has more is written in several, and shows with the last.
TRANSACTION_BYTES = 32 << 20
# Parts are cut into pieces of so many keys, of which so many may wait to be stored: then the solver waits, too.
KEYS_PER_PIECE = 1 << 20
WAITING_PIECES = 16
# How long a finished tier may wait for others to share its transaction.
WAITING_SECONDS = 1.0

Item = tuple[int, Part] | TierSummary | None  # None asks that all that waits be stored


class Writer:
    """Stores the tiers of a variant: a gamesman.model.ports.Sink, and a context manager that ends with `close`.

    `summary` is None until the variant is solved; where it is solved already there is nothing to write.
    """

    def __init__(
        self,
        database: Database,
        lock: Lock,
        variant: Variant,
        *,
        is_again: bool = False,
        is_classes: bool = False,
        compile_images: CompileImages | None = None,
    ):
        """Go on with the variant, or begin with it. The lock is held; if this does not raise, `close` releases it.

        With `is_again` what there is stays until the variant is solved again (see gamesman.db.again). What is begun is
        to be given all positions, or with `is_classes` one of each class.
        """
        self.variant = variant
        self.summary: Summary | None = None
        self._old, self._database = database, database.again() if is_again else database
        self._name = new_name(database, variant.name) if is_again else whole_name(variant.name)
        self._is_again, self._is_classes, self._compile_images = is_again, is_classes, compile_images
        self._is_complete = self._is_closing = False
        self._has_tiers: bool | None = False
        is_new = not self._database.exists()
        self._engine: Engine = self._database.writing()
        self._lock: Lock | None = lock
        self._queue: queue.Queue[Item] = queue.Queue(WAITING_PIECES)
        self._failure: BaseException | None = None
        self._tiers: list[dict[str, Any]] = []  # the rows that wait
        self._due = 0.0
        self._thread: threading.Thread | None = None
        try:
            self._open()
        except BaseException:
            self._database.close_writing(self._engine)
            if is_new:
                self._database.remove()
            raise
        self._packer = Packer(1 if self._symmetry is None else self._symmetry.order)

    def _open(self) -> None:
        """Find or begin the variant's rows, and remove what an earlier solve has left that cannot be gone on with."""
        with self._engine.begin() as connection:
            _note_worker(connection, self.variant)
            self._row = self._begin(connection)
            rows = VariantRows(self._database, connection, self._row)
            self._finished: dict[int, TierSummary] = {}
            if rows.solved() is not None:
                self.summary = rows.summary()
                self.summary.database_bytes = self._database.size() or self.summary.database_bytes
                self.summary.is_partial = self.variant.is_partial
                self._has_tiers = True
                return
            has_rows = next(rows.each_tier(), None) is not None
        unsound: list[Any] = []
        if has_rows:
            with connected(self._database) as connection:
                check_file(self._database, connection)
                rows = VariantRows(self._database, connection, self._row)
                self._finished, unsound = check_tiers(rows, self._symmetry, self._compile_images)
        self._has_tiers = bool(self._finished)
        with self._engine.begin() as connection:
            _remove_unfinished(connection, self._row.id, unsound)

    @property
    def has_tiers(self) -> bool | None:
        """Return whether there are finished tiers to go on from after an interruption; None while the first come in.

        Any thread may ask at any moment.
        """
        return self._has_tiers

    @property
    def _symmetry(self) -> Symmetry | None:
        """Return the symmetries by which it is given one position of each class, or None where it is given all."""
        return self.variant.symmetry if self.takes_classes else None

    @property
    def takes_classes(self) -> bool:
        """Return whether it is to be given one position of each class."""
        return self._row.format == schema.CLASSES

    def finished(self) -> Mapping[int, TierSummary]:
        """Return the tiers that an earlier, interrupted solve has finished."""
        return self._finished

    def load(self, tier: int) -> Iterator[Part]:
        """Yield the parts of a finished tier: runs of consecutive keys where it was written so, else lists of keys."""
        # lazy: start-up time
        from gamesman.db.codec.arrays import decode, spread

        self.flush()
        with translated_errors(self._database, self.variant.name), connected(self._database) as connection:
            rows = VariantRows(self._database, connection, self._row)
            row = rows.tiers[tier]
            for block in rows.blocks(row):
                keys, records = decode(block)
                if row.is_dense:
                    yield Part(block.first, None, spread(keys, records))
                else:
                    yield Part(block.first, keys, records)

    def write(self, tier: int, part: Part) -> None:
        """Take a part of a tier, whose arrays must not change afterwards."""
        for begin in range(0, len(part.records), KEYS_PER_PIECE):
            piece = slice(begin, begin + KEYS_PER_PIECE)
            if part.keys is None:
                self._put((tier, Part(part.first + begin, None, part.records[piece])))
            else:
                keys = part.keys[piece]
                self._put((tier, Part(int(keys[0]), keys, part.records[piece])))

    def finish(self, tier: TierSummary) -> None:
        """End a tier, all parts of which are written: once it is stored it counts as finished."""
        self._put(tier)

    def flush(self) -> None:
        """Wait until all that has been taken is stored. Raises what storing it has raised."""
        if self._thread is not None:
            self._queue.put(None)
            self._queue.join()
        self._raise_failure()

    def complete(self, summary: Summary) -> None:
        """Wait until all is stored, and let the variant count as solved; set the database's size in the summary."""
        self.flush()
        with self._translated_errors(), self._transaction() as connection:
            self._drop_other_tiers(connection, summary)
            summary.database_bytes = self._bytes(connection)
            text, finished = schema.summary_text(summary), _now()
            checksum = schema.checksum(self._row.fingerprint, text, finished)
            row = {"variant": self._row.id, "summary": text, "finished": finished, "checksum": checksum}
            connection.execute(insert(schema.solves), row)
            if not self._database.is_own:  # a file of its own is replaced when it is closed
                if self._is_again:
                    rename_rows(connection, self._row, self.variant.name)
                else:
                    erase(connection, new_name(self._database, self.variant.name))
        self.summary, self._is_complete = summary, True
        with self._translated_errors():
            self.close()
        summary.database_bytes = self._old.size() or summary.database_bytes

    def close(self) -> None:
        """Store what has been taken and release the lock; a second call does nothing."""
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
        """Close the database. Nothing is left behind of a solve that was refused, or stopped before its first tier."""
        is_empty = self.summary is None and not self._has_tiers and is_alone
        if is_empty and not self._database.is_own:
            with contextlib.suppress(SQLAlchemyError), self._engine.begin() as connection:
                erase(connection, self._name)
        self._database.shrink(self._engine)
        self._database.close_writing(self._engine)
        if is_empty:
            with contextlib.suppress(OSError):
                self._database.remove()
        elif self._is_again and self.summary is not None:
            self._old.replace_by(self._database)
        elif self._is_complete:
            self._old.again().remove()

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()
        if kind is None:
            self._raise_failure()

    def _begin(self, connection: Connection) -> VariantRow:
        """Return the variant's row, a new one if there is none."""
        table = schema.variants
        if find_variant_row(connection, self._database, self.variant, self._name) is None:
            options = {kind.name: getattr(self.variant.options, kind.name) for kind in self.variant.game.options}
            wanted = schema.CLASSES if self._is_classes else schema.FORMAT
            row = VariantRow(0, self._name, wanted, json.dumps(options), self.variant.fingerprint, 0)
            fields = {**row._asdict(), "checksum": variant_checksum(row)}
            del fields["id"]
            connection.execute(insert(table), fields)
        found = find_variant_row(connection, self._database, self.variant, self._name)
        assert found is not None
        return found

    def _put(self, item: Item) -> None:
        """Hand an item to the thread, which is started by the first."""
        self._raise_failure()
        if self._thread is None:
            run = copy_context().run  # as this thread, it knows the database that was asked, which errors name
            self._thread = threading.Thread(target=run, args=(self._store,), name="gamesman-store", daemon=True)
            self._thread.start()
        self._queue.put(item)

    def _store(self) -> None:
        """Pack and write what comes, on the thread. After an error nothing more is stored, and the solver is told."""
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
        """Do a step of the thread's work, if none has failed before, and keep its error."""
        if self._failure is None:
            try:
                with self._translated_errors():
                    step()
            except BaseException as error:
                self._failure = error
        if self._failure is not None:
            self._tiers = []

    def _take(self, item: tuple[int, Part] | TierSummary) -> None:
        """Pack a part, or end a tier, and write what waits where that is much or has waited long."""
        if isinstance(item, TierSummary):
            fields = {"tier": int(item.number), **self._packer.finish(item), "summary": schema.tier_text(item)}
            checksum = schema.checksum(self._row.fingerprint, *fields.values())
            if not self._tiers:
                self._due = time.monotonic() + WAITING_SECONDS
            self._tiers.append({"variant": self._row.id, **fields, "checksum": checksum})
        else:
            self._packer.add(*item)
        if self._packer.bytes >= TRANSACTION_BYTES or (self._tiers and time.monotonic() >= self._due):
            self._write()

    def _write(self) -> None:
        """Write in one transaction what waits: blocks, even of an unfinished tier, and the rows of finished tiers."""
        rows = self._packer.take(self._row.id, self._row.fingerprint)
        tiers, self._tiers = self._tiers, []
        if not rows and not tiers:
            return
        had_tiers, self._has_tiers = self._has_tiers, self._has_tiers or (None if tiers else False)
        try:
            with self._transaction() as connection:
                if rows:
                    connection.execute(insert(schema.blocks), rows)
                if tiers:
                    connection.execute(insert(schema.tiers), tiers)
        except BaseException:
            self._has_tiers = had_tiers
            raise
        self._has_tiers = bool(had_tiers or tiers)

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[Connection]:
        """Yield a connection to write with in one transaction. Raises InUse or StorageFailed if the lock was lost."""
        try:
            with self._engine.begin() as connection:
                yield connection
                self._check_lock()
        except IntegrityError as error:
            self._check_lock()
            raise self._other_writer() from error

    def _check_lock(self) -> None:
        """Raise InUse or StorageFailed if the lock has been lost."""
        if self._lock is not None and not self._lock.is_kept():
            raise self._other_writer()

    def _other_writer(self) -> InUse | StorageFailed:
        """Return the error of a solve whose lock has been lost."""
        name = self.variant.name
        said = f"{self._database.where}: the connection that kept others from solving {name} was cut"
        with contextlib.suppress(SQLAlchemyError):
            if self._database.lock(name).is_held():
                return InUse(f"{said}, and another process is solving it now; wait for that: --wait")
        return StorageFailed(f"{said}; run: {solve_command(name, '--restart' if self._is_again else '')}")

    def _drop_other_tiers(self, connection: Connection, summary: Summary) -> None:
        """Remove tiers that the game does not have, and that damage must have made."""
        tiers, blocks = schema.tiers, schema.blocks
        found = connection.execute(select(tiers.c.tier).where(tiers.c.variant == self._row.id)).scalars()
        for number in set(found) - {int(tier.number) for tier in summary.tiers}:
            for table in (tiers, blocks):
                connection.execute(delete(table).where(table.c.variant == self._row.id, table.c.tier == number))

    def _bytes(self, connection: Connection) -> int | None:
        """Return the size of the variant's blocks, or None where a file of its own has a size."""
        if self._database.is_own:
            return None
        blocks = schema.blocks.c
        total = func.sum(func.coalesce(func.length(blocks.packed_keys), 0) + func.length(blocks.packed_records))
        return int(connection.execute(select(total).where(blocks.variant == self._row.id)).scalar() or 0)

    def _translated_errors(self) -> AbstractContextManager[None]:
        """Return what raises errors of the database as errors of ours."""
        return translated_errors(self._database, self.variant.name, is_writing=True)

    def _raise_failure(self) -> None:
        """Raise the error that the thread has ended with, if any."""
        if self._failure is not None:
            raise self._failure


def _note_worker(connection: Connection, variant: Variant) -> None:
    """Write down which process is at work on the variant."""
    work, name = schema.work, whole_name(variant.name)
    connection.execute(delete(work).where(work.c.name == name))
    row = {"name": name, "pid": os.getpid(), "host": socket.gethostname(), "since": _now()}
    connection.execute(insert(work), row)


def _remove_unfinished(connection: Connection, variant: int, unsound: list[Any]) -> None:
    """Remove the tiers that are not sound, and the blocks of tiers that are not finished."""
    blocks, tiers = schema.blocks, schema.tiers
    for number in unsound:
        connection.execute(delete(tiers).where(tiers.c.variant == variant, tiers.c.tier == number))
    finished = select(tiers.c.tier).where(tiers.c.variant == variant)
    connection.execute(delete(blocks).where(blocks.c.variant == variant, blocks.c.tier.not_in(finished)))


def _now() -> str:
    """Return the time, as text."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
