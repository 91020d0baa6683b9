"""The kernels made here begin a tier with cycles: they note what positions know from the tiers below, and parents."""

from typing import Any

from numba import njit

from gamesman.compiler.inlining import INLINED
from gamesman.solver.kernels.acyclic import BLOCK, MOST_MOVES, answer, ask
from gamesman.solver.kernels.hashing import find
from gamesman.solver.kernels.retrograde import DECIDED, close_with, open_with
from gamesman.values import UNDECIDED


def kernels(kernel: Any, functions: dict[str, Any], *, dense: bool) -> dict[str, Any]:
    """Return the compiled kernels that begin a tier with cycles."""
    unhash, primitive, do_move, hash = (functions[name] for name in ("unhash", "primitive", "do_move", "hash"))
    generate_moves, tier, turn = (functions[name] for name in ("generate_moves", "tier", "turn"))
    least, size = functions["least"], functions["size"]
    linked = "undo_moves" not in functions

    def prepare(rules, where, here, lower, i, end, records, left, due, scratch):
        """Give positions i to end what the tiers below tell of them. Returns 0, or what is wrong."""
        best, inner = scratch.best, scratch.inner
        while i < end:
            asked = 0
            first = i
            while i < end and i < first + BLOCK and asked < MOST_MOVES // 2:
                position = unhash(rules, where.keys[i])
                value = primitive(rules, position)
                best[i - first] = -1
                inner[i - first] = -1
                if value != UNDECIDED:
                    close_with(i, value, records, left, due)
                else:
                    me = turn(rules, position)
                    stay = 0
                    for move in generate_moves(rules, position):
                        child = do_move(rules, position, move)
                        number = tier(rules, child)
                        if number == here:
                            stay += 1
                            continue
                        same = turn(rules, child) == me
                        asked = ask(lower, number, hash(rules, least(rules, child)), i - first, same, scratch, asked)
                        if asked < 0:
                            return asked
                    inner[i - first] = stay if linked else stay * size(rules, position)
                i += 1
            wrong = answer(lower, scratch, asked)
            if wrong:
                return wrong
            for p in range(i - first):
                if inner[p] >= 0:
                    open_with(first + p, best[p], inner[p], records, left, due)
        return 0

    @njit(**INLINED)
    def place_of(where, key):
        """Return the place of a key in the tier, or -1."""
        if dense:
            return key - where.first
        return find(where.keys_at, where.directory_at, where.size, key)

    def link(rules, where, here, left, heads, links, begin, end):
        """Count the parents of each position in heads[place + 2], or with room in `links` put them there.

        After counting, the sums of the counts say where each position's parents begin, in heads[place + 1]; putting
        them in moves it on to where the next one's begin. Returns 0, or ~i where position i leads to no place.
        """
        for i in range(begin, end):
            if left[i] == DECIDED:
                continue
            position = unhash(rules, where.first + i if dense else where.keys[i])
            me = turn(rules, position)
            for move in generate_moves(rules, position):
                child = do_move(rules, position, move)
                if tier(rules, child) != here:
                    continue
                place = place_of(where, hash(rules, least(rules, child)))
                if place < 0 or (dense and place >= where.size):
                    return ~i
                if links.shape[0] == 0:
                    heads[place + 2] += 1
                else:
                    links[heads[place + 1]] = i << 1 | (turn(rules, child) == me)
                    heads[place + 1] += 1
        return 0

    found = {} if dense else {"prepare": kernel(prepare)}
    return found if "undo_moves" in functions else {**found, "link": kernel(link, "-dense" if dense else "-sparse")}
