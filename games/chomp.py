"""Chomp: bite off a bar of chocolate; who is left the poisoned square has lost.

Two players take turns. Each chooses a square that is left and eats it, with all that are not left of it and not below
it. The square in the lower left corner is poisoned: a player who finds nothing else has lost.

Options
    rows, cols   the bar

Notation
    A position is (T row row ...), the top row first: T is who moves, 1 or 2; # is a square that is left. A move is the
    square it takes, b2.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.bits import each, popcount
from gamesman.boards import squares
from gamesman.layout import Layout, Pieces, Turn
from gamesman.options import Number, Options
from gamesman.values import LOSE, UNDECIDED

options = [
    Number("rows", default=4, low=1, help="rows of the bar"),
    Number("cols", default=5, low=1, high=26, help="columns of the bar"),
]

Position = tuple[int, int]  # the squares that are left, whose turn


class Rules(NamedTuple):
    rows: int
    cols: int
    cells: int
    board: int
    eaten: tuple[int, ...]  # by square: what goes with it


layout = Layout(lambda rules: squares(rules.rows, rules.cols), Pieces("#"), Turn())


def setup(o: Options) -> Rules:
    on = squares(o.rows, o.cols)
    eaten = [on.mask(i for i, (x, y) in enumerate(on.at) if x >= left and y >= low) for left, low in on.at]
    return Rules(o.rows, o.cols, len(on), on.full, tuple(eaten))


def start(rules: Rules) -> Position:
    return rules.board, 0


def problem(rules: Rules, position: Position) -> str:
    gone = [eaten for cell, eaten in enumerate(rules.eaten) if not position[0] >> cell & 1]
    if not position[0] & 1 or any(position[0] & eaten for eaten in gone):
        return "expected a bar with the poisoned square, and no square without those below and left of it"
    return ""


def tier(rules: Rules, position: Position) -> int:
    return popcount(position[0])


def tier_name(rules: Rules, tier: int) -> str:
    return f"{tier} left"


def primitive(rules: Rules, position: Position) -> int:
    return LOSE if position[0] == 1 else UNDECIDED


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    for square in each(position[0] & ~1):
        yield square


def do_move(rules: Rules, position: Position, move: int) -> Position:
    return position[0] & ~rules.eaten[move], 1 - position[1]
