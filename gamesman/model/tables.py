"""Tables of endgames answer here for the variant that they belong to: some of its positions, and no others."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gamesman.errors import NotSolved
from gamesman.model.advice import command
from gamesman.model.answers import Worth
from gamesman.model.endgames import Endgames
from gamesman.model.variant import Position, Variant
from gamesman.values import UNDECIDED, UNREACHED

if TYPE_CHECKING:
    import numpy as np

    from gamesman.model.ports import SolvedPositions


class Tables:
    """Looks positions of a variant up in the solved tables of its endgames; what is over is judged by the rules."""

    def __init__(self, stored: "SolvedPositions"):
        assert isinstance(stored.variant, Endgames)
        self.endgames: Endgames = stored.variant
        self.variant: Variant = self.endgames.whole
        self.stored = stored
        self._records: np.ndarray | None = None

    @property
    def name(self) -> str:
        """Return which tiers there are, for a person."""
        return f"tiers up to {self.endgames.tier_name(self.endgames.up_to)}"

    def has(self, position: Position) -> bool:
        return self.endgames.tier(position) <= self.endgames.up_to

    def get(self, position: Position) -> Worth | None:
        """Return the value and remoteness of a position, or None if it is in no table."""
        if not self.has(position):
            return None
        over = self.variant.primitive(position)
        return (over, 0) if over != UNDECIDED else self.stored.get(position)

    def probe(self, position: Position) -> Worth:
        """Return the value and remoteness of a position. Raises NotSolved, saying what else can be asked."""
        found = self.get(position)
        if found is None:
            raise NotSolved(self.missing(position))
        return found

    def probe_many(self, positions: Sequence[Position]) -> list[Worth]:
        """Return the answers of several positions, in their order. Raises NotSolved if any is in no table."""
        return [self.probe(position) for position in positions]

    def missing(self, position: Position) -> str:
        """Say of a position that it is in no table, and how to look ahead from there."""
        name, text = self.variant.name, self.variant.show(position)
        searching = command("search", name, *([] if position == self.variant.start() else [text]))
        return f"{name} is not solved, and {text} is beyond its endgame tables ({self.name}); run: {searching}"

    def records(self, most_bytes: int) -> tuple[int, "np.ndarray"]:
        """Return the records (gamesman.values) of the lowest tiers that fit so many bytes, a place for every key.

        With them comes the highest of these tiers, -1 for none.
        """
        # lazy: start-up time
        import numpy as np

        highest, end = -1, 0
        for tier in self.stored.tiers:
            first, count = self.endgames.tier_keys(tier)
            if 2 * (first + count) > most_bytes:
                break
            highest, end = tier, first + count
        if self._records is None or len(self._records) != end:
            self._records = np.full(end, UNREACHED, np.uint16)
            for tier in (tier for tier in self.stored.tiers if tier <= highest):
                for part in self.stored.positions(tier):
                    self._records[part.keys] = part.records
        return highest, self._records
