"""The positions of tiers that have not been enumerated are estimated here, by random games that pass through them.

What is certain. Let a random game pass a tier in position y with the chance p(y). Two games that know nothing of each
other are then in the same position with the chance sum p(y)**2, which is at least 1/N where there are N positions, and
more the less evenly games spread over them. So C pairs that meet, among n games, say: at least about n*n/2C positions.
That holds wherever the games begin and whatever moves they prefer; a few standard deviations off it, it is sure.

What is likely. How uneven games are grows with their length, and shows where the positions are known: in tiers that
have been enumerated to the end, N is so many times n*n/2C. The logarithm of that grows about evenly with the moves made
(Konane: 0.14 to 0.2 a tier until the middle of the game), and is continued into the tiers that are not known.
"""

import math
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from gamesman.solver import descend
from gamesman.solver.descend import KEY, PLY, TIER

LONGEST = 1000  # moves of a random game
ROWS = 1 << 20  # of tiers passed, unless told, in all games
BATCH = 200  # games between two looks at the clock
CALIBRATED = 8  # tiers, the last known ones, that tell how uneven games are
TRUSTED = 4  # what is likely may be so many times too much
MEETINGS = 10  # fewer say only that there are many positions
FEW_GAMES = 30  # less often than this a tier has not been passed often enough to say anything


class Seen(NamedTuple):
    """Holds what random games show of a tier."""

    passed: int  # by how many games
    met: int  # pairs of games that were in the same position
    ply: float  # after how many moves, on the average

    @property
    def even(self) -> float:
        """Return how many positions there were if games spread evenly over them."""
        return self.passed * (self.passed - 1) / 2 / max(1, self.met)

    @property
    def least(self) -> float:
        """Return how many there are for sure."""
        return self.passed * (self.passed - 1) / 2 / (self.met + 3 * math.sqrt(self.met) + 6)


class TierSize(NamedTuple):
    """Says how many positions a tier has."""

    low: float
    likely: float


class Sampler:
    """Plays random games; as many as there is time for."""

    def __init__(self, kernel: Any, functions: dict[str, Any], rules: Any):
        self._descend, self._rules = descend.kernels(kernel, functions)["descend"], rules
        self._seed = 1
        self.is_full = False  # whether there was no room to write down more of the last games
        self.rows = np.zeros((0, 3), np.int64)  # of the last games

    def play(
        self, keys: np.ndarray, games: int, seconds: float, most: int = ROWS
    ) -> tuple[dict[int, Seen], set[tuple[int, int]]]:
        """Play from random ones of the keys: what is seen of each tier, and from which one games went on to which.

        No more than `most` tiers passed are written down.
        """
        rows = min(most, LONGEST + games * 256)
        seen, n, played = np.zeros((rows, 3), np.int64), 0, 0
        end = time.thread_time() + seconds
        while played < games and n + LONGEST <= rows and time.thread_time() < end:
            n, self._seed = self._descend(self._rules, keys, self._seed, BATCH, LONGEST, seen, n)
            played += BATCH
        self.is_full, self.rows = n + LONGEST > rows, seen[:n]
        return _summed_up(self.rows), _ways(self.rows)

    def met(self, tier: int) -> np.ndarray:
        """Return the different positions of a tier that the last games have passed."""
        return np.unique(self.rows[self.rows[:, TIER] == tier, KEY])


def _ways(seen: np.ndarray) -> set[tuple[int, int]]:
    """From which tiers games went on to which."""
    if len(seen) < 2:
        return set()
    lowest = int(seen[:, TIER].min())
    width = int(seen[:, TIER].max()) - lowest + 1
    goes_on = seen[1:, PLY] > seen[:-1, PLY]
    codes = np.unique(((seen[:-1, TIER] - lowest) * width + seen[1:, TIER] - lowest)[goes_on]).tolist()
    return {(code // width + lowest, code % width + lowest) for code in codes}


def _summed_up(seen: np.ndarray) -> dict[int, Seen]:
    if not len(seen):
        return {}
    order = np.argsort(seen[:, TIER], kind="stable")
    tiers, keys, plies = (seen[order, column] for column in (TIER, KEY, PLY))
    begins = np.flatnonzero(np.diff(tiers, prepend=tiers[0] - 1)).tolist()
    found = {}
    for begin, end in zip(begins, [*begins[1:], len(seen)], strict=True):
        ordered = np.sort(keys[begin:end])
        times = np.diff(np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1], [True]])))
        met = int((times * (times - 1) // 2).sum())
        found[int(tiers[begin])] = Seen(end - begin, met, float(plies[begin:end].mean()))
    return found


class Growth(NamedTuple):
    """Says how uneven games are, as a logarithm: so much after no move, and so much more with each move."""

    begin: float
    slope: float

    def after(self, ply: float) -> float:
        return max(0.0, self.begin + self.slope * ply)


def growth(seen: dict[int, Seen], known: dict[int, int]) -> Growth | None:
    """Return how uneven games from the start are, by the last known tiers; None where these are too few to say."""
    last = [number for number in sorted(known) if number in seen and seen[number].passed >= FEW_GAMES][:CALIBRATED]
    if len(last) < CALIBRATED // 2:
        return None
    plies = np.array([seen[number].ply for number in last])
    uneven = np.array([math.log(max(1.0, known[number] / seen[number].even)) for number in last])
    spread = plies - plies.mean()
    if not spread.any():
        return None
    slope = max(0.0, float((spread * uneven).sum() / (spread * spread).sum()))
    return Growth(float(uneven.mean() - slope * plies.mean()), slope)


def sizes(from_start: dict[int, Seen], seen: dict[int, Seen], known: dict[int, int]) -> dict[int, TierSize]:
    """Return the size of every tier passed or known, by games from the start and from positions of the last known tier.

    Towards the end of the game its ways come together again: beyond the tier that is the largest, as it seems, nothing
    grows. The low size has half of the growth, in games that have been even until the last known tier; or, where the
    growth is known well, a share of what is likely.
    """
    found = {number: TierSize(count, count) for number, count in known.items()}
    grown = growth(from_start, known)
    slope = grown.slope if grown else 0.0
    middle = max((each for n, each in seen.items() if n not in known), key=lambda e: e.even, default=None)
    last = middle.ply if middle else 0.0
    first = max((each for n, each in from_start.items() if n not in known), key=lambda e: e.even, default=None)
    for number in (from_start.keys() | seen.keys()) - known.keys():
        low = likely = 0.0
        if number in seen:
            ply = min(seen[number].ply, last)
            low = seen[number].least * math.exp(slope / 2 * ply)
            likely = seen[number].even * math.exp(slope * ply)
        if number in from_start and grown and first:
            each = from_start[number]
            likely = max(likely, each.even * math.exp(grown.after(min(each.ply, first.ply))))
            low = max(low, likely / TRUSTED) if each.met > 100 else low
        found[number] = TierSize(low, max(low, likely))
    return found


def pooled(seen: Iterable[Seen]) -> float:
    """Return how many positions some tiers have together, for sure: more than can be said of each of them alone."""
    best, passed, pairs, met = 0.0, 0, 0.0, 0
    for each in sorted(seen, key=lambda each: each.met / max(1, each.passed)):
        passed, met = passed + each.passed, met + each.met
        pairs = passed * passed / 2
        best = max(best, pairs / (met + 3 * math.sqrt(met) + 6) / 2)
    return best


def have_met(seen: Iterable[Seen]) -> bool:
    """Tell whether games have met often enough, in the tiers that most of them pass, to say how large these are."""
    each = list(seen)
    return 2 * sum(one.passed for one in each if one.met >= MEETINGS) >= sum(one.passed for one in each)
