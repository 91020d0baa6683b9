"""The kernels made here work on dense tiers, an array with a place for every key, reachable or not.

While a tier is enumerated each key has one byte: what is known about it. Marking a child is writing 1 where 0 was, so
threads need not agree who does it. Places are looked through in chunks of 512; a chunk with a mark is noted as *dirty*.
What expanding a position has shown stays in its byte, so that most positions need not be expanded again to be solved:

    0  not reached             2, 3, 4, 5    primitive: lost, -, tied, won
    1  reached, not expanded   6             expanded, with moves to lower tiers, or too many for a byte
                               7 + n         expanded, with n moves, all within the tier
"""

from typing import Any

import numpy as np

from gamesman.solver.kernels.acyclic import TOO_FAR, score
from gamesman.solver.kernels.retrograde import DECIDED, close_with, open_with
from gamesman.values import DRAW, LOSE, MAX_REMOTENESS, UNDECIDED, UNREACHED, WIN

CHUNK_BITS = 9
DIRTY, SWEPT = 1, 2
NEW, PRIMITIVE, MIXED, INNER = 1, 2, 6, 7
MOST_INNER = 240
MANY = -1 << 63  # what `sweep` says of moves too many for a byte

# What `begin` counts, in this order.
PRIMITIVES, MOVES = range(2)


def kernels(kernel: Any, functions: dict[str, Any]) -> dict[str, Any]:
    """Return the compiled kernels that enumerate and begin a dense tier."""
    unhash, primitive, do_move, hash = (functions[name] for name in ("unhash", "primitive", "do_move", "hash"))
    generate_moves, turn, tier = (functions[name] for name in ("generate_moves", "turn", "tier"))
    least, size = functions["least"], functions["size"]
    linked = "undo_moves" not in functions

    def sweep(rules, known, dirty, first, end, begin_chunk, end_chunk):
        """Expand what is new in some chunks of the tier with the keys from `first` to `end`.

        Returns how many that were, or MANY for moves too many for a byte, or ~key of a position with which something is
        wrong: no move, one to a key that has no place, a value or a turn that is none.
        """
        expanded = 0
        bound = np.uint64(known.shape[0])
        for chunk in range(begin_chunk, end_chunk):
            if dirty[chunk] != DIRTY:
                continue
            begin = chunk << CHUNK_BITS
            stop = (chunk + 1) << CHUNK_BITS
            if first <= begin and stop <= end:
                dirty[chunk] = SWEPT  # a chunk shared with another tier stays noted: the marks there may be that tier's
            for key in range(max(first, begin), min(end, stop)):
                if known[key] != NEW:
                    continue
                expanded += 1
                position = unhash(rules, key)
                value = primitive(rules, position)
                if turn(rules, position) >> 1 != 0:
                    return ~key
                if value != UNDECIDED:
                    if value < LOSE or value == DRAW or value > WIN:
                        return ~key
                    known[key] = PRIMITIVE + value
                    continue
                inner = 0
                mixed = False
                for move in generate_moves(rules, position):
                    # Unsigned: an index below 0 is one above the bound, and need not be asked about again.
                    child = np.uint64(hash(rules, least(rules, do_move(rules, position, move))))
                    if child - np.uint64(first) < np.uint64(end - first):
                        inner += 1
                    elif child < bound:
                        mixed = True
                    else:
                        return ~key
                    if known[child] == 0:
                        known[child] = NEW
                        dirty[child >> np.uint64(CHUNK_BITS)] = DIRTY
                if inner == 0 and not mixed:
                    return ~key
                if not linked:
                    inner *= size(rules, position)
                if inner > MOST_INNER:
                    return MANY
                known[key] = MIXED if mixed else INNER + inner
        return expanded

    def begin(rules, number, first, end, begin, stop, known, all_records, left, due, tally):
        """Begin to solve places `begin` to `stop` of a tier: `known` turns into the retrograde kernels' `left`.

        Returns 0, TOO_FAR, or TOO_FAR - 1 - i where a move of position i leads up, or to another tier by a key of
        this one.
        """
        records = all_records[first:end]
        for i in range(begin, stop):
            what = known[first + i]
            if what == 0:
                records[i] = UNREACHED
                left[i] = DECIDED
                continue
            if what > MIXED and not linked:
                tally[MOVES] += what - INNER
                open_with(i, -1, what - INNER, records, left, due)
                continue
            position = unhash(rules, first + i)
            weight = size(rules, position)
            if what < MIXED:
                tally[PRIMITIVES] += weight
                close_with(i, what - PRIMITIVE, records, left, due)
                continue
            if what > MIXED:
                tally[MOVES] += (what - INNER) * weight
                open_with(i, -1, what - INNER, records, left, due)
                continue
            me = turn(rules, position)
            best = -1
            inner = 0
            moves = 0
            for move in generate_moves(rules, position):
                child = do_move(rules, position, move)
                moves += 1
                there = tier(rules, child)
                if there == number:
                    inner += 1
                    continue
                if there > number:
                    return TOO_FAR - 1 - i
                key = hash(rules, least(rules, child))
                if first <= key < end:
                    return TOO_FAR - 1 - i
                record = np.int64(all_records[key])
                if (record & MAX_REMOTENESS) == MAX_REMOTENESS:
                    return TOO_FAR
                best = max(best, score(record, turn(rules, child) == me))
            tally[MOVES] += moves * weight
            open_with(i, best, inner if linked else inner * weight, records, left, due)
        return 0

    return {"sweep": kernel(sweep), "begin": kernel(begin)}
