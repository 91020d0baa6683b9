"""The kernels made here solve a shard of a tier with cycles: who is decided tells its parents, wherever they are.

What a shard holds of its positions is as in gamesman.solver.kernels.retrograde, and so are the rules by which they are
decided; only nobody is looked up. A message goes *where* the parent is, by its key or its place in the tier, and says
*what* happens to it: the weight of the child, and in the low bit whether the move to it wins. Both are one number where
there is room for what is said in the low bits. Messages come sorted.

In a game without undo_moves the parents are listed in `links`, sorted by children: those of position i are
links[heads[i]:heads[i + 1]] >> 1, places in the tier, and the low bit says that the player stays.
"""

from typing import Any

import numpy as np
from numba import njit

from gamesman.solver.kernels.retrograde import any_of_level, close_with, open_with, release, tell_parent
from gamesman.values import REMOTENESS_BITS, WIN

RUN = 64  # positions that are passed over at once if none is due

_FLAGS = {"_nrt": False, "error_model": "numpy", "forceinline": True}


@njit(**_FLAGS)
def place_from(keys, place, key):
    """Return the place of the last of ascending keys, from a place on, that is not above a key."""
    last = keys.shape[0] - 1
    step = 1
    while place + step <= last and keys[place + step] <= key:
        place += step
        step <<= 1
    while step > 1:
        step >>= 1
        if place + step <= last and keys[place + step] <= key:
            place += step
    return place


def open_all(best, inner, records, left, due):
    """Give every position what it begins with; one without any move is primitive, and has its record."""
    for i in range(records.shape[0]):
        if best[i] < 0 and inner[i] == 0:
            close_with(i, records[i] >> REMOTENESS_BITS, records, left, due)
        else:
            open_with(i, best[i], inner[i], records, left, due)


def hear(keys, first, where, what, shift, level, kind, records, left, decided):
    """Let positions hear of children decided at a level; note those that this decides. Returns how many.

    The positions are found by their keys, or without any by their places from the first one on. Of those decided
    `where` tells the keys, in the place of messages. What is said is beside `where`, or in its low `shift` bits.
    """
    n = 0
    place = 0
    mask = (np.int64(1) << shift) - 1
    is_packed = what.shape[0] == 0
    is_placed = keys.shape[0] == 0
    for i in range(where.shape[0]):
        to = where[i] >> shift
        says = where[i] & mask if is_packed else what[i]
        if is_placed:
            place = to - first
        else:
            place = place_from(keys, place, to)
            if keys[place] != to:
                continue  # a parent that cannot be reached
        if tell_parent(place, says & 1, says >> 1, level, kind, False, records, left):
            decided[n] = place
            where[n] = to
            n += 1
    return n


def release_all(level, kind, records, left, decided):
    """Note those that are decided at this level by what was known from the beginning. Returns how many."""
    n = 0
    end = records.shape[0]
    for first in range(0, end, RUN):
        after = min(end, first + RUN)
        if any_of_level(first, after, level, records):
            for i in range(first, after):
                if release(i, level, kind, records, left):
                    decided[n] = i
                    n += 1
    return n


def find_places(keys, children, heads, places):
    """Count the links to each key in heads[place + 2], and note their places. Returns 0, or ~i where i has none."""
    place = 0
    for i in range(children.shape[0]):
        place = place_from(keys, place, children[i])
        if keys[place] != children[i]:
            return ~i
        places[i] = place
        heads[place + 2] += 1
    return 0


def fill_links(places, parents, heads, links):
    """Put links where those of their places are: heads[place + 1] moves on to where the next one's begin."""
    for i in range(places.shape[0]):
        links[heads[places[i] + 1]] = parents[i]
        heads[places[i] + 1] += 1


def follow(heads, links, first, decided, i, end, records, shift, where, what):
    """Write messages of decided[i:end], whose links are here from position `first` on.

    Returns the index to go on from, where messages find no more room, and how many there are.
    """
    n = 0
    is_packed = what.shape[0] == 0
    while i < end:
        place = decided[i]
        begin, after = heads[place - first], heads[place - first + 1]
        if n + after - begin > where.shape[0]:
            return i, n
        is_won = records[place] >> REMOTENESS_BITS == WIN
        for link in links[begin:after]:
            says = 2 | (is_won == (link & 1))
            if is_packed:
                where[n] = link >> 1 << shift | says
            else:
                where[n] = link >> 1
                what[n] = says
            n += 1
        i += 1
    return i, n


def kernels(kernel: Any, functions: dict[str, Any]) -> dict[str, Any]:
    """Return the compiled kernels that solve a shard of a tier with cycles."""
    unhash, hash, turn, least, size = (functions[name] for name in ("unhash", "hash", "turn", "least", "size"))
    undo_moves = functions.get("undo_moves")

    def ask(rules, keys, decided, i, end, records, shift, where, what):
        """Write messages of decided[i:end], which have these keys, to the keys of their parents, as `follow` does."""
        n = 0
        is_packed = what.shape[0] == 0
        while i < end:
            position = unhash(rules, keys[i])
            is_won = records[decided[i]] >> REMOTENESS_BITS == WIN
            me = turn(rules, position)
            weight = size(rules, position) << 1
            first = n
            for parent in undo_moves(rules, position):
                if n == where.shape[0]:
                    return i, first
                key = hash(rules, least(rules, parent))
                says = weight | (is_won == (turn(rules, parent) == me))
                if is_packed:
                    where[n] = key << shift | says
                else:
                    where[n] = key
                    what[n] = says
                n += 1
            i += 1
        return i, n

    alone = (open_all, hear, release_all, find_places, fill_links, follow)
    found = {function.__name__: kernel(function) for function in alone}
    return found if undo_moves is None else {**found, "ask": kernel(ask)}
