"""Mu torere: move to the one free point of the star, until the other cannot.

The board is a star: eight points on a ring, and the middle (m), which is joined to all of them. Black's four pieces
begin on the points a to d of the ring, White's on e to h; the middle is empty. They take turns, Black first. A move
takes an own piece along a line to the free point; into the middle only from a point beside one that holds an opposing
piece. Who cannot move has lost.

Notation
    A position is (T points): T is who moves, b or w, then what is on a to h and in the middle; - is the free point. A
    move is the points it goes from and to: a-m.

Rulings
    The condition for a move into the middle holds throughout the game, not for the first moves only.
"""

from collections.abc import Iterator
from math import cos, pi, sin
from typing import NamedTuple

from gamesman.bits import each, lowest
from gamesman.boards import points
from gamesman.layout import Layout, Pieces, Turn
from gamesman.moves import step, touched
from gamesman.numbering import Numbering, numbering
from gamesman.options import Option, Options
from gamesman.values import LOSE, UNDECIDED

options: list[Option] = []
players = {"b": "Black", "w": "White"}
RING = [(name, 2 * sin(i * pi / 4), 2 * cos(i * pi / 4)) for i, name in enumerate("abcdefgh")]
BOARD = points("a b c d e f g h a", "a m e", "b m f", "c m g", "d m h", at=(*RING, ("m", 0, 0)))

Position = tuple[int, int, int]  # black's points, white's points, whose turn


class Rules(NamedTuple):
    cells: int
    board: int
    middle: int
    near: tuple[int, ...]  # by point, those that lines lead to
    turned: tuple[tuple[int, ...], ...]
    numbering: Numbering


layout = Layout(lambda rules: BOARD, Pieces("b"), Pieces("w"), Turn())


def setup(o: Options) -> Rules:
    numbers = numbering(len(BOARD), range(4, 5), range(4, 5))
    return Rules(len(BOARD), BOARD.full, BOARD.cell("m"), BOARD.neighbours("line"), BOARD.turned(), numbers)


def start(rules: Rules) -> Position:
    return 0b1111, 0b1111_0000, 0


def movers(rules: Rules, position: Position) -> int:
    """Return the pieces that can move to the free point."""
    black, white, who = position
    own, other = (white, black) if who else (black, white)
    free = lowest(rules.board & ~(black | white))
    found = own & rules.near[free]
    if free == rules.middle:
        for point in range(rules.middle):
            if not rules.near[point] & other:
                found &= ~(1 << point)
    return found


def primitive(rules: Rules, position: Position) -> int:
    return UNDECIDED if movers(rules, position) else LOSE


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    for point in each(movers(rules, position)):
        yield step(point, lowest(rules.board & ~(position[0] | position[1])))


def do_move(rules: Rules, position: Position, move: int) -> Position:
    black, white, who = position
    change = touched(move)
    return (black, white ^ change, 0) if who else (black ^ change, white, 1)
