"""The ports: what takes the tiers that the solver has finished, and what gives solved positions back.

A solver knows no database, nor do analysis, search and play: each knows one of these, and a database has both.

Tiers are finished from the lowest to the highest, each written in parts of ascending keys. A part either lists its
keys, or (where keys are well filled) is a run of consecutive keys, some of them UNREACHED.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gamesman.model.answers import Answer, Source
from gamesman.model.summary import Summary, TierSummary
from gamesman.model.variant import Position, Variant

if TYPE_CHECKING:
    import numpy as np

    from gamesman.model.symmetry import Symmetry


class Part(NamedTuple):
    """Some positions of one tier in ascending order of their keys, with their records (see gamesman.values)."""

    first: int  # the first key
    keys: "np.ndarray | None"  # int64, strictly ascending; None for the consecutive keys from `first`
    records: "np.ndarray"  # uint16; with consecutive keys UNREACHED may be among them


class Sink(Protocol):
    """Takes tiers. One that `takes_classes` gets one position of each class where the variant has symmetries."""

    def finished(self) -> Mapping[int, TierSummary]:
        """Return the tiers that an earlier, interrupted solve of the same variant has finished, by their numbers."""

    def load(self, tier: int) -> Iterable[Part]:
        """Return the parts of a finished tier, as they were written."""

    def write(self, tier: int, part: Part) -> None:
        """Take a part; the arrays are not changed afterwards. Nothing shows in the database before `finish`."""

    def finish(self, tier: TierSummary) -> None:
        """Finish a tier all of whose parts are written: once they are stored it stays finished, whatever happens."""

    def complete(self, summary: Summary) -> None:
        """Count the variant as solved from now on, because all its tiers are finished."""


class SolvedPositions(Source, Protocol):
    """All positions of a solved variant, to be read: single ones, those of a tier, or all of them."""

    variant: Variant

    @property
    def summary(self) -> Summary:
        """Return what solving the variant has yielded."""

    @property
    def tiers(self) -> list[int]:
        """Return the numbers of all tiers, from the lowest to the highest."""

    def get(self, position: Position) -> Answer | None:
        """Return the value and remoteness of a position, or None if it cannot be reached."""

    def record(self, tier: int, key: int) -> int | None:
        """Return the record of a key of a tier (see gamesman.values), or None if no reachable position has it."""

    @property
    def symmetry(self) -> "Symmetry | None":
        """Return the symmetries by which one position of each class is stored, or None if all positions are."""

    def parts(
        self, tier: int | None = None, *, is_classes: bool = False
    ) -> "Iterator[tuple[int, np.ndarray, np.ndarray]]":
        """Yield all positions, or those of a tier, by ascending tier and key: tier, keys (int64), records (uint16)."""

    def check_structure(self) -> None:
        """Check that what is said of the variant and of its tiers agrees with itself. Raises Damaged."""

    def checked_parts(self, tier: int) -> "Iterator[tuple[int, np.ndarray, np.ndarray]]":
        """Yield the positions of a tier like `parts`, each part checked against what is said of it. Raises Damaged."""
