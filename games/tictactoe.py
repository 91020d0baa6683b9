"""Tic-tac-toe: three in a row win.

Two players, x and o, take turns to put their sign on an empty cell; x begins. Who first has a line of three, along a
row, a column or a diagonal, has won; a full board without one is a tie.

Options
    rows, cols   the board
    line         how many in a row win

Notation
    A position is (T row row ...), the top row first: T is who moves, x or o. A move is the cell it goes to: b2.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.bits import each, popcount
from gamesman.boards import squares
from gamesman.layout import Layout, Pieces
from gamesman.lines import holds_one
from gamesman.options import Number, Options
from gamesman.values import LOSE, TIE, UNDECIDED

options = [
    Number("rows", default=3, low=1, help="rows of the board"),
    Number("cols", default=3, low=1, high=26, help="columns of the board"),
    Number(
        "line",
        default=lambda o: min(3, max(o.rows, o.cols)),
        low=1,
        high=lambda o: max(o.rows, o.cols),
        help="how many in a row win; 3 where there is room",
    ),
]
players = {"x": "X", "o": "O"}

Position = tuple[int, int]  # the cells of x and of o, a bit a cell, row by row from a1; whose turn follows from them


class Rules(NamedTuple):
    rows: int
    cols: int
    cells: int
    board: int  # all cells
    lines: tuple[int, ...]  # the cells of every line that wins
    turned: tuple[tuple[int, ...], ...]


layout = Layout(lambda rules: squares(rules.rows, rules.cols), Pieces("x"), Pieces("o"))


def setup(o: Options) -> Rules:
    on = squares(o.rows, o.cols)
    return Rules(o.rows, o.cols, len(on), on.full, on.lines(o.line, "king"), on.turned())


def start(rules: Rules) -> Position:
    return 0, 0


def turn(rules: Rules, position: Position) -> int:
    return popcount(position[0]) - popcount(position[1])


def primitive(rules: Rules, position: Position) -> int:
    x, o = position
    last = x if turn(rules, position) else o  # only who has moved last can have a line
    if holds_one(rules.lines, last):
        return LOSE
    return TIE if x | o == rules.board else UNDECIDED


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    for cell in each(rules.board & ~(position[0] | position[1])):
        yield cell


def do_move(rules: Rules, position: Position, move: int) -> Position:
    x, o = position
    return (x, o | 1 << move) if turn(rules, position) else (x | 1 << move, o)


# Optional: no move raises it, so the solver need not hold all positions in memory at once.
def tier(rules: Rules, position: Position) -> int:
    return popcount(rules.board & ~(position[0] | position[1]))


def tier_name(rules: Rules, tier: int) -> str:
    return f"{tier} empty"


def problem(rules: Rules, position: Position) -> str:
    if turn(rules, position) in (0, 1):
        return ""
    return "expected as many x as o, or one x more"
