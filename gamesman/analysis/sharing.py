"""The positions that two variants of a game share are found here, and how their values change from one to the other.

Two positions are the same if they are the same board with the same player to move: if their texts are the same. Texts
are compared in a sample; where all of these agree, a position is the same tuple of numbers in both variants, and the
tuples are matched. Keys are not: the same position may have different ones in two variants.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gamesman.analysis.lookup import SPARE_BYTES, TIER_BYTES
from gamesman.analysis.walk import allowance_for, class_count, code_size, form_for, kernels_for
from gamesman.model.progress import Progress, Silent
from gamesman.model.variant import Variant
from gamesman.values import DRAW, LOSE, MAX_REMOTENESS, NAMES, REMOTENESS_BITS, TIE, WIN, unpack

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

SAMPLED_POSITIONS = 500  # positions of each variant whose texts are compared

BEST_FIRST = (WIN, TIE, DRAW, LOSE)


@dataclass
class Sharing:
    """Holds what two variants have in common, or why nothing can be said (`reason`)."""

    reason: str | None = None
    positions: int = 0
    changes: np.ndarray = field(default_factory=lambda: np.zeros((4, 4), np.int64))  # [value in one, in the other]
    alike: int = 0  # positions with the same value and the same remoteness
    examples: list[dict[str, Any]] = field(default_factory=list)

    @property
    def kept(self) -> int:
        """Count the positions whose value is the same in both."""
        return int(np.trace(self.changes))

    def row(self, value: int) -> dict[str, int]:
        return {NAMES[other]: int(self.changes[value, other]) for other in BEST_FIRST}

    def as_json(self) -> dict[str, Any]:
        """Return the field `shared` of a pair in `compare --json`."""
        if self.reason:
            return {"positions": 0, "reason": self.reason}
        return {
            "positions": self.positions,
            "same_value": self.kept,
            "same_value_and_remoteness": self.alike,
            "changes": {NAMES[value]: self.row(value) for value in BEST_FIRST},
            "examples": self.examples,
        }


def share(
    first: "SolvedPositions", second: "SolvedPositions", memory: int | None = None, progress: Progress | None = None
) -> Sharing:
    """Match the positions of two solved variants."""
    reason = differing(first, second)
    if reason:
        return Sharing(reason)
    progress = progress or Silent()
    is_turned = class_count(first) < class_count(second)  # the smaller one goes into the slots
    large, small = (second, first) if is_turned else (first, second)
    # Where both have the same classes, one position of each is matched.
    is_classes = have_same_classes(first, second)
    counts = [class_count(of) if is_classes else _count(of) for of in (small, large)]
    symmetries = [of.symmetry if is_classes else None for of in (small, large)]
    count = counts[0]
    kernels, large_rules = kernels_for(large.variant, max(counts), symmetries[1])
    small_rules = form_for(small.variant, max(counts), symmetries[0])[2]
    size = 1 << max(4, (count * 3 // 2).bit_length())
    parts, room = 1, _room(large, memory)
    while 10 * size // parts > room and parts < size:
        parts *= 2
    slots, slot_records = np.empty(size // parts, np.int64), np.empty(size // parts, np.uint16)
    found = _Changes(partial(kernels["lowest_key"], large_rules))
    progress.start(f"matching {first.variant.name} and {second.variant.name}", parts * sum(counts))
    for part in range(parts):
        slots.fill(-1)
        for _, keys, records in small.positions(is_classes=is_classes):
            kernels["put"](small_rules, keys, records, slots, slot_records, part, parts)
            progress.advance(len(keys))
        for _, keys, records in large.positions(is_classes=is_classes):
            at, met, sizes = (np.empty(len(keys), kind) for kind in (np.int64, np.uint16, np.uint8))
            given = keys, records, slots, slot_records, part, parts
            n = kernels["meet"](large_rules, small_rules, *given, at, met, sizes)
            here, there = records[at[:n]], met[:n]
            found.add(keys[at[:n]], sizes[:n], *((there, here) if is_turned else (here, there)))
            progress.advance(len(keys))
    progress.finish()
    return found.summed_up(large.variant)


def _room(large: "SolvedPositions", memory: int | None) -> int:
    """Return the bytes for the slots of the smaller variant's positions. Raises TooLarge where there are none."""
    allowance = allowance_for(large, memory)
    if allowance is None:
        return TIER_BYTES
    return max(0, allowance.left - SPARE_BYTES - code_size(large.variant, class_count(large), "walking.meet"))


def have_same_classes(first: "SolvedPositions", second: "SolvedPositions") -> bool:
    """Tell whether both have one position of each class stored, and their positions the same images."""
    one, other = first.symmetry, second.symmetry
    if one is None or other is None or one.order != other.order:
        return False
    return all([*one.images(position)] == [*other.images(position)] for position in _sample(first))


def differing(first: "SolvedPositions", second: "SolvedPositions") -> str | None:
    """Say why the positions of two variants cannot be the same, or return None if they can be."""
    if first.variant.game.meaning != second.variant.game.meaning:
        return "they are different games"
    parsed = 0
    for one, other in ((first, second), (second, first)):
        for position in _sample(one):
            text = one.variant.show(position)
            if _shown(other.variant, position) != text:
                parsed += _parsed(other.variant, text)
                if parsed:
                    return "the same boards are other tuples of numbers in each of them, which cannot be matched"
                return "their boards differ"
    return None


def _sample(stored: "SolvedPositions") -> list[tuple[int, ...]]:
    """Return the start, and some positions of every tier."""
    positions = [stored.variant.start()]
    tiers = stored.tiers
    for tier in tiers[:: max(1, len(tiers) // SAMPLED_POSITIONS)]:
        _, keys, _ = next(stored.positions(tier))
        step = max(1, len(keys) * min(len(tiers), SAMPLED_POSITIONS) // SAMPLED_POSITIONS)
        positions += [stored.variant.unhash(key) for key in keys[::step].tolist()]
    return positions


def _shown(variant: Variant, position: tuple[int, ...]) -> str | None:
    try:
        return variant.show(position)
    except Exception:  # a position of another variant, which this one's functions need not know
        return None


def _parsed(variant: Variant, text: str) -> bool:
    try:
        return variant.show(variant.parse(text)) == text
    except Exception:
        return False


def _count(stored: "SolvedPositions") -> int:
    return sum(tier.positions for tier in stored.summary.tiers)


class _Changes:
    """Counts the changes from value to value, with an example of each that is as short to check as there is."""

    def __init__(self, lowest_key: Callable[[np.ndarray], tuple[int, int]]):
        """Begin to count; `lowest_key` gives the lowest key in some classes, and the number of its class."""
        self._lowest_key = lowest_key
        self._pairs = np.zeros((4, 4), np.int64)
        self._alike = 0
        self._best: dict[int, tuple[int, int, int, int]] = {}  # cell -> score, key, both records

    def add(self, keys: np.ndarray, sizes: np.ndarray, here: np.ndarray, there: np.ndarray) -> None:
        """Count positions, so many for each key, given with their records in the first and in the second variant."""
        cells = (here >> REMOTENESS_BITS) * 4 + (there >> REMOTENESS_BITS)
        counts = np.bincount(cells, sizes, minlength=16).astype(np.int64)
        self._pairs += counts.reshape(4, 4)
        self._alike += int(sizes[here == there].sum(dtype=np.int64))
        for cell in np.flatnonzero(counts).tolist():
            if cell // 4 == cell % 4:
                continue
            at = np.flatnonzero(cells == cell)
            scores = _length(here[at]) + _length(there[at])
            score = int(scores.min())
            if cell in self._best and score > self._best[cell][0]:
                continue
            at = at[scores == score]
            key, which = self._lowest_key(keys[at])
            found = score, int(key), int(here[at[which]]), int(there[at[which]])
            self._best[cell] = min(found, self._best.get(cell, found))

    def summed_up(self, of: Variant) -> Sharing:
        """Return what was counted; `of` is the variant whose keys they were."""
        examples: list[dict[str, Any]] = []
        for cell, (_, key, here, there) in self._best.items():
            (value, remoteness), (other, other_remoteness) = unpack(here), unpack(there)
            examples.append(
                {
                    "from": NAMES[value],
                    "to": NAMES[other],
                    "positions": int(self._pairs[cell // 4, cell % 4]),
                    "position": of.show(of.unhash(key)),
                    "remoteness": [
                        None if v == DRAW else r for v, r in ((value, remoteness), (other, other_remoteness))
                    ],
                }
            )
        examples.sort(key=lambda e: (-abs(NAMES.index(e["from"]) - NAMES.index(e["to"])), -e["positions"], e["from"]))
        return Sharing(None, int(self._pairs.sum()), self._pairs, self._alike, examples)


def _length(records: np.ndarray) -> np.ndarray:
    """Return how long each position is to play, to choose an example; one that is over already is the last choice."""
    remoteness = (records & MAX_REMOTENESS).astype(np.int64)
    is_over = (remoteness == 0) & (records >> REMOTENESS_BITS != DRAW)
    lengths: np.ndarray = remoteness + is_over * (MAX_REMOTENESS + 1) * 4
    return lengths
