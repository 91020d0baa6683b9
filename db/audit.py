"""What is stored of a solved variant, read with more distrust than reading it needs: its structure, row by row.

Every read compares checksums. They tell damage, but not a wrong program: here the rows must also agree with each other,
and both ways of reading a block, for single positions and for all of them, must find the same.
"""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from gamesman.db import schema
from gamesman.db.codec.block import KEYS_HEAD, STRIDE, Block
from gamesman.db.connection import meaning
from gamesman.db.kept import check_file
from gamesman.db.reader import Stored
from gamesman.db.rows import Raw, damaged

if TYPE_CHECKING:
    import numpy as np


def check_rows(stored: Stored) -> None:
    """Check what is said of the variant and its tiers. Raises Damaged."""
    base, shelf = stored._base, stored._shelf
    with stored._lock, meaning(base, stored.variant.name):
        check_file(base, stored._connection)
        owner = shelf._owner
        expected = {kind.name: getattr(stored.variant.options, kind.name) for kind in stored.variant.game.options}
        try:
            options = json.loads(owner.options)
        except (ValueError, RecursionError):
            options = None
        if options != json.loads(json.dumps(expected)):
            raise damaged(base, f"its options are {owner.options}, those of its name {json.dumps(expected)}")
        blocks = schema.blocks.c
        rows = stored._connection.execute(select(func.count()).where(blocks.variant == owner.id)).scalar()
        counted = sum(tier.blocks for tier in shelf.tiers.values())
        if rows != counted:
            raise damaged(base, f"expected {counted} blocks in its tiers, got {rows}")
        for tier in shelf.tiers.values():
            if tier.positions != tier.summary.classes or not tier.positions:
                what = f"{tier.positions} positions, counted by value and remoteness {tier.summary.classes}"
                raise damaged(base, f"tier {tier.tier} has {what}")


def parts(stored: Stored, tier: int) -> Iterator[tuple[int, "np.ndarray", "np.ndarray"]]:
    """All positions of a tier as Stored.parts gives them, each block checked. Raises Damaged."""
    if tier not in stored.tiers:
        return
    expected = stored._shelf.tiers[tier].positions
    last, positions = -1, 0
    for raw in stored._raws(tier):
        keys, records = stored._decoded(tier, raw)
        if raw.first <= last or not _is_sound(raw, keys):
            with meaning(stored._base, stored.variant.name):
                raise damaged(stored._base, f"the block of tier {tier} from key {raw.first} on is not in order")
        last = raw.last
        positions += len(keys)
        if positions > expected:
            break
        yield tier, keys, records
    if positions != expected:
        with meaning(stored._base, stored.variant.name):
            raise damaged(stored._base, f"expected {expected} positions in tier {tier}, got {positions}")


def _is_sound(raw: Raw, keys: "np.ndarray") -> bool:
    """Whether a block's keys are what its row says, in order, and the same for whoever looks up one of them."""
    import numpy as np

    if len(keys) != raw.positions or keys[0] != raw.first or keys[-1] != raw.last or np.any(keys[1:] <= keys[:-1]):
        return False
    try:
        Block(*raw)
    except ValueError:
        return False
    if raw.keys is None:
        return True
    width, escapes = KEYS_HEAD.unpack_from(raw.keys)
    anchors = np.frombuffer(raw.keys, "<u8", -(-raw.positions // STRIDE), KEYS_HEAD.size)
    escaped = np.frombuffer(raw.keys, "<u2", escapes, KEYS_HEAD.size + 8 * len(anchors) + width * raw.positions)
    return bool(np.array_equal(anchors, keys[::STRIDE] - keys[0]) and np.all(escaped[1:] > escaped[:-1]))
