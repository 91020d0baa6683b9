"""The kernels made here list the children that positions have, for sorting: no look-up is done on the way."""

from typing import Any

from gamesman.solver.kernels.meeting import NO_ROOM, number_of
from gamesman.values import DRAW, LOSE, REMOTENESS_BITS, UNDECIDED, WIN

# What `list_children` counts, in this order.
PRIMITIVES, MOVES, INNER, MOST_INNER = range(4)


def kernels(kernel: Any, functions: dict[str, Any]) -> dict[str, Any]:
    """Return the compiled kernels that list children, with and without whose they are."""
    unhash, primitive, do_move, hash = (functions[name] for name in ("unhash", "primitive", "do_move", "hash"))
    generate_moves, tier, least, size = (functions[name] for name in ("generate_moves", "tier", "least", "size"))
    turn = functions["turn"]
    linked = "undo_moves" not in functions

    def list_children(rules, keys, i, end, here, tiers, found, which, tally):
        """List the children of keys[i:end]. Returns the index to go on from, and how many there are.

        `tiers` holds the number of tiers met and then the tiers; of each child `found` has the key and `which` the
        place of its tier there. Returns early before a position whose children find no room, and with ~i at a position
        i with which something is wrong: no move, a key or a tier below 0, a tier above its own, a value or a turn that
        is none.
        """
        n = 0
        t = 0
        while i < end:
            position = unhash(rules, keys[i])
            value = primitive(rules, position)
            if turn(rules, position) >> 1 != 0:
                return ~i, n
            if value != UNDECIDED:
                if value < LOSE or value == DRAW or value > WIN:
                    return ~i, n
                tally[PRIMITIVES] += size(rules, position)
                i += 1
                continue
            first = n
            inner = 0
            for move in generate_moves(rules, position):
                child = do_move(rules, position, move)
                key = hash(rules, least(rules, child))
                if key < 0:
                    return ~i, first
                where = tier(rules, child)
                if t >= tiers[0] or tiers[t + 1] != where:
                    t = number_of(tiers, where, here)
                    if t < 0:
                        return i if t == NO_ROOM else ~i, first
                if n == found.shape[0]:
                    return i, first
                found[n] = key
                which[n] = t
                n += 1
                inner += where == here
            if n == first:
                return ~i, n
            tally[MOVES] += (n - first) * size(rules, position)
            tally[INNER] += inner
            tally[MOST_INNER] = max(tally[MOST_INNER], inner if linked else inner * size(rules, position))
            i += 1
        return i, n

    def list_questions(rules, keys, i, end, here, shift, tiers, asked, whose, which, records, best, inner):
        """List the same children with whose they are, and begin the records of keys[i:end].

        A child of keys[i + p] is asked for by p << 1, and 1 more where its player is the parent's: in `whose`, or
        where that has no room, in the low `shift` bits of what is asked. Moves that stay in the tier `here` are counted
        in `inner`, if it is one; where un-moves are told they are not listed, and count for all positions of a class.
        """
        n = 0
        t = 0
        begin = i
        is_packed = whose.shape[0] == 0
        while i < end:
            position = unhash(rules, keys[i])
            value = primitive(rules, position)
            best[i] = -1
            if value != UNDECIDED:
                records[i] = value << REMOTENESS_BITS
                i += 1
                continue
            first = n
            stay = 0
            me = turn(rules, position)
            for move in generate_moves(rules, position):
                child = do_move(rules, position, move)
                where = tier(rules, child)
                if where == here:
                    stay += 1
                    if not linked:
                        continue
                if t >= tiers[0] or tiers[t + 1] != where:
                    t = number_of(tiers, where, where)
                    if t < 0:
                        return i, first
                if n == asked.shape[0]:
                    return i, first
                key = hash(rules, least(rules, child))
                who = (i - begin) << 1 | (turn(rules, child) == me)
                if is_packed:
                    asked[n] = key << shift | who
                else:
                    asked[n] = key
                    whose[n] = who
                which[n] = t
                n += 1
            if here >= 0:
                inner[i] = stay if linked or stay == 0 else stay * size(rules, position)
            i += 1
        return i, n

    return {"list_children": kernel(list_children), "list_questions": kernel(list_questions)}
