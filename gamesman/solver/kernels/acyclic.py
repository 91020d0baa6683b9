"""The kernel made here solves a tier without cycles in one pass: each position takes the best of its children.

Children are looked up a hundred at a time, in three rounds: ask memory for their directory entries, then for their
keys and records, then compare. So a hundred cache misses wait for memory together instead of one after the other.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from gamesman.compiler.inlining import INLINED
from gamesman.compiler.native import index, load16, prefetch
from gamesman.solver.kernels.hashing import entry, find_from, first_place, home
from gamesman.values import DRAW, LOSE, MAX_REMOTENESS, REMOTENESS_BITS, TIE, UNDECIDED, UNREACHED, WIN

# A row for each tier that can be looked up: its number, the addresses of its keys, directory and records, its size.
TIER, KEYS, DIRECTORY, RECORDS, SIZE = range(5)
NO_ROWS = np.full((1, 5), np.iinfo(np.int64).min, np.int64)

BLOCK = 32
TOO_FAR, TOO_MANY, MISSING = -1, -2, -3
MOST_MOVES = 4096

# The row of a tier is remembered by its last bits: a search for it would be one more loop of unpredictable length.
ROW_MASK = 255


class Scratch(NamedTuple):
    """Has room for the positions a kernel is busy with; each thread has its own."""

    keys: Any  # of the children looked up, or of the parents
    whose: Any  # child: the number of its parent in the block, its row, whether the player stays
    places: Any
    best: Any  # score of each position of the block
    inner: Any  # how many of its moves stay in the tier
    rows: Any  # see ROW_MASK


def new_scratch() -> Scratch:
    """Return the room for one thread."""
    sizes = (MOST_MOVES, MOST_MOVES, MOST_MOVES, BLOCK, BLOCK, ROW_MASK + 1)
    return Scratch(*(np.zeros(size, np.int64) for size in sizes))


@njit(**INLINED)
def row_of(lower, tier):
    """Return the row of a tier, or -1."""
    for t in range(lower.shape[0]):
        if lower[t, TIER] == tier:
            return t
    return -1


@njit(**INLINED)
def score(record, same):
    """Return a child's record as a number that is larger the better the move to it is for its parent's player."""
    value = record >> REMOTENESS_BITS
    remoteness = (record & MAX_REMOTENESS) + 1
    # Without branches: whether a child is won or lost is a coin toss, and a wrong guess costs more than all this.
    value ^= (WIN ^ LOSE) * ((value == WIN) | (value == LOSE)) * (1 - same)
    return value << REMOTENESS_BITS | (value == LOSE) * remoteness | (value >= TIE) * (MAX_REMOTENESS - remoteness)


@njit(**INLINED)
def record_of(best):
    """Return the record of a position whose best move has this score."""
    value = best >> REMOTENESS_BITS
    if value == LOSE or value == DRAW:
        return best
    return (value << REMOTENESS_BITS) | (MAX_REMOTENESS - (best & MAX_REMOTENESS))


@njit(**INLINED)
def ask(lower, tier, key, parent, same, scratch, asked):
    """Queue a child for look-up. Returns how many are queued now, or a negative number for what is wrong."""
    row = index(scratch.rows[tier & ROW_MASK])
    if row >= lower.shape[0] or lower[row, TIER] != tier:
        found = row_of(lower, tier)
        if found < 0:
            return MISSING
        scratch.rows[tier & ROW_MASK] = found
        row = index(found)
    if asked == scratch.keys.shape[0]:
        return TOO_MANY
    slot = home(key, lower[row, SIZE])
    prefetch(entry(lower[row, DIRECTORY], slot))
    scratch.keys[index(asked)] = key
    scratch.whose[index(asked)] = parent << 32 | np.int64(row) << 1 | same
    scratch.places[index(asked)] = slot
    return asked + 1


@njit(**INLINED)
def answer(lower, scratch, asked):
    """Look up the children queued, and raise their parents' best scores. Returns 0, or what is wrong."""
    for a in range(asked):
        row = (scratch.whose[a] & 0xFFFFFFFF) >> 1
        place = first_place(lower[row, DIRECTORY], scratch.places[a])
        prefetch(lower[row, KEYS] + (place << 3))
        prefetch(lower[row, RECORDS] + (place << 1))
        scratch.places[a] = place
    farthest = 0
    for a in range(asked):
        whose = scratch.whose[a]
        row = (whose & 0xFFFFFFFF) >> 1
        place = find_from(lower[row, KEYS], lower[row, DIRECTORY], lower[row, SIZE], scratch.places[a], scratch.keys[a])
        if place < 0:
            return MISSING
        record = load16(lower[row, RECORDS] + (place << 1))
        farthest = max(farthest, record & MAX_REMOTENESS)
        parent = index(whose >> 32)
        scratch.best[parent] = max(scratch.best[parent], score(record, whose & 1))
    return TOO_FAR if farthest == MAX_REMOTENESS else 0


def kernels(kernel: Any, functions: dict[str, Any]) -> dict[str, Any]:
    """Return the compiled kernels that solve a tier without cycles and count records."""
    unhash, primitive, do_move, hash = (functions[name] for name in ("unhash", "primitive", "do_move", "hash"))
    generate_moves, tier, turn = (functions[name] for name in ("generate_moves", "tier", "turn"))
    least, size = functions["least"], functions["size"]

    def settle(rules, keys, i, end, records, lower, scratch):
        """Solve keys[i:end], all of whose children are in the tiers of `lower`. Returns 0, or what is wrong."""
        best = scratch.best
        while i < end:
            asked = 0
            first = i
            while i < end and i < first + BLOCK and asked < MOST_MOVES // 2:
                position = unhash(rules, keys[i])
                value = primitive(rules, position)
                best[i - first] = -1
                if value != UNDECIDED:
                    records[i] = value << REMOTENESS_BITS
                else:
                    me = turn(rules, position)
                    for move in generate_moves(rules, position):
                        child = do_move(rules, position, move)
                        same = turn(rules, child) == me
                        key = hash(rules, least(rules, child))
                        asked = ask(lower, tier(rules, child), key, i - first, same, scratch, asked)
                        if asked < 0:
                            return asked
                i += 1
            wrong = answer(lower, scratch, asked)
            if wrong:
                return wrong
            for p in range(i - first):
                if best[p] >= 0:
                    records[first + p] = record_of(best[p])
        return 0

    def count(records, histogram):
        """Count the records in a histogram."""
        for i in range(records.shape[0]):
            histogram[records[i]] += 1

    def weigh(rules, first, keys, records, histogram):
        """Count each record as often as its class has positions; without keys they are those from `first` on."""
        for i in range(records.shape[0]):
            if records[i] != UNREACHED:
                key = keys[i] if keys.shape[0] else first + i
                histogram[records[i]] += size(rules, unhash(rules, key))

    return {"settle": kernel(settle), "count": kernel(count), "weigh": kernel(weigh)}
