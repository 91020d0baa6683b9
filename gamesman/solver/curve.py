"""The sizes of tiers lie on a parabola in the logarithm as a game goes on; it is found here from both its ends.

Where every move places or takes something, the number of positions rises ever more slowly with the moves made, and
then falls ever faster. So two ends tell the rest: the last tiers that have been enumerated say how many there are and
how fast they rise, and random games say when the last tier comes and that there is next to nothing in it.

What has been measured: Konane on 25 and 30 cells has 1.4 to 2 times as many positions as the parabola says where less
than a fiftieth of them is known, and later 1 to 1.4 times; tic-tac-toe on 16 cells has 2 to 3 times as many.
"""

import math
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from gamesman.solver.estimate import FEW_GAMES, Seen

SPAN = 3  # moves back from the last known tier, in which it is looked how fast tiers rise
LEAST = 4  # tiers there must be in them
SCATTERED = 0.5  # so far from a line, as a logarithm, the known tiers do not lie on one
CROWDED = 3  # tiers a move, at most: more say that tiers are beside each other and not one after the other


class Curve(NamedTuple):
    ply: float
    log: float
    slope: float
    bend: float

    def after(self, ply: float) -> float:
        """Return how many positions a tier has that comes after so many moves."""
        on = ply - self.ply
        return math.exp(self.log + self.slope * on + self.bend * on * on)


def plies(from_start: Mapping[int, Seen], seen: Mapping[int, Seen], known: Iterable[int]) -> dict[int, float]:
    """Return after how many moves each tier comes, on the average; known tiers only if games pass them often."""
    often = {number: each.ply for number, each in from_start.items() if each.passed >= FEW_GAMES}
    earlier = max((often[number] for number in known if number in often), default=0.0)
    later = {number: earlier + each.ply for number, each in seen.items() if number not in known}
    return later | often


def curve(plies: Mapping[int, float], known: Mapping[int, int], last: float) -> Curve | None:
    """Return the parabola through the last known tiers and `last` positions in the last tier of all.

    None where sizes do not rise along one: then tiers are not one after the other, or too few of them are known.
    """
    passed = [number for number in known if number in plies]
    unknown = [ply for number, ply in plies.items() if number not in known]
    if not passed or not unknown:
        return None
    begin = max(plies[number] for number in passed) - SPAN
    used = [number for number in passed if plies[number] >= begin]
    x = np.array([plies[number] for number in used])
    y = np.log([known[number] for number in used])
    left = max(unknown) - float(x.mean())
    spread = x - x.mean()
    if len(used) < LEAST or left <= SPAN or len(unknown) > CROWDED * left or not spread.any():
        return None
    slope = float((spread * y).sum() / (spread * spread).sum())
    bend = (math.log(max(1.0, last)) - float(y.mean()) - slope * left) / left**2
    scattered = float(np.std(y - y.mean() - slope * spread))
    if slope <= 0 or bend >= 0 or scattered > SCATTERED:
        return None
    return Curve(float(x.mean()), float(y.mean()), slope, bend)
