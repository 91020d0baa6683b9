"""All positions of a tier of which the database has one of each class: its images, in the order of their keys.

There may be more of them than fit memory, so they are made anew for one range of keys after the other.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gamesman.db.codec.block import BLOCK
from gamesman.model.symmetry import Symmetry

Pair = tuple[np.ndarray, np.ndarray]

FEW = 20_000  # positions that are made in plain Python before the compiler would be done
ROOM = 1 << 23  # positions of a range, about
SAMPLE = 1 << 16
LIMIT = (1 << 63) - 1


def images(symmetry: Symmetry, classes: int, parts: Callable[[], Iterator[Pair]]) -> Iterator[Pair]:
    """Keys and records of all positions, cut into blocks as if they were stored; `parts` are those of the classes."""
    take = _taken(symmetry, classes)
    bounds = [0, *_bounds(take, classes * symmetry.order, parts), LIMIT]
    keys, records = np.empty(0, np.int64), np.empty(0, np.uint16)
    for low, high in zip(bounds, bounds[1:], strict=False):
        found = [(keys, records), *(take(*part, low, high) for part in parts())]
        keys, records = (np.concatenate([pair[i] for pair in found]) for i in range(2))
        order = np.argsort(keys)
        keys, records = keys[order], records[order]
        whole = len(keys) // BLOCK * BLOCK
        for begin in range(0, whole, BLOCK):
            yield keys[begin : begin + BLOCK], records[begin : begin + BLOCK]
        keys, records = keys[whole:], records[whole:]
    if len(keys):
        yield keys, records


def counted(symmetry: Symmetry, classes: int) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """What counts the positions of some of the classes, given by keys and records: how many have each record.

    It raises ValueError for keys that are none.
    """
    take = _taken(symmetry, classes)

    def count(keys: np.ndarray, records: np.ndarray) -> np.ndarray:
        try:
            return np.bincount(take(keys, records, 0, LIMIT)[1])
        except Exception as error:  # a game's functions know only what is a position
            raise ValueError("keys of no position") from error

    return count


def _bounds(take: Callable[..., Pair], most: int, parts: Callable[[], Iterator[Pair]]) -> list[int]:
    """Keys that cut the positions, at most so many, into ranges of about ROOM."""
    ranges = -(-most // ROOM)
    if ranges == 1:
        return []
    step = max(1, most // SAMPLE)
    sample = np.sort(np.concatenate([take(keys[::step], records[::step], 0, LIMIT)[0] for keys, records in parts()]))
    return sorted({int(sample[len(sample) * i // ranges]) for i in range(1, ranges)})


def _taken(symmetry: Symmetry, classes: int) -> Callable[..., Pair]:
    """What makes of classes those of their images whose keys are from a first one to before another."""
    variant = symmetry.variant
    if classes * symmetry.order <= FEW:

        def interpreted(keys: np.ndarray, records: np.ndarray, low: int, high: int) -> Pair:
            found = []
            for key, record in zip(keys.tolist(), records.tolist(), strict=True):
                found += [(variant.hash(image), record) for image in symmetry.orbit(variant.unhash(key))]
            kept = [pair for pair in found if low <= pair[0] < high]
            return np.array([k for k, _ in kept], np.int64), np.array([r for _, r in kept], np.uint16)

        return interpreted
    from gamesman.compiler import quotient
    from gamesman.compiler.compile import Compiler, native_rules

    compiler, rules = Compiler(variant.game, len(variant.start())), native_rules(symmetry.rules)
    kernel: Any = quotient.images_kernel(compiler.kernel, compiler.functions)

    def compiled(keys: np.ndarray, records: np.ndarray, low: int, high: int) -> Pair:
        most = len(keys) * symmetry.order
        found, its = np.empty(most, np.int64), np.empty(most, np.uint16)
        n = kernel(rules, keys, records, low, high, found, its)
        return found[:n].copy(), its[:n].copy()

    return compiled
