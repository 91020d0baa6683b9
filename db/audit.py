"""What is stored of a solved variant is read with more distrust than reading it needs: its structure, row by row.

Every read compares checksums. They tell damage, but not a wrong program: here the rows must also agree with each other,
and both ways of reading a block, for single positions and for all of them, must find the same.
"""

import json
from collections.abc import Iterator

import numpy as np

from gamesman.db.codec.arrays import decode
from gamesman.db.codec.block import KEYS_HEAD, STRIDE, Block, EncodedBlock
from gamesman.db.kept import check_file, is_ascending
from gamesman.db.rows import VariantRows, damaged
from gamesman.model.ports import Positions
from gamesman.model.variant import Variant


def check_rows(rows: VariantRows, variant: Variant) -> None:
    """Check what is said of the variant and its tiers. Raises Damaged."""
    database = rows.database
    check_file(database, rows.connection)
    said = rows.variant_row.options
    expected = {kind.name: getattr(variant.options, kind.name) for kind in variant.game.options}
    try:
        options = json.loads(said)
    except (ValueError, RecursionError):
        options = None
    if options != json.loads(json.dumps(expected)):
        raise damaged(database, f"its options are {said}, those of its name {json.dumps(expected)}")
    counted, blocks = rows.count_blocks(), sum(tier.blocks for tier in rows.tiers.values())
    if counted != blocks:
        raise damaged(database, f"expected {blocks} blocks in its tiers, got {counted}")
    for tier in rows.tiers.values():
        if tier.positions != tier.summary.classes or not tier.positions:
            what = f"{tier.positions} positions, counted by value and remoteness {tier.summary.classes}"
            raise damaged(database, f"tier {tier.number} has {what}")


def checked_positions(rows: VariantRows, number: int) -> Iterator[Positions]:
    """Yield what is stored of a tier, each block checked. Raises Damaged."""
    tier = rows.tiers[number]
    last, positions = -1, 0
    for block in rows.blocks(tier):
        try:
            keys, records = decode(block)
        except ValueError as error:
            raise damaged(rows.database, f"a block of tier {number}") from error
        if not is_ascending(keys, last) or not _is_sound(block, keys):
            raise damaged(rows.database, f"the block of tier {number} from key {block.first} on is not in order")
        last = block.last
        positions += len(keys)
        if positions > tier.positions:
            break
        yield Positions(number, keys, records)
    if positions != tier.positions:
        raise damaged(rows.database, f"expected {tier.positions} positions in tier {number}, got {positions}")


def _is_sound(block: EncodedBlock, keys: np.ndarray) -> bool:
    """Return whether a look-up of a single key finds in a block what is found by reading all keys of it."""
    try:
        Block(block)
    except ValueError:
        return False
    if block.keys is None:
        return True
    width, escapes = KEYS_HEAD.unpack_from(block.keys)
    anchors = np.frombuffer(block.keys, "<u8", -(-block.positions // STRIDE), KEYS_HEAD.size)
    escaped = np.frombuffer(block.keys, "<u2", escapes, KEYS_HEAD.size + 8 * len(anchors) + width * block.positions)
    return bool(np.array_equal(anchors, keys[::STRIDE] - keys[0]) and np.all(escaped[1:] > escaped[:-1]))
