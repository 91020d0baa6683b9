"""What the solver hands its finished tiers to, and gets them back from after an interruption.

Tiers are finished from the lowest to the highest, each written in parts of ascending keys. A part either lists its
keys, or (where keys are well filled) is a run of consecutive keys, some of them UNREACHED.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from gamesman.model.summary import Summary, TierSummary

if TYPE_CHECKING:
    import numpy as np


class Part(NamedTuple):
    """Some positions of one tier in ascending order of their keys, with their records (see gamesman.values)."""

    first: int  # the first key
    keys: "np.ndarray | None"  # int64, strictly ascending; None for the consecutive keys from `first`
    records: "np.ndarray"  # uint16; with consecutive keys UNREACHED may be among them


class Sink(Protocol):
    """Takes tiers. One that `takes_classes` gets one position of each class where the variant has symmetries."""

    def finished(self) -> Mapping[int, TierSummary]:
        """The tiers that an earlier, interrupted solve of the same variant has finished."""

    def load(self, tier: int) -> Iterable[Part]:
        """The parts of a finished tier, as they were written."""

    def write(self, tier: int, part: Part) -> None:
        """Take a part; the arrays are not changed afterwards. Nothing shows in the database before `finish`."""

    def finish(self, tier: TierSummary) -> None:
        """All parts of the tier are written: once they are stored it counts as finished, whatever happens."""

    def complete(self, summary: Summary) -> None:
        """All tiers are finished: from now on the variant counts as solved."""
