"""Some keys of an enumeration are kept here, as evenly drawn as there are, of positions that lead to what is not known.

Keys are packed in the order of their scrambled values: the first ones are those whose scrambled values are least, so
each position of a tier is as likely to be among them as any other.
"""

from collections.abc import Mapping

import numpy as np

from gamesman.solver.kernels.sorting import packed_bytes
from gamesman.solver.keyset import KeyTable

SOME = 1 << 18  # keys of all complete tiers together, at most
OPEN = 1 << 18  # of one that is not complete
DRAWN = 1 << 13  # by which it is seen where keys are in a row
IN_A_ROW = 1 << 12  # of which it is seen how long they are in a file
GROWN = 1.5  # times as large a tier is, at least, as the one of which that was last seen


class Frontier:
    """Keeps keys of the complete tiers from which moves lead to tiers that are not."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[np.ndarray, int, int]] = {}  # with how many the tier has, and its lowest child
        self._most, self.key_bytes = 0, 0.0  # how long a key is in a file, in a tier that was the largest

    def closed(self, number: int, keys: np.ndarray, children: set[int]) -> None:
        """Keep some keys of a tier that is complete, and none of those from which all has been found."""
        if len(keys) > GROWN * self._most:
            self._most, self.key_bytes = len(keys), packed_bytes(in_a_row(keys, IN_A_ROW))
        self._kept = {other: kept for other, kept in self._kept.items() if kept[2] < number}
        if children and min(children) < number:
            each = SOME // (len(self._kept) + 1)
            self._kept[number] = keys[:each].copy(), len(keys), min(children)
            for other, (some, count, lowest) in self._kept.items():
                if len(some) > each:
                    self._kept[other] = some[:each].copy(), count, lowest

    def pool(self, open: Mapping[int, KeyTable]) -> np.ndarray:
        """Return keys of all these tiers and of the open ones, mixed, of each in proportion to what is known of it."""
        each = [*((keys, count) for keys, count, _ in self._kept.values())]
        each += [(table.some(OPEN), len(table)) for table in open.values()]
        share = min((len(keys) / count for keys, count in each if count), default=0.0)
        pool = np.concatenate([np.empty(0, np.int64), *(keys[: max(1, int(share * n))] for keys, n in each)])
        np.random.default_rng(1).shuffle(pool)
        return pool


def in_a_row(keys: np.ndarray, most: int) -> np.ndarray:
    """Return some keys one after the other as they are sorted, from the middle of all: about so many, and no more.

    >>> in_a_row(np.array([9, 1, 5, 3, 7]), 10), in_a_row(np.arange(0, 5000, 5), 3)
    (array([1, 3, 5, 7, 9]), array([2500, 2505, 2510]))
    """
    if len(keys) <= most:
        return np.sort(keys)
    drawn = np.sort(keys[:: max(1, len(keys) // DRAWN)])
    first = len(drawn) // 2
    last = min(len(drawn) - 1, first + 1 + len(drawn) * most // len(keys))
    return np.sort(keys[(keys >= drawn[first]) & (keys <= drawn[last])])[:most]
