"""Solved variants are compared here: the numbers of each, and of every two how they differ and what they share."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from gamesman.analysis.profile import Profile, profile
from gamesman.analysis.sharing import Sharing, share
from gamesman.analysis.statistics import (
    CLIFFS_DELTA,
    CRAMERS_V,
    KOLMOGOROV_SMIRNOV,
    NO_P_VALUES,
    TOTAL_VARIATION,
    effect,
)
from gamesman.errors import OptionError, about
from gamesman.model.progress import Progress
from gamesman.model.variant import Variant

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

VARIANT_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass
class Pair:
    """Holds what two variants have in common; these go by their numbers in the comparison, the earlier one first."""

    first: int
    second: int
    effects: dict[str, dict[str, Any]]
    shared: Sharing


@dataclass
class Comparison:
    """Holds the profiles of several variants, and what every two of them have in common."""

    profiles: list[Profile]
    pairs: list[Pair]

    def name(self, number: int) -> str:
        return self.profiles[number].variant.name

    def as_json(self) -> dict[str, Any]:
        """Return the fields of `compare --json`."""
        return {
            "variants": [profile.compare_json() for profile in self.profiles],
            "pairs": [
                {
                    "first": self.name(pair.first),
                    "second": self.name(pair.second),
                    "effects": pair.effects,
                    "shared": pair.shared.as_json(),
                }
                for pair in self.pairs
            ],
            "note": NO_P_VALUES,
        }


def check(variants: Sequence[Variant]) -> None:
    """Raise OptionError where there is nothing, or too much, to compare."""
    if len(variants) < 2:
        got = variants[0].name if variants else "none"
        raise OptionError(
            f"expected two or more variants to compare, got one: {got}; name another, or a range: misere=*"
        )
    if len(variants) > len(VARIANT_LETTERS):
        raise OptionError(f"expected at most {len(VARIANT_LETTERS)} variants to compare, got {len(variants)}")


def compare(
    solved: Sequence["SolvedPositions"],
    memory: int | None = None,
    progress: Progress | None = None,
    *,
    is_walked: bool = True,
) -> Comparison:
    """Compare variants that are solved, two or more. Raises OptionError."""
    check([each.variant for each in solved])
    profiles = []
    for each in solved:
        with about(each.variant.name):
            profiles.append(profile(each, memory, progress, is_walked=is_walked))
    pairs = []
    for i, j in combinations(range(len(solved)), 2):
        pairs.append(Pair(i, j, effects(profiles[i], profiles[j]), share(solved[i], solved[j], memory, progress)))
    return Comparison(profiles, pairs)


def effects(first: Profile, second: Profile) -> dict[str, dict[str, Any]]:
    """Measure how far the values of two variants differ, and when their positions end, draws being never."""
    return {
        **{measure.name: effect(measure, first.values, second.values) for measure in (CRAMERS_V, TOTAL_VARIATION)},
        **{
            measure.name: effect(measure, first.lengths, second.lengths)
            for measure in (KOLMOGOROV_SMIRNOV, CLIFFS_DELTA)
        },
    }
