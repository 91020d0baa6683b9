"""Effect sizes tell how different two distributions are, in numbers and plain words, for complete populations.

There are no p-values here, and NO_P_VALUES says why. A distribution is a mapping from a number (a value, a remoteness)
to how many positions have it. NEVER stands for the remoteness of a position that never ends, later than every number.
"""

from collections.abc import Mapping
from math import inf, sqrt
from typing import Any, NamedTuple

Distribution = Mapping[Any, int]  # a value or a remoteness, or NEVER -> positions

NEVER = inf

NO_P_VALUES = (
    "No p-values: a database holds every position, not a sample of them, so every difference is real; "
    "the question is how large it is."
)

WORDS = ("negligible", "small", "medium", "large")


class Measure(NamedTuple):
    """Names an effect size, says where each of its plain words begins, and what it tells."""

    name: str
    title: str
    limits: tuple[float, float, float]  # from here on it is small, medium, large
    explanation: str


CRAMERS_V = Measure(
    "cramers_v", "Cramér's V", (0.1, 0.3, 0.5), "how far a position's value tells which variant it is from, 0 to 1"
)
TOTAL_VARIATION = Measure(
    "total_variation",
    "total variation distance",
    (0.05, 0.15, 0.3),
    "the share of positions whose value would have to change to make the shares equal",
)
KOLMOGOROV_SMIRNOV = Measure(
    "kolmogorov_smirnov",
    "Kolmogorov–Smirnov distance",
    (0.1, 0.2, 0.4),
    "the largest gap between the shares of positions that end within so many moves; a draw never does",
)
CLIFFS_DELTA = Measure(
    "cliffs_delta",
    "Cliff's delta",
    (0.147, 0.33, 0.474),
    "how much more often a position of the second variant ends later than one of the first, or never, less the reverse",
)
MEASURES = (CRAMERS_V, TOTAL_VARIATION, KOLMOGOROV_SMIRNOV, CLIFFS_DELTA)


def effect(measure: Measure, first: Distribution, second: Distribution) -> dict[str, Any]:
    """Return the measure's number and its plain word; both None where a distribution is empty.

    >>> effect(TOTAL_VARIATION, {0: 50, 3: 50}, {0: 30, 3: 70})
    {'value': 0.2, 'size': 'medium'}
    >>> effect(TOTAL_VARIATION, {0: 6, 3: 14}, {0: 7, 3: 13})  # on the limit: floats fall just below it
    {'value': 0.05, 'size': 'small'}
    """
    if not sum(first.values()) or not sum(second.values()):
        return {"value": None, "size": None}
    value = round(_FORMULAS[measure](first, second), 6)
    return {"value": value, "size": in_words(measure, value)}


def in_words(measure: Measure, value: float) -> str:
    """Return the plain word for a number.

    >>> in_words(CLIFFS_DELTA, -0.2)
    'small'
    """
    return WORDS[sum(abs(value) >= limit for limit in measure.limits)]


def cramers_v(first: Distribution, second: Distribution) -> float:
    """Return Cramér's V of the table that has a row for each distribution.

    >>> cramers_v({0: 10, 1: 10}, {0: 10, 1: 10}), cramers_v({0: 10}, {1: 30})
    (0.0, 1.0)
    """
    rows = [sum(first.values()), sum(second.values())]
    total = sum(rows)
    square = 0.0
    for kind in first.keys() | second.keys():
        seen = [first.get(kind, 0), second.get(kind, 0)]
        for row, count in zip(rows, seen, strict=True):
            expected = row * sum(seen) / total
            if expected:
                square += (count - expected) ** 2 / expected
    return sqrt(square / total)  # two rows: the smaller side of the table less one is 1


def total_variation(first: Distribution, second: Distribution) -> float:
    """Return half the sum of the differences of the shares.

    >>> total_variation({0: 1, 1: 1}, {1: 5})
    0.5
    """
    a, b = sum(first.values()), sum(second.values())
    return sum(abs(first.get(k, 0) / a - second.get(k, 0) / b) for k in first.keys() | second.keys()) / 2


def kolmogorov_smirnov(first: Distribution, second: Distribution) -> float:
    """Return the largest difference of the cumulative shares.

    >>> kolmogorov_smirnov({1: 1, 2: 1}, {2: 1, 3: 1}), kolmogorov_smirnov({1: 4}, {1: 1, NEVER: 3})
    (0.5, 0.75)
    """
    a, b = sum(first.values()), sum(second.values())
    below_a = below_b = 0
    largest = 0.0
    for number in sorted(first.keys() | second.keys()):
        below_a += first.get(number, 0)
        below_b += second.get(number, 0)
        largest = max(largest, abs(below_a / a - below_b / b))
    return largest


def cliffs_delta(first: Distribution, second: Distribution) -> float:
    """Return the share of pairs in which the second one's number is larger, less that in which the first one's is.

    >>> cliffs_delta({1: 5}, {2: 3}), cliffs_delta({1: 1, 3: 1}, {2: 1}), cliffs_delta({9: 1}, {0: 1, NEVER: 3})
    (1.0, 0.0, 0.5)
    """
    a, b = sum(first.values()), sum(second.values())
    below_a = larger = smaller = 0
    for number in sorted(first.keys() | second.keys()):
        here_a, here_b = first.get(number, 0), second.get(number, 0)
        larger += here_b * below_a
        smaller += here_b * (a - below_a - here_a)
        below_a += here_a
    return (larger - smaller) / (a * b)


def mean(found: Distribution) -> float | None:
    """Return the mean of the numbers; None where there are none.

    >>> mean({1: 1, 4: 2}), mean({})
    (3.0, None)
    """
    total = sum(found.values())
    return sum(number * count for number, count in found.items()) / total if total else None


def median(found: Distribution) -> float | None:
    """Return the middle number, or the mean of the two middle ones of an even population; None where there are none.

    >>> median({1: 2, 5: 1}), median({1: 1, 4: 1}), median({1: 1, NEVER: 1})
    (1.0, 2.5, inf)
    """
    total = sum(found.values())
    return (_at(found, (total - 1) // 2) + _at(found, total // 2)) / 2 if total else None


def _at(found: Mapping[float, int], place: int) -> float:
    """Return the number that would stand at a place, counted from 0, were all written out in ascending order."""
    for number in sorted(found):
        place -= found[number]
        if place < 0:
            return number
    raise IndexError(place)


_FORMULAS = {
    CRAMERS_V: cramers_v,
    TOTAL_VARIATION: total_variation,
    KOLMOGOROV_SMIRNOV: kolmogorov_smirnov,
    CLIFFS_DELTA: cliffs_delta,
}
