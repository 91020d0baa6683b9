"""Teeko: four pieces in a row, or in a square, win.

Two players, Black and Red, have four pieces each. They first take turns to put one on an empty cell, Black first; then
to move one of their own to an empty cell next to it, in any of the 8 directions. Who first has all of his pieces in a
row, along a row, a column or a diagonal, or on four cells that make a square, has won.

Options
    size         cells to a side
    pieces       of each player; a square counts with four only
    advanced     the corners of a larger square win, too

Notation
    A position is (T row row ...), the top row first: T is who moves, b or r. A move is the cell where a piece is put, b2,
    or the cells it moves from and to, b2-c3.

Rulings
    Who cannot move has lost; on the usual board that does not happen.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.bits import lowest, popcount
from gamesman.boards import Board, squares
from gamesman.layout import Layout, Pieces, Turn
from gamesman.lines import has_line
from gamesman.moves import move_from, move_to, step
from gamesman.numbering import Numbering, numbering
from gamesman.options import Number, Options, Switch
from gamesman.values import LOSE, UNDECIDED

options = [
    Number("size", default=5, low=3, high=26, help="cells to a side"),
    Number("pieces", default=4, low=2, high=lambda o: (o.size * o.size - 1) // 2, help="pieces of each player"),
    Switch("advanced", help="larger squares win, too"),
]
players = {"b": "Black", "r": "Red"}

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


def board(rules: Rules) -> Board:
    return squares(rules.size, rules.size)


layout = Layout(board, Pieces("b"), Pieces("r"), Turn())


def setup(o: Options) -> Rules:
    on, n = squares(o.size, o.size), o.size

    def turns(black: int, red: int) -> tuple[int, ...]:
        if black == red == o.pieces:
            return 0, 1
        return (black - red,) if 0 <= black - red <= 1 else ()

    sides = (n if o.advanced else 2) if o.pieces == 4 else 1
    corners = [0] + [on.where(lambda x, y, far=far: max(x, y) + far < n) for far in range(1, sides)]
    count = range(o.pieces + 1)
    numbers = numbering(n * n, count, count, turns=turns, come=True)
    near = on.neighbours("king")
    return Rules(n, n * n, o.pieces, on.full, near, on.axes("king"), tuple(corners), on.turned(), numbers)


def start(rules: Rules) -> Position:
    return 0, 0, 0


def has_won(rules: Rules, own: int) -> bool:
    if popcount(own) < rules.pieces:
        return False
    for far in range(1, len(rules.corners)):
        if own & own >> far & (own & own >> far) >> far * rules.size & rules.corners[far]:
            return True
    return has_line(rules.axes, own, rules.pieces)


def moves_of(rules: Rules, own: int, empty: int) -> int:
    """The cells that some pieces can move to."""
    reached = 0
    while own:
        reached |= rules.near[lowest(own)]
        own &= own - 1
    return reached & empty


def primitive(rules: Rules, position: Position) -> int:
    black, red, who = position
    if has_won(rules, black if who else red):
        return LOSE
    own = red if who else black
    if popcount(own) < rules.pieces or moves_of(rules, own, rules.board & ~(black | red)):
        return UNDECIDED
    return LOSE


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    black, red, who = position
    own = red if who else black
    empty = rules.board & ~(black | red)
    if popcount(own) < rules.pieces:
        while empty:
            yield lowest(empty)
            empty &= empty - 1
    while own and empty:
        to = rules.near[lowest(own)] & empty
        while to:
            yield step(lowest(own), lowest(to))
            to &= to - 1
        own &= own - 1


def do_move(rules: Rules, position: Position, move: int) -> Position:
    black, red, who = position
    change = 1 << move_to(move)
    if move_from(move) >= 0:
        change |= 1 << move_from(move)
    return (black, red ^ change, 0) if who else (black ^ change, red, 1)


def undo_moves(rules: Rules, position: Position) -> Iterator[Position]:
    """A piece of him who has moved steps back; drops came from another tier."""
    black, red, who = position
    own = black if who else red
    empty = rules.board & ~(black | red)
    if popcount(black) == popcount(red) == rules.pieces and not has_won(rules, red if who else black):
        while own:
            cell = own & -own
            own ^= cell
            back = rules.near[lowest(cell)] & empty
            while back:
                change = cell | back & -back
                back &= back - 1
                if not has_won(rules, (black if who else red) ^ change):
                    if who:
                        yield black ^ change, red, 0
                    else:
                        yield black, red ^ change, 1
