"""How many games there are, and nodes in their tree, is estimated here from games at random.

The product of the numbers of moves there were to choose from, along one game at random, has as its mean the number of
games, and the sum of its parts up to each move that of the nodes: D. E. Knuth, Mathematics of Computation 29 (1975). A
few games have most of the weight, so that the mean of some tells little of how far it is off. The logarithm of a weight
is much like a normal number: that gives another interval, D. R. Cox's, and what is told reaches over both.

Where moves can go in circles there is no end to the games. They cannot where they lead to lower tiers; where they stay
in one, all that can be reached within it is looked at, if it is little.
"""

import random
from collections.abc import Iterator
from math import log

import numpy as np

from gamesman.analysis.intervals import Estimate, student
from gamesman.model.progress import Progress, Silent
from gamesman.model.variant import Position, Variant
from gamesman.values import UNDECIDED

LONGEST = 2_000  # moves of a game; a longer one tells that there may be no end
MOST_WITHIN = 200  # positions looked at within a tier, from one of them
MOST_LOOKED_FROM = 100  # positions from which that is done


def tree_size(variant: Variant, count: int, seed: int, progress: Progress | None = None) -> dict[str, Estimate] | None:
    """Estimate `log10_games` and `log10_tree` from so many games; None where moves may go in circles.

    >>> from gamesman.model.variant import variant
    >>> found = tree_size(variant("tictactoe"), 1000, 1)["log10_games"]  # there are 255,168
    >>> found.low < 5.407 < found.high
    True
    """
    progress = progress or Silent()
    progress.start(f"measuring the tree of {variant.name}", count)
    dice = random.Random(f"{seed} tree {variant.name}")
    games, trees, looked = [], [], 0
    try:
        for _ in range(count):
            position, length, ways, nodes = variant.start(), 0, 0.0, 0.0
            while variant.primitive(position) == UNDECIDED:
                moves = list(variant.generate_moves(position))
                after = variant.do_move(position, dice.choice(moves))
                if variant.tier(after) == variant.tier(position) and looked < MOST_LOOKED_FROM:
                    looked += 1
                    if _may_circle(variant, position):
                        return None
                position, length, ways = after, length + 1, ways + log(len(moves))
                nodes = float(np.logaddexp(nodes, ways))
                if length == LONGEST:
                    return None
            games.append(ways)
            trees.append(nodes)
            progress.advance(1)
    finally:
        progress.finish()
    return {"log10_games": log10_mean(np.array(games)), "log10_tree": log10_mean(np.array(trees))}


def log10_mean(logs: np.ndarray) -> Estimate:
    """Estimate the decimal logarithm of a mean of numbers whose natural logarithms are given.

    >>> [round(number, 3) for number in log10_mean(np.log([100.0] * 5))[:3]]
    [2.0, 2.0, 2.0]
    """
    n, largest = len(logs), float(logs.max())
    scaled = np.exp(logs - largest)
    mean, far = float(scaled.mean()), student(n - 1)
    half = far * float(scaled.std(ddof=1)) / n**0.5
    found = largest + log(mean)
    spread = float(logs.var(ddof=1))
    middle, reach = float(logs.mean()) + spread / 2, far * (spread / n + spread**2 / (2 * (n - 1))) ** 0.5
    lows, highs = [found, middle - reach], [found, middle + reach, largest + log(mean + half)]
    if half < mean:
        lows.append(largest + log(mean - half))
    return Estimate(found / log(10), min(lows) / log(10), max(highs) / log(10))


def _may_circle(variant: Variant, begin: Position) -> bool:
    """Tell whether moves within a tier can come back to where they were, or may, as there are too many to say."""
    done: set[Position] = set()
    path: dict[Position, Iterator[Position]] = {begin: _within(variant, begin)}
    while path:
        position = next(reversed(path))
        child = next(path[position], None)
        if child is None:
            done.add(position)
            del path[position]
        elif child in path or len(done) + len(path) > MOST_WITHIN:
            return True
        elif child not in done:
            path[child] = _within(variant, child)
    return False


def _within(variant: Variant, position: Position) -> Iterator[Position]:
    """Yield where the moves of a position lead that stay in its tier."""
    if variant.primitive(position) == UNDECIDED:
        for move in variant.generate_moves(position):
            child = variant.do_move(position, move)
            if variant.tier(child) == variant.tier(position):
                yield child
