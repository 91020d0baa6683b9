"""Hare and Hounds: three hounds hunt a hare; they win if it cannot move, it wins if it gets past them.

The board has eleven points: three rows of three, and a point beyond each end of the middle row. The hounds begin on the
three points at the left, the hare at the right end. The hounds move first; then they take turns to move one piece along
a line to the next point, if it is empty. The hare may go anywhere, the hounds never to the left. The hare has won when
it is left of all hounds, and has lost when it is to move and cannot.

Notation
    A position is (T row row row), the top row first: T is who moves, d (the hounds) or h (the hare). A move is the
    points it goes from and to: a2-b2.

Rulings
    Hounds that move up and down ten times in a row have lost by the usual rules, which depends on the past of a game
    and is left out: with play without end the value is a draw, and a win of the hounds ends all the same. Hounds that
    cannot move have lost.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.bits import each, lowest, popcount
from gamesman.boards import points
from gamesman.layout import Layout, Pieces, Turn
from gamesman.moves import step, touched
from gamesman.numbering import Numbering, numbering
from gamesman.options import Option, Options
from gamesman.values import LOSE, UNDECIDED, WIN

options: list[Option] = []
players = {"d": "Hounds", "h": "Hare"}
plural = "d"
BOARD = points(
    *("a2 b2 c2 d2 e2", "b3 c3 d3", "b1 c1 d1", "b1 b2 b3", "c1 c2 c3", "d1 d2 d3"),
    *("a2 b3 c2 d1 e2", "a2 b1 c2 d3 e2"),
)
END = BOARD.cell("a2")

Position = tuple[int, int, int]  # the hounds' points, the hare's point, whose turn


class Rules(NamedTuple):
    cells: int
    near: tuple[int, ...]  # by point, those that lines lead to
    ahead: tuple[int, ...]  # by point, all that are not left of it
    past: tuple[int, ...]  # by point, all that are right of it
    turned: tuple[tuple[int, ...], ...]
    numbering: Numbering


layout = Layout(lambda rules: BOARD, Pieces("d"), Pieces("h"), Turn())


def setup(o: Options) -> Rules:
    ahead = tuple(BOARD.mask(i for i, (x, _) in enumerate(BOARD.at) if x >= left) for left, _ in BOARD.at)
    past = tuple(BOARD.mask(i for i, (x, _) in enumerate(BOARD.at) if x > left) for left, _ in BOARD.at)
    turned = BOARD.turned(lambda points: points[END] == END)
    numbers = numbering(len(BOARD), range(3, 4), range(1, 2))
    return Rules(len(BOARD), BOARD.neighbours("line"), ahead, past, turned, numbers)


def start(rules: Rules) -> Position:
    return BOARD.mask("a2 b1 b3"), BOARD.mask("e2"), 0


def tier(rules: Rules, position: Position) -> int:
    """Count the steps that the hounds have still to go."""
    far = 0
    for hound in each(position[0]):
        far += popcount(rules.ahead[hound])
    return far


def tier_name(rules: Rules, tier: int) -> str:
    return f"cells not yet passed by the hounds: {tier}"


def tier_keys(rules: Rules, tier: int) -> tuple[int, int]:
    return 0, 0


def primitive(rules: Rules, position: Position) -> int:
    hounds, hare, who = position
    if not hounds & ~rules.past[lowest(hare)]:
        return WIN if who else LOSE
    for _ in generate_moves(rules, position):
        return UNDECIDED
    return LOSE


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    hounds, hare, who = position
    for point in each(hare if who else hounds):
        to = rules.near[point] & ~(hounds | hare)
        for end in each(to if who else to & rules.ahead[point]):
            yield step(point, end)


def do_move(rules: Rules, position: Position, move: int) -> Position:
    hounds, hare, who = position
    change = touched(move)
    return (hounds, hare ^ change, 0) if who else (hounds ^ change, hare, 1)
