"""Writing a solve: the sink that stores its tiers, on a thread of its own, so that storing runs beside solving.

What a process that is killed leaves behind, whenever it is: every tier whose `finish` the thread has come to, whole;
of the next one perhaps some blocks, which nobody sees and the next solve removes. Only `complete` waits for the disk.
"""

import contextlib
import datetime
import json
import os
import queue
import socket
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, Engine, delete, insert, select
from sqlalchemy.exc import SQLAlchemyError

from db import schema
from db.base import Base, SQLiteFile, connected, meaning
from db.lock import Lock
from db.packer import Packer
from db.shelf import Owner, Shelf, find_owner, owner_checksum
from gamesman.sink import Part
from gamesman.summary import Summary, TierSummary
from gamesman.variant import Variant

# Compressed bytes of one transaction. A tier that has more is written in several, and shows with the last.
TRANSACTION = 32 << 20
# Parts are taken in pieces of so many keys, of which so many may wait: the solver runs ahead of storing by this much.
PIECE = 1 << 20
WAITING = 16


class Writer:
    """A variant being stored: a gamesman.sink.Sink, and a context manager that ends the work.

    `summary` is there where the variant is solved already; then there is nothing to write.
    """

    def __init__(self, base: Base, engine: Engine, lock: Lock, variant: Variant, *, is_classes: bool = False):
        """Go on with the variant, or begin with it. The lock is held, and given up by `close`.

        What is begun is to be given all positions, or with `is_classes` one of each class.
        """
        self.variant = variant
        self.summary: Summary | None = None
        self._base = base
        self._engine = engine
        self._lock: Lock | None = lock
        self._queue: queue.Queue[tuple[int, Part] | TierSummary | None] = queue.Queue(WAITING)
        self._failure: BaseException | None = None
        self._packer = Packer()
        self._thread: threading.Thread | None = None
        with self._engine.begin() as connection:
            _sign(connection, variant)
            self._owner = self._begin(connection, is_classes)
            shelf = Shelf(base, connection, self._owner)
            self._finished = {tier.tier: tier.summary for tier in shelf.tiers.values()}
            self._has_tiers = bool(self._finished)
            if shelf.solved() is not None:
                self.summary = shelf.summary()
                self.summary.database_bytes = base.size() or self.summary.database_bytes
            else:
                _purge(connection, self._owner.id)

    @property
    def takes_classes(self) -> bool:
        """Whether it is to be given one position of each class."""
        return self._owner.format == schema.CLASSES

    def finished(self) -> Mapping[int, TierSummary]:
        """The tiers that an earlier, interrupted solve has finished."""
        return self._finished

    def load(self, tier: int) -> Iterator[Part]:
        """A finished tier: runs of consecutive keys where it was written so, lists of keys where it was not."""
        from db.arrays import decode, spread

        self._queue.join()
        self._raise_failure()
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

    def complete(self, summary: Summary) -> None:
        """All is on the disk and the variant is solved; the summary is told the size of the database."""
        self._queue.join()
        self._raise_failure()
        with self._meaning(), self._engine.begin() as connection:
            summary.database_bytes = self._bytes(connection)
            text, finished = schema.summary_text(summary), _now()
            checksum = schema.checksum(self._owner.fingerprint, text, finished)
            row = {"variant": self._owner.id, "summary": text, "finished": finished, "checksum": checksum}
            connection.execute(insert(schema.solves), row)
        self.close()
        summary.database_bytes = self._base.size() or summary.database_bytes
        self.summary = summary

    def close(self) -> None:
        """Store what has been taken and give the lock up; more than once does no harm."""
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None
        if self._lock is not None:
            lock, self._lock = self._lock, None
            try:
                self._leave()
            finally:
                lock.release()

    def _leave(self) -> None:
        """Close the database. Of a solve that was refused, or stopped before its first tier, nothing stays behind."""
        is_empty = self.summary is None and not self._has_tiers
        if is_empty and not self._base.is_own:
            with contextlib.suppress(SQLAlchemyError), self._engine.begin() as connection:
                erase(connection, self.variant.name)
        self._base.close_writing(self._engine)
        if is_empty and isinstance(self._base, SQLiteFile) and self._base.is_own:
            with contextlib.suppress(OSError):
                self._base.remove()

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close()
        if kind is None:
            self._raise_failure()

    def _begin(self, connection: Connection, is_classes: bool) -> Owner:
        """The variant's row, a new one if there is none."""
        table = schema.variants
        if find_owner(connection, self._base, self.variant) is None:
            options = {kind.name: getattr(self.variant.options, kind.name) for kind in self.variant.game.options}
            wanted = schema.CLASSES if is_classes else schema.FORMAT
            owner = Owner(0, self.variant.name, wanted, json.dumps(options), self.variant.fingerprint, 0)
            row = {**owner._asdict(), "checksum": owner_checksum(owner)}
            del row["id"]
            connection.execute(insert(table), row)
        found = find_owner(connection, self._base, self.variant)
        assert found is not None
        return found

    def _put(self, item: tuple[int, Part] | TierSummary) -> None:
        self._raise_failure()
        if self._thread is None:
            self._thread = threading.Thread(target=self._store, name="gamesman-store", daemon=True)
            self._thread.start()
        self._queue.put(item)

    def _store(self) -> None:
        """The thread: pack what comes, write it. After a failure nothing more is stored, and the solver is told."""
        while True:
            item = self._queue.get()
            try:
                if item is None:
                    return
                if self._failure is None:
                    with self._meaning():
                        self._take(item)
            except BaseException as error:
                self._failure = error
            finally:
                self._queue.task_done()

    def _take(self, item: tuple[int, Part] | TierSummary) -> None:
        if isinstance(item, TierSummary):
            tier = self._packer.finish(item)
            with self._engine.begin() as connection:
                self._insert(connection)
                summary = schema.tier_text(item)
                fields = {"tier": int(item.tier), **tier, "summary": summary}
                checksum = schema.checksum(self._owner.fingerprint, *fields.values())
                connection.execute(insert(schema.tiers), {"variant": self._owner.id, **fields, "checksum": checksum})
            self._has_tiers = True
        else:
            self._packer.add(*item)
            if self._packer.size >= TRANSACTION:
                with self._engine.begin() as connection:
                    self._insert(connection)

    def _insert(self, connection: Connection) -> None:
        rows = self._packer.take(self._owner.id, self._owner.fingerprint)
        if rows:
            connection.execute(insert(schema.blocks), rows)

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


def erase(connection: Connection, variant: str) -> None:
    """Remove all rows of a variant."""
    owner = select(schema.variants.c.id).where(schema.variants.c.name == variant).scalar_subquery()
    for table in (schema.solves, schema.tiers, schema.blocks):
        connection.execute(delete(table).where(table.c.variant == owner))
    connection.execute(delete(schema.variants).where(schema.variants.c.name == variant))


def _sign(connection: Connection, variant: Variant) -> None:
    """Say who is at work on the variant."""
    work = schema.work
    connection.execute(delete(work).where(work.c.name == variant.name))
    row = {"name": variant.name, "pid": os.getpid(), "host": socket.gethostname(), "since": _now()}
    connection.execute(insert(work), row)


def _purge(connection: Connection, owner: int) -> None:
    """Remove the blocks of a tier that was not finished."""
    blocks, tiers = schema.blocks, schema.tiers
    finished = select(tiers.c.tier).where(tiers.c.variant == owner)
    connection.execute(delete(blocks).where(blocks.c.variant == owner, blocks.c.tier.not_in(finished)))


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
