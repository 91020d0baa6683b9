"""Which tiers of an unfinished solve are sound: a solve that goes on builds on no other."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from sqlalchemy import Connection, text

from gamesman.db.codec.arrays import decode
from gamesman.db.connection import Base
from gamesman.db.rows import Owner, Raw, Shelf, Tier, damaged
from gamesman.errors import Damaged
from gamesman.model.summary import TierSummary
from gamesman.model.symmetry import Symmetry
from gamesman.values import UNREACHED, pack


def check_file(base: Base, connection: Connection) -> None:
    """Have SQLite check its file's structure, which no checksum of ours covers. Raises Damaged."""
    if connection.dialect.name != "sqlite":
        return
    said = [str(row[0]) for row in connection.execute(text("PRAGMA integrity_check(1)"))]
    if said != ["ok"]:
        raise damaged(base, " ".join(" ".join(said).split()) or "its structure")


def sort_tiers(
    base: Base, connection: Connection, owner: Owner, symmetry: Symmetry | None
) -> tuple[dict[int, TierSummary], list[Any]]:
    """The tiers that are sound, and what stands in the others' rows as their numbers.

    With `symmetry` they hold one position of each class, and count all.
    """
    shelf = Shelf(base, connection, owner)
    sound: dict[int, TierSummary] = {}
    unsound = []
    tiers = dict(shelf.each_tier())
    shelf.tiers = {number: tier for number, tier in tiers.items() if tier is not None}
    for number, tier in tiers.items():
        if tier is not None and _is_sound(shelf, tier, symmetry):
            sound[number] = tier.summary
        else:
            unsound.append(number)
    return sound, unsound


def _is_sound(shelf: Shelf, tier: Tier, symmetry: Symmetry | None) -> bool:
    """Whether the blocks of a tier are all there, in order, and hold what its row counts."""
    if (tier.summary.kept is None) != (symmetry is None):
        return False
    if symmetry is None:
        count: Callable[[np.ndarray, np.ndarray], np.ndarray] = _counts
    else:
        from gamesman.db.images import counted as count_classes

        count = count_classes(symmetry, tier.positions)
    counted: Counter[int] = Counter()
    last, stored = -1, 0
    try:
        for raw in shelf.stream(tier.tier):
            keys, records = decode(*raw)
            if not _is_in_order(raw, keys, last):
                return False
            stored += len(keys)
            counts = count(keys, records)
            there = np.flatnonzero(counts)
            counted.update(dict(zip(there.tolist(), counts[there].tolist(), strict=True)))
            last = raw.last
    except (Damaged, ValueError):
        return False
    expected: Counter[int] = Counter()
    for value, found in tier.summary.histogram.items():
        expected.update({pack(value, remoteness): count for remoteness, count in found.items()})
    return tier.positions == stored == tier.summary.classes and UNREACHED not in counted and counted == expected


def _counts(keys: np.ndarray, records: np.ndarray) -> np.ndarray:
    return np.bincount(records)


def _is_in_order(raw: Raw, keys: np.ndarray, last: int) -> bool:
    is_described = len(keys) == raw.positions and keys[0] == raw.first > last and keys[-1] == raw.last
    return bool(is_described and np.all(keys[1:] > keys[:-1]))
