"""The ports say what a solver hands its tiers to, what solved positions are read from, and what makes images.

A solver knows no database, nor do analysis, search and play: each knows one of these ports, and a database has both.
It knows no compiler in turn, and is given what makes positions out of classes by machine code.
Some positions of a tier have two forms: a Part, as the solver writes them, and Positions, as they are read.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gamesman.model.answers import Source, Worth
from gamesman.model.summary import Summary, TierSummary
from gamesman.model.variant import Position, Variant
from gamesman.values import DRAW, MAX_REMOTENESS, REMOTENESS_BITS

if TYPE_CHECKING:
    import numpy as np

    from gamesman.model.symmetry import Symmetry


class Part(NamedTuple):
    """Holds some positions of a tier as a solver writes them: keys that are listed, or a run of consecutive ones."""

    first: int  # the first key
    keys: "np.ndarray | None"  # int64, strictly ascending; None for the consecutive keys from `first`
    records: "np.ndarray"  # uint16; with consecutive keys UNREACHED may be among them


class Positions(NamedTuple):
    """Holds some positions of a tier as they are read, in ascending order of their keys."""

    tier: int
    keys: "np.ndarray"  # int64
    records: "np.ndarray"  # uint16, see gamesman.values

    def values(self) -> "np.ndarray":
        """Return the value of each position (uint8)."""
        return (self.records >> REMOTENESS_BITS).astype("u1")

    def remotenesses(self, draw: int) -> "np.ndarray":
        """Return the remoteness of each position (int16), and the number `draw` for a draw, which has none."""
        found = (self.records & MAX_REMOTENESS).astype("i2")
        found[self.values() == DRAW] = draw
        return found


# Makes all positions of some classes: of keys and records, and of `low` and `high`, it returns the keys and records of
# the images with low <= key < high, in any order.
MakeImages = Callable[["np.ndarray", "np.ndarray", int, int], tuple["np.ndarray", "np.ndarray"]]
# Compiles the game's functions for that.
CompileImages = Callable[["Symmetry"], MakeImages]


class Sink(Protocol):
    """Takes the tiers that a solver finishes, from the lowest to the highest, each in parts of ascending keys.

    One that `takes_classes` is given one position of each class where the variant has symmetries.
    """

    def finished(self) -> Mapping[int, TierSummary]:
        """Return the tiers that an earlier, interrupted solve of the same variant has finished."""

    def load(self, tier: int) -> Iterable[Part]:
        """Return the parts of a finished tier, as they were written."""

    def write(self, tier: int, part: Part) -> None:
        """Take a part; its arrays must not change afterwards. Nothing shows in the database before `finish`."""

    def finish(self, tier: TierSummary) -> None:
        """End a tier, all parts of which are written: once they are stored it counts as finished, whatever happens."""

    def complete(self, summary: Summary) -> None:
        """End the solve, all tiers of which are finished: from now on the variant counts as solved."""


class SolvedPositions(Source, Protocol):
    """Gives the positions of a solved variant: single ones, those of a tier, or all of them."""

    variant: Variant

    @property
    def summary(self) -> Summary:
        """Return what solving the variant has yielded."""

    @property
    def tiers(self) -> list[int]:
        """Return the numbers of all tiers, from the lowest to the highest."""

    def get(self, position: Position) -> Worth | None:
        """Return the value and remoteness of a position, or None if it cannot be reached."""

    def record(self, tier: int, key: int) -> int | None:
        """Return the record of a key of a tier (see gamesman.values), or None if no position in it has that key."""

    @property
    def symmetry(self) -> "Symmetry | None":
        """Return the symmetries by which one position of each class is stored, or None where all positions are."""

    def positions(self, tier: int | None = None, *, is_classes: bool = False) -> Iterator[Positions]:
        """Yield all positions, or those of a tier, by ascending tier and key.

        With `is_classes` there is one position of each class of those that are the same game turned or mirrored.
        """

    def check_structure(self) -> None:
        """Check that what is said of the variant and of its tiers agrees with itself. Raises Damaged."""

    def checked_positions(self, tier: int) -> Iterator[Positions]:
        """Yield what is stored of a tier, checked against what is said of it. Raises Damaged."""
