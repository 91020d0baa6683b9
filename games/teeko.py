"""Teeko: four pieces in a row, or in a square, win.

Two players, Black and Red, have four pieces each. They first take turns to put one on an empty cell, Black first; then
to move one of their own to an empty cell next to it, in any of the 8 directions. Who first has all of his pieces in a
row, along a row, a column or a diagonal, or on four cells that make a square, has won.

Options
    size         cells to a side
    pieces       of each player; a square counts with four only
    advanced     the corners of a larger square win, too

Notation
    A position is (T row row ...), the top row first: T is who moves, b or r. A move is the cell where a piece is put,
    b2, or the cells it moves from and to, b2-c3.

Rulings
    Who cannot move has lost; on the usual board that does not happen.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.bits import each, lowest, popcount
from gamesman.boards import squares
from gamesman.layout import Layout, Pieces, Turn
from gamesman.lines import has_line
from gamesman.moves import step, touched
from gamesman.numbering import Numbering, dropping
from gamesman.options import Number, Options, Switch
from gamesman.values import LOSE, UNDECIDED

options = [
    Number("size", default=5, low=3, high=26, help="cells to a side"),
    Number("pieces", default=4, low=2, high=lambda o: (o.size * o.size - 1) // 2, help="pieces of each player"),
    Switch("advanced", help="larger squares win, too"),
]
players = {"b": "Black", "r": "Red"}
largest = "size=5"

Position = tuple[int, int, int]  # black's cells, red's cells, whose turn


class Rules(NamedTuple):
    size: int
    cells: int
    pieces: int
    board: int
    near: tuple[int, ...]  # by cell, the cells next to it
    axes: tuple[tuple[int, int], ...]
    corners: tuple[int, ...]  # by size of a square less one: the cells that can be its lower left corner
    turned: tuple[tuple[int, ...], ...]
    numbering: Numbering


layout = Layout(lambda rules: squares(rules.size, rules.size), Pieces("b"), Pieces("r"), Turn())


def setup(o: Options) -> Rules:
    on, n = squares(o.size, o.size), o.size
    sides = (n if o.advanced else 2) if o.pieces == 4 else 1
    corners = [0] + [on.mask(i for i in range(n * n) if max(on.at[i]) + far < n) for far in range(1, sides)]
    near, axes, numbers = on.neighbours("king"), on.axes("king"), dropping(n * n, o.pieces)
    return Rules(n, n * n, o.pieces, on.full, near, axes, tuple(corners), on.turned(), numbers)


def start(rules: Rules) -> Position:
    return 0, 0, 0


def has_won(rules: Rules, own: int) -> bool:
    if popcount(own) < rules.pieces:
        return False
    for far in range(1, len(rules.corners)):
        if own & own >> far & (own & own >> far) >> far * rules.size & rules.corners[far]:
            return True
    return has_line(rules.axes, own, rules.pieces)


def primitive(rules: Rules, position: Position) -> int:
    black, red, who = position
    if has_won(rules, black if who else red):
        return LOSE
    own = red if who else black
    if popcount(own) < rules.pieces:
        return UNDECIDED
    for cell in each(own):
        if rules.near[cell] & ~(black | red):
            return UNDECIDED
    return LOSE


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    black, red, who = position
    own = red if who else black
    empty = rules.board & ~(black | red)
    if popcount(own) < rules.pieces:
        own = 0
        for cell in each(empty):
            yield cell
    while own:
        for to in each(rules.near[lowest(own)] & empty):
            yield step(lowest(own), to)
        own &= own - 1


def do_move(rules: Rules, position: Position, move: int) -> Position:
    black, red, who = position
    return (black, red ^ touched(move), 0) if who else (black ^ touched(move), red, 1)


def undo_moves(rules: Rules, position: Position) -> Iterator[Position]:
    """Step back with a piece of him who has moved; drops came from another tier."""
    black, red, who = position
    own, other = (black, red) if who else (red, black)
    if popcount(black) == popcount(red) == rules.pieces and not has_won(rules, other):
        while own:
            for to in each(rules.near[lowest(own)] & ~(black | red)):
                change = own & -own | 1 << to
                if not has_won(rules, (black if who else red) ^ change):
                    yield black ^ change * who, red ^ change * (1 - who), 1 - who
            own &= own - 1
