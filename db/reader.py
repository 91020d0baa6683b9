"""A solved variant is read: single positions without numpy, and all of them as arrays."""

import threading
from bisect import bisect_left, bisect_right, insort
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import TypeVar

from sqlalchemy import Connection, Engine

from gamesman.db import keys, schema
from gamesman.db.codec.block import Block, EncodedBlock
from gamesman.db.connection import Database
from gamesman.db.following import Following
from gamesman.db.rows import VariantRow, VariantRows, damaged
from gamesman.db.translation import translated_errors
from gamesman.errors import GamesmanError, NotReachable
from gamesman.model.advice import asked, unreachable
from gamesman.model.answers import Worth
from gamesman.model.ports import CompileImages, Positions
from gamesman.model.summary import Summary
from gamesman.model.variant import Position, Variant
from gamesman.values import KEY_LIMIT, answer

Item = TypeVar("Item")
# Blocks that are kept decoded, about 50 KB each, unless a reader is told otherwise.
CACHED_BLOCKS = 512


class Reader:
    """Reads the positions of a solved variant; a context manager. Threads may share it."""

    def __init__(
        self,
        database: Database,
        engine: Engine,
        connection: Connection,
        variant: Variant,
        row: VariantRow,
        compile_images: CompileImages | None = None,
    ):
        self.variant = variant
        self._asked = asked()
        # A variant that has symmetries may have been stored before there were any, and then all positions are.
        self.symmetry = variant.symmetry if row.format == schema.CLASSES else None
        self.least = None if self.symmetry is None else self.symmetry.finder()
        self._place = keys.finder(variant, self.symmetry)
        self._database, self._compile_images = database, compile_images
        self._engine = engine
        self._connection = connection
        self._rows = VariantRows(database, connection, row)
        self._cache: OrderedDict[tuple[int, int], Block] = OrderedDict()
        self._firsts: dict[int, list[int]] = {}  # the first keys of the blocks in the cache, by tier
        self._lock = threading.RLock()
        self._state = database.state()
        self.most_blocks = CACHED_BLOCKS  # to keep decoded

    def is_current(self) -> bool:
        """Tell whether what is read is still what is stored: another process may have replaced or removed it."""
        return self._database.state() == self._state

    def is_stored(self) -> bool:
        """Ask the database the same, which takes longer and is what a server can tell."""
        try:
            with self._reading() as rows:
                return rows.solved() is not None
        except GamesmanError:  # whoever opens it again is told
            return False

    @cached_property
    def summary(self) -> Summary:
        """Return what solving the variant has yielded."""
        with self._reading() as rows:
            summary = rows.summary()
        summary.database_bytes = self._database.size() or summary.database_bytes
        summary.is_partial = self.variant.is_partial
        return summary

    def probe(self, position: Position) -> Worth:
        """Return the value and remoteness of a position. Raises NotReachable, saying how to solve from there."""
        place = self._place(position)
        record = None if place is None else self._record(*place)
        if record is None:
            raise self._not_reachable(position)
        return answer(record)

    def get(self, position: Position) -> Worth | None:
        """Return the value and remoteness of a position, or None if it cannot be reached."""
        place = self._place(position)
        record = None if place is None else self._record(*place)
        return None if record is None else answer(record)

    def probe_many(self, positions: Sequence[Position]) -> list[Worth]:
        """Return the answers of several positions, in their order. Raises NotReachable if any cannot be reached."""
        answers = []
        for position, found in zip(positions, self.get_many(positions), strict=True):
            if found is None:
                raise self._not_reachable(position)
            answers.append(found)
        return answers

    def get_many(self, positions: Sequence[Position]) -> list[Worth | None]:
        """Return the answers of several positions, in their order, None where one cannot be reached.

        They are looked up in the order of their keys, so that each block is decoded once, however many there are.
        """
        if len(positions) < 2:
            return [self.get(position) for position in positions]
        wanted = ((self._place(position), i) for i, position in enumerate(positions))
        answers: list[Worth | None] = [None] * len(positions)
        there = sorted((*found, i) for found, i in wanted if found is not None)
        for (_, _, i), record in zip(there, self.records(there), strict=True):
            if record is not None:
                answers[i] = answer(record)
        return answers

    def following(self) -> Following:
        """Return what looks up a position and then those that its moves lead to, in less time."""
        return Following(self)

    def _not_reachable(self, position: Position) -> NotReachable:
        """Return the error that says how to solve from a position that cannot be reached."""
        return NotReachable(unreachable(self.variant, position, self._asked))

    def record(self, tier: int, key: int) -> int | None:
        """Return the record of a key of a tier (see gamesman.values), or None if no position in it has that key."""
        if self.symmetry is not None:
            return self._record(tier, self._class_of(key))
        return self._record(tier, key)

    def _class_of(self, key: int) -> int:
        """Return the key of the position stored for the class of a key's position; -1 if the key is no position's."""
        assert self.least is not None
        if not 0 <= key < KEY_LIMIT:
            return -1
        try:
            position = self.variant.unhash(key)
            least = self.least(position) if self.variant.hash(position) == key else None
        except Exception:  # a game's functions may fail in any way on a key of no position
            return -1
        return -1 if least is None else self.variant.hash(least)

    def _record(self, tier: int, key: int) -> int | None:
        """Return the record that is stored under a key of a tier, or None if there is none."""
        with self._lock:
            block = self._block(tier, key)
            try:
                return None if block is None else block.find(key)
            except IndexError as error:
                raise self._damaged(tier) from error

    def records(self, wanted: Sequence[tuple[int, ...]]) -> list[int | None]:
        """Return what is stored under several tiers and keys, which come in ascending order; None where nothing is."""
        found: list[int | None] = []
        block, of = None, 0
        with self._lock:
            for place in wanted:
                tier, key = place[0], place[1]
                if block is None or tier != of or key > block.last:
                    block, of = self._block(tier, key), tier
                try:
                    found.append(None if block is None else block.find(key))
                except IndexError as error:
                    raise self._damaged(tier) from error
        return found

    def _block(self, tier: int, key: int) -> Block | None:
        """Return the block whose range has a key, or None if there is none."""
        firsts = self._firsts.get(tier)
        if firsts:
            at = bisect_right(firsts, key) - 1
            if at >= 0:
                where = tier, firsts[at]
                block = self._cache[where]
                if key <= block.last:
                    self._cache.move_to_end(where)
                    return block
        return self._fetch(tier, key) if 0 <= key < KEY_LIMIT else None

    def _damaged(self, tier: int) -> GamesmanError:
        """Return the error of a block that contradicts itself, which only the look-up of some keys comes upon."""
        try:
            with translated_errors(self._database, self.variant.name):
                raise damaged(self._database, f"a block of tier {tier}")
        except GamesmanError as error:
            return error

    def _fetch(self, tier: int, key: int) -> Block | None:
        """Read the block whose range has a key, and keep it; return it, or None if there is none."""
        with translated_errors(self._database, self.variant.name):
            found = self._rows.find(tier, key)
            if found is None:
                return None
            try:
                block = Block(found)
            except ValueError as error:
                raise damaged(self._database, f"a block of tier {tier}") from error
        while len(self._cache) >= self.most_blocks:
            (old_tier, old_first), _ = self._cache.popitem(last=False)
            old = self._firsts[old_tier]
            del old[bisect_left(old, old_first)]
        self._cache[tier, block.first] = block
        insort(self._firsts.setdefault(tier, []), block.first)
        return block

    @cached_property
    def tiers(self) -> list[int]:
        """Return the numbers of all tiers, from the lowest to the highest."""
        # Reading the summary raises where tiers are missing, because they are damaged or have just been deleted.
        return sorted(tier.number for tier in self.summary.tiers)

    # What follows imports numpy, which the look-up of single positions does not wait for.

    def positions(self, tier: int | None = None, *, is_classes: bool = False) -> Iterator[Positions]:
        """Yield all positions, or those of a tier, by ascending tier and key, as many at a time as a block has.

        With `is_classes` there is one position of each class. Memory stays flat however many positions there are.
        """
        for number in self.tiers if tier is None else [tier]:
            if self.symmetry is None or is_classes or number not in self.tiers:
                yield from self._stored(number)
            else:
                # lazy: start-up time
                from gamesman.db.images import images

                row, stored = self._rows.tiers[number], partial(self._stored, number)
                yield from images(self.symmetry, row, stored, self._compile_images)

    def _stored(self, tier: int) -> Iterator[Positions]:
        """Yield what is stored of a tier, block by block."""
        # lazy: start-up time
        from gamesman.db.codec.arrays import decode

        for block in self._blocks(tier):
            try:
                positions = Positions(tier, *decode(block))
            except ValueError as error:
                raise self._damaged(tier) from error
            yield positions

    def check_structure(self) -> None:
        """Check what is said of the variant and of its tiers, for the proof of what is stored. Raises Damaged."""
        # lazy: start-up time
        from gamesman.db.audit import check_rows

        with self._reading() as rows:
            check_rows(rows, self.variant)

    def checked_positions(self, tier: int) -> Iterator[Positions]:
        """Yield what is stored of a tier, each block checked, for the same proof. Raises Damaged."""
        # lazy: start-up time
        from gamesman.db.audit import checked_positions

        return self._each(checked_positions(self._rows, tier)) if tier in self.tiers else iter(())

    def _blocks(self, tier: int) -> Iterator[EncodedBlock]:
        """Yield the blocks of a tier; none of one that the variant does not have."""
        return self._each(self._rows.blocks(self._rows.tiers[tier])) if tier in self.tiers else iter(())

    def _each(self, items: Iterator[Item]) -> Iterator[Item]:
        """Yield what the rows yield, each item fetched while no other thread reads."""
        while True:
            with self._reading():
                item = next(items, None)
            if item is None:
                return
            yield item

    @contextmanager
    def _reading(self) -> Iterator[VariantRows]:
        """Return the rows, for this thread alone. Errors of the database become ours."""
        with self._lock, translated_errors(self._database, self.variant.name):
            yield self._rows

    def close(self) -> None:
        """Close the database; nothing can be read any more."""
        self._connection.close()
        self._engine.dispose()

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
