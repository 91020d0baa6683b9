"""Scores say as a number what a node is worth to the player to move; here they are made, and packed for the table."""

from gamesman.values import LOSE, TIE

MATE = 2_000_000
CERTAIN = MATE - 20_000  # from here on a score is a win for certain
UNKNOWN = 1_500_000  # the loss that a mode counts the end of the depth as
STATIC = 1_000_000  # no estimate is larger
INFINITE = 1 << 30
OPEN = 1 << 40  # no score: the node must be searched
# What a node at the end of the depth is worth: an estimate, or a loss for player 0, or for player 1; or an estimate, in
# a search that is quick, not exact.
ESTIMATE, LOST_FOR_0, LOST_FOR_1, QUICK = range(4)
UPPER, LOWER, EXACT = 1, 2, 3  # what a score in the table is to the true one: a bound on either side, or both


def pack(score: int, left: int, mode: int, bound: int) -> int:
    """Pack into one number what the table keeps of a node, and return it: score, plies searched, mode and bound.

    >>> data = pack(-3, 7, ESTIMATE, LOWER)
    >>> score_of(data), left_of(data), mode_of(data), bound_of(data)
    (-3, 7, 0, 2)
    """
    return (score + INFINITE) << 16 | left << 4 | mode << 2 | bound


def score_of(data: int) -> int:
    """Return the score in a row's data; it counts plies from its own node."""
    return (data >> 16) - INFINITE


def left_of(data: int) -> int:
    """Return how many plies below the node the search behind a row's data went."""
    return data >> 4 & 4095


def mode_of(data: int) -> int:
    """Return what the ends of that search were worth: ESTIMATE, LOST_FOR_0, LOST_FOR_1 or QUICK."""
    return data >> 2 & 3


def bound_of(data: int) -> int:
    """Return whether the score in a row's data is exact or a bound: UPPER, LOWER or EXACT."""
    return data & 3


def from_node(score: int, ply: int) -> int:
    """Turn a score that counts plies from the root into one that counts them from a node; return that."""
    return score + ply if score > CERTAIN else score - ply if score < -CERTAIN else score


def from_root(score: int, ply: int) -> int:
    """Turn a score that counts plies from a node into one that counts them from the root; return that."""
    return score - ply if score > CERTAIN else score + ply if score < -CERTAIN else score


def outcome(value: int, ply: int) -> int:
    """Return the score of a position that is over, at a ply of the path.

    >>> outcome(LOSE, 3)
    -1999997
    """
    return 0 if value == TIE else ply - MATE if value == LOSE else MATE - ply


# What the search calls, compiled or as it is.
SHARED = (pack, score_of, left_of, mode_of, bound_of, from_node, from_root, outcome)
