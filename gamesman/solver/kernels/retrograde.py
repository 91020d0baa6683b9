"""The kernels made here solve a tier with cycles, from decided positions back to those that lead to them.

Each position has a record and a number *left*. While it is open its record says what it will have at the latest because
of its children in lower tiers, which are solved already, and `left` says what can still happen:

    DECIDED (0)   the record is final
    WON (1)       it has a winning move to a lower tier: won as soon as its record says, or sooner
    SAFE (2)      it has a move to a lower tier that ties or draws: it cannot be lost
    n + 2         n moves have not been found to lose; all its losing moves to lower tiers together count as one, found
                  when the remoteness its record tells is reached

Level r decides the positions of remoteness r and takes them back one move: so wins come soonest, and a loss, settled by
the last of its children, comes latest. When no level is left, ties are spread the same way among the positions still
open; who remains is a draw. Positions that are not reachable are DECIDED from the beginning, and so never touched.

Threads share the arrays: only whoever swaps a position's `left` to DECIDED writes its record.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from gamesman.compiler.inlining import INLINED
from gamesman.compiler.native import compare_and_swap, prefetch
from gamesman.solver.kernels.acyclic import TOO_FAR, TOO_MANY, record_of
from gamesman.solver.kernels.hashing import entry, find_from, first_place, home
from gamesman.values import DRAW, LOSE, MAX_REMOTENESS, REMOTENESS_BITS, TIE, WIN, pack

DECIDED, WON, SAFE = 0, 1, 2
ASK = 128  # parents looked up at once
RUN = 64  # positions that are passed over at once if none is due
OPEN = pack(DRAW, 2)  # the record of a position about which nothing is known yet

# What `due` counts by remoteness: positions that lower tiers, or the rules, decide at that level.
BY_FORCE, BY_TIE = 0, 1

# What `advance` is asked to do.
ALONE, RELEASE, SPREAD = range(3)


@njit(**INLINED)
def open_with(i, best, inner, records, left, due):
    """Give an undecided position what it begins with: its best move to a lower tier has this score, `inner` stay.

    A score of -1 stands for no such move.
    """
    if best < 0:
        records[i] = OPEN
        left[i] = inner + 2
        return
    record = record_of(best)
    value = record >> REMOTENESS_BITS
    if value == DRAW:
        records[i] = OPEN
        left[i] = SAFE
        return
    records[i] = record
    if value == LOSE:
        left[i] = inner + 3
    else:
        left[i] = WON if value == WIN else SAFE
    due[BY_TIE if value == TIE else BY_FORCE, record & MAX_REMOTENESS] += 1


@njit(**INLINED)
def close_with(i, value, records, left, due):
    """Give a primitive position its record."""
    records[i] = value << REMOTENESS_BITS
    left[i] = DECIDED
    due[BY_TIE if value == TIE else BY_FORCE, 0] += 1


@njit(**INLINED)
def any_of_level(begin, end, level, records):
    """Return whether there is a record with the remoteness of a level."""
    # Without branches: a few instructions ask it of all of them.
    found = False
    for i in range(begin, end):
        found |= records[i] & np.uint16(MAX_REMOTENESS) == np.uint16(level)
    return found


@njit(**INLINED)
def release(i, level, kind, records, left):
    """Return whether position i is decided at this level by what was known from the beginning."""
    record = np.int64(records[i])
    if record & MAX_REMOTENESS != level:
        return False
    value = record >> REMOTENESS_BITS
    now = np.int64(left[i])
    if value == DRAW or (value == TIE) != (kind == BY_TIE):
        return False
    if now == DECIDED:
        return level == 0
    if value == LOSE and now > SAFE + 1:
        left[i] = now - 1
        # Counted now. If threads look for who is decided at this level, while one of them decides this position for the
        # next, `left` says so before the record does: until then the record must not be of this level.
        records[i] = OPEN
        return False
    left[i] = DECIDED
    return True


@njit(**INLINED)
def is_decided_at(i, level, kind, records, left):
    """Return whether position i was decided at this level."""
    record = np.int64(records[i])
    value = record >> REMOTENESS_BITS
    return (
        record & MAX_REMOTENESS == level and left[i] == DECIDED and value != DRAW and (value == TIE) == (kind == BY_TIE)
    )


@njit(**INLINED)
def tell_parent(parent, wins, weight, level, kind, shared, records, left):
    """Tell a parent of a child decided at a level: it ties, or the move to it wins or does not.

    Returns whether that decides the parent.
    """
    while True:
        now = np.int64(left[parent])
        if now == DECIDED:
            return False
        if kind == BY_TIE:
            known = np.int64(records[parent])
            if known >> REMOTENESS_BITS == TIE and known & MAX_REMOTENESS <= level + 1:
                return False
            value, after = TIE, DECIDED
        elif wins:
            if now == WON and np.int64(records[parent]) & MAX_REMOTENESS <= level + 1:
                return False
            value, after = WIN, DECIDED
        else:
            if now <= SAFE:
                return False
            value, after = LOSE, DECIDED if now == SAFE + weight else now - weight
        if not shared:
            left[parent] = after
        if not shared or compare_and_swap(left, parent, now, after):
            if after == DECIDED:
                records[parent] = value << REMOTENESS_BITS | level + 1
            return after == DECIDED


class Where(NamedTuple):
    """Says how to find the positions of a tier: a dense one's by its first key, a sparse one's by a list of keys."""

    first: int
    keys: Any
    keys_at: int  # addresses
    directory_at: int
    size: int  # dense: how many keys; sparse: see tables
    left_at: int  # of a dense tier, the address of what `left` would have for key 0


class Links(NamedTuple):
    """Holds the parents of position i in links[heads[i]:heads[i + 1]] >> 1; the low bit says that the player stays."""

    heads: Any
    links: Any


class TierArrays(NamedTuple):
    """Holds a tier being solved: how its positions are found, and an item for each in `records` and `left`."""

    where: Where
    links: Links
    records: Any
    left: Any
    due: Any  # how many positions are decided by what was known from the beginning: by kind and level


class Step(NamedTuple):
    """Says what `advance` has to do."""

    task: int  # ALONE, RELEASE or SPREAD
    kind: int  # BY_FORCE or BY_TIE
    level: int
    scan: bool  # whether positions of this level are looked for among all, not taken from the queue
    begin: int
    end: int


class Queues(NamedTuple):
    """Holds the positions decided at a level, and has room for those that this decides for the next."""

    now: Any
    following: Any


def kernels(kernel: Any, functions: dict[str, Any], *, dense: bool) -> dict[str, Any]:
    """Return the compiled kernels that solve a tier with cycles."""
    unhash, hash, turn, least, size = (functions[name] for name in ("unhash", "hash", "turn", "least", "size"))
    undo_moves = functions.get("undo_moves")
    linked = undo_moves is None

    if linked:

        @njit(**INLINED)
        def ask_parents(rules, where, links, i, value, skip, scratch, asked):
            first = links.heads[i] + skip
            after = links.heads[i + 1]
            end = min(after, first + scratch.keys.shape[0] - asked)
            for link in links.links[first:end]:
                scratch.keys[asked] = link >> 1
                scratch.whose[asked] = 2 | ((value == WIN) == (link & 1))
                asked += 1
            return asked, skip + end - first if end < after else 0

    else:

        @njit(**INLINED)
        def ask_parents(rules, where, links, i, value, skip, scratch, asked):
            """Note the keys of the parents of position i, but for the first few, and what its value means for each.

            Returns how many are noted now, or -1 if they find no room; and how many to skip to get the rest.
            """
            position = unhash(rules, where.first + i if dense else where.keys[i])
            me = turn(rules, position)
            weight = size(rules, position) << 1
            for parent in undo_moves(rules, position):
                if asked == scratch.keys.shape[0]:
                    return -1, 0
                key = hash(rules, least(rules, parent))
                if dense:
                    prefetch(where.left_at + key)
                else:
                    slot = home(key, where.size)
                    prefetch(entry(where.directory_at, slot))
                    scratch.places[asked] = slot
                scratch.keys[asked] = key
                scratch.whose[asked] = weight | ((value == WIN) == (turn(rules, parent) == me))
                asked += 1
            return asked, 0

    @njit(**INLINED)
    def find_parents(where, scratch, asked):
        """Replace the keys queued by places; -1 for what is not reachable."""
        keys, places = scratch.keys, scratch.places
        if linked:
            return
        if dense:
            for a in range(asked):
                place = keys[a] - where.first
                keys[a] = place if place < where.size else -1
            return
        for a in range(asked):
            places[a] = first_place(where.directory_at, places[a])
            prefetch(where.keys_at + (places[a] << 3))
        for a in range(asked):
            keys[a] = find_from(where.keys_at, where.directory_at, where.size, places[a], keys[a])

    def advance(rules, tier, shared, step, queues, queued, scratch):
        """Work at one level, or ALONE at all levels from this one on; `shared` tells whether other threads do, too.

        RELEASE looks through positions `begin` to `end` for those that are due, and adds them to the `queued` ones of
        the queue `now`. SPREAD takes now[begin:end], or, to `scan`, those of positions `begin` to `end` that are
        decided at this level, back one move, and adds the parents that this decides to the `queued` ones of
        `following`. Returns how many are in the queue written to, or what is wrong, and whether more did not fit: then
        the next step has to scan.
        """
        where, links, records, left, due = tier
        task, kind, level, scan, begin, end = step
        queue, following = queues
        n = queued if task == RELEASE else 0
        while True:
            if task == RELEASE or (task == ALONE and due[kind, level] > 0):
                for first in range(begin, end, RUN):
                    after = min(end, first + RUN)
                    if not any_of_level(first, after, level, records):
                        continue
                    for i in range(first, after):
                        if release(i, level, kind, records, left):
                            if n < queue.shape[0]:
                                queue[n] = i
                                n += 1
                            else:
                                scan = True
                if task == RELEASE:
                    return n, scan
                due[kind, level] = 0
            at = begin if task == SPREAD or scan else 0
            stop = end if task == SPREAD or scan else n
            m = queued if task == SPREAD else 0
            overflown = False
            skip = 0
            while at < stop:
                asked = 0
                while at < stop and asked < ASK:
                    i = at if scan else queue[at]
                    if not scan or is_decided_at(i, level, kind, records, left):
                        value = np.int64(records[i]) >> REMOTENESS_BITS
                        asked, skip = ask_parents(rules, where, links, i, value, skip, scratch, asked)
                        if asked < 0:
                            return TOO_MANY, False
                    at += skip == 0
                find_parents(where, scratch, asked)
                for a in range(asked):
                    parent = scratch.keys[a]
                    wins = scratch.whose[a]
                    if parent >= 0 and tell_parent(parent, wins & 1, wins >> 1, level, kind, shared, records, left):
                        if m < following.shape[0]:
                            following[m] = parent
                            m += 1
                        else:
                            overflown = True
            if task == SPREAD:
                return m, overflown
            if level == MAX_REMOTENESS and (m > 0 or overflown):
                return TOO_FAR, False
            queue, following = following, queue
            n = m
            scan = overflown
            level += 1
            if n == 0 and not scan:
                while level <= MAX_REMOTENESS and due[kind, level] == 0:
                    level += 1
                if level > MAX_REMOTENESS:
                    return 0, False

    def finish(records, left, begin, end):
        """Make draws of the positions that are still open when no level is left."""
        for i in range(begin, end):
            if left[i] != DECIDED:
                records[i] = DRAW << REMOTENESS_BITS

    return {"advance": kernel(advance, "-dense" if dense else "-sparse"), "finish": kernel(finish)}
