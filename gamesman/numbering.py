"""The ways to place one or two kinds of pieces on a board are numbered here, without gaps, by how many there are.

A tier holds the placements with the same number of pieces of each kind. Tiers are numbered so that moves never raise
them: where pieces leave the board by how many are there, where pieces come to it by how many are still to come. Within
a tier the first kind's cells are ranked among all cells, the second's among those still free, and whose turn it is
comes last. Tiers follow one another, so that the keys of one are a run without gaps.

    in the rules:  numbering: Numbering
    in setup:      numbering=numbering(16, range(3, 6), range(3, 6))

A set of k cells is ranked in the order of the masks as numbers. That is a sum over its cells: the i-th one from below,
standing on cell p, has C(p, i) smaller ones under it. The sum is looked up for `width` cells at once:

    mask 0b0110_1001, width 4:    rank = ranks[0][0b1001] + ranks[row of the second chunk, 2 cells below][0b0110]

A board too large for that has a plain number, both masks and the turn side by side, that is not dense.
"""

from collections.abc import Callable
from math import comb
from typing import NamedTuple

from gamesman.bits import gather, popcount, scatter
from gamesman.errors import PositionError, shorten

Placement = tuple[int, int, int]  # the first kind's cells, the second's, whose turn

# Ranking more cells would mean tables that take long to make, for boards that nobody can solve anyway.
MOST_CELLS = 40
# At most so many cells are looked up at once: a table for more would not fit the memory next to the processor.
MOST_AT_ONCE = 16
# At most so many masks are listed in order, which makes unranking one look-up; else it goes cell by cell.
MOST_MASKS = 1 << 16
# All keys are cut into so many parts. A look-up gives the highest tier of a part; a key's tier is that or below.
KEY_PARTS = 1 << 10

NO_PIECES = range(1)  # no pieces of a kind, ever


class Numbering(NamedTuple):
    """Is the field `numbering` of a game's rules."""

    cells: int
    board: int  # the mask of all cells
    first_least: int  # the fewest pieces of each kind, and the most
    first_most: int
    second_least: int
    second_most: int
    full: int  # the most of any kind
    tier_base: int  # the tier is this, plus the numbers of pieces of each kind times these
    tier_first: int
    tier_second: int
    dense: int  # 1 if keys are ranks; if 0, the tables below mean nothing
    width: int  # cells looked up at once
    chunks: int  # how many look-ups a mask takes
    ranks: tuple[tuple[int, ...], ...]
    choose: tuple[tuple[int, ...], ...]  # choose[n][k]
    masks: tuple[int, ...]  # all masks of the fewest pieces, then of one more, ...; or a single 0
    masks_from: tuple[int, ...]  # where those of k pieces begin; all 0 where there are no masks
    tier_from: tuple[int, ...]  # the first key of each tier, and at the end the bound
    tier_ways: tuple[tuple[int, ...], ...]  # by tier: pieces of each kind, ways to place the second, and see _turns
    part: int  # the bits of a key below those that say its part
    part_tier: tuple[int, ...]  # by part: the highest tier in it


def both(first: int, second: int) -> tuple[int, ...]:
    """Return whose turn it can be, whatever the numbers of pieces: either player's."""
    return 0, 1


def numbering(
    cells: int,
    first: range,
    second: range = NO_PIECES,
    *,
    turns: Callable[[int, int], tuple[int, ...]] = both,
    come: bool = False,
) -> Numbering:
    """Number the ways to place so many pieces of a first and of a second kind on so many cells.

    `turns` tells, of a number of pieces of each kind, whose turn it can be: (0, 1), (0,), (1,), or () where there is no
    such position. `come` says that moves bring pieces to the board; else they only ever take them off.

    >>> numbering(16, range(3, 6), range(3, 6), turns=lambda b, w: (0, 1) if b + w > 6 else ()).tier_from[-1]
    16088072
    """
    wide = len(second)
    least, most = first[0] * wide + second[0], first[-1] * wide + second[-1]
    signs = (most, -wide, -1) if come else (-least, wide, 1)
    counts = [(a, b) for a in first for b in second][:: -1 if come else 1]
    ways = [(a, b, comb(cells - a, b), *_turns(turns(a, b))) for a, b in counts] if cells <= MOST_CELLS else []
    tier_from = [0]
    for a, _, count, how_many, *_ in ways:
        tier_from.append(tier_from[-1] + how_many * comb(cells, a) * count)
    full = max(first[-1], second[-1])
    known = (cells, (1 << cells) - 1, first[0], first[-1], second[0], second[-1], full, *signs)
    if not ways or tier_from[-1] >= 1 << 63:
        empty = ((0,),)
        return Numbering(*known, 0, 1, 1, empty, empty, (0,), (0,), (0,), empty, 0, (0,))
    choose = [[comb(n, k) for k in range(cells + 1)] for n in range(cells + 1)]
    width = cells if cells <= MOST_AT_ONCE else -(-cells // 2) if cells <= 20 else 8
    masks, masks_from = _masks(cells, min(first[0], second[0]), full)
    part = max(0, tier_from[-1].bit_length() - KEY_PARTS.bit_length() + 1)
    return Numbering(
        *known,
        dense=1,
        width=width,
        chunks=-(-cells // width),
        ranks=_ranks(cells, full, width, choose),
        choose=tuple(map(tuple, choose)),
        masks=masks,
        masks_from=masks_from,
        tier_from=tuple(tier_from),
        tier_ways=tuple((a, b, count, bit, who) for a, b, count, _, bit, who in ways),
        part=part,
        part_tier=part_tiers(tier_from, part),
    )


def dropping(cells: int, pieces: int) -> Numbering:
    """Number the placements where two players put so many pieces each on the board in turn, and then move them.

    >>> dropping(9, 3).tier_from[-1] - dropping(9, 3).tier_from[-2]
    1
    """

    def turns(first: int, second: int) -> tuple[int, ...]:
        if first == second == pieces:
            return 0, 1
        return (first - second,) if 0 <= first - second <= 1 else ()

    return numbering(cells, range(pieces + 1), range(pieces + 1), turns=turns, come=True)


def _turns(turns: tuple[int, ...]) -> tuple[int, int, int]:
    """Return how many turns there are, the key's bit that tells two apart, and the turn where there is one alone."""
    return len(turns), int(len(turns) > 1), turns[0] if len(turns) == 1 else 0


def part_tiers(tier_from: list[int], part: int) -> tuple[int, ...]:
    found, tier = [], 0
    for number in range((tier_from[-1] >> part) + 1):
        last = min((number + 1 << part) - 1, tier_from[-1] - 1)
        while tier + 2 < len(tier_from) and tier_from[tier + 1] <= last:
            tier += 1
        found.append(tier)
    return tuple(found)


def _ranks(cells: int, full: int, width: int, choose: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    """Make row 0 for the lowest chunk of cells, then for each chunk a row for every number of pieces below it.

    What would make more than `full` pieces is never looked up, and is left 0.
    """
    rows = []
    for chunk in range(-(-cells // width)):
        for below in range(full + 1 if chunk else 1):
            ranked = {0: 0}
            for cell in range(chunk * width, min(cells, (chunk + 1) * width)):
                bit = 1 << cell - chunk * width
                for mask, rank in list(ranked.items()):
                    count = below + mask.bit_count() + 1
                    if count <= full:
                        ranked[mask | bit] = rank + choose[cell][count]
            row = [0] * (1 << width)
            for mask, rank in ranked.items():
                row[mask] = rank
            rows.append(tuple(row))
    return tuple(rows)


def _masks(cells: int, least: int, full: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if sum(comb(cells, k) for k in range(least, full + 1)) > MOST_MASKS:
        return (0,), (0,) * (full + 1)
    by_count: list[list[int]] = [[0]] + [[] for _ in range(full)]
    for cell in range(cells):
        bit = 1 << cell
        for k in range(full, 0, -1):
            by_count[k] += [mask | bit for mask in by_count[k - 1]]
    masks: list[int] = []
    masks_from = [0] * least
    for k in range(least, full + 1):
        masks_from.append(len(masks))
        masks += by_count[k]
    return tuple(masks), tuple(masks_from)


def rank(of: Numbering, mask: int) -> int:
    """Count the smaller masks with as many cells."""
    ones = (1 << of.width) - 1
    low = mask & ones
    number = of.ranks[0][low]
    row = 1 + popcount(low)
    # As many look-ups whatever the mask: where to stop sooner is something that the processor would guess wrong.
    for _ in range(1, of.chunks):
        mask >>= of.width
        low = mask & ones
        number += of.ranks[row][low]
        row += popcount(low) + of.full + 1
    return number


def unrank(of: Numbering, count: int, number: int) -> int:
    """Return the mask of `count` cells that `number` such masks are smaller than."""
    if len(of.masks) > 1:
        return of.masks[of.masks_from[count] + number]
    mask = 0
    cell = of.cells
    while count:
        cell -= 1
        smaller = of.choose[cell][count]
        if number >= smaller:
            number -= smaller
            mask |= 1 << cell
            count -= 1
    return mask


def place_tier(of: Numbering, first: int, second: int) -> int:
    """Return the tier of a placement: it follows from the numbers of pieces."""
    return of.tier_base + of.tier_first * popcount(first) + of.tier_second * popcount(second)


def place_key(of: Numbering, first: int, second: int, who: int) -> int:
    """Return the number of a placement with the player to move."""
    if not of.dense:
        return (second << of.cells | first) << 1 | who
    tier = place_tier(of, first, second)
    number = rank(of, first) * of.tier_ways[tier][2] + rank(of, gather(second, of.board & ~first))
    bit = of.tier_ways[tier][3]
    return of.tier_from[tier] + (number << bit) + (who & bit)


def key_place(of: Numbering, key: int) -> Placement:
    """Return the placement of a number: the inverse of place_key."""
    if not of.dense:
        return key >> 1 & of.board, key >> 1 + of.cells, key & 1
    tier = of.part_tier[key >> of.part]
    while key < of.tier_from[tier]:
        tier -= 1
    key -= of.tier_from[tier]
    ways, bit = of.tier_ways[tier][2], of.tier_ways[tier][3]
    who = key & bit | of.tier_ways[tier][4]
    key >>= bit
    number = key // ways
    first = unrank(of, of.tier_ways[tier][0], number)
    second = unrank(of, of.tier_ways[tier][1], key - number * ways)
    return first, scatter(second, of.board & ~first), who


def place_bound(of: Numbering) -> int:
    """Return an integer above every key."""
    return of.tier_from[-1] if of.dense else 2 << 2 * of.cells


def place_run(of: Numbering, tier: int) -> tuple[int, int]:
    """Return the first key of a tier and how many there are; (0, 0) where keys are not dense."""
    if not of.dense or not 0 <= tier < len(of.tier_from) - 1:
        return 0, 0
    return of.tier_from[tier], of.tier_from[tier + 1] - of.tier_from[tier]


def place_counts(of: Numbering, tier: int) -> tuple[int, int]:
    """Return the numbers of pieces of each kind in a tier."""
    wide = abs(of.tier_first)
    if of.tier_second < 0:
        return of.first_most - tier // wide, of.second_most - tier % wide
    return of.first_least + tier // wide, of.second_least + tier % wide


def check_pieces(of: Numbering, letters: str, placement: Placement, text: str) -> None:
    """Refuse numbers of pieces that cannot arise. Raises PositionError."""
    first, second, who = placement
    kinds = ((first, of.first_least, of.first_most), (second, of.second_least, of.second_most))
    for letter, (mask, least, most) in zip(letters, kinds, strict=False):
        if not least <= popcount(mask) <= most:
            many = f"{least} to {most}" if least < most else str(most)
            raise PositionError(f"expected {many} pieces {letter}, got {popcount(mask)}: {shorten(text)}")
    if of.dense:
        _, _, _, bit, begins = of.tier_ways[tier := place_tier(of, first, second)]
        got = f"{popcount(first)} {letters[0]}" + "".join(f" and {popcount(second)} {c}" for c in letters[1:])
        if of.tier_from[tier] == of.tier_from[tier + 1]:
            raise PositionError(f"expected numbers of pieces that can be at once, got {got}: {shorten(text)}")
        if not bit and who != begins:
            raise PositionError(f"expected the other player to move with {got}: {shorten(text)}")
