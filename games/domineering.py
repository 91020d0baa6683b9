"""Domineering: put dominoes on the board, one player upright, the other lying; who cannot has lost.

Vertical covers two empty cells of which one is above the other, Horizontal two side by side. They take turns, Vertical
first. Who cannot move has lost.

Options
    rows, cols   the board

Notation
    A position is (T row row ...), the top row first: T is who moves, v or h; # is a covered cell. A move is the two
    cells that are covered, the lower or the left one first: a1-a2.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.bits import each, popcount
from gamesman.boards import squares
from gamesman.layout import Layout, Pieces
from gamesman.moves import step, touched
from gamesman.options import Number, Options
from gamesman.values import LOSE, UNDECIDED

options = [
    Number("rows", default=8, low=1, help="rows of the board"),
    Number("cols", default=lambda o: min(o.rows, 26), low=1, high=26, help="columns; as many as rows"),
]
players = {"v": "Vertical", "h": "Horizontal"}
largest = "rows=6,cols=5"

Position = tuple[int]  # the covered cells; whose turn follows from how many they are


class Rules(NamedTuple):
    rows: int
    cols: int
    cells: int
    east: int  # the cells with one to the right of them
    north: int  # those with one above them
    turned: tuple[tuple[int, ...], ...]


layout = Layout(lambda rules: squares(rules.rows, rules.cols), Pieces("#"))


def setup(o: Options) -> Rules:
    on = squares(o.rows, o.cols)
    east, _, north, _ = on.inside("rook")
    return Rules(o.rows, o.cols, len(on), east, north, on.turned(lambda cells: abs(cells[0] - cells[1]) == 1))


def start(rules: Rules) -> Position:
    return (0,)


def turn(rules: Rules, position: Position) -> int:
    return popcount(position[0]) >> 1 & 1


def tier(rules: Rules, position: Position) -> int:
    return rules.cells - popcount(position[0])


def tier_name(rules: Rules, tier: int) -> str:
    return f"{tier} empty"


def places(rules: Rules, position: Position) -> int:
    """Return the lower or left cells of the dominoes that can be put."""
    taken = position[0]
    if turn(rules, position):
        return rules.east & ~(taken | taken >> 1)
    return rules.north & ~(taken | taken >> rules.cols)


def primitive(rules: Rules, position: Position) -> int:
    return UNDECIDED if places(rules, position) else LOSE


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    for cell in each(places(rules, position)):
        yield step(cell, cell + (1 if turn(rules, position) else rules.cols))


def do_move(rules: Rules, position: Position, move: int) -> Position:
    return (position[0] | touched(move),)


def mobility(rules: Rules, position: Position) -> int:
    """Count the moves."""
    return popcount(places(rules, position))
