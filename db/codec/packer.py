"""Positions that come from the solver are packed into rows of the table of blocks."""

from typing import Any

import numpy as np

from gamesman.db.codec.arrays import encode
from gamesman.db.codec.block import BLOCK
from gamesman.db.codec.compression import HIGH_LEVEL, LEVEL, compressor
from gamesman.db.rows import content_checksum, head_checksum
from gamesman.db.schema import checksum
from gamesman.model.ports import Part
from gamesman.model.summary import TierSummary
from gamesman.values import UNREACHED

# Where each position stands for so many, there are few enough to take more time over each.
FEW_ENOUGH = 4


class Packer:
    """Cuts the positions of tiers into blocks. Where it cuts depends on the positions alone, not on how they come."""

    def __init__(self, order: int = 1):
        """Each position stands for up to `order`."""
        self.bytes = 0  # compressed, of the rows that wait to be taken
        self._compress = compressor(LEVEL if order < FEW_ENOUGH else HIGH_LEVEL)
        self._rows: list[dict[str, Any]] = []
        self._waiting: list[tuple[np.ndarray, np.ndarray]] = []
        self._tier: int | None = None
        self._last = -1
        self._count = 0  # of the positions that wait
        self._begin_tier()

    def add(self, tier: int, part: Part) -> None:
        """Take the next positions of a tier. Raises ValueError if they are not of one tier with ascending keys."""
        keys, records = part.keys, part.records
        if keys is None:
            self._is_dense = True
            reached = np.flatnonzero(records != UNREACHED)
            keys, records = reached + part.first, records[reached]
        if not len(keys):
            return
        if self._tier not in (None, tier):
            raise ValueError(f"expected keys of tier {self._tier}, got some of {tier}: finish one before the next")
        if keys[0] <= self._last or np.any(keys[1:] <= keys[:-1]):
            raise ValueError(f"expected ascending keys in tier {tier}")
        self._tier, self._last = tier, int(keys[-1])
        self._waiting.append((keys, records))
        self._count += len(keys)
        if self._count >= BLOCK:
            self._cut(self._count // BLOCK * BLOCK)

    def finish(self, tier: TierSummary) -> dict[str, int]:
        """End the tier; return fields of its row. Raises ValueError if it is not what the solver has counted."""
        if self._count:
            self._cut(self._count)
        if self._tier not in (None, tier.number) or self._positions != tier.classes:
            raise ValueError(f"expected {tier.classes} positions in tier {tier.number}, got {self._positions}")
        found = {"blocks": self._blocks, "positions": self._positions, "dense": int(self._is_dense)}
        self._begin_tier()
        return found

    def take(self, variant: int, fingerprint: str) -> list[dict[str, Any]]:
        """Return the rows packed since the last call, and forget them; they belong to the variant whose id is given."""
        rows, self._rows, self.bytes = self._rows, [], 0
        seed = checksum(fingerprint)
        for row in rows:
            head = (row["tier"], row["first"], row["last"], row["number"], row["positions"], row["content"])
            row["variant"], row["checksum"] = variant, head_checksum(seed, *head)
        return rows

    def _begin_tier(self) -> None:
        """Be ready for a tier, whichever it is."""
        self._tier = None
        self._last = -1
        self._is_dense = False
        self._blocks = self._positions = self._count = 0
        self._waiting = []

    def _cut(self, count: int) -> None:
        """Pack the first `count` of the positions that wait."""
        if len(self._waiting) == 1:
            keys, records = self._waiting[0]
        else:
            keys = np.concatenate([keys for keys, _ in self._waiting])
            records = np.concatenate([records for _, records in self._waiting])
        for begin in range(0, count, BLOCK):
            self._pack(keys[begin : min(begin + BLOCK, count)], records[begin : min(begin + BLOCK, count)])
        self._count -= count
        self._waiting = [(keys[count:], records[count:])] if self._count else []

    def _pack(self, keys: np.ndarray, records: np.ndarray) -> None:
        """Pack positions into one row."""
        raw_keys, raw_records = encode(keys, records)
        packed_keys = None if raw_keys is None else self._compress(raw_keys)
        packed_records = self._compress(raw_records)
        self._rows.append(
            {
                "tier": self._tier,
                "first": int(keys[0]),
                "last": int(keys[-1]),
                "number": self._blocks,
                "positions": len(keys),
                "content": content_checksum(packed_keys, packed_records),
                "packed_keys": packed_keys,
                "packed_records": packed_records,
            }
        )
        self.bytes += len(packed_records) + len(packed_keys or b"")
        self._blocks += 1
        self._positions += len(keys)
