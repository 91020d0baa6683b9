"""A position is looked up here, and then those that its moves lead to, in less time than as many of anybody's."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gamesman.model.answers import Worth
from gamesman.model.variant import Position
from gamesman.values import KEY_LIMIT, answer

if TYPE_CHECKING:
    from gamesman.db.reader import Reader


class Following:
    """Is a source of solved positions of which `probe_many` takes no others than those that follow one that was found.

    What a move leads to from a position that can be reached can be reached, too. So its key is its own, and need not be
    turned back into a position to see that.
    """

    def __init__(self, reader: "Reader"):
        self._reader = reader
        self._hash, self._tier = reader.variant.hash, reader.variant.tier
        self._least = reader.least
        self._worths: dict[int, Worth] = {}  # of the records that there have been

    def probe(self, position: Position) -> Worth:
        """Return the value and remoteness of a position. Raises NotReachable, saying how to solve from there."""
        return self._reader.probe(position)

    def probe_many(self, positions: Sequence[Position]) -> list[Worth]:
        """Return those of several positions that moves lead to, in their order. Raises NotReachable."""
        try:
            stored = positions if self._least is None else [*map(self._least, positions)]
            keys = [*map(self._hash, stored)]
            wanted = sorted(zip(map(self._tier, stored), keys, range(len(keys)), strict=True))
            is_sound = {*map(type, keys)} <= {int} and min(keys, default=0) >= 0 and max(keys, default=0) < KEY_LIMIT
        except Exception:  # a game's own code; whoever takes anybody's positions knows what becomes of that
            return self._reader.probe_many(positions)
        if not is_sound:
            return self._reader.probe_many(positions)
        worths = self._worths
        found: list[Worth] = [(0, 0)] * len(keys)
        for (_, _, i), record in zip(wanted, self._reader.records(wanted), strict=True):
            if record is None:
                return self._reader.probe_many(positions)
            found[i] = worths.get(record) or worths.setdefault(record, answer(record))
        return found
