"""The positions that several variants share are brought together, each variant read once, however many pairs there are.

Where variants number their positions alike their keys are merged: all are in ascending order, tier by tier. Else each
position is given a code that is the same for the same tuple of numbers, and the codes are sorted and merged: the
numbers side by side where 63 bits are enough for them, otherwise mixed, and then what agrees is compared in full.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamesman.model.ports import Positions
from gamesman.model.reading import agree

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

AT_ONCE = 1 << 16  # positions of a variant that are merged at a time, at least
CODE_BITS = 63
BYTES_PER_POSITION = 48  # of codes, keys and records, and to sort them
MULTIPLIERS = 0x1E3779B97F4A7C15, 0x2545F4914F6CDD1D

# Makes of keys the positions' numbers, a row a position.
Words = Callable[[np.ndarray], np.ndarray]


class Held(NamedTuple):
    """Holds some positions of a variant in ascending order of their codes."""

    codes: np.ndarray
    keys: np.ndarray
    records: np.ndarray
    numbers: np.ndarray | slice  # each position's place among all of the variant


def number_alike(solved: Sequence["SolvedPositions"]) -> bool:
    """Tell whether the same positions of these variants are known to have the same keys, in the same tiers."""
    return all(agree(("hash", "unhash", "tier"), a.variant, b.variant) for a, b in pairwise(solved))


def merged_by_key(
    streams: Sequence[Iterator[Positions]], tiers: Sequence[Sequence[int]], advance: Callable[[int], None]
) -> Iterator[list[Held | None]]:
    """Yield for each range of keys what every variant has in it, None where that is nothing.

    Positions come tier by tier; `tiers` are those of each variant.
    """
    chunks = [_chunks(stream) for stream in streams]
    waiting = [next(each, None) for each in chunks]
    places = [0] * len(streams)
    for tier in sorted({number for numbers in tiers for number in numbers}):
        while True:
            here = [each is not None and each.tier == tier for each in waiting]
            if not any(here):
                break
            cut = min(int(each.keys[-1]) for each in waiting if each is not None and each.tier == tier)
            found: list[Held | None] = [None] * len(streams)
            for i, each in enumerate(waiting):
                if each is None or not here[i]:
                    continue
                n = int(np.searchsorted(each.keys, cut, side="right"))
                if n:
                    keys = each.keys[:n]
                    found[i] = Held(keys, keys, each.records[:n], slice(places[i], places[i] + n))
                    places[i] += n
                    advance(n)
                rest = Positions(tier, each.keys[n:], each.records[n:])
                waiting[i] = rest if len(rest.keys) else next(chunks[i], None)
            yield found


def _chunks(stream: Iterator[Positions]) -> Iterator[Positions]:
    """Yield the same positions, more of them at a time, never of two tiers."""
    held: list[Positions] = []
    for part in stream:
        if not len(part.keys):
            continue
        if held and (held[0].tier != part.tier or sum(len(each.keys) for each in held) >= AT_ONCE):
            yield _joined(held)
            held = []
        held.append(part)
    if held:
        yield _joined(held)


def _joined(parts: list[Positions]) -> Positions:
    if len(parts) == 1:
        return parts[0]
    keys, records = (np.concatenate([each[i] for each in parts]) for i in (1, 2))
    return Positions(parts[0].tier, keys, records)


class Gathered(NamedTuple):
    """Holds a part of a variant's positions as they come: keys, records, their places among all, and what they are."""

    keys: np.ndarray
    records: np.ndarray
    numbers: np.ndarray
    words: np.ndarray


def merged_by_code(
    streams: Callable[[], Sequence[Iterator[Positions]]],
    words: Sequence[Words],
    counts: Sequence[int],
    room: int,
    advance: Callable[[int], None],
) -> Iterator[tuple[list[Held | None], bool]]:
    """Yield the positions of all variants by codes, and whether equal codes are sure to be equal positions.

    There are as many parts as it takes for one of them to find room.
    """
    parts = 1
    while BYTES_PER_POSITION * sum(counts) > room * parts and parts < max(counts):
        parts *= 2
    for part in range(parts):
        gathered = [
            _gather(stream, to_words, part, parts, advance) for stream, to_words in zip(streams(), words, strict=True)
        ]
        widths = [max(each) for each in zip(*(found for _, found in gathered if found), strict=True)]
        is_sure = sum(widths) <= CODE_BITS
        held = [_sorted(found, partial(_packed, widths=widths)) for found, _ in gathered]
        seed = 1
        while not is_sure:
            held = [_sorted(found, partial(_mixed, seed=seed)) for found, _ in gathered]
            if all(each is None or not (each.codes[1:] == each.codes[:-1]).any() for each in held):
                break
            seed += 1  # two positions of one variant had the same code
        yield held, is_sure


def _gather(
    stream: Iterator[Positions], to_words: Words, part: int, parts: int, advance: Callable[[int], None]
) -> tuple[list[Gathered], list[int]]:
    """Collect one part of a variant's positions, and how many bits each of their numbers needs."""
    found: list[Gathered] = []
    place = 0
    widths: list[int] = []
    for each in stream:
        one = Gathered(each.keys, each.records, np.arange(place, place + len(each.keys)), to_words(each.keys))
        place += len(each.keys)
        advance(len(each.keys))
        # -1 stands for none, so each number is taken one higher; what is lower needs more bits than there are.
        bits = [int(n + 1).bit_length() for n in one.words.max(axis=0, initial=0)]
        bits = [64 if low < -1 else n for n, low in zip(bits, one.words.min(axis=0, initial=0), strict=True)]
        widths = [max(pair) for pair in zip(widths or bits, bits, strict=True)]
        if parts > 1:
            is_in = (_mixed(one.words, 0) >> 20) % parts == part
            one = Gathered(*(column[is_in] for column in one))
        found.append(one)
    return found, widths


def _sorted(found: list[Gathered], code: Callable[[np.ndarray], np.ndarray]) -> Held | None:
    if not found:
        return None
    codes = np.concatenate([code(each.words) for each in found])
    keys, records, numbers = (np.concatenate([each[i] for each in found]) for i in range(3))
    order = np.argsort(codes)
    return Held(codes[order], keys[order], records[order], numbers[order])


def _packed(words: np.ndarray, widths: list[int]) -> np.ndarray:
    codes = np.zeros(len(words), np.int64)
    for i, width in enumerate(widths):
        codes = (codes << width) | (words[:, i] + 1)
    return codes


def _mixed(words: np.ndarray, seed: int) -> np.ndarray:
    codes = np.full(len(words), seed, np.uint64)
    for i in range(words.shape[1]):
        codes = (codes ^ words[:, i].astype(np.uint64)) * np.uint64(MULTIPLIERS[0])
        codes ^= codes >> np.uint64(31)
        codes = codes * np.uint64(MULTIPLIERS[1])
        codes ^= codes >> np.uint64(29)
    mixed: np.ndarray = (codes >> np.uint64(1)).astype(np.int64)
    return mixed


def common(first: np.ndarray, second: np.ndarray) -> tuple[Any, Any]:
    """Return where two ascending arrays have the same numbers: the places in each.

    >>> common(np.array([2, 3, 5]), np.array([1, 3, 5, 9]))
    (array([1, 2]), array([1, 2]))
    """
    if len(first) == len(second) and np.array_equal(first, second):
        return slice(None), slice(None)
    if len(first) > len(second):
        there, here = common(second, first)
        return here, there
    at = np.searchsorted(second, first)
    at[at == len(second)] = 0
    here = np.flatnonzero(second[at] == first) if len(second) else np.empty(0, np.int64)
    return here, at[here]
