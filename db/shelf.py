"""The rows of one variant: fetched, checked, decompressed; nothing wrong gets past here unnoticed."""

import struct
import zlib
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Connection, bindparam, select

from db import schema
from db.base import Base
from db.compression import Error as CompressionError
from db.compression import decompressor
from db.place import solve_command
from gamesman.errors import Damaged, GamesmanError, NotSolved, OtherFormat, OtherRules, OtherVariant
from gamesman.summary import Summary, TierSummary
from gamesman.variant import Variant

# Blocks fetched at a time when many are needed: about 1 MB.
PAGE = 32

# What is read of a block without its content; all but the checksum itself go into the checksum.
HEAD = ("tier", "first", "last", "number", "positions", "content", "checksum")


class Owner(NamedTuple):
    """The row of a variant."""

    id: int
    name: str
    format: int
    options: str
    fingerprint: str
    checksum: int


class Raw(NamedTuple):
    """A block as it is decoded from: by db.block.Block one position at a time, by db.arrays.decode as a whole."""

    first: int
    last: int
    positions: int
    keys: bytes | None
    records: bytes


class Tier(NamedTuple):
    """A finished tier."""

    tier: int
    blocks: int
    positions: int
    is_dense: bool
    summary: TierSummary


def find_owner(connection: Connection, base: Base, variant: Variant) -> Owner | None:
    """The row of the variant, of this program's format and of the same rules, or None."""
    owner = read_owner(connection, base, variant.name)
    if owner is not None and owner.fingerprint != variant.fingerprint:
        raise OtherRules(
            f"{variant.name} was solved with other rules: its game's source has changed since;"
            f" run: {solve_command(variant.name, '--restart')}"
        )
    return owner


def read_owner(connection: Connection, base: Base, name: str | None = None) -> Owner | None:
    """The row of the variant of that name, or of the only one."""
    table = schema.variants
    # Of a file with one variant every row is looked at: an index that is damaged could hide it.
    wanted = select(table.c.name, table.c.format)
    found = connection.execute(wanted if base.is_own else wanted.where(table.c.name == name)).all()
    if not found:
        if base.is_own and connection.execute(select(schema.blocks.c.id).limit(1)).first():
            raise damaged(base, "it holds no variant")
        return None  # where one has a file to itself, its solve was stopped at its very first step
    names = [row.name for row in found]
    if name is not None and name not in names:
        raise OtherVariant(
            f"{base.where} holds {names[0]}, not {name}: it has been renamed or copied;"
            f" move it away, then run: {solve_command(name)}"
        )
    name = names[0] if name is None else name
    _check_format(base, name, found[names.index(name)].format)
    everything = select(table)
    rows = connection.execute(everything if base.is_own else everything.where(table.c.name == name)).all()
    owner = next((Owner(*row) for row in rows if row.name == name), None)
    if owner is not None and owner.checksum != owner_checksum(owner):
        raise damaged(base, "what it says of its variant")
    return owner


def _check_format(base: Base, name: str, found: Any) -> None:
    if found in (schema.FORMAT, schema.CLASSES):
        return
    if not isinstance(found, int):
        raise damaged(base, "its format")
    age, update = ("a newer", "update gamesman, or ") if found > schema.CLASSES else ("an older", "")
    raise OtherFormat(
        f"{name} in {base.where} was written by {age} gamesman: expected format {schema.FORMAT} or {schema.CLASSES},"
        f" got {found}; {update}run: {solve_command(name, '--restart')}"
    )


def owner_checksum(owner: Owner) -> int:
    return schema.checksum(owner.name, owner.format, owner.options, owner.fingerprint)


class Shelf:
    """What is stored of one variant."""

    def __init__(self, base: Base, connection: Connection, owner: Owner):
        self._base = base
        self._connection = connection
        self._owner = owner
        self._decompress = decompressor()
        self._seed = schema.checksum(owner.fingerprint)
        blocks = schema.blocks.c
        head = [blocks[name] for name in HEAD]
        is_mine = (blocks.variant == owner.id) & (blocks.tier == bindparam("tier"))
        mine = select(*head, blocks.packed_keys, blocks.packed_records).where(is_mine)
        key: BindParameter[int] = bindparam("key")
        self._before = mine.where(blocks.first <= key).order_by(blocks.first.desc()).limit(1)
        self._after = mine.where(blocks.first > key).order_by(blocks.first).limit(1)
        self._page = mine.where(blocks.first > key).order_by(blocks.first).limit(PAGE)
        self._heads = select(*head).where(is_mine).order_by(blocks.first)

    def solved(self) -> tuple[str, str] | None:
        """The summary's text and when it was finished, if the variant is solved."""
        table = schema.solves
        row = self._connection.execute(select(table).where(table.c.variant == self._owner.id)).first()
        if row is None:
            return None
        if row.checksum != schema.checksum(self._owner.fingerprint, row.summary, row.finished):
            raise self._fault("its summary")
        return row.summary, row.finished

    @cached_property
    def tiers(self) -> dict[int, Tier]:
        """The finished tiers, from the lowest to the highest."""
        table = schema.tiers
        found = {}
        for row in self._connection.execute(
            select(table).where(table.c.variant == self._owner.id).order_by(table.c.tier)
        ):
            fields = (row.tier, row.blocks, row.positions, row.dense, row.summary)
            if row.checksum != schema.checksum(self._owner.fingerprint, *fields):
                raise self._fault(f"tier {row.tier}")
            tier = schema.read_tier(row.tier, row.summary)
            found[row.tier] = Tier(row.tier, row.blocks, row.positions, bool(row.dense), tier)
        return found

    def summary(self) -> Summary:
        """The summary of a solved variant. Raises NotSolved."""
        solved = self.solved()
        if solved is None:
            raise NotSolved(f"{self._owner.name} is not solved; run: {solve_command(self._owner.name)}")
        # From the start of a game to its end, as they are reached.
        tiers = [tier.summary for tier in reversed(self.tiers.values())]
        summary, expected = schema.read_summary(self._owner.name, solved[0], tiers)
        if len(tiers) != expected:
            raise self._fault(f"expected {expected} tiers, got {len(tiers)}")
        return summary

    def find(self, tier: int, key: int) -> Raw | None:
        """The block whose range has the key, or None if it is certain that there is none."""
        before = self._one(self._before, tier, key)
        if before is not None and key <= before.last:
            return self._opened(before)
        if tier not in self.tiers:
            # A solved variant has all its tiers: their number is in its checked summary.
            self.summary()
            return None
        after = self._one(self._after, tier, key)
        number = -1 if before is None else before.number
        following = self.tiers[tier].blocks if after is None else after.number
        if following != number + 1:
            raise self._fault(f"tier {tier}: blocks are missing")
        return None

    def stream(self, tier: int) -> Iterator[Raw]:
        """All blocks of a finished tier in ascending order of their keys."""
        number, key = 0, -1
        while rows := self._connection.execute(self._page, {"tier": tier, "key": key}).all():
            for row in rows:
                self._check(row)
                if row.number != number:
                    raise self._fault(f"tier {tier}: blocks are missing")
                yield self._opened(row)
                number, key = number + 1, row.first
        if number != self.tiers[tier].blocks:
            raise self._fault(f"tier {tier}: blocks are missing")

    def ranges(self, tier: int) -> list[tuple[int, int]]:
        """The first and last key of every block of a tier."""
        rows = self._connection.execute(self._heads, {"tier": tier}).all()
        for number, row in enumerate(rows):
            self._check_head(row)
            if row.number != number:
                raise self._fault(f"tier {tier}: blocks are missing")
        if len(rows) != self.tiers[tier].blocks:
            raise self._fault(f"tier {tier}: blocks are missing")
        return [(row.first, row.last) for row in rows]

    def _one(self, query: Any, tier: int, key: int) -> Any:
        row = self._connection.execute(query, {"tier": tier, "key": key}).first()
        if row is not None:
            self._check(row)
        return row

    def _check(self, row: Any) -> None:
        self._check_head(row)
        if row.content != content_checksum(row.packed_keys, row.packed_records):
            raise self._fault(f"a block of tier {row.tier}")

    def _check_head(self, row: Any) -> None:
        if row.checksum != head_checksum(self._seed, *row[: len(HEAD) - 1]):
            raise self._fault(f"a block of tier {row.tier}")

    def _fault(self, what: str) -> GamesmanError:
        """What is said of rows that are wrong or missing."""
        if not self._base.is_own:
            variants = schema.variants.c
            mine = select(variants.id).where(variants.id == self._owner.id)
            if self._connection.execute(mine).first() is None:
                name = self._owner.name
                return NotSolved(f"{name} has just been deleted; run: {solve_command(name)}")
        return damaged(self._base, what)

    def _opened(self, row: Any) -> Raw:
        try:
            keys = None if row.packed_keys is None else self._decompress(row.packed_keys)
            return Raw(row.first, row.last, row.positions, keys, self._decompress(row.packed_records))
        except CompressionError as error:
            raise self._fault(f"a block of tier {row.tier}") from error


_HEAD = struct.Struct("<7q")


def head_checksum(seed: int, tier: int, first: int, last: int, number: int, positions: int, content: int) -> int:
    """The checksum of what a block says of itself; `seed` is that of the variant's fingerprint."""
    try:
        return zlib.crc32(_HEAD.pack(seed, tier, first, last, number, positions, content))
    except struct.error:  # a damaged row may hold anything
        return -1


def content_checksum(keys: bytes | None, records: bytes) -> int:
    try:
        return zlib.crc32(records, 0 if keys is None else zlib.crc32(keys, len(keys) + 1))
    except TypeError:
        return -1


def damaged(base: Base, what: str) -> Damaged:
    return Damaged(f"{base.where} is damaged: {what}")
