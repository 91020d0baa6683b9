"""What a database has of a variant is put into arrays here, for the search to ask of the positions that it meets.

A database may have none of the position asked about and yet many of those it leads to. Tiers are taken from the lowest
up, as many as fit the memory given. A tier whose keys lie close together becomes a record for every key; of the others
the keys are kept, too, and searched.

    records     a b . c d e f      tier 3: keys 10 to 13, . is none; tier 5: keys 7, 90 and 205
    keys        7 90 205           of tier 5
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamesman.compiler.compile import Compiler, inlined, native_rules
from gamesman.model.variant import Position
from gamesman.prover.classes import least_of, rules_with
from gamesman.values import UNREACHED

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

RECORD_BYTES = 2
KEY_BYTES = 8
UNKNOWN = -1


class Leaves(NamedTuple):
    """Holds the tiers of a database that are asked."""

    rules: Any  # by which its positions are numbered
    tiers: Any  # their numbers, ascending
    firsts: Any  # by tier: the first key
    spans: Any  # how many keys there are from the first to the last, all of which have a record; 0 where keys are kept
    counts: Any
    places: Any  # where its records begin
    key_places: Any
    keys: Any
    records: Any


def load(stored: "SolvedPositions", below: Position, most_bytes: int) -> Leaves | None:
    """Load the lowest tiers that fit so many bytes and can be reached from a position; None where there are none."""
    variant = stored.variant
    highest, left = variant.tier(below), most_bytes
    tiers: list[int] = []
    spans, counts, firsts = [], [], []
    keys: list[np.ndarray] = []
    records: list[np.ndarray] = []
    for tier in sorted(stored.summary.tiers, key=lambda tier: tier.number):
        least_bytes = RECORD_BYTES * tier.classes
        if tier.number > highest or least_bytes > left:
            break
        parts = list(stored.positions(tier.number, is_classes=True))
        if not parts:
            continue
        its_keys = np.concatenate([part.keys for part in parts])
        its_records = np.concatenate([part.records for part in parts])
        span = int(its_keys[-1] - its_keys[0]) + 1
        is_dense = span * RECORD_BYTES <= len(its_keys) * (RECORD_BYTES + KEY_BYTES)
        if is_dense:
            every = np.full(span, UNREACHED, np.uint16)
            every[its_keys - its_keys[0]] = its_records
            its_records, kept = every, its_keys[:0]
        else:
            kept = its_keys
        if its_records.nbytes + kept.nbytes > left:
            break
        left -= its_records.nbytes + kept.nbytes
        tiers.append(tier.number)
        firsts.append(int(its_keys[0]))
        spans.append(span if is_dense else 0)
        counts.append(len(kept))
        keys.append(kept)
        records.append(its_records)
    if not tiers:
        return None
    rules = native_rules(rules_with(variant, stored.symmetry))
    places = np.cumsum([0, *map(len, records)][:-1])
    key_places = np.cumsum([0, *counts][:-1])
    lists = (np.array(numbers, np.int64) for numbers in (tiers, firsts, spans, counts, places, key_places))
    return Leaves(rules, *lists, np.concatenate(keys).astype(np.int64), np.concatenate(records).astype(np.uint16))


def teller(stored: "SolvedPositions") -> Callable[..., int]:
    """Compile what looks a position up: told(leaves, position), its record or UNKNOWN."""
    functions = Compiler(stored.variant.game).functions
    tier, hash, unhash = (functions[name] for name in ("tier", "hash", "unhash"))
    least = least_of(functions)
    unknown, none = UNKNOWN, UNREACHED

    def told(leaves: Any, position: Any) -> int:
        rules, tiers = leaves.rules, leaves.tiers
        number = tier(rules, position)
        if number > tiers[len(tiers) - 1]:
            return unknown
        at = 0
        while tiers[at] < number:
            at += 1
        if tiers[at] != number:
            return unknown
        image = least(rules, position)
        key = hash(rules, image)
        place = key - leaves.firsts[at]
        # What cannot be reached may have the key of what can; and unhash need not return from what is no key.
        if place < 0 or unhash(rules, key) != image:
            return unknown
        if leaves.spans[at]:
            if place >= leaves.spans[at]:
                return unknown
            record = leaves.records[leaves.places[at] + place]
            return unknown if record == none else int(record)
        low = leaves.key_places[at]
        begin, high = low, low + leaves.counts[at]
        while low < high:
            middle = (low + high) >> 1
            if leaves.keys[middle] < key:
                low = middle + 1
            else:
                high = middle
        if low == begin + leaves.counts[at] or leaves.keys[low] != key:
            return unknown
        return int(leaves.records[leaves.places[at] + low - begin])

    return inlined(told)
