"""A solved variant, opened for reading: single positions without numpy, batches and streams of them as arrays."""

import threading
from bisect import bisect_left, bisect_right, insort
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from operator import index
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine

from gamesman.db import schema
from gamesman.db.codec.block import Block
from gamesman.db.connection import Base, meaning
from gamesman.db.rows import Owner, Raw, Shelf, damaged
from gamesman.errors import GamesmanError, NotReachable
from gamesman.model.advice import asked, unreachable
from gamesman.model.summary import Summary
from gamesman.model.variant import Position, Variant
from gamesman.values import DRAW, MAX_REMOTENESS, REMOTENESS_BITS

if TYPE_CHECKING:
    import numpy as np

Answer = tuple[int, int | None]  # a value and its remoteness, None for a draw

# Decoded blocks kept: about 50 KB each.
CACHED_BLOCKS = 512


class Stored:
    """The positions of a solved variant with their values; a context manager. Threads may share it."""

    def __init__(self, base: Base, engine: Engine, connection: Connection, variant: Variant, owner: Owner):
        self.variant = variant
        self._hash, self._unhash, self._tier = variant.hash, variant.unhash, variant.tier
        self._asked = asked()
        # Not what the variant has, but what is stored: of files written before there were symmetries, all positions.
        self.symmetry = variant.symmetry if owner.format == schema.CLASSES else None
        self._base = base
        self._engine = engine
        self._connection = connection
        self._shelf = Shelf(base, connection, owner)
        self._cache: OrderedDict[tuple[int, int], Block] = OrderedDict()
        self._firsts: dict[int, list[int]] = {}  # the first keys of the blocks in the cache, by tier
        self._known_ranges: dict[int, np.ndarray] = {}
        self._lock = threading.RLock()

    @cached_property
    def summary(self) -> Summary:
        with self._lock, meaning(self._base, self.variant.name):
            summary = self._shelf.summary()
        summary.database_bytes = self._base.size() or summary.database_bytes
        return summary

    def probe(self, position: Position) -> Answer:
        """The value and remoteness of a position. Raises NotReachable, saying how to solve from there."""
        answer = self.get(position)
        if answer is None:
            raise self._not_reachable(position)
        return answer

    def get(self, position: Position) -> Answer | None:
        """The value and remoteness of a position, or None if it cannot be reached."""
        place = self._place(position)
        record = None if place is None else self._record(*place)
        if record is None:
            return None
        value = record >> REMOTENESS_BITS
        return value, None if value == DRAW else record & MAX_REMOTENESS

    def probe_many(self, positions: Sequence[Position]) -> list[Answer]:
        """The answers of several positions, in their order. Raises NotReachable if any cannot be reached."""
        answers = []
        for position, answer in zip(positions, self.get_many(positions), strict=True):
            if answer is None:
                raise self._not_reachable(position)
            answers.append(answer)
        return answers

    def get_many(self, positions: Sequence[Position]) -> list[Answer | None]:
        """The answers of several positions, in their order, None where one cannot be reached.

        They are looked up in the order of their keys, so that each block is decoded once, however many there are.
        """
        if len(positions) < 2:
            return [self.get(position) for position in positions]
        places = ((self._place(position), i) for i, position in enumerate(positions))
        answers: list[Answer | None] = [None] * len(positions)
        for (of, key), i in sorted((place, i) for place, i in places if place is not None):
            record = self._record(of, key)
            if record is not None:
                value = record >> REMOTENESS_BITS
                answers[i] = value, None if value == DRAW else record & MAX_REMOTENESS
        return answers

    def _place(self, position: Position) -> tuple[int, int] | None:
        """The tier and key that a position is stored under, or None where its key stands for another one, or for none.

        A key need hold no more than tells positions that can be reached from each other, so that one that cannot be may
        have the key of one that can. Every look-up of a position goes through here.
        """
        try:
            key = self._hash(position)
            if type(key) is not int:
                key = index(key)
            # In this order: a number that is no key may be one that unhash never comes to an end with.
            if not 0 <= key < 1 << 63:
                return None
            own = self._unhash(key)
            if own != position and tuple(own) != tuple(position):
                return None
            if self.symmetry is not None:
                position = self.symmetry.least(own)
                key = self._hash(position)
            return self._tier(position), key
        except Exception:  # the functions of a game may fail in any way where a position cannot be reached
            return None

    def _not_reachable(self, position: Position) -> NotReachable:
        return NotReachable(unreachable(self.variant, position, self._asked))

    def record(self, tier: int, key: int) -> int | None:
        """The record of a key of a tier (see gamesman.values), or None if no position that can be reached has it."""
        if self.symmetry is not None:
            return self._record(tier, self._class_of(key))
        return self._record(tier, key)

    def _class_of(self, key: int) -> int:
        """The key under which the value of a key's position is stored; -1 if the key is that of no position."""
        assert self.symmetry is not None
        if not 0 <= key < 1 << 63:
            return -1
        try:
            position = self.variant.unhash(key)
            least = self.symmetry.least(position) if self.variant.hash(position) == key else None
        except Exception:  # a game's functions know only what is a position
            return -1
        return -1 if least is None else self.variant.hash(least)

    def _record(self, tier: int, key: int) -> int | None:
        """What is stored under a key of a tier."""
        with self._lock:
            firsts = self._firsts.get(tier)
            if firsts:
                at = bisect_right(firsts, key) - 1
                if at >= 0:
                    where = tier, firsts[at]
                    block = self._cache[where]
                    if key <= block.last:
                        self._cache.move_to_end(where)
                        try:
                            return block.find(key)
                        except IndexError as error:
                            raise self._damaged(tier) from error
            if not 0 <= key < 1 << 63:
                return None
            fetched = self._fetch(tier, key)
            try:
                return None if fetched is None else fetched.find(key)
            except IndexError as error:
                raise self._damaged(tier) from error

    def _damaged(self, tier: int) -> GamesmanError:
        """What is said of a block that contradicts itself where only a look-up goes."""
        try:
            with meaning(self._base, self.variant.name):
                raise damaged(self._base, f"a block of tier {tier}")
        except GamesmanError as error:
            return error

    def _fetch(self, tier: int, key: int) -> Block | None:
        with meaning(self._base, self.variant.name):
            raw = self._shelf.find(tier, key)
            if raw is None:
                return None
            try:
                block = Block(*raw)
            except ValueError as error:
                raise damaged(self._base, f"a block of tier {tier}") from error
        if len(self._cache) >= CACHED_BLOCKS:
            (old_tier, old_first), _ = self._cache.popitem(last=False)
            old = self._firsts[old_tier]
            del old[bisect_left(old, old_first)]
        self._cache[tier, block.first] = block
        insort(self._firsts.setdefault(tier, []), block.first)
        return block

    # The array side: numpy is imported where one of these is used.

    @cached_property
    def tiers(self) -> list[int]:
        """All tiers, from the lowest to the highest."""
        # Reading the summary raises where tiers are missing, because they are damaged or have just been deleted.
        return sorted(tier.number for tier in self.summary.tiers)

    def parts(
        self, tier: int | None = None, *, is_classes: bool = False
    ) -> Iterator[tuple[int, "np.ndarray", "np.ndarray"]]:
        """All positions that can be reached, or those of a tier: tier, keys (int64, ascending), records (uint16).

        Tiers come from the lowest to the highest, each in parts whose keys go on ascending; memory stays flat. With
        `is_classes` there is one position of each class.
        """
        for each in self.tiers if tier is None else [tier]:
            if self.symmetry is None or is_classes or each not in self.tiers:
                for pair in self._pairs(each):
                    yield each, *pair
            else:
                from gamesman.db.images import images

                classes = self._shelf.tiers[each].positions
                for pair in images(self.symmetry, classes, partial(self._pairs, each)):
                    yield each, *pair

    def _pairs(self, tier: int) -> Iterator[tuple["np.ndarray", "np.ndarray"]]:
        """What is stored of a tier, block by block."""
        for raw in self._raws(tier):
            yield self._decoded(tier, raw)

    def check_structure(self) -> None:
        """Check what is said of the variant and of its tiers, for the proof of what is stored. Raises Damaged."""
        from gamesman.db.audit import check_rows

        check_rows(self)

    def checked_parts(self, tier: int) -> Iterator[tuple[int, "np.ndarray", "np.ndarray"]]:
        """Yield the positions of a tier like `parts`, each block checked, for the same proof. Raises Damaged."""
        from gamesman.db.audit import parts

        return parts(self, tier)

    def records(self, keys: "np.ndarray", tier: int | None = None) -> "np.ndarray":
        """The records (uint16) of many keys (int64, ascending), UNREACHED where no position that can be reached has it.

        Without a tier every tier is looked through: say which one it is where you know it, and ask for many at once.
        """
        import numpy as np

        from gamesman.db.codec.arrays import look_up
        from gamesman.values import UNREACHED

        found = np.full(len(keys), UNREACHED, np.uint16)
        if self.symmetry is not None:
            classes = np.array([self._class_of(key) for key in keys.tolist()], np.int64)
            order = np.argsort(classes)
            for each in self.tiers if tier is None else [tier]:
                there = np.full(len(keys), UNREACHED, np.uint16)
                look_up(classes[order], there, self._ranges(each), partial(self._block, each))
                found[order[there != UNREACHED]] = there[there != UNREACHED]
            return found
        for each in self.tiers if tier is None else [tier]:
            look_up(keys, found, self._ranges(each), partial(self._block, each))
        return found

    def digest(self) -> str:
        """A digest of all keys, values and remotenesses; the same whatever order and blocks they are stored in."""
        from gamesman.db.codec.arrays import digest

        return digest((keys, records) for _, keys, records in self.parts())

    def _raws(self, tier: int) -> Iterator[Raw]:
        if tier not in self.tiers:
            return
        stream = self._shelf.stream(tier)
        while True:
            with self._lock, meaning(self._base, self.variant.name):
                raw = next(stream, None)
            if raw is None:
                return
            yield raw

    def _ranges(self, tier: int) -> "np.ndarray":
        import numpy as np

        if tier not in self._known_ranges:
            with self._lock, meaning(self._base, self.variant.name):
                ranges = self._shelf.ranges(tier) if tier in self.tiers else []
            self._known_ranges[tier] = np.array(ranges, np.int64).reshape(-1, 2).T
        return self._known_ranges[tier]

    def _block(self, tier: int, first: int) -> tuple["np.ndarray", "np.ndarray"]:
        with self._lock, meaning(self._base, self.variant.name):
            raw = self._shelf.find(tier, first)
            if raw is None or raw.first != first:
                raise damaged(self._base, f"tier {tier}: blocks are missing")
        return self._decoded(tier, raw)

    def _decoded(self, tier: int, raw: Raw) -> tuple["np.ndarray", "np.ndarray"]:
        from gamesman.db.codec.arrays import decode

        with meaning(self._base, self.variant.name):
            try:
                keys, records = decode(*raw)
                if len(keys) != raw.positions or keys[0] != raw.first or keys[-1] != raw.last:
                    raise ValueError("keys of another block")
                return keys, records
            except ValueError as error:
                raise damaged(self._base, f"a block of tier {tier}") from error

    def close(self) -> None:
        self._connection.close()
        self._engine.dispose()

    def __enter__(self) -> "Stored":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
