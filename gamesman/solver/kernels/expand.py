"""The kernel made here takes positions one move on, and sorts the keys it meets by tier and shard."""

from typing import Any

from gamesman.compiler.native import index
from gamesman.solver.kernels.acyclic import ROW_MASK
from gamesman.solver.kernels.hashing import shard
from gamesman.solver.kernels.meeting import NO_ROOM, number_of
from gamesman.values import DRAW, LOSE, UNDECIDED, WIN

# What `expand` counts, in this order.
PRIMITIVES, MOVES, INNER, MOST = range(4)


def kernels(kernel: Any, functions: dict[str, Any]) -> dict[str, Any]:
    """Return the compiled kernel that expands positions."""
    unhash, primitive, do_move, hash = (functions[name] for name in ("unhash", "primitive", "do_move", "hash"))
    generate_moves, tier, least, size = (functions[name] for name in ("generate_moves", "tier", "least", "size"))
    turn = functions["turn"]

    def expand(rules, keys, i, end, here, tiers, which, buckets, filled, tally):
        """Put the children of keys[i:end] into buckets[tier, shard]. Returns the index to go on from, or NEGATIVE.

        `tiers` holds the number of tiers met and then the tiers. Returns early when a bucket is nearly full, or before
        a position whose children find no room, and with ~i at a position i with which something is wrong: no move, a
        key or a tier below 0, a tier above its own, a value or a turn that is none.
        """
        room = buckets.shape[2]
        nearly = room * 3 // 4
        known = tiers[0]
        full = False
        while i < end and not full:
            position = unhash(rules, keys[i])
            value = primitive(rules, position)
            if turn(rules, position) >> 1 != 0:
                return ~i
            weight = size(rules, position)
            if value != UNDECIDED:
                if value < LOSE or value == DRAW or value > WIN:
                    return ~i
                tally[PRIMITIVES] += weight
                i += 1
                continue
            moves = 0
            inner = 0
            for move in generate_moves(rules, position):
                child = do_move(rules, position, move)
                key = hash(rules, least(rules, child))
                if key < 0:
                    return ~i
                where = tier(rules, child)
                t = which[where & ROW_MASK]
                if t >= known or tiers[index(t + 1)] != where:
                    t = number_of(tiers, where, here)
                    if t < 0:
                        return i if t == NO_ROOM else ~i
                    known = tiers[0]
                    which[where & ROW_MASK] = t
                s = shard(key)
                n = filled[index(t), s]
                if n == room:
                    return i
                buckets[index(t), s, index(n)] = key
                filled[index(t), s] = n + 1
                full |= n >= nearly
                moves += 1
                inner += where == here
            if moves == 0:
                return ~i
            tally[MOVES] += moves * weight
            tally[INNER] += inner
            tally[MOST] = max(tally[MOST], moves * weight)
            i += 1
        return i

    return {"expand": kernel(expand)}
