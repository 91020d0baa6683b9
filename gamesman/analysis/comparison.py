"""Solved variants are compared here: the numbers of each, and of every two how they differ and what they share."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from gamesman.analysis.figures import Figure, figure, shown
from gamesman.analysis.grid import Grid, find_grid
from gamesman.analysis.play import MOST_UNASKED, follow
from gamesman.analysis.profile import Profile, profile
from gamesman.analysis.sharing import Plan, Sharing, plan, share_all
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

FEW = 4  # so many variants have every two of them side by side; more only where that is asked for


def letters(number: int) -> str:
    """Return the letters that a variant is called by: A to Z, then AA.

    >>> [letters(number) for number in (0, 25, 26, 701, 702)]
    ['A', 'Z', 'AA', 'ZZ', 'AAA']
    """
    high, low = divmod(number, 26)
    return (letters(high - 1) if high else "") + chr(ord("A") + low)


@dataclass
class Pair:
    """Holds what two variants have in common: they go by their numbers, and `shared` is None where it was not asked."""

    first: int
    second: int
    effects: dict[str, dict[str, Any]]
    shared: Sharing | None


@dataclass
class Comparison:
    """Holds the profiles of several variants, what every two of them have in common, and what options do in a grid.

    From a baseline, the first variant, there are only the pairs that it is in. `figures` are the measures that were
    asked for, none for all.
    """

    profiles: list[Profile]
    pairs: list[Pair]
    grid: Grid | None = None
    effects: list[dict[str, Any]] | None = None
    figures: list[Figure] = field(default_factory=list)
    is_from_baseline: bool = False

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
                    "shared": None if pair.shared is None else pair.shared.as_json(),
                }
                for pair in self.pairs
            ],
            "effects": self.effects,
            "note": NO_P_VALUES,
        }


class Question(NamedTuple):
    """Says what is asked of several variants."""

    measures: Sequence[str] = ()  # names of figures, none for all there are
    sort: str | None = None  # the figure by which variants are ordered, the largest first
    baseline: str | None = None  # the name of the variant that all others are compared with
    is_walked: bool = True
    is_sharing: bool = True  # whether shared positions are looked for
    is_played: bool = False  # whether play is followed, where the variants together are small enough

    def check(self, variants: Sequence[Variant]) -> None:
        """Raise OptionError where there is nothing to compare, or no such measure."""
        if len(variants) < 2:
            got = variants[0].name if variants else "none"
            raise OptionError(
                f"expected two or more variants to compare, got one: {got}; name another, or a range: misere=*"
            )
        self.figures()

    def figures(self) -> list[Figure]:
        if self.sort is not None:
            figure(self.sort, is_walked=self.is_walked)
        return [figure(name, is_walked=self.is_walked) for name in self.measures]


def compare(
    solved: Sequence["SolvedPositions"],
    memory: int | None = None,
    progress: Progress | None = None,
    question: Question | None = None,
) -> Comparison:
    """Compare variants that are solved, two or more. Raises OptionError."""
    question = question or Question()
    question.check([each.variant for each in solved])
    base = [i for i, each in enumerate(solved) if each.variant.name == question.baseline]
    pairs = [(i, j) for i, j in combinations(range(len(solved)), 2) if not base or base[0] in (i, j)]
    matched = plan(solved, pairs) if question.is_sharing else Plan([], {})
    is_played = question.is_played and sum(each.summary.positions for each in solved) <= MOST_UNASKED
    profiles = []
    for i, each in enumerate(solved):
        with about(each.variant.name):
            asked = {"is_walked": question.is_walked, "is_kept": matched.has(i), "is_classes": matched.is_classes(i)}
            profiles.append(profile(each, memory, progress, **asked))
            profiles[-1].play = follow(each, memory, progress) if is_played else None
    order = [*range(len(solved))]
    if question.sort is not None:
        by = figure(question.sort)
        found = [by.of(each) for each in profiles]
        order.sort(key=lambda i: -1.0 if found[i] is None else float(found[i] or 0), reverse=True)
    if base:
        order.sort(key=lambda i: i != base[0])
    wanted = [(i, j) for i, j in combinations(order, 2) if not base or i == base[0]]
    kept = [each.census.kept for each in profiles]
    shared = share_all(solved, wanted, matched, kept, memory, progress) if question.is_sharing else {}
    place = {number: i for i, number in enumerate(order)}
    pairs_found = [Pair(place[i], place[j], effects(profiles[i], profiles[j]), shared.get((i, j))) for i, j in wanted]
    for found_one in profiles:
        found_one.census.kept = None
    profiles = [profiles[i] for i in order]
    grid = find_grid([each.variant for each in profiles])
    figures = question.figures()
    measured = None if grid is None else [grid.effects(each, profiles) for each in figures or shown(profiles)]
    return Comparison(profiles, pairs_found, grid, measured, figures, question.baseline is not None)


def effects(first: Profile, second: Profile) -> dict[str, dict[str, Any]]:
    """Measure how far the values of two variants differ, and when their positions end, draws being never."""
    return {
        **{measure.name: effect(measure, first.values, second.values) for measure in (CRAMERS_V, TOTAL_VARIATION)},
        **{
            measure.name: effect(measure, first.lengths, second.lengths)
            for measure in (KOLMOGOROV_SMIRNOV, CLIFFS_DELTA)
        },
    }
