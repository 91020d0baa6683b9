"""Tapatan: three pieces in a row win; when all are on the board, they move along the lines.

The board has nine points, three by three, joined along rows, columns and the two diagonals. Two players, x and o, have
three pieces each. They first take turns to put one on an empty point, x first; then to move one of their own along a
line to the next point, if it is empty. Who first has his three pieces on one of the eight lines has won.

Notation
    A position is (T row row row), the top row first: T is who moves, x or o. A move is the point where a piece is put,
    b2, or the points it moves from and to, b2-c3.

Rulings
    The first piece may be put in the middle. Who cannot move has lost.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.bits import each, popcount
from gamesman.boards import points
from gamesman.layout import Layout, Pieces, Turn
from gamesman.lines import holds_one
from gamesman.moves import step, touched
from gamesman.numbering import Numbering, dropping
from gamesman.options import Option, Options
from gamesman.values import LOSE, UNDECIDED

options: list[Option] = []
players = {"x": "X", "o": "O"}
PIECES = 3
BOARD = points("a1 b1 c1", "a2 b2 c2", "a3 b3 c3", "a1 a2 a3", "b1 b2 b3", "c1 c2 c3", "a1 b2 c3", "a3 b2 c1")

Position = tuple[int, int, int]  # the points of x, those of o, whose turn


class Rules(NamedTuple):
    cells: int
    board: int
    near: tuple[int, ...]  # by point, those next to it on a line
    lines: tuple[int, ...]
    turned: tuple[tuple[int, ...], ...]
    numbering: Numbering


layout = Layout(lambda rules: BOARD, Pieces("x"), Pieces("o"), Turn())


def setup(o: Options) -> Rules:
    near, lines = BOARD.neighbours("line"), BOARD.lines(PIECES, "line")
    return Rules(len(BOARD), BOARD.full, near, lines, BOARD.turned(), dropping(len(BOARD), PIECES))


def start(rules: Rules) -> Position:
    return 0, 0, 0


def primitive(rules: Rules, position: Position) -> int:
    x, o, who = position
    if holds_one(rules.lines, x if who else o):
        return LOSE
    for _ in generate_moves(rules, position):
        return UNDECIDED
    return LOSE


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    x, o, who = position
    own = o if who else x
    for point in each(rules.board & ~(x | o)):
        if popcount(own) < PIECES:
            yield point
        else:
            for mover in each(rules.near[point] & own):
                yield step(mover, point)


def do_move(rules: Rules, position: Position, move: int) -> Position:
    x, o, who = position
    change = touched(move)
    return (x, o ^ change, 0) if who else (x ^ change, o, 1)
