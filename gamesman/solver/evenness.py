"""How unevenly random games spread over the positions of a tier is told here from how often several of them meet.

Let a game pass a position with the chance x/N, where x is 1 on the average over the N positions. Of n games as many
pairs meet as say n*n/2N times the average of x*x, and so many different positions are met as say N times the average
of 1 - exp(-xn/N). Chances are products, over the moves of a game, so the logarithm of x is taken to spread as a bell
curve does: then there is one width of it, and one N, with which both come out as they were seen.

Measured: exact while no more than some ten moves have been made from positions that are evenly drawn, or as long as
most positions are met; later up to a half too few, as positions that few games come to are rarer than on a bell curve.
"""

from collections.abc import Sequence

import numpy as np

POINTS = 40  # at which the bell curve is summed up
WIDEST = 3.0  # of the logarithm's variance: what is wider is a few positions that many games come to
HALVINGS = 40


def widths(games: Sequence[float], even: Sequence[float], different: Sequence[float]) -> np.ndarray:
    """Return for each tier the logarithm of how many times more positions it has than if games spread evenly.

    Given are how many games there were, how many positions there were if these spread evenly (by the pairs that met),
    and how many different ones they met.

    >>> met = 1000 * (1 - np.exp(-2.0))  # 2000 games spread evenly over 1000 positions
    >>> widths([2000, 2000], [1000, 1000], [met, met + 50]).round(2).tolist()
    [0.0, 0.16]
    """
    at, weights = np.polynomial.hermite_e.hermegauss(POINTS)
    weights = weights / weights.sum()
    n, e, wanted = (np.array(each, float) for each in (games, even, different))
    low, high = np.zeros(len(n)), np.full(len(n), WIDEST)
    for _ in range(HALVINGS):
        width = (low + high) / 2
        count = e * np.exp(width)
        x = np.exp(np.sqrt(width)[:, None] * at - width[:, None] / 2)
        met = count * (1 - (weights * np.exp(-x * (n / count)[:, None])).sum(axis=1))
        low, high = np.where(met < wanted, width, low), np.where(met < wanted, high, width)
    return low
