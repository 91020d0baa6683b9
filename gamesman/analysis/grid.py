"""Variants that are all combinations of some options' values: what each option does, and what two do together.

A full grid is a population, so its effects are exact. A measure y of the variants is taken apart into the mean of all,
a part for each option, a part for every two of them, and the rest:

    main effect of an option     the mean of y where it has its last value, less the mean where it has its first
    interaction of two           the effect of one where the other has its last value, less that where it has its first
    share                        the mean square of a part, of the mean square of all that is not the mean
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from gamesman.analysis.figures import Figure
from gamesman.analysis.profile import Profile
from gamesman.model.variant import Variant
from gamesman.options import Number, Switch

TINY = 1e-12  # of what a measure is: smaller differences are of the arithmetic


class Factor(NamedTuple):
    """Is an option with several values in a grid, in their order: from low to high, from no to yes."""

    name: str
    levels: list[Any]

    def said(self, level: Any) -> Any:
        """Return a value as JSON and tables have it."""
        return ("no", "yes")[level] if isinstance(level, bool) else level


@dataclass
class Grid:
    """Holds the factors of a full grid, and the place of each variant in it."""

    factors: list[Factor]
    places: list[tuple[int, ...]]

    def effects(self, figure: Figure, profiles: Sequence[Profile]) -> dict[str, Any]:
        """Take one measure apart; return the entry of `effects` in `compare --json`."""
        numbers = [figure.number(profile) for profile in profiles]
        found: dict[str, Any] = {"measure": figure.name, "options": [], "interactions": [], "rest": None}
        if any(number is None for number in numbers):
            return found | {"reason": "some of the variants have no such number"}
        y = np.empty([len(factor.levels) for factor in self.factors])
        for place, number in zip(self.places, numbers, strict=True):
            y[place] = number
        left = y - y.mean()
        total = float((left**2).mean())
        is_level = total <= (TINY * float(np.abs(y).max())) ** 2

        def share(part: Any) -> float | None:
            return None if is_level else float((part**2).mean()) / total

        means, mains = [], []
        for i, factor in enumerate(self.factors):
            means.append(_mean(y, [i]))
            mains.append(means[i] - y.mean())
            left = left - mains[i]
            along = means[i].ravel()
            found["options"].append(
                {
                    "option": factor.name,
                    "from": factor.said(factor.levels[0]),
                    "to": factor.said(factor.levels[-1]),
                    "effect": float(along[-1] - along[0]),
                    "share": share(mains[i]),
                    "means": [[factor.said(v), float(m)] for v, m in zip(factor.levels, along, strict=True)],
                }
            )
        for i, j in combinations(range(len(self.factors)), 2):
            both = _mean(y, [i, j])
            part = both - mains[i] - mains[j] - y.mean()
            left = left - part
            corners = both.reshape(len(self.factors[i].levels), len(self.factors[j].levels))[[0, -1]][:, [0, -1]]
            found["interactions"].append(
                {
                    "options": [self.factors[i].name, self.factors[j].name],
                    "effect": float(corners[1, 1] - corners[0, 1] - corners[1, 0] + corners[0, 0]),
                    "share": share(part),
                }
            )
        found["rest"] = share(left)
        return found


def _mean(y: Any, kept: list[int]) -> Any:
    """Return the means over all factors but those kept, in an array that goes with `y`."""
    return y.mean(axis=tuple(i for i in range(y.ndim) if i not in kept), keepdims=True)


def find_grid(variants: Sequence[Variant]) -> Grid | None:
    """Return the grid that variants form, or None if they are no full one, or not several.

    >>> from gamesman.model.variant import variants
    >>> grid = find_grid(variants("konane:rows=3..4,misere=*"))
    >>> [(factor.name, factor.levels) for factor in grid.factors], grid.places
    ([('rows', [3, 4]), ('misere', [False, True])], [(0, 0), (0, 1), (1, 0), (1, 1)])
    >>> find_grid(variants("konane:rows=3..4,misere=*")[1:]) is None
    True
    """
    if len(variants) < 2 or len({variant.game.name for variant in variants}) > 1:
        return None
    # An option that no name mentions follows from the others: `captures` from `edge`, where that is not given.
    named = {piece.partition("=")[0] for variant in variants for piece in variant.name.partition(":")[2].split(",")}
    factors = []
    for kind in variants[0].game.options:
        levels = list(dict.fromkeys(getattr(variant.options, kind.name) for variant in variants))
        if len(levels) > 1 and kind.name in named:
            factors.append(Factor(kind.name, sorted(levels) if isinstance(kind, Number | Switch) else levels))
    places = [
        tuple(factor.levels.index(getattr(variant.options, factor.name)) for factor in factors) for variant in variants
    ]
    every = set(product(*(range(len(factor.levels)) for factor in factors)))
    return Grid(factors, places) if factors and len(places) == len(every) and set(places) == every else None
