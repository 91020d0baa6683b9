"""The positions that variants of a game share are found here, how their values change, and which moves stay best.

Two positions are the same if they are the same board with the same player to move: if their texts are the same. Texts
are compared in a sample; where all of these agree, a position is the same tuple of numbers in both variants, and the
tuples are matched.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamesman.analysis import matching
from gamesman.analysis.learning import Learnt, Lesson, Opening, where_they_part
from gamesman.analysis.lookup import SPARE_BYTES, TIER_BYTES
from gamesman.analysis.matching import Held
from gamesman.analysis.walk import Kept, allowance_for, class_count, code_size, kernels_for
from gamesman.compiler.unfolding import unfolder
from gamesman.model.ports import Positions
from gamesman.model.progress import Progress, Silent
from gamesman.model.variant import Variant
from gamesman.values import DRAW, LOSE, MAX_REMOTENESS, NAMES, REMOTENESS_BITS, TIE, WIN, pack, unpack

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

SAMPLED_POSITIONS = 500  # positions of each variant whose texts are compared

MOST_COUNTED = 1 << 18  # kinds of positions that are counted in an array of as many numbers

BEST_FIRST = (WIN, TIE, DRAW, LOSE)


@dataclass
class Sharing:
    """Holds what two variants have in common, or why nothing can be said (`reason`)."""

    reason: str | None = None
    positions: int = 0
    changes: np.ndarray = field(default_factory=lambda: np.zeros((4, 4), np.int64))  # [value in one, in the other]
    alike: int = 0  # positions with the same value and the same remoteness
    examples: list[dict[str, Any]] = field(default_factory=list)
    ending: int = 0  # positions that end in both
    later: int = 0  # the sum over these of how many moves later they end in the other
    learnt: Learnt | None = None
    opening: Opening | None = None

    @property
    def kept(self) -> int:
        """Count the positions whose value is the same in both."""
        return int(np.trace(self.changes))

    @property
    def kappa(self) -> float | None:
        """Return Cohen's kappa of the values in both; None where all have one value in both."""
        total = int(self.changes.sum())
        by_chance = int((self.changes.sum(axis=0) * self.changes.sum(axis=1).astype(object)).sum())
        if by_chance == total * total:
            return None
        return float((total * self.kept - by_chance) / (total * total - by_chance))

    @property
    def mean_change(self) -> float | None:
        """Return how many moves later the positions that end in both end in the other, on average."""
        return self.later / self.ending if self.ending else None

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
            "kappa": self.kappa,
            "end_in_both": self.ending,
            "mean_change": self.mean_change,
            "best_moves": None if self.learnt is None else self.learnt.as_json(),
            "opening": None if self.opening is None else self.opening.as_json(),
            "changes": {NAMES[value]: self.row(value) for value in BEST_FIRST},
            "examples": self.examples,
        }


class Group(NamedTuple):
    """Variants, by their numbers, that may share positions; all of the same classes where `is_classes`."""

    numbers: list[int]
    is_classes: bool


@dataclass
class Plan:
    """Says which of several variants may share positions, and why others cannot."""

    groups: list[Group]
    reasons: dict[tuple[int, int], str]

    def is_classes(self, number: int) -> bool:
        """Tell whether one position of each class of a variant will be matched."""
        return all(group.is_classes for group in self.groups if number in group.numbers)

    def has(self, number: int) -> bool:
        """Tell whether a variant may share positions with any other."""
        return any(number in group.numbers for group in self.groups)

    def is_apart(self, i: int, j: int) -> bool:
        """Tell whether there is a reason why two variants share nothing."""
        return (min(i, j), max(i, j)) in self.reasons


def plan(solved: Sequence["SolvedPositions"], pairs: Sequence[tuple[int, int]]) -> Plan:
    """Find out, by their names, their rules and a sample of their positions, which variants may share any."""
    reasons: dict[tuple[int, int], str] = {}
    group_of = {i: {i} for i in range(len(solved))}
    samples = [_sample(each) for each in solved]
    for i, j in pairs:
        reason = differing(solved[i], solved[j], samples[i], samples[j])
        if reason:
            reasons[i, j] = reason
        elif group_of[i] is not group_of[j]:
            group_of[i] |= group_of[j]
            for k in group_of[j]:
                group_of[k] = group_of[i]
    groups = []
    for members in {id(each): sorted(each) for each in group_of.values()}.values():
        if len(members) > 1:
            first = members[0]
            same = all(have_same_classes(solved[first], solved[k], samples[first]) for k in members[1:])
            groups.append(Group(members, same))
    return Plan(groups, reasons)


def share_all(
    solved: Sequence["SolvedPositions"],
    pairs: Sequence[tuple[int, int]],
    found: Plan,
    kept: Sequence[Kept | None],
    memory: int | None = None,
    progress: Progress | None = None,
) -> dict[tuple[int, int], Sharing]:
    """Match the positions of solved variants, and of every pair asked for say what they have in common.

    `kept` is what walks have kept of the positions, in the same order: all, or one of each class as the plan says.
    """
    shared = {(i, j): Sharing(found.reasons[min(i, j), max(i, j)]) for i, j in pairs if found.is_apart(i, j)}
    for group in found.groups:
        wanted = [(i, j) for i, j in pairs if (i, j) not in shared and {i, j} <= {*group.numbers}]
        if wanted:
            shared |= _share_group(solved, group, wanted, kept, memory, progress or Silent())
    for i, j in pairs:
        if shared[i, j].positions:
            shared[i, j].opening = where_they_part(solved[i], solved[j])
    return shared


def share(
    first: "SolvedPositions", second: "SolvedPositions", memory: int | None = None, progress: Progress | None = None
) -> Sharing:
    """Match the positions of two solved variants, of which no walk has kept anything."""
    pair = [(0, 1)]
    return share_all([first, second], pair, plan([first, second], pair), [None, None], memory, progress)[0, 1]


def _share_group(
    solved: Sequence["SolvedPositions"],
    group: Group,
    wanted: Sequence[tuple[int, int]],
    kept: Sequence[Kept | None],
    memory: int | None,
    progress: Progress,
) -> dict[tuple[int, int], Sharing]:
    members = [solved[i] for i in group.numbers]
    place = {number: i for i, number in enumerate(group.numbers)}
    counts = [class_count(each) if group.is_classes else each.summary.positions for each in members]
    largest = max(range(len(members)), key=counts.__getitem__)
    forms = [kernels_for(each.variant, max(counts), each.symmetry if group.is_classes else None) for each in members]
    room = min(_room(each, memory) for each in (members[0], members[largest]))
    lowest = [partial(kernels["lowest_key"], rules) for kernels, rules in forms]
    records = [_Records(each) for each in members]
    changes = {(i, j): _Changes(records[place[i]], records[place[j]], lowest[place[i]]) for i, j in wanted}
    lessons = {
        (i, j): Lesson(members[place[i]], members[place[j]], forms[place[i]], forms[place[j]], kept[i], kept[j])
        for i, j in wanted
    }

    unfold = [unfolder(each.variant, max(counts)) for each in members]

    def words(number: int, keys: np.ndarray) -> np.ndarray:
        return unfold[number](keys)[0]

    def streams() -> list[Iterator[Positions]]:
        return [each.positions(is_classes=group.is_classes) for each in members]

    progress.start("matching positions", sum(counts))
    found: Iterator[tuple[list[Held | None], bool]]
    if matching.number_alike(members):
        merged = matching.merged_by_key(streams(), [each.tiers for each in members], progress.advance)
        found = ((held, True) for held in merged)
    else:
        each_words = [partial(words, i) for i in range(len(members))]
        found = matching.merged_by_code(streams, each_words, counts, room, progress.advance)
    for held, is_sure in found:
        for i, j in wanted:
            one, other = held[place[i]], held[place[j]]
            if one is None or other is None:
                continue
            here, there = matching.common(one.codes, other.codes)
            if not is_sure:
                same = (words(place[i], one.keys[here]) == words(place[j], other.keys[there])).all(axis=1)
                here, there = np.arange(len(one.codes))[here][same], np.arange(len(other.codes))[there][same]
            keys = one.keys[here]
            if not len(keys):
                continue
            lesson = lessons[i, j]
            sizes = lesson.sizes(keys, one, here)
            changes[i, j].add(keys, sizes, one.records[here], other.records[there])
            lesson.add(keys, other.keys[there], sizes, (one, here), (other, there))
    progress.finish()
    for pair in wanted:
        changes[pair].learnt = lessons[pair].learnt
    return {(i, j): changes[i, j].summed_up(solved[i].variant) for i, j in wanted}


def _room(stored: "SolvedPositions", memory: int | None) -> int:
    """Return the bytes there are for positions. Raises TooLarge where there are none."""
    allowance = allowance_for(stored, memory)
    if allowance is None:
        return TIER_BYTES
    code = code_size(stored.variant, class_count(stored), "walking.children")
    return max(1 << 20, allowance.left - SPARE_BYTES - code)


def have_same_classes(first: "SolvedPositions", second: "SolvedPositions", sample: Sequence[tuple[int, ...]]) -> bool:
    """Tell whether both have one position of each class stored, and their positions the same images."""
    one, other = first.symmetry, second.symmetry
    if one is None or other is None or one.order != other.order:
        return False
    return all([*one.images(position)] == [*other.images(position)] for position in sample)


def differing(
    first: "SolvedPositions",
    second: "SolvedPositions",
    sample: Sequence[tuple[int, ...]],
    other_sample: Sequence[tuple[int, ...]],
) -> str | None:
    """Say why the positions of two variants cannot be the same, or return None if they can be."""
    if first.variant.game.meaning != second.variant.game.meaning:
        return "they are different games"
    parsed = 0
    for one, other, positions in ((first, second, sample), (second, first, other_sample)):
        for position in positions:
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
        keys = next(stored.positions(tier, is_classes=True)).keys
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


class _Records:
    """Numbers the records that a variant has."""

    def __init__(self, of: "SolvedPositions"):
        found = [pack(value, length) for value, lengths in of.summary.histogram.items() for length in lengths]
        self.all = np.array(sorted(found), np.uint16)
        self.places = np.zeros(1 << 16, np.uint16)
        self.places[self.all] = np.arange(len(self.all))


class _Changes:
    """Counts the changes from value to value, with an example of each that is as short to check as there is."""

    def __init__(self, first: "_Records", second: "_Records", lowest_key: Callable[[np.ndarray], tuple[int, int]]):
        """Begin to count; `lowest_key` gives the lowest key in some classes, and the number of its class."""
        self._first, self._second, self._lowest_key = first, second, lowest_key
        self._pairs = np.zeros((4, 4), np.int64)
        self._alike = self._ending = self._later = 0
        self.learnt: Learnt | None = None
        self._best: dict[int, tuple[int, int, int, int]] = {}  # cell -> score, key, both records

    def add(self, keys: np.ndarray, sizes: np.ndarray, here: np.ndarray, there: np.ndarray) -> None:
        """Count positions, so many for each key, given with their records in the first and in the second variant."""
        # Positions are many, and the records that they have in both are few: these are counted, and then looked at.
        first, second = self._first.all, self._second.all
        kinds = self._first.places[here] * np.int64(len(second)) + self._second.places[there]
        present, counts = _counted(kinds, sizes, len(first) * len(second))
        here, there = first[present // len(second)], second[present % len(second)]
        cells = (here >> REMOTENESS_BITS) * 4 + (there >> REMOTENESS_BITS)
        np.add.at(self._pairs.reshape(16), cells, counts)
        self._alike += int(counts[here == there].sum())
        both = (here >> REMOTENESS_BITS != DRAW) & (there >> REMOTENESS_BITS != DRAW)
        later = (there & MAX_REMOTENESS).astype(np.int64) - (here & MAX_REMOTENESS)
        self._ending += int(counts[both].sum())
        self._later += int((later * counts)[both].sum())
        scores = _length(here) + _length(there)
        for cell in np.unique(cells[cells // 4 != cells % 4]).tolist():
            score = int(scores[cells == cell].min())
            if cell in self._best and score > self._best[cell][0]:
                continue
            for i in np.flatnonzero((cells == cell) & (scores == score)).tolist():
                key, _ = self._lowest_key(keys[np.flatnonzero(kinds == present[i])])
                found = score, int(key), int(here[i]), int(there[i])
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
        counted = int(self._pairs.sum()), self._pairs, self._alike, examples, self._ending, self._later
        return Sharing(None, *counted, self.learnt)


def _counted(kinds: np.ndarray, sizes: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """Return which kinds there are, of those below `most`, and the sum of the sizes of each."""
    if most <= MOST_COUNTED:
        counts = np.bincount(kinds, sizes).astype(np.int64)
        present = np.flatnonzero(counts)
        return present, counts[present]
    present, places = np.unique(kinds, return_inverse=True)
    return present, np.bincount(places, sizes).astype(np.int64)


def _length(records: np.ndarray) -> np.ndarray:
    """Return how long each position is to play, to choose an example; one that is over already is the last choice."""
    remoteness = (records & MAX_REMOTENESS).astype(np.int64)
    is_over = (remoteness == 0) & (records >> REMOTENESS_BITS != DRAW)
    lengths: np.ndarray = remoteness + is_over * (MAX_REMOTENESS + 1) * 4
    return lengths
