"""The rows of one variant: fetched, checked, decompressed; nothing wrong gets past here unnoticed."""

import struct
import zlib
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Connection, bindparam, select

from gamesman.db import schema
from gamesman.db.codec.block import LARGEST, SPREAD, most_bytes
from gamesman.db.codec.compression import Error as CompressionError
from gamesman.db.codec.compression import decompressor
from gamesman.db.connection import Base
from gamesman.db.location import shown_name, solve_command, stored_name
from gamesman.errors import Damaged, GamesmanError, NotSolved, OtherFormat, OtherRules, OtherVariant
from gamesman.model.summary import Summary, TierSummary
from gamesman.model.variant import Variant

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
    """A block as it is decoded from: by codec.block.Block one position at a time, by codec.arrays.decode as a whole."""

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


def find_owner(connection: Connection, base: Base, variant: Variant, name: str | None = None) -> Owner | None:
    """The row of the variant, by another name if one is given, of this program's format and the same rules, or None."""
    owner = read_owner(connection, base, name or stored_name(variant.name))
    if owner is None or owner.fingerprint == variant.fingerprint:
        return owner
    if not variant.is_solved_by(owner.fingerprint, _start(connection, owner)):
        raise OtherRules(
            f"{variant.name} was solved with other rules: its game has changed since;"
            f" run: {solve_command(variant.name, '--restart')}"
        )
    return owner


def _start(connection: Connection, owner: Owner) -> str | None:
    """The text of the position that a stored solution begins with, if it is finished."""
    table = schema.solves
    row = connection.execute(select(table.c.summary).where(table.c.variant == owner.id)).first()
    try:
        return None if row is None else schema.read_summary(owner.name, row.summary, [])[0].position
    except ValueError:  # what is damaged is said when it is read
        return None


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
    if not all(isinstance(each, str) for each in names):
        raise damaged(base, "the name of its variant")
    if name is not None and name not in names:
        raise OtherVariant(
            f"{base.where} holds {shown_name(names[0])}, not {shown_name(name)}: it has been renamed or copied;"
            f" move it away, then run: {solve_command(shown_name(name))}"
        )
    name = names[0] if name is None else name
    _check_format(base, name, found[names.index(name)].format)
    everything = select(table)
    rows = connection.execute(everything if base.is_own else everything.where(table.c.name == name)).all()
    owner = next((Owner(*row) for row in rows if row.name == name), None)
    if owner is not None and (owner.checksum != owner_checksum(owner) or not _is_owner(owner)):
        raise damaged(base, "what it says of its variant")
    return owner


def _is_owner(owner: Owner) -> bool:
    """Whether a row has what belongs there; a checksum cannot tell the text 7 from the number."""
    return isinstance(owner.id, int) and isinstance(owner.options, str) and isinstance(owner.fingerprint, str)


def _check_format(base: Base, name: str, found: Any) -> None:
    if found in (schema.FORMAT, schema.CLASSES):
        return
    if not isinstance(found, int):
        raise damaged(base, "its format")
    age, update = ("a newer", "update gamesman, or ") if found > schema.CLASSES else ("an older", "")
    name = shown_name(name)
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
        if not isinstance(row.summary, str) or not schema.is_time(row.finished):
            raise self._fault("its summary")
        return row.summary, row.finished

    @cached_property
    def tiers(self) -> dict[int, Tier]:
        """The finished tiers, from the lowest to the highest."""
        found = {}
        for number, tier in self.each_tier():
            if tier is None:
                raise self._fault(f"tier {number}")
            found[tier.tier] = tier
        return found

    def each_tier(self) -> Iterator[tuple[Any, Tier | None]]:
        """The finished tiers with what stands in their rows, None where that cannot be believed."""
        table = schema.tiers
        mine = select(table).where(table.c.variant == self._owner.id).order_by(table.c.tier)
        for row in self._connection.execute(mine):
            fields = (row.tier, row.blocks, row.positions, row.dense, row.summary)
            is_sound = row.checksum == schema.checksum(self._owner.fingerprint, *fields)
            if not is_sound or not all(isinstance(field, int) for field in fields[:4]):
                yield row.tier, None
                continue
            try:
                tier = schema.read_tier(row.tier, row.summary)
            except ValueError:
                yield row.tier, None
                continue
            yield row.tier, Tier(row.tier, row.blocks, row.positions, bool(row.dense), tier)

    def summary(self) -> Summary:
        """The summary of a solved variant. Raises NotSolved."""
        solved, name = self.solved(), shown_name(self._owner.name)
        if solved is None:
            raise NotSolved(f"{name} is not solved; run: {solve_command(name)}")
        # From the start of a game to its end, as they are reached.
        tiers = [tier.summary for tier in reversed(self.tiers.values())]
        try:
            summary, expected = schema.read_summary(name, solved[0], tiers)
        except ValueError as error:
            raise self._fault("its summary") from error
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
        content = content_checksum(row.packed_keys, row.packed_records)
        if content is None or row.content != content:
            raise self._fault(f"a block of tier {row.tier}")

    def _check_head(self, row: Any) -> None:
        checksum = head_checksum(self._seed, *row[: len(HEAD) - 1])
        if checksum is None or row.checksum != checksum:
            raise self._fault(f"a block of tier {row.tier}")

    def _fault(self, what: str) -> GamesmanError:
        """What is said of rows that are wrong or missing."""
        if not self._base.is_own:
            variants = schema.variants.c
            mine = select(variants.id).where(variants.id == self._owner.id)
            if self._connection.execute(mine).first() is None:
                name = shown_name(self._owner.name)
                return NotSolved(f"{name} has just been deleted; run: {solve_command(name)}")
        return damaged(self._base, what)

    def _opened(self, row: Any) -> Raw:
        slots = row.positions if row.packed_keys is not None else row.last - row.first + 1
        is_sound = row.first >= 0 and 0 < row.positions <= LARGEST
        if not is_sound or not row.positions <= slots <= SPREAD * row.positions:
            raise self._fault(f"a block of tier {row.tier}")
        most_keys, most_records = most_bytes(row.positions, slots, row.packed_keys is not None)
        try:
            keys = None if row.packed_keys is None else self._decompress(row.packed_keys, most_keys)
            return Raw(row.first, row.last, row.positions, keys, self._decompress(row.packed_records, most_records))
        except CompressionError as error:
            raise self._fault(f"a block of tier {row.tier}") from error


_HEAD = struct.Struct("<7q")


def head_checksum(seed: int, tier: int, first: int, last: int, number: int, positions: int, content: int) -> int | None:
    """The checksum of what a block says of itself; `seed` is that of the variant's fingerprint."""
    try:
        return zlib.crc32(_HEAD.pack(seed, tier, first, last, number, positions, content))
    except struct.error:  # a damaged row may hold anything
        return None


def content_checksum(keys: bytes | None, records: bytes) -> int | None:
    try:
        return zlib.crc32(records, 0 if keys is None else zlib.crc32(keys, len(keys) + 1))
    except TypeError:
        return None


def damaged(base: Base, what: str) -> Damaged:
    return Damaged(f"{base.where} is damaged: {what}")
