"""The tiers of an unfinished solve are checked before it goes on, which keeps none but sound ones."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from sqlalchemy import Connection, text

from gamesman.db.codec.arrays import decode
from gamesman.db.connection import Database
from gamesman.db.images import counter
from gamesman.db.rows import TierRow, VariantRows, damaged
from gamesman.errors import Damaged
from gamesman.model.ports import CompileImages
from gamesman.model.summary import TierSummary
from gamesman.model.symmetry import Symmetry
from gamesman.values import UNREACHED, pack


def check_file(database: Database, connection: Connection) -> None:
    """Let SQLite check the structure of its file, which no checksum of ours covers. Raises Damaged."""
    if connection.dialect.name != "sqlite":
        return
    said = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check(1)"))]
    if said != ["ok"]:
        raise damaged(database, " ".join(" ".join(said).split()) or "its structure")


def check_tiers(
    rows: VariantRows, symmetry: Symmetry | None, compiled: CompileImages | None
) -> tuple[dict[int, TierSummary], list[Any]]:
    """Check all tiers; return those that are sound, and what stands in the rows of the others as their numbers.

    With `symmetry` a tier holds one position of each class, and its summary counts all positions.
    """
    sound: dict[int, TierSummary] = {}
    unsound = []
    for number, tier in list(rows.each_tier()):
        if tier is not None and _is_sound(rows, tier, symmetry, compiled):
            sound[number] = tier.summary
        else:
            unsound.append(number)
    return sound, unsound


def _is_sound(rows: VariantRows, tier: TierRow, symmetry: Symmetry | None, compiled: CompileImages | None) -> bool:
    """Return whether the blocks of a tier are all there, in order, and hold what its row counts."""
    if (tier.summary.kept is None) != (symmetry is None):
        return False
    if symmetry is None:
        count: Callable[[np.ndarray, np.ndarray], np.ndarray] = _counts
    else:
        count = counter(symmetry, tier.positions, compiled)
    counted: Counter[int] = Counter()
    last, stored = -1, 0
    try:
        for block in rows.blocks(tier):
            keys, records = decode(block)
            if not is_ascending(keys, last):
                return False
            stored += len(keys)
            counts = count(keys, records)
            there = np.flatnonzero(counts)
            counted.update(dict(zip(there.tolist(), counts[there].tolist(), strict=True)))
            last = block.last
    except (Damaged, ValueError):
        return False
    expected: Counter[int] = Counter()
    for value, found in tier.summary.histogram.items():
        expected.update({pack(value, remoteness): count for remoteness, count in found.items()})
    return tier.positions == stored == tier.summary.classes and UNREACHED not in counted and counted == expected


def _counts(keys: np.ndarray, records: np.ndarray) -> np.ndarray:
    """Return how many positions have each record."""
    return np.bincount(records)


def is_ascending(keys: np.ndarray, last: int) -> bool:
    """Return whether each key is larger than the one before it, and the first one larger than `last`."""
    return bool(keys[0] > last and np.all(keys[1:] > keys[:-1]))
