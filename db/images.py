"""A tier of which one position of each class is stored is read as all its positions, in the order of their keys.

There may be more of them than fit memory, so they are made anew for one range of keys after the other. Few are made in
plain Python; for many there is a port, as a database knows no compiler. Without it, all are made in plain Python.
"""

from collections.abc import Callable, Iterator

import numpy as np

from gamesman.db.codec.block import BLOCK
from gamesman.db.rows import TierRow
from gamesman.model.ports import CompileImages, MakeImages, Positions
from gamesman.model.symmetry import Symmetry
from gamesman.values import KEY_LIMIT

FEW_POSITIONS = 20_000  # that are made in plain Python before the compiler would be done
RANGE_POSITIONS = 1 << 23  # in a range of keys, about
SAMPLE_KEYS = 1 << 16
LAST_KEY = KEY_LIMIT - 1


def images(
    symmetry: Symmetry, tier: TierRow, stored: Callable[[], Iterator[Positions]], compiled: CompileImages | None = None
) -> Iterator[Positions]:
    """Yield all positions of a tier, as many at a time as a block has; `stored` gives one of each class."""
    make = _maker(symmetry, tier.positions, compiled)
    bounds = [0, *_bounds(make, tier.positions * symmetry.order, stored), LAST_KEY]
    keys, records = np.empty(0, np.int64), np.empty(0, np.uint16)
    for low, high in zip(bounds, bounds[1:], strict=False):
        found = [(keys, records), *(make(part.keys, part.records, low, high) for part in stored())]
        keys, records = (np.concatenate([arrays[i] for arrays in found]) for i in range(2))
        order = np.argsort(keys)
        keys, records = keys[order], records[order]
        whole = len(keys) // BLOCK * BLOCK
        for begin in range(0, whole, BLOCK):
            yield Positions(tier.number, keys[begin : begin + BLOCK], records[begin : begin + BLOCK])
        keys, records = keys[whole:], records[whole:]
    if len(keys):
        yield Positions(tier.number, keys, records)


def counter(
    symmetry: Symmetry, classes: int, compiled: CompileImages | None = None
) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return a function that takes keys and records of classes, and counts how many positions have each record.

    It raises ValueError for keys of no position. `classes` is how many there are in all.
    """
    make = _maker(symmetry, classes, compiled)

    def count(keys: np.ndarray, records: np.ndarray) -> np.ndarray:
        try:
            return np.bincount(make(keys, records, 0, LAST_KEY)[1])
        except Exception as error:  # a game's functions may fail in any way on a key of no position
            raise ValueError("keys of no position") from error

    return count


def _bounds(make: MakeImages, most: int, stored: Callable[[], Iterator[Positions]]) -> list[int]:
    """Return keys that cut the positions, of which there are `most` at most, into ranges of about RANGE_POSITIONS."""
    ranges = -(-most // RANGE_POSITIONS)
    if ranges == 1:
        return []
    step = max(1, most // SAMPLE_KEYS)
    found = [make(part.keys[::step], part.records[::step], 0, LAST_KEY)[0] for part in stored()]
    sample = np.sort(np.concatenate(found))
    return sorted({int(sample[len(sample) * i // ranges]) for i in range(1, ranges)})


def _maker(symmetry: Symmetry, classes: int, compiled: CompileImages | None) -> MakeImages:
    """Return what makes the positions of so many classes, compiled where these are many."""
    if compiled is not None and classes * symmetry.order > FEW_POSITIONS:
        return compiled(symmetry)
    variant = symmetry.variant

    def make(keys: np.ndarray, records: np.ndarray, low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
        found = []
        for key, record in zip(keys.tolist(), records.tolist(), strict=True):
            found += [(variant.hash(image), record) for image in symmetry.orbit(variant.unhash(key))]
        kept = [pair for pair in found if low <= pair[0] < high]
        return np.array([k for k, _ in kept], np.int64), np.array([r for _, r in kept], np.uint16)

    return make
