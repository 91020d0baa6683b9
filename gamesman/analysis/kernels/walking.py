"""Kernels walk over solved positions: they judge moves by the records of where these lead, and match positions.

They are written for compiled code and run interpreted as well: `kernels` is given a game's functions in either form.
What they need of the database comes in arrays, so they know nothing of how it is stored.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gamesman.analysis.kernels.finding import number_met, place_listed
from gamesman.values import DRAW, LOSE, MAX_REMOTENESS, REMOTENESS_BITS, UNREACHED, WIN

# Places of a tier are looked through in chunks of 512.
CHUNK_BITS = 9

# Where `judge` counts, after the four values, the positions that have a single move.
SINGLE = 4

# What `judge` returns where a position has more moves than there are bits for.
NARROW = -2


def walk_kernels(kernel: Callable[[Any], Any], functions: dict[str, Any]) -> dict[str, Any]:
    unhash, hash, do_move = (functions[name] for name in ("unhash", "hash", "do_move"))
    generate_moves, turn, tier = (functions[name] for name in ("generate_moves", "turn", "tier"))
    least, size, number_of = functions["least"], functions["size"], functions["inline"](number_met)

    def children(
        rules: Any,
        keys: np.ndarray,
        records: np.ndarray,
        i: int,
        tiers: np.ndarray,
        wanted: np.ndarray,
        which: np.ndarray,
        whose: np.ndarray,
        sizes: np.ndarray,
        turns: np.ndarray,
    ) -> tuple[int, int]:
        """Write down where the moves of keys[i:] lead: key, number among `tiers`, parent less i and who moves there.

        `tiers` holds how many tiers were met and then the tiers; `sizes` gets how many positions each of the keys
        stands for; `turns` counts positions by player and value, but for those that are over, which are nobody's
        turn. Returns the next index to go on from, and how many children there are. It stops before a position whose
        children find no room.
        """
        first = i
        n = 0
        room = wanted.shape[0]
        tiers[0] = 0
        while i < keys.shape[0]:
            position = unhash(rules, int(keys[i]))
            me = turn(rules, position)
            value = int(records[i]) >> REMOTENESS_BITS
            begin = n
            sizes[i] = size(rules, position)
            if value == DRAW or (records[i] & MAX_REMOTENESS) != 0:
                for move in generate_moves(rules, position):
                    child = least(rules, do_move(rules, position, move))
                    where = tier(rules, child)
                    t = -1 if n == room else number_of(tiers, where)
                    if t < 0:
                        return i, begin
                    wanted[n] = hash(rules, child)
                    which[n] = t
                    whose[n] = (i - first) << 1 | (turn(rules, child) == me)
                    n += 1
                turns[me, value] += sizes[i]
            i += 1
        return i, n

    return {"children": kernel(children)}


def find_kernels(kernel: Callable[[Any], Any], functions: dict[str, Any]) -> dict[str, Any]:
    """Make the kernels that look children up in a loaded tier, and judge positions by what was found.

    Where the tier's `reached` has room what is found is noted there, and in `dirty` its chunk where that is news.
    """
    place_of = functions["inline"](place_listed)

    def find_dense(loaded: Any, t: int, n: int, wanted: np.ndarray, which: np.ndarray, found: np.ndarray) -> None:
        """Look up the records of the n children in tier number t, which has a place for every key from `first` on."""
        first, records, reached, dirty = loaded.first, loaded.records, loaded.reached, loaded.dirty
        for i in range(n):
            if which[i] == t:
                place = wanted[i] - first
                found[i] = records[place] if 0 <= place < records.shape[0] else UNREACHED
                if reached.shape[0] and found[i] != UNREACHED and not reached[place]:
                    reached[place] = 1
                    dirty[place >> CHUNK_BITS] = 1

    def find_sparse(
        loaded: Any, shift: int, t: int, n: int, wanted: np.ndarray, which: np.ndarray, found: np.ndarray
    ) -> None:
        """Look up the same where the tier's keys are listed, with a directory as `place_listed` has it."""
        keys, records, directory = loaded.keys, loaded.records, loaded.directory
        reached, dirty = loaded.reached, loaded.dirty
        for i in range(n):
            if which[i] == t:
                place = place_of(keys, directory, shift, wanted[i])
                found[i] = records[place] if place >= 0 else UNREACHED
                if place >= 0 and reached.shape[0] and not reached[place]:
                    reached[place] = 1
                    dirty[place >> CHUNK_BITS] = 1

    def judge(
        whose: np.ndarray,
        found: np.ndarray,
        n: int,
        records: np.ndarray,
        sizes: np.ndarray,
        tally: np.ndarray,
        best: np.ndarray,
    ) -> int:
        """Count the positions of which exactly one move keeps the value, by value. Returns a child not found, or -1.

        Sets bit i of a position's row of `best` where its i-th move is a best one; returns NARROW where that is too
        short, and then nothing counts. Without columns `best` is left alone.
        """
        width = 64 * best.shape[1]
        if width:
            i = 0
            begin = 0
            for k in range(n):
                if whose[k] >> 1 != i:
                    i = whose[k] >> 1
                    begin = k
                if k - begin >= width:
                    return NARROW
        i = 0
        while i < n:
            parent = whose[i] >> 1
            value = int(records[parent]) >> REMOTENESS_BITS
            remoteness = int(records[parent]) & MAX_REMOTENESS
            begin = i
            keep = 0
            while i < n and whose[i] >> 1 == parent:
                if found[i] == UNREACHED:
                    return i
                own = int(found[i]) >> REMOTENESS_BITS
                if not whose[i] & 1 and (own == WIN or own == LOSE):
                    own = WIN + LOSE - own
                keep += own == value
                if width and own == value and (own == DRAW or int(found[i]) & MAX_REMOTENESS == remoteness - 1):
                    best[parent, (i - begin) >> 6] |= np.uint64(1) << np.uint64((i - begin) & 63)
                i += 1
            tally[value] += sizes[parent] * (keep == 1)
            tally[SINGLE] += sizes[parent] * (i == begin + 1)
        return -1

    return {"find_dense": kernel(find_dense), "find_sparse": kernel(find_sparse), "judge": kernel(judge)}


def match_kernels(kernel: Callable[[Any], Any], functions: dict[str, Any]) -> dict[str, Any]:
    """Make the kernels that count the positions of keys, and compare the moves of two variants.

    Each variant's functions are given its own keys only: they need not know any others.
    """
    unhash, generate_moves, size = (functions[name] for name in ("unhash", "generate_moves", "size"))

    def measure(rules: Any, keys: np.ndarray, sizes: np.ndarray) -> None:
        """Count the positions that each key stands for."""
        for i in range(keys.shape[0]):
            sizes[i] = size(rules, unhash(rules, int(keys[i])))

    def carry(
        rules: Any,
        other_rules: Any,
        keys: np.ndarray,
        other_keys: np.ndarray,
        best: np.ndarray,
        other: np.ndarray,
        sizes: np.ndarray,
        tally: np.ndarray,
    ) -> None:
        """Count the best moves of positions that go on in both variants, and those of them that are best in the other.

        Bit i of a row of `best` is set where the i-th move is a best one.
        """
        for i in range(keys.shape[0]):
            goes_on = False
            for word in range(other.shape[1]):
                goes_on |= other[i, word] != 0
            if not goes_on:
                continue
            position = unhash(rules, int(keys[i]))
            there = unhash(other_rules, int(other_keys[i]))
            m = 0
            for move in generate_moves(rules, position):
                if m < 64 * best.shape[1] and (best[i, m >> 6] >> np.uint64(m & 63)) & np.uint64(1) != 0:
                    tally[0] += sizes[i]
                    n = 0
                    for again in generate_moves(other_rules, there):
                        is_there = again == move and n < 64 * other.shape[1]
                        if is_there and (other[i, n >> 6] >> np.uint64(n & 63)) & np.uint64(1) != 0:
                            tally[1] += sizes[i]
                        n += 1  # noqa: SIM113
                m += 1  # noqa: SIM113

    return {"measure": kernel(measure), "carry": kernel(carry)}


def class_kernels(kernel: Callable[[Any], Any], functions: dict[str, Any]) -> dict[str, Any]:
    unhash, hash, symmetries = (functions[name] for name in ("unhash", "hash", "symmetries"))

    def lowest_key(rules: Any, keys: np.ndarray) -> tuple[int, int]:
        """Return the lowest key of all positions of some classes, and the number of the class it is of."""
        lowest = int(keys[0])
        which = 0
        for i in range(keys.shape[0]):
            position = unhash(rules, int(keys[i]))
            kept = rules.kept_symmetries
            for image in symmetries(rules, position):
                key = hash(rules, image)
                if kept & 1 and key < lowest:
                    lowest = key
                    which = i
                kept >>= 1
            if keys[i] < lowest:
                lowest = int(keys[i])
                which = i
        return lowest, which

    return {"lowest_key": kernel(lowest_key)}
