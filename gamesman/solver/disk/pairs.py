"""Where something goes, and what it says there: pairs of numbers, sorted by the first, in two files side by side."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gamesman.solver.disk.blocks import Blocks, write_keys, write_records

WHAT = ".what"  # what the name of the second file ends in


class Pairs(NamedTuple):
    """Reads pairs that were written."""

    where: Blocks
    what: Blocks

    @classmethod
    def of(cls, path: Path) -> "Pairs":
        """Open the two files. Raises Damaged."""
        found = cls(Blocks(path), Blocks(path.with_name(path.name + WHAT)))
        if not np.array_equal(found.where.firsts, found.what.firsts):
            raise found.what.damaged()
        return found

    def most(self, low: int, last: int) -> int:
        """Return how many pairs there are, at most, that go from `low` to `last`."""
        begin, end = self.where.between(low, last, has_twins=True)
        return int(self.where.lengths()[begin:end].sum())

    def read(self, low: int, last: int, decode: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return the pairs that go from `low` to `last`."""
        begin, end = self.where.between(low, last, has_twins=True)
        if begin == end:
            return np.empty(0, np.int64), np.empty(0, np.uint32)
        room = np.empty(int(self.where.lengths()[begin:end].sum()), np.int64)
        where = self.where.read_keys(begin, end, decode, room)
        what = self.what.read_records(begin, end, np.uint32)
        if len(what) != len(where):
            raise self.what.damaged()
        first, after = int(np.searchsorted(where, low)), int(np.searchsorted(where, last, "right"))
        return where[first:after], what[first:after]


def write_pairs(path: Path, where: np.ndarray, what: np.ndarray, block: int, encode: Any) -> dict[str, int]:
    """Write pairs sorted by where they go, so many a block; return the sizes of the files."""
    other = path.with_name(path.name + WHAT)
    sizes = {path.name: write_keys(path, where, block, encode)}
    return {**sizes, other.name: write_records(other, where, what.astype(np.uint32), block)}
