"""Clobber: take a piece of the other's beside one of yours; who cannot has lost.

White and black pieces fill a board like a chequerboard; White begins. A move takes an own piece to a cell next to it,
along a row or a column, that holds an opposing piece, which is removed. Who cannot move has lost.

Options
    rows, cols   the board

Notation
    A position is (T row row ...), the top row first: T is who moves, w or b. A move is the cells it goes from and to.

Rulings
    a1 is white.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.bits import each, popcount
from gamesman.boards import squares
from gamesman.layout import Layout, Pieces, Turn
from gamesman.moves import move_from, move_to, step
from gamesman.options import Number, Options
from gamesman.values import LOSE, UNDECIDED

options = [
    Number("rows", default=5, low=1, help="rows of the board"),
    Number("cols", default=6, low=1, high=26, help="columns of the board"),
]
players = {"w": "White", "b": "Black"}
largest = "rows=4,cols=5"

Position = tuple[int, int, int]  # white's cells, black's cells, whose turn


class Rules(NamedTuple):
    rows: int
    cols: int
    cells: int
    white: int  # white's cells at the start
    black: int
    near: tuple[int, ...]  # by cell, the cells next to it
    turned: tuple[tuple[int, ...], ...]


layout = Layout(lambda rules: squares(rules.rows, rules.cols), Pieces("w"), Pieces("b"), Turn())


def setup(o: Options) -> Rules:
    on = squares(o.rows, o.cols)
    white = on.where(lambda x, y: (x + y) % 2 == 0)
    return Rules(o.rows, o.cols, len(on), white, on.full ^ white, on.neighbours("rook"), on.turned())


def start(rules: Rules) -> Position:
    return rules.white, rules.black, 0


def tier(rules: Rules, position: Position) -> int:
    return popcount(position[0] | position[1])


def tier_name(rules: Rules, tier: int) -> str:
    return f"{tier} on the board"


def primitive(rules: Rules, position: Position) -> int:
    white, black, who = position
    for cell in each(white):
        if rules.near[cell] & black:
            return UNDECIDED
    return LOSE


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    white, black, who = position
    own, other = (black, white) if who else (white, black)
    for cell in each(own):
        for taken in each(rules.near[cell] & other):
            yield step(cell, taken)


def do_move(rules: Rules, position: Position, move: int) -> Position:
    white, black, who = position
    cell, taken = 1 << move_from(move), 1 << move_to(move)
    if who:
        return white ^ taken, black ^ cell ^ taken, 0
    return white ^ cell ^ taken, black ^ taken, 1
