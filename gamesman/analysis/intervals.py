"""Numbers estimated from some games, each with the interval that holds the exact one with a confidence of 95 %.

A game that was cut off may have ended in any way. So an interval is as wide as that leaves it: of a share its upper end
is where all games cut off had ended so, and what grows with the length of a game has no upper end.
"""

from math import erfc, exp, hypot, inf, sqrt
from typing import Any, NamedTuple

import numpy as np

CONFIDENCE = 0.95
NORMAL = 1.959963984540054  # of a normal distribution CONFIDENCE lies within so many standard deviations


class Estimate(NamedTuple):
    """Is an estimated number with the ends of its interval, and what a test needs: the standard error and the games."""

    estimate: float
    low: float
    high: float  # infinity where there is no upper end
    error: float | None = None  # None where games were cut off, so that there is none
    games: int = 0

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON has it; null stands for an end that there is not."""
        return {"estimate": self.estimate, "low": self.low, "high": None if self.high == inf else self.high}


class Difference(NamedTuple):
    """Is the difference of two estimates with its interval, and how likely one as large is where there is none."""

    difference: float
    low: float
    high: float
    p: float | None

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        ends = [None if abs(end) == inf else end for end in (self.low, self.high)]
        return {"difference": self.difference, "low": ends[0], "high": ends[1], "p": self.p}


def wilson(found: int, of: int) -> tuple[float, float]:
    """Return E. B. Wilson's interval of a share (1927), which keeps its confidence near 0 and 1.

    >>> [round(end, 4) for end in wilson(5, 10)], [round(end, 4) for end in wilson(0, 100)]
    ([0.2366, 0.7634], [0.0, 0.037])
    """
    square = NORMAL**2
    middle = (found + square / 2) / (of + square)
    half = NORMAL / (of + square) * sqrt(found * (of - found) / of + square / 4)
    return (0.0 if found == 0 else middle - half), (1.0 if found == of else middle + half)


def share(found: int, of: int, unknown: int = 0) -> Estimate:
    """Estimate a share of which `found` are sure, and `unknown` more may be.

    >>> share(5, 10).estimate, round(share(5, 10, 5).high, 4)
    (0.5, 1.0)
    """
    low, high = wilson(found, of)[0], wilson(found + unknown, of)[1]
    error = None if unknown else sqrt(found * (of - found) / of) / of
    return Estimate(found / of, low, high, error, of)


def mean(numbers: np.ndarray, least: np.ndarray | None = None) -> Estimate | None:
    """Estimate a mean; `least` are numbers below it where games were cut off. None where there are fewer than two.

    >>> [round(number, 3) for number in mean(np.arange(10))[:3]]
    [4.5, 2.334, 6.666]
    """
    if len(numbers) < 2:
        return None
    found, error = float(numbers.mean()), _error(numbers)
    if least is None:
        half = student(len(numbers) - 1) * error
        return Estimate(found, found - half, found + half, error)
    below = max(0.0, float(least.mean()) - student(len(least) - 1) * _error(least))
    return Estimate(found, below, inf)


def spread(numbers: np.ndarray, *, is_cut: bool = False) -> Estimate | None:
    """Estimate a standard deviation, from how far the fourth moment lets the second one vary.

    That of a coin that is fair is at its largest: there only the mean's own error lets it vary.

    >>> [round(number, 2) for number in spread(np.arange(1000))[:3]]
    [288.82, 280.93, 296.93]
    """
    if len(numbers) < 2:
        return None
    found = float(numbers.std(ddof=1))
    if is_cut:
        return Estimate(found, 0.0, inf)
    if not found:
        return Estimate(0.0, 0.0, 0.0, 0.0)
    fourth = float(((numbers - numbers.mean()) ** 4).mean())
    varying = max(0.0, fourth - found**4) / len(numbers) + 2 * found**4 / len(numbers) / (len(numbers) - 1)
    error = sqrt(varying) / (2 * found)
    factor = exp(NORMAL * error / found)
    return Estimate(found, found / factor, found * factor, error)


def ratio(above: np.ndarray, below: np.ndarray) -> Estimate | None:
    """Estimate the ratio of two means over the same games; None where there is nothing below.

    >>> [round(number, 3) for number in ratio(np.array([2, 4, 9]), np.array([1, 2, 3]))[:3]]
    [2.5, 0.907, 4.093]
    """
    if len(above) < 2 or not below.any():
        return None
    found = float(above.sum() / below.sum())
    error = _error(above - found * below) / float(below.mean())
    half = student(len(above) - 1) * error
    return Estimate(found, found - half, found + half, error)


def student(freedom: int) -> float:
    """Return what NORMAL is for Student's t with so many degrees of freedom, by its series in their reciprocal.

    >>> [round(student(n), 2) for n in (9, 30, 1000)]
    [2.26, 2.04, 1.96]
    """
    z, n = NORMAL, freedom
    terms = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + terms[0] / n + terms[1] / n**2 + terms[2] / n**3


def difference(first: Estimate, second: Estimate, *, is_share: bool) -> Difference:
    """Return the second less the first, for games played apart from one another.

    The ends are R. G. Newcombe's (1998): as far from the difference as both intervals allow. p is two-sided, by the
    normal distribution; of shares with the error that both have where there is no difference.

    >>> found = difference(share(40, 100), share(60, 100), is_share=True)
    >>> [round(number, 3) for number in found]
    [0.2, 0.061, 0.328, 0.005]
    """
    found = second.estimate - first.estimate
    low = found - hypot(second.estimate - second.low, first.high - first.estimate)
    high = found + hypot(second.high - second.estimate, first.estimate - first.low)
    if first.error is None or second.error is None:
        return Difference(found, low, high, None)
    error = hypot(first.error, second.error)
    if is_share:
        pooled = sum(each.estimate * each.games for each in (first, second)) / (first.games + second.games)
        error = sqrt(pooled * (1 - pooled) * (1 / first.games + 1 / second.games))
    return Difference(found, low, high, _chance(found, error))


def combined(estimates: list[Estimate], weights: list[float]) -> Difference:
    """Return a sum of estimates from games played apart, each with its weight, as `difference` has it of two.

    >>> combined([share(40, 100), share(60, 100)], [-1, 1])[1:3] == difference(
    ...     share(40, 100), share(60, 100), is_share=False)[1:3]
    True
    """
    found = sum(weight * each.estimate for weight, each in zip(weights, estimates, strict=True))
    below = [w * (e.estimate - (e.low if w > 0 else e.high)) for w, e in zip(weights, estimates, strict=True) if w]
    above = [w * (e.estimate - (e.high if w > 0 else e.low)) for w, e in zip(weights, estimates, strict=True) if w]
    p = None
    if all(each.error is not None for each in estimates):
        error = hypot(*(weight * (each.error or 0) for weight, each in zip(weights, estimates, strict=True)))
        p = _chance(found, error)
    return Difference(found, found - hypot(*below), found + hypot(*above), p)


def _error(numbers: np.ndarray) -> float:
    return float(numbers.std(ddof=1)) / sqrt(len(numbers))


def _chance(found: float, error: float) -> float:
    """Return how likely a number is to be as far from 0 as this, if it is so only by chance."""
    return erfc(abs(found) / error / sqrt(2)) if error else float(not found)
