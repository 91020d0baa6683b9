"""The kernel that solves a tier without cycles in one pass: each position takes the best of its children.

Children are looked up a hundred at a time, in three rounds: ask memory for their directory entries, then for their
keys and records, then compare. So a hundred cache misses wait for memory together instead of one after the other.
"""

from typing import Any

import numpy as np
from numba import njit

from gamesman.engine.native import load16, prefetch
from gamesman.engine.tables import find, first_place, look_ahead
from gamesman.values import DRAW, LOSE, MAX_REMOTENESS, REMOTENESS_BITS, TIE, UNDECIDED, WIN

# A row for each tier that can be looked up: its number, the addresses of its keys, directory and records, its size.
TIER, KEYS, DIRECTORY, RECORDS, SIZE = range(5)
BLOCK = 32

# `which` remembers the row of a tier by its last bits: a search for it would be another unpredictable loop.
WHICH_MASK = 255
TOO_FAR, TOO_MANY, MISSING = -1, -2, -3

_FLAGS = {"_nrt": False, "error_model": "numpy", "forceinline": True}


@njit(**_FLAGS)
def row_of(lower, tier):
    """The row of a tier, or -1."""
    for t in range(lower.shape[0]):
        if lower[t, TIER] == tier:
            return t
    return -1


@njit(**_FLAGS)
def score(record, same):
    """A child's record as a number that is larger the better the move to it is for its parent's player."""
    value = record >> REMOTENESS_BITS
    remoteness = (record & MAX_REMOTENESS) + 1
    # Written without branches: whether a child is won or lost is a coin toss, and a wrong guess costs more than all this.
    value ^= (WIN ^ LOSE) * ((value == WIN) | (value == LOSE)) * (1 - same)
    return value << REMOTENESS_BITS | (value == LOSE) * remoteness | (value >= TIE) * (MAX_REMOTENESS - remoteness)


@njit(**_FLAGS)
def record_of(best):
    """The record of a position whose best move has this score."""
    value = best >> REMOTENESS_BITS
    if value == LOSE or value == DRAW:
        return best
    return (value << REMOTENESS_BITS) | (MAX_REMOTENESS - (best & MAX_REMOTENESS))


def kernels(kernel: Any, functions: dict[str, Any]) -> dict[str, Any]:
    unhash, primitive, do_move, hash = (functions[name] for name in ("unhash", "primitive", "do_move", "hash"))
    generate_moves, tier, turn = (functions[name] for name in ("generate_moves", "tier", "turn"))

    def settle(rules, keys, i, end, records, lower, which, wanted, whose, best):
        """Solve keys[i:end], all of whose children are in the tiers of `lower`. Returns `end`, or what is wrong."""
        room = wanted.shape[0]
        while i < end:
            asked = 0
            first = i
            while i < end and i < first + BLOCK and asked < room // 2:
                position = unhash(rules, keys[i])
                value = primitive(rules, position)
                if value != UNDECIDED:
                    best[i - first] = -1
                    records[i] = value << REMOTENESS_BITS
                    i += 1
                    continue
                me = turn(rules, position)
                best[i - first] = 0
                for move in generate_moves(rules, position):
                    child = do_move(rules, position, move)
                    key = hash(rules, child)
                    where = tier(rules, child)
                    t = which[where & WHICH_MASK]
                    if lower[t, TIER] != where:
                        t = row_of(lower, where)
                        if t < 0:
                            return MISSING
                        which[where & WHICH_MASK] = t
                    if asked == room:
                        return TOO_MANY
                    look_ahead(lower[t, DIRECTORY], lower[t, SIZE], key)
                    wanted[asked] = key
                    whose[asked] = (i - first) << 32 | t << 1 | (turn(rules, child) == me)
                    asked += 1
                i += 1
            for a in range(asked):
                t = (whose[a] & 0xFFFFFFFF) >> 1
                place = first_place(lower[t, DIRECTORY], lower[t, SIZE], wanted[a])
                prefetch(lower[t, KEYS] + (place << 3))
                prefetch(lower[t, RECORDS] + (place << 1))
            for a in range(asked):
                t = (whose[a] & 0xFFFFFFFF) >> 1
                place = find(lower[t, KEYS], lower[t, DIRECTORY], lower[t, SIZE], wanted[a])
                if place < 0:
                    return MISSING
                record = load16(lower[t, RECORDS] + (place << 1))
                if (record & MAX_REMOTENESS) == MAX_REMOTENESS:
                    return TOO_FAR
                parent = whose[a] >> 32
                best[parent] = max(best[parent], score(record, whose[a] & 1))
            for p in range(i - first):
                if best[p] >= 0:
                    records[first + p] = record_of(best[p])
        return i

    def count(records, histogram):
        """Count the records, one by one, into a histogram."""
        for i in range(records.shape[0]):
            histogram[records[i]] += 1

    return {"settle": kernel(settle), "count": kernel(count)}
