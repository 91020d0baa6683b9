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

from gamesman.solver import descend, evenness
from gamesman.solver.descend import KEY, PLY, TIER

LONGEST = 1000  # moves of a random game
ROWS = 1 << 20  # of tiers passed that are written down at a time, unless told
BATCH = 200  # games between two looks at the clock
CALIBRATED = 8  # tiers, the last known ones, that tell how uneven games are
TRUSTED = 4  # what is likely may be so many times too much
MEETINGS = 10  # fewer say only that there are many positions
TELLING = 30  # times that three games must have met in one position, about
FEW_GAMES = 30  # less often than this a tier has not been passed often enough to say anything


class Seen(NamedTuple):
    """Holds what random games show of a tier."""

    passed: int  # by how many games
    pairs: float  # of these games that were compared
    met: int  # pairs of them that were in the same position
    distinct: int  # positions, in each batch of games that were compared
    ply: float  # after how many moves, on the average

    @classmethod
    def of(cls, passed: int, met: int, ply: float, distinct: int = 0) -> "Seen":
        """Return what games show of which each is compared with each other."""
        return cls(passed, passed * (passed - 1) / 2, met, distinct, ply)

    def __add__(self, other: "Seen") -> "Seen":  # type: ignore[override]
        """Return what two batches of games show, which are not compared with each other."""
        passed = self.passed + other.passed
        ply = (self.passed * self.ply + other.passed * other.ply) / passed
        added = self.pairs + other.pairs, self.met + other.met, self.distinct + other.distinct
        return Seen(passed, *added, ply)

    @property
    def even(self) -> float:
        """Return how many positions there were if games spread evenly over them."""
        return self.pairs / max(1, self.met)

    @property
    def least(self) -> float:
        """Return how many there are for sure."""
        return self.pairs / (self.met + 3 * math.sqrt(self.met) + 6)

    @property
    def batches(self) -> float:
        """Return in how many batches as large as each other the games were."""
        return self.passed * self.passed / (2 * self.pairs + self.passed)

    @property
    def is_telling(self) -> bool:
        """Return whether games have met in threes often enough to tell how unevenly they spread."""
        return self.distinct - self.passed + self.met >= TELLING


class TierSize(NamedTuple):
    """Says how many positions a tier has."""

    low: float
    likely: float


class Sampler:
    """Plays random games; as many as there is time for."""

    def __init__(self, kernel: Any, functions: dict[str, Any], rules: Any):
        self._descend, self._rules = descend.kernels(kernel, functions)["descend"], rules
        self._seed = 1
        self.rows = np.zeros((0, 3), np.int64)  # of the last batch of games

    def play(
        self, keys: np.ndarray, games: int, seconds: float, most: int = ROWS
    ) -> tuple[dict[int, Seen], set[tuple[int, int]]]:
        """Play from one key after the other: what is seen of each tier, and from which one games went on to which.

        Games from one position meet more often than others: the more keys there are the better. They are to be mixed.
        No more than `most` tiers passed are written down at a time: then they are summed up, and others follow.
        """
        rows = min(most, LONGEST + games * 256)
        written, played = np.zeros((rows, 3), np.int64), 0
        seen, ways = dict[int, Seen](), set[tuple[int, int]]()
        n, self._seed = self._descend(self._rules, keys[:1], self._seed, 0, LONGEST, written, 0)  # is loaded now
        end = time.thread_time() + seconds
        while played < games and (not played or time.thread_time() < end):
            n = 0
            while played < games and n + LONGEST <= rows and time.thread_time() < end:
                some = keys[played % max(1, len(keys) // BATCH * BATCH) :][:BATCH]
                n, self._seed = self._descend(self._rules, some, self._seed, BATCH, LONGEST, written, n)
                played += BATCH
            self.rows = written[:n]
            for number, each in _summed_up(self.rows).items():
                seen[number] = seen[number] + each if number in seen else each
            ways |= _ways(self.rows)
        return seen, ways

    def met(self, tier: int) -> np.ndarray:
        """Return the different positions of a tier that the last games have passed."""
        return np.unique(self.rows[self.rows[:, TIER] == tier, KEY])


def _ways(seen: np.ndarray) -> set[tuple[int, int]]:
    """Return the pairs of tiers such that a game went on from the first to the second in one move."""
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
    lowest = int(seen[:, TIER].min())
    tiers = seen[:, TIER] - lowest
    if tiers.max() < 1 << 16:
        tiers = tiers.astype(np.uint16)  # such numbers are sorted ten times as fast
    order = np.argsort(tiers, kind="stable")
    tiers, keys, plies = tiers[order], seen[:, KEY][order], seen[:, PLY][order]
    begins = np.flatnonzero(np.concatenate([[True], tiers[1:] != tiers[:-1]]))
    found = {}
    for begin, end, ply in zip(begins, [*begins[1:], len(seen)], np.add.reduceat(plies, begins), strict=True):
        ordered = np.sort(keys[begin:end])
        times = np.diff(np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1], [True]])))
        met, passed = int((times * (times - 1) // 2).sum()), int(end - begin)
        found[lowest + int(tiers[begin])] = Seen.of(passed, met, float(ply) / passed, len(times))
    return found


class Growth(NamedTuple):
    """Says how uneven games are, as a logarithm: so much after no move, and so much more with each move."""

    begin: float
    slope: float

    def after(self, ply: float) -> float:
        return min(evenness.WIDEST, max(0.0, self.begin + self.slope * ply))


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
    told = _told(from_start, known) | _told(seen, known)
    middle = max((each for n, each in seen.items() if n not in known), key=lambda e: e.even, default=None)
    last = middle.ply if middle else 0.0
    first = max((each for n, each in from_start.items() if n not in known), key=lambda e: e.even, default=None)
    for number in (from_start.keys() | seen.keys()) - known.keys():
        low = likely = 0.0
        if number in seen:
            uneven = min(evenness.WIDEST, slope * min(seen[number].ply, last))
            low = seen[number].least * math.exp(uneven / 2)
            likely = seen[number].even * math.exp(uneven)
        if number in from_start and grown and first:
            each = from_start[number]
            likely = max(likely, each.even * math.exp(grown.after(min(each.ply, first.ply))))
            low = max(low, likely / TRUSTED) if each.met > 100 else low
        likely = told.get(number, max(low, likely))
        found[number] = TierSize(min(low, likely), likely)
    return found


def _told(seen: dict[int, Seen], known: dict[int, int]) -> dict[int, float]:
    """Return the sizes of the tiers that games pass, where they meet often enough to tell how unevenly they spread.

    Where that is so in some tiers, they are taken to spread like that in those after about as many moves.
    """
    unknown = {number: each for number, each in seen.items() if number not in known and each.met}
    each = [one for one in unknown.values() if one.is_telling]
    if not each:
        return {}
    games, different = [one.passed / one.batches for one in each], [one.distinct / one.batches for one in each]
    width = evenness.widths(games, [one.even for one in each], different)
    order = np.argsort([one.ply for one in each])
    plies, widths = np.array([one.ply for one in each])[order], width[order]
    return {number: one.even * math.exp(float(np.interp(one.ply, plies, widths))) for number, one in unknown.items()}


def pooled(seen: Iterable[Seen]) -> float:
    """Return how many positions some tiers have together, for sure: more than can be said of each of them alone."""
    best, passed, met = 0.0, 0.0, 0
    for each in sorted(seen, key=lambda each: each.met / max(1, each.passed)):
        # As many games as there would have to be, were each compared with each other.
        passed, met = passed + math.sqrt(2 * each.pairs), met + each.met
        best = max(best, passed * passed / 2 / (met + 3 * math.sqrt(met) + 6) / 2)
    return best


def have_met(seen: Iterable[Seen]) -> bool:
    """Tell whether games have met often enough, in the tiers that most of them pass, to say how large these are."""
    each = list(seen)
    return 2 * sum(one.passed for one in each if one.met >= MEETINGS) >= sum(one.passed for one in each)
