"""Placements of two kinds of pieces and of a single piece of each player are numbered here, by how many are there.

That is for tables of endgames, where a tier has all positions with so many pieces of the two kinds together, however
they are shared out, and whether they can be reached or not:

    a class     the placements with a pieces of the first kind and b of the second; a tier is a run of classes
    its keys    the first kind's cells among all, then the second's among those left (see gamesman/numbering.py), then
                the single pieces among those still free, either of which may be missing, then whose turn it is

    single pieces on f free cells:   both f * (f - 1)   the first alone f   the second alone f   none 1
"""

from math import comb
from typing import NamedTuple

from gamesman.bits import gather, popcount, scatter
from gamesman.numbering import MOST_CELLS, Numbering, numbering, part_tiers, rank, unrank
from gamesman.values import KEY_LIMIT

Placed = tuple[int, int, int, int, int]  # the cells of both kinds, of both single pieces (0: missing), whose turn


class Placing(NamedTuple):
    """Is the field `placing` of the rules of endgame tables."""

    ranks: Numbering  # of the cells of one kind
    most: int  # pieces of both kinds together
    board: int  # the mask of all cells
    class_at: tuple[int, ...]  # by a * (most + 1) + b: the number of the class, or 0
    class_from: tuple[int, ...]  # by class: its first key, and at the end the bound
    class_ways: tuple[tuple[int, int, int, int], ...]  # a, b, ways to place the second kind, and the single pieces
    tier_from: tuple[int, ...]  # by number of pieces: the first key, and at the end the bound
    part: int  # the bits of a key below those that say its part
    part_class: tuple[int, ...]  # by part: the highest class in it


def placing(cells: int, most: int) -> Placing | None:
    """Number all placements of up to so many pieces of two kinds; return None where there are too many to number.

    >>> [end - begin for begin, end in zip(placing(4, 2).tier_from, placing(4, 2).tier_from[1:])]
    [42, 208, 336]
    """
    if cells > MOST_CELLS or size(cells, most)[-1] >= KEY_LIMIT:
        return None
    counts = [(a, pieces - a) for pieces in range(most + 1) for a in range(pieces + 1)]
    class_at, class_from, class_ways = [0] * (most + 1) ** 2, [0], []
    for number, (a, b) in enumerate(counts):
        free = cells - a - b
        class_at[a * (most + 1) + b] = number
        class_ways.append((a, b, comb(cells - a, b), _single_ways(free)))
        class_from.append(class_from[-1] + 2 * comb(cells, a) * comb(cells - a, b) * _single_ways(free))
    part = max(0, class_from[-1].bit_length() - 10)
    tables = tuple(class_at), tuple(class_from), tuple(class_ways), (0, *size(cells, most))
    ranks = numbering(cells, range(most + 1), range(most + 1))
    return Placing(ranks, most, (1 << cells) - 1, *tables, part, part_tiers(class_from, part))


def size(cells: int, most: int) -> list[int]:
    """Return how many placements there are of no piece of the two kinds, of one at most, and so on.

    >>> size(25, 4)[2], size(25, 4)[4]
    (1388602, 207468602)
    """
    found, below = [], 0
    for pieces in range(most + 1):
        below += 2 * comb(cells, pieces) * 2**pieces * _single_ways(cells - pieces)
        found.append(below)
    return found


def _single_ways(free: int) -> int:
    return free * (free - 1) + 2 * free + 1


def placed_key(of: Placing, position: Placed) -> int:
    """Return the number of a placement, which has no more pieces of both kinds than were numbered."""
    first, second, single, other, who = position
    number = of.class_at[popcount(first) * (of.most + 1) + popcount(second)]
    a, b, ways, single_ways = of.class_ways[number]
    left = of.board & ~first
    key = rank(of.ranks, first) * ways + rank(of.ranks, gather(second, left))
    free = left & ~second
    cells = popcount(free)
    at = popcount(free & (single - 1))
    other_at = popcount(free & ~single & (other - 1))
    if single and other:
        at = at * (cells - 1) + other_at
    elif single:
        at += cells * (cells - 1)
    elif other:
        at = cells * cells + other_at
    else:
        at = cells * cells + cells
    return of.class_from[number] + ((key * single_ways + at) << 1 | who)


def key_placed(of: Placing, key: int) -> Placed:
    """Return the placement of a number: the inverse of placed_key."""
    number = of.part_class[key >> of.part]
    while key < of.class_from[number]:
        number -= 1
    a, b, ways, single_ways = of.class_ways[number]
    key -= of.class_from[number]
    who = key & 1
    key >>= 1
    pawns = key // single_ways
    at = key - pawns * single_ways
    first_rank = pawns // ways
    first = unrank(of.ranks, a, first_rank)
    left = of.board & ~first
    second = scatter(unrank(of.ranks, b, pawns - first_rank * ways), left)
    free = left & ~second
    cells = popcount(free)
    single = other = 0
    if at < cells * (cells - 1):
        both = at // (cells - 1)
        single = scatter(1 << both, free)
        other = scatter(1 << at - both * (cells - 1), free & ~single)
    elif at < cells * cells:
        single = scatter(1 << at - cells * (cells - 1), free)
    elif at < cells * cells + cells:
        other = scatter(1 << at - cells * cells, free)
    return first, second, single, other, who


def pieces_of(position: Placed) -> int:
    """Return the tier of a placement: how many pieces of the two kinds there are."""
    return popcount(position[0]) + popcount(position[1])


def pieces_run(of: Placing, pieces: int) -> tuple[int, int]:
    """Return the first key of a tier and how many there are; (0, 0) of one that was not numbered."""
    if not 0 <= pieces <= of.most:
        return 0, 0
    return of.tier_from[pieces], of.tier_from[pieces + 1] - of.tier_from[pieces]
