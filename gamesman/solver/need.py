"""The memory that solving by hashing needs is told here from the sizes of tiers and where moves lead from each.

While a tier is enumerated it is there twice, as a table and packed, beside the tables of all tiers that have been met
and the packed keys on their way to disk. While it is solved there are its keys and records, a sorted copy for the
database, and those of all tiers that an unsolved one leads to.
"""

import math
from collections.abc import Iterable, Mapping

from gamesman.solver.kernels import hashing

KEYS = 8.5  # bytes of a packed key, with its part of the directory
RECORD = 2
SORTED = 8


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
    first_met = {number: number for number in counts}
    for above, below in ways:
        if below in first_met:
            first_met[below] = max(first_met[below], above)
    bytes_of = {number: size(count) for number, count in counts.items()}
    opening: dict[int, list[int]] = {}
    for number, above in first_met.items():
        opening.setdefault(above, []).append(number)
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


def solving(counts: Mapping[int, float], ways: Iterable[tuple[int, int]], *, is_stored: bool = True) -> float:
    """Return the most memory that solving takes at a time, for keys and records."""
    last_use = {number: number for number in counts}
    for above, below in ways:
        if below in last_use:
            last_use[below] = max(last_use[below], above)
    ending: dict[int, list[int]] = {}
    for number, above in last_use.items():
        ending.setdefault(above, []).append(number)
    most, there = 0.0, 0.0
    for number in sorted(counts):
        there += (KEYS + RECORD) * counts[number]
        most = max(most, there + (SORTED * counts[number] if is_stored else 0.0))
        there -= sum((KEYS + RECORD) * counts[other] for other in ending.get(number, ()))
    return most
