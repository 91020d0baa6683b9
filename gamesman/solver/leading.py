"""A position with a move to a key that something is wrong with is found here, by expanding once more."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from gamesman.model import culprit
from gamesman.solver.kernels import hashing
from gamesman.solver.kernels.acyclic import ROW_MASK

RUN_TARGETS = 1 << 10  # tiers that the children of a run can be in
KEYS_PER_BUCKET = 16  # keys of a run that a shard of each has room for
POSITIONS_PER_RUN = 512


def leading_to(expand: Any, rules: Any, tiers: Iterable[tuple[int, np.ndarray]], key: int) -> int | None:
    """Return the key of a position in one of some tiers with a move to the position of another key, or None."""
    buckets = np.empty((RUN_TARGETS, hashing.SHARDS, KEYS_PER_BUCKET), np.int64)
    shard = hashing.shard_of(key)

    def leads(keys: np.ndarray, number: int, begin: int, end: int) -> bool:
        while begin < end:
            buckets[:, shard] = -1
            filled, which = np.zeros((RUN_TARGETS, hashing.SHARDS), np.int64), np.zeros(ROW_MASK + 1, np.int64)
            met, tally = np.zeros(RUN_TARGETS + 1, np.int64), np.zeros(4, np.int64)
            after = expand(rules, keys, begin, end, number, met, which, buckets, filled, tally)
            if (buckets[:, shard] == key).any():
                return True
            # A position with which something is wrong, or whose children find no room, is passed over.
            begin = after if after > begin else (~after if after < 0 else begin) + 1
        return False

    for number, keys in tiers:
        for begin in range(0, len(keys), POSITIONS_PER_RUN):
            end = min(begin + POSITIONS_PER_RUN, len(keys))
            if leads(keys, number, begin, end):
                found = culprit.first(lambda a, b, keys=keys, number=number: leads(keys, number, a, b), begin, end)
                return int(keys[found])
    return None
