"""The rows of one variant are fetched here, and all of them are checked before anything is believed of them."""

import itertools
import struct
import zlib
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from sqlalchemy import BindParameter, Connection, bindparam, func, select

from gamesman.db import schema
from gamesman.db.codec.block import LARGEST, SPREAD, EncodedBlock, most_bytes
from gamesman.db.codec.compression import Error as CompressionError
from gamesman.db.codec.compression import decompressor
from gamesman.db.connection import Database, FindRow
from gamesman.db.location import shown_name, solve_command
from gamesman.errors import Damaged, GamesmanError, NotSolved, OtherFormat, OtherRules, OtherVariant
from gamesman.model.paths import whole_name
from gamesman.model.summary import Summary, TierSummary
from gamesman.model.variant import Variant

# Blocks fetched at a time when many are needed: about 1 MB.
PAGE = 32

# Fields of a block's row that its checksum is of.
SUMMED = 6


class VariantRow(NamedTuple):
    """Holds the fields of a variant's row."""

    id: int
    name: str
    format: int
    options: str
    fingerprint: str
    checksum: int


class TierRow(NamedTuple):
    """Holds the fields of a finished tier's row."""

    number: int
    blocks: int
    positions: int
    is_dense: bool
    summary: TierSummary


class BlockRow(NamedTuple):
    """Holds the fields of a block's row, which may be anything until they are checked."""

    tier: Any
    first: Any
    last: Any
    number: Any
    positions: Any
    content: Any
    checksum: Any
    packed_keys: Any
    packed_records: Any


def find_variant_row(
    connection: Connection, database: Database, variant: Variant, name: str | None = None
) -> VariantRow | None:
    """Return the row of a variant, or None if there is none; with `name` it is the row of that name.

    Raises OtherVariant or OtherFormat as `read_variant_row`, and OtherRules where the variant's rules were others.
    """
    row = read_variant_row(connection, database, name or whole_name(variant.name))
    if row is None or row.fingerprint == variant.fingerprint:
        return row
    if not variant.is_solved_by(row.fingerprint, _start(connection, row)):
        raise OtherRules(
            f"{variant.name} was solved with other rules: its game has changed since;"
            f" run: {solve_command(variant.name, '--restart')}"
        )
    return row


def _start(connection: Connection, row: VariantRow) -> str | None:
    """Return the text of the position that a stored solution begins with, or None where it is not finished."""
    table = schema.solves
    solve = connection.execute(select(table.c.summary).where(table.c.variant == row.id)).first()
    try:
        return None if solve is None else schema.read_summary(row.name, solve.summary, [])[0].position
    except ValueError:  # whoever reads the summary is told that it is damaged
        return None


def read_variant_row(connection: Connection, database: Database, name: str | None = None) -> VariantRow | None:
    """Return the row of the variant of a name, or of the only one where none is given; None if there is none.

    Raises OtherVariant where a file of one variant holds another, OtherFormat for a format this program cannot read.
    """
    table = schema.variants
    # Of a file with one variant every row is looked at: an index that is damaged could hide it.
    wanted = select(table.c.name, table.c.format)
    found = connection.execute(wanted if database.is_own else wanted.where(table.c.name == name)).all()
    if not found:
        if database.is_own and connection.execute(select(schema.blocks.c.id).limit(1)).first():
            raise damaged(database, "it holds no variant")
        return None  # where one has a file to itself, its solve was stopped at its very first step
    names = [row.name for row in found]
    if not all(isinstance(each, str) for each in names):
        raise damaged(database, "the name of its variant")
    if name is not None and name not in names:
        raise OtherVariant(
            f"{database.where} holds {shown_name(names[0])}, not {shown_name(name)}: it has been renamed or copied;"
            f" move it away, then run: {solve_command(shown_name(name))}"
        )
    name = names[0] if name is None else name
    _check_format(database, name, found[names.index(name)].format)
    everything = select(table)
    rows = connection.execute(everything if database.is_own else everything.where(table.c.name == name)).all()
    mine = next((VariantRow(*row) for row in rows if row.name == name), None)
    if mine is not None and (mine.checksum != variant_checksum(mine) or not _has_types(mine)):
        raise damaged(database, "what it says of its variant")
    return mine


def _has_types(row: VariantRow) -> bool:
    """Return whether the fields of a row have their types; a checksum cannot tell the text 7 from the number."""
    return isinstance(row.id, int) and isinstance(row.options, str) and isinstance(row.fingerprint, str)


def _check_format(database: Database, name: str, found: Any) -> None:
    """Raise OtherFormat for a format that this program cannot read."""
    if found in (schema.FORMAT, schema.CLASSES):
        return
    if not isinstance(found, int):
        raise damaged(database, "its format")
    age, update = ("a newer", "update gamesman, or ") if found > schema.CLASSES else ("an older", "")
    name = shown_name(name)
    raise OtherFormat(
        f"{name} in {database.where} was written by {age} gamesman:"
        f" expected format {schema.FORMAT} or {schema.CLASSES}, got {found};"
        f" {update}run: {solve_command(name, '--restart')}"
    )


def variant_checksum(row: VariantRow) -> int:
    """Return the checksum of a variant's row."""
    return schema.checksum(row.name, row.format, row.options, row.fingerprint)


class VariantRows:
    """Reads the rows of one variant over a connection, and checks each."""

    def __init__(self, database: Database, connection: Connection, variant_row: VariantRow):
        self.database = database
        self.connection = connection
        self.variant_row = variant_row
        self._decompress = decompressor()
        self._seed = schema.checksum(variant_row.fingerprint)
        blocks = schema.blocks.c
        is_mine = (blocks.variant == variant_row.id) & (blocks.tier == bindparam("tier"))
        mine = select(*(blocks[field] for field in BlockRow._fields)).where(is_mine)
        key: BindParameter[int] = bindparam("key")
        self._last_to = mine.where(blocks.first <= key).order_by(blocks.first.desc()).limit(1)
        self._after = mine.where(blocks.first > key).order_by(blocks.first)

    @cached_property
    def _find_last_to(self) -> FindRow:
        """Return what finds the last block of a tier that does not begin after a key."""
        return self.database.row_finder(self.connection, self._last_to)

    @cached_property
    def _find_after(self) -> FindRow:
        """Return what finds the first block of a tier that begins after a key."""
        return self.database.row_finder(self.connection, self._after.limit(1))

    def solved(self) -> tuple[str, str] | None:
        """Return the text of the summary and when it was finished, or None where the variant is not solved."""
        table = schema.solves
        row = self.connection.execute(select(table).where(table.c.variant == self.variant_row.id)).first()
        if row is None:
            return None
        if row.checksum != schema.checksum(self.variant_row.fingerprint, row.summary, row.finished):
            raise self._error("its summary")
        if not isinstance(row.summary, str) or not schema.is_time(row.finished):
            raise self._error("its summary")
        return row.summary, row.finished

    @cached_property
    def tiers(self) -> dict[int, TierRow]:
        """Return the rows of the finished tiers by their numbers, from the lowest to the highest. Raises Damaged."""
        found = {}
        for number, tier in self.each_tier():
            if tier is None:
                raise self._error(f"tier {number}")
            found[tier.number] = tier
        return found

    def each_tier(self) -> Iterator[tuple[Any, TierRow | None]]:
        """Yield what stands in the row of each tier as its number, and the row, or None where it is damaged."""
        table = schema.tiers
        mine = select(table).where(table.c.variant == self.variant_row.id).order_by(table.c.tier)
        for row in self.connection.execute(mine):
            fields = (row.tier, row.blocks, row.positions, row.dense, row.summary)
            is_sound = row.checksum == schema.checksum(self.variant_row.fingerprint, *fields)
            if not is_sound or not all(isinstance(field, int) for field in fields[:4]):
                yield row.tier, None
                continue
            try:
                tier = schema.read_tier(row.tier, row.summary)
            except ValueError:
                yield row.tier, None
                continue
            yield row.tier, TierRow(row.tier, row.blocks, row.positions, bool(row.dense), tier)

    def summary(self) -> Summary:
        """Return the summary of a solved variant. Raises NotSolved."""
        solved, name = self.solved(), shown_name(self.variant_row.name)
        if solved is None:
            raise NotSolved(f"{name} is not solved; run: {solve_command(name)}")
        # From the start of a game to its end, as they are reached.
        tiers = [tier.summary for tier in reversed(self.tiers.values())]
        try:
            summary, expected = schema.read_summary(name, solved[0], tiers)
        except ValueError as error:
            raise self._error("its summary") from error
        if len(tiers) != expected:
            raise self._error(f"expected {expected} tiers, got {len(tiers)}")
        return summary

    def find(self, tier: int, key: int) -> EncodedBlock | None:
        """Return the block whose range has the key, or None if it is certain that there is none."""
        before = self._one(self._find_last_to, tier, key)
        if before is not None and key <= before.last:
            return self._unpack(before)
        if tier not in self.tiers:
            # A solved variant has all its tiers: their number is in its checked summary.
            self.summary()
            return None
        after = self._one(self._find_after, tier, key)
        number = -1 if before is None else before.number
        following = self.tiers[tier].blocks if after is None else after.number
        if following != number + 1:
            raise self._error(f"tier {tier}: blocks are missing")
        return None

    def blocks(self, tier: TierRow) -> Iterator[EncodedBlock]:
        """Yield all blocks of a finished tier in ascending order of their keys."""
        number, key = 0, -1
        page = self._after.limit(PAGE)
        while rows := self.connection.execute(page, {"tier": tier.number, "key": key}).all():
            for row in itertools.starmap(BlockRow, rows):
                self._check(row)
                if row.number != number:
                    raise self._error(f"tier {tier.number}: blocks are missing")
                yield self._unpack(row)
                number, key = number + 1, row.first
        if number != tier.blocks:
            raise self._error(f"tier {tier.number}: blocks are missing")

    def count_blocks(self) -> int:
        """Return how many blocks there are, whatever tiers they say that they are of."""
        blocks = schema.blocks.c
        query = select(func.count()).where(blocks.variant == self.variant_row.id)
        return int(self.connection.execute(query).scalar_one())

    def _one(self, find: FindRow, tier: int, key: int) -> BlockRow | None:
        """Return the block's row that is found, or None."""
        found = find({"tier": tier, "key": key})
        if found is None:
            return None
        row = BlockRow._make(found)
        self._check(row)
        return row

    def _check(self, row: BlockRow) -> None:
        """Compare the checksums of a block's row. Raises Damaged."""
        checksum = head_checksum(self._seed, *row[:SUMMED])
        content = content_checksum(row.packed_keys, row.packed_records)
        if checksum is None or row.checksum != checksum or content is None or row.content != content:
            raise self._error(f"a block of tier {row.tier}")

    def _error(self, what: str) -> GamesmanError:
        """Return the error of rows that are wrong or missing: they are damaged, or have been deleted meanwhile."""
        if not self.database.is_own:
            variants = schema.variants.c
            mine = select(variants.id).where(variants.id == self.variant_row.id)
            if self.connection.execute(mine).first() is None:
                name = shown_name(self.variant_row.name)
                return NotSolved(f"{name} has just been deleted; run: {solve_command(name)}")
        return damaged(self.database, what)

    def _unpack(self, row: BlockRow) -> EncodedBlock:
        """Decompress a block, whose checksums are right. Raises Damaged where it cannot be one all the same."""
        slots = row.positions if row.packed_keys is not None else row.last - row.first + 1
        is_sound = row.first >= 0 and 0 < row.positions <= LARGEST
        if not is_sound or not row.positions <= slots <= SPREAD * row.positions:
            raise self._error(f"a block of tier {row.tier}")
        most_keys, most_records = most_bytes(row.positions, slots, row.packed_keys is not None)
        try:
            keys = None if row.packed_keys is None else self._decompress(row.packed_keys, most_keys)
            records = self._decompress(row.packed_records, most_records)
            return EncodedBlock(row.first, row.last, row.positions, keys, records)
        except CompressionError as error:
            raise self._error(f"a block of tier {row.tier}") from error


_HEAD = struct.Struct("<7q")


def head_checksum(seed: int, tier: int, first: int, last: int, number: int, positions: int, content: int) -> int | None:
    """Return the checksum of what a block's row says of the block, or None where it holds other than numbers.

    `seed` is the checksum of the variant's fingerprint.
    """
    try:
        return zlib.crc32(_HEAD.pack(seed, tier, first, last, number, positions, content))
    except struct.error:  # a damaged row may hold anything
        return None


def content_checksum(keys: bytes | None, records: bytes) -> int | None:
    """Return the checksum of a block's compressed bytes, or None where they are no bytes."""
    try:
        return zlib.crc32(records, 0 if keys is None else zlib.crc32(keys, len(keys) + 1))
    except TypeError:
        return None


def damaged(database: Database, what: str) -> Damaged:
    """Return the error that says what in a database is damaged."""
    return Damaged(f"{database.where} is damaged: {what}")
