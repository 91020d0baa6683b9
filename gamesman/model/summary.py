"""What solving a variant yields is counted here: the fields of `solve` and `stats`, which the contract fixes."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from gamesman.values import DRAW, LOSE, NAMES, TIE, WIN

SHOWN_VALUES = (WIN, LOSE, TIE, DRAW)  # in the order in which values are shown

Histogram = dict[int, Counter[int]]  # value -> remoteness -> positions; a DRAW's remoteness is 0


@dataclass
class TierSummary:
    """Counts the positions of one tier."""

    number: int
    histogram: Histogram
    primitives: int = 0
    moves: int = 0
    kept: int | None = None  # how many classes, where only one position of each is kept

    @property
    def classes(self) -> int:
        """Count the positions up to symmetry."""
        return self.positions if self.kept is None else self.kept

    @property
    def positions(self) -> int:
        return sum(self.counts.values())

    @property
    def counts(self) -> dict[str, int]:
        return counts(self.histogram)


@dataclass(repr=False)
class Summary:
    """Says what solving a variant has yielded: the start's value, and all its tiers counted."""

    variant: str
    position: str
    value: int
    remoteness: int | None
    tiers: list[TierSummary] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    peak_memory: int = 0
    database_bytes: int | None = None
    is_partial: bool = False  # of the endgames of a variant: `position` is one of them, and no start

    def __repr__(self) -> str:
        ends = "" if self.remoteness is None else f" in {self.remoteness}"
        counted = f"{self.positions:,} positions in {len(self.tiers)} tiers"
        return f"<Summary of {self.variant}: {NAMES[self.value]}{ends}, {counted}>"

    @property
    def positions(self) -> int:
        """Count all positions."""
        return sum(tier.positions for tier in self.tiers)

    @property
    def histogram(self) -> Histogram:
        total: Histogram = {value: Counter() for value in SHOWN_VALUES}
        for tier in self.tiers:
            for value, remotenesses in tier.histogram.items():
                total[value].update(remotenesses)
        return total

    @property
    def max_remoteness(self) -> int | None:
        return max((r for value, found in self.histogram.items() if value != DRAW for r in found), default=None)

    def as_json(self, status: str = "solved") -> dict[str, Any]:
        """Return the fields of `solve --json`."""
        total = counts(self.histogram)
        start = (None, None, None) if self.is_partial else (self.position, NAMES[self.value], self.remoteness)
        return {
            "variant": self.variant,
            "status": status,
            "position": start[0],
            "value": start[1],
            "remoteness": start[2],
            "positions": sum(total.values()),
            "counts": total,
            "primitives": sum(tier.primitives for tier in self.tiers),
            "moves": sum(tier.moves for tier in self.tiers),
            "max_remoteness": self.max_remoteness,
            "tiers": len(self.tiers),
            "seconds": round(self.seconds, 3),
            "cpu_seconds": round(self.cpu_seconds, 3),
            "peak_memory": self.peak_memory,
            "database_bytes": self.database_bytes,
        }

    def stats_json(self, status: str = "solved") -> dict[str, Any]:
        """Return the fields of `stats --json`."""
        fields = self.as_json(status)
        undecided = fields["positions"] - fields["primitives"]
        fields["by_remoteness"] = {
            NAMES[value]: {str(r): found[r] for r in sorted(found)}
            for value, found in self.histogram.items()
            if value != DRAW
        }
        fields["by_tier"] = [{"tier": t.number, "positions": t.positions, "counts": t.counts} for t in self.tiers]
        fields["classes"] = sum(tier.classes for tier in self.tiers)
        fields["branching_factor"] = fields["moves"] / undecided if undecided else 0.0
        return fields


def counts(histogram: Histogram) -> dict[str, int]:
    """Count the positions of each value, in the order in which values are shown."""
    return {NAMES[value]: sum(histogram.get(value, {}).values()) for value in SHOWN_VALUES}
