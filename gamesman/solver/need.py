"""The memory that solving by hashing needs is told here from the sizes of tiers and where moves lead from each.

While a tier is enumerated it is there twice, as a table and packed, beside the tables of all tiers that have been met
and the packed keys on their way to disk. While it is solved there are its keys and records, a sorted copy for the
database, and those of all tiers that an unsolved one leads to; and where moves stay in it, how many of each position
are undecided, queues of those that have been decided, and who leads to whom, if the game does not tell it.
"""

import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping

from gamesman.solver.kernels import hashing

KEYS = 8.5  # bytes of a packed key, with its part of the directory
RECORD = 2
SORTED = 8
UNDECIDED = 2  # with the queues, where moves stay in the tier
BUFFER = 8 << 20  # bytes of the children in a tier that are on their way to its table, of one thread
OF_CHILD = 32  # and no more than so many for each position
MOST_BUFFERS = 16
LINK = 8  # of a position, and as many of each move within the tier, where the game has no undo_moves


def table(count: float) -> float:
    """Return the bytes of a table that has grown until so many keys found room in it."""
    slots = hashing.SHARDS * 4 / 3 * (count / hashing.SHARDS + 3 * math.sqrt(count / hashing.SHARDS))
    return 8.0 * (1 << max(hashing.SMALLEST, math.ceil(math.log2(max(1.0, slots)))))


def least_table(count: float) -> float:
    """Return the bytes that a table of so many keys has at least."""
    return 8 * count * 4 / 3


def enumerating(counts: Mapping[int, float], ways: Iterable[tuple[int, int]], *, at_least: bool = False) -> float:
    """Return the most memory that enumerating takes at a time, for tables and keys."""
    size = least_table if at_least else table
    bytes_of = {number: size(count) for number, count in counts.items()}
    opening, _ = _opened(counts, ways)
    most, there, before = 0.0, 0.0, 0.0
    for number in sorted(counts, reverse=True):
        there += sum(bytes_of[other] for other in opening.get(number, ()))
        packed = KEYS * counts[number]
        # A table that grows is there twice, the old one half as large.
        growing = 0.0 if at_least else max((bytes_of[other] for other in opening.get(number, ())), default=0.0) / 2
        most = max(most, there + max(packed, growing) + (0.0 if at_least else before))
        there -= bytes_of[number]
        before = packed
    return most


def keeping(counts: Mapping[int, float], ways: Iterable[tuple[int, int]]) -> float:
    """Return the memory that enumerating takes where it may keep what it is done with, with what is on its way."""
    opened, targets = _opened(counts, ways)
    kept, there, most, buffers, before = Counter[float](), 0.0, 0.0, 0.0, 0.0
    for number in sorted(counts, reverse=True):
        buffers = max(buffers, targets[number] * min(BUFFER, OF_CHILD * counts[number]))
        for other in opened.get(number, ()):
            size, final = table(counts[number]) / 4, table(counts[other])
            size = min(size, final)
            while True:
                there += 0.0 if kept[size] else size
                kept[size] -= kept[size] > 0
                if size >= final:
                    break
                kept[size] += 1  # it has grown
                size *= 2
        packed = KEYS * counts[number]
        most, before = max(most, there + before + packed), packed
        kept[table(counts[number])] += 1
    return most + buffers


def _opened(
    counts: Mapping[int, float], ways: Iterable[tuple[int, int]]
) -> tuple[dict[int, list[int]], dict[int, int]]:
    """Return which tiers are met first by moves of each, and to how many moves lead, as far as there are buffers."""
    first_met, targets = {number: number for number in counts}, dict.fromkeys(counts, 0)
    for above, below in ways:
        if below in first_met and above in targets:
            first_met[below] = max(first_met[below], above)
            targets[above] = min(MOST_BUFFERS, targets[above] + 1)
    opened: dict[int, list[int]] = {}
    for number, above in first_met.items():
        opened.setdefault(above, []).append(number)
    return opened, targets


def solving(
    counts: Mapping[int, float], ways: Iterable[tuple[int, int]], *, is_stored: bool = True, links: float = 0.0
) -> float:
    """Return the most memory that solving takes at a time, for keys and records.

    A position takes `links` bytes where moves stay in its tier.
    """
    last_use, has_cycles = {number: number for number in counts}, set[int]()
    for above, below in ways:
        if below in last_use:
            last_use[below] = max(last_use[below], above)
        if above == below:
            has_cycles.add(above)
    ending: dict[int, list[int]] = {}
    for number, above in last_use.items():
        ending.setdefault(above, []).append(number)
    most, there = 0.0, 0.0
    for number in sorted(counts):
        there += (KEYS + RECORD) * counts[number]
        solved = UNDECIDED + links if number in has_cycles else 0.0
        most = max(most, there + max(solved, SORTED * is_stored) * counts[number])
        there -= sum((KEYS + RECORD) * counts[other] for other in ending.get(number, ()))
    return most


def links(moves: float, functions: Container[str]) -> float:
    """Return the bytes that a position with so many moves within its tier takes to find who leads to it.

    >>> links(3.0, {"undo_moves"}), links(3.0, set())
    (0.0, 32.0)
    """
    return 0.0 if "undo_moves" in functions else LINK * (1 + moves)
