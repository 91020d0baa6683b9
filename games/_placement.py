"""Numbering the ways to place two players' pieces on a board, densely: what games whose pieces only ever leave share.

A tier holds the placements with the same number of pieces of each side. With `captures` pieces to take, each side has
between `least` = full - captures and `full` of them, and a tier is numbered

    (first side's pieces - least) * spread + (second side's - least)        spread = captures + 1

so that a capture lowers it, the start has the highest, and 0 would be both sides having lost: that cannot arise.
Within a tier the first side's cells are ranked among all cells, the second's among those still free, and whose turn it
is comes last. Tiers follow one another, so that the keys of one are a run without gaps.

A set of k cells is ranked in the order of the masks as numbers. That is a sum over its cells: the i-th one from below,
standing on cell p, has C(p, i) smaller ones under it. The sum is looked up for `width` cells at once:

    mask 0b0110_1001, width 4:    rank = ranks[0][0b1001] + ranks[row of the second chunk, 2 cells below][0b0110]

A board too large for that has a plain number, both masks and the turn side by side, that is not dense.
"""

from math import comb
from typing import Any, NamedTuple

from gamesman.bits import gather, popcount, scatter
from gamesman.errors import PositionError, shorten

Position = tuple[int, int, int]  # the first side's cells, the second side's, whose turn

# Ranking more cells would mean tables that take long to make, for boards that nobody can solve anyway.
MOST_CELLS = 40
# Up to as many cells are looked up at once: a table for more would not fit the memory next to the processor.
MOST_AT_ONCE = 16
# As many masks are listed in order, so that unranking is one look-up; where there are more it goes cell by cell.
MOST_MASKS = 1 << 16


class Tables(NamedTuple):
    """What a game's rules must have, under these names, beside `cells` and `board`."""

    least: int  # pieces of a side that has lost
    full: int
    spread: int
    dense: int  # whether keys are ranks; if not, the tables below are empty of meaning
    width: int  # cells looked up at once
    chunks: int  # how many look-ups a mask takes
    ranks: tuple[tuple[int, ...], ...]
    choose: tuple[tuple[int, ...], ...]  # choose[n][k]
    masks: tuple[int, ...]  # all masks of `least` pieces, then of `least` + 1, ...; or a single 0
    masks_from: tuple[int, ...]  # where those of k pieces begin; all 0 where there are no masks
    tier_from: tuple[int, ...]  # the first key of each tier, and at the end the bound
    tier_ways: tuple[tuple[int, ...], ...]  # tier -> first side's pieces, second's, ways to place the second


def tables(cells: int, full: int, captures: int) -> dict[str, Any]:
    """The fields of Tables for a board, a number of pieces a side, and how many of them decide the game.

    >>> tables(16, 5, 2)["tier_from"][-1]
    16088072
    """
    least, spread = full - captures, captures + 1
    ways = _tier_ways(cells, least, spread) if cells <= MOST_CELLS else []
    tier_from = [0, 0]
    for black, _, count in ways[1:]:
        tier_from.append(tier_from[-1] + 2 * comb(cells, black) * count)
    if not ways or tier_from[-1] >= 1 << 63:
        empty = ((0,),)
        return Tables(least, full, spread, 0, 1, 1, empty, empty, (0,), (0,), (0,), empty)._asdict()
    choose = [[comb(n, k) for k in range(cells + 1)] for n in range(cells + 1)]
    width = cells if cells <= MOST_AT_ONCE else -(-cells // 2) if cells <= 20 else 8
    masks, masks_from = _masks(cells, least, full)
    return Tables(
        least=least,
        full=full,
        spread=spread,
        dense=1,
        width=width,
        chunks=-(-cells // width),
        ranks=_ranks(cells, full, width, choose),
        choose=tuple(map(tuple, choose)),
        masks=masks,
        masks_from=masks_from,
        tier_from=tuple(tier_from),
        tier_ways=tuple(ways),
    )._asdict()


def _tier_ways(cells: int, least: int, spread: int) -> list[tuple[int, int, int]]:
    pairs = [(least + i, least + j) for i in range(spread) for j in range(spread)]
    return [(black, white, comb(cells - black, white)) for black, white in pairs]


def _ranks(cells: int, full: int, width: int, choose: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    """Row 0 for the lowest chunk of cells; then for each chunk a row for every number of pieces below it.

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


def rank(rules: Any, mask: int) -> int:
    """How many masks with as many cells are smaller."""
    ones = (1 << rules.width) - 1
    low = mask & ones
    number = rules.ranks[0][low]
    row = 1 + popcount(low)
    # As many look-ups whatever the mask: where to stop sooner is something that the processor would guess wrong.
    for _ in range(1, rules.chunks):
        mask >>= rules.width
        low = mask & ones
        number += rules.ranks[row][low]
        row += popcount(low) + rules.full + 1
    return number


def unrank(rules: Any, count: int, number: int) -> int:
    """The mask of `count` cells that `number` such masks are smaller than."""
    if len(rules.masks) > 1:
        return rules.masks[rules.masks_from[count] + number]
    mask = 0
    cell = rules.cells
    while count:
        cell -= 1
        smaller = rules.choose[cell][count]
        if number >= smaller:
            number -= smaller
            mask |= 1 << cell
            count -= 1
    return mask


def place_tier(rules: Any, black: int, white: int) -> int:
    return (popcount(black) - rules.least) * rules.spread + popcount(white) - rules.least


def place_key(rules: Any, black: int, white: int, who: int) -> int:
    """The number of a placement with the player to move."""
    if not rules.dense:
        return (white << rules.cells | black) << 1 | who
    tier = place_tier(rules, black, white)
    second = rank(rules, gather(white, rules.board & ~black))
    return rules.tier_from[tier] + 2 * (rank(rules, black) * rules.tier_ways[tier][2] + second) + who


def key_place(rules: Any, key: int) -> Position:
    """The placement of a number: the inverse of place_key."""
    if not rules.dense:
        return key >> 1 & rules.board, key >> 1 + rules.cells, key & 1
    tier = len(rules.tier_from) - 2
    while key < rules.tier_from[tier]:
        tier -= 1
    key -= rules.tier_from[tier]
    who = key & 1
    key >>= 1
    ways = rules.tier_ways[tier][2]
    first = key // ways
    black = unrank(rules, rules.tier_ways[tier][0], first)
    second = unrank(rules, rules.tier_ways[tier][1], key - first * ways)
    return black, scatter(second, rules.board & ~black), who


def place_bound(rules: Any) -> int:
    """An integer above every key."""
    return rules.tier_from[-1] if rules.dense else 2 << 2 * rules.cells


def place_run(rules: Any, tier: int) -> tuple[int, int]:
    """The first key of a tier and how many there are; (0, 0) where keys are not dense."""
    if not rules.dense or not 0 < tier < rules.spread * rules.spread:
        return 0, 0
    return rules.tier_from[tier], rules.tier_from[tier + 1] - rules.tier_from[tier]


def check_pieces(rules: Any, letters: str, black: int, white: int, text: str) -> None:
    """Refuse numbers of pieces that cannot arise."""
    for letter, mask in zip(letters, (black, white), strict=True):
        if not rules.least <= popcount(mask) <= rules.full:
            wanted = f"expected {rules.least} to {rules.full} pieces {letter}"
            raise PositionError(f"{wanted}, got {popcount(mask)}: {shorten(text)}")
    if popcount(black) == popcount(white) == rules.least:
        wanted = f"expected a side with more than {rules.least} pieces, for one side only can have lost"
        raise PositionError(f"{wanted}, got {rules.least} of each: {shorten(text)}")
