"""Quixo: push your cubes into the board from its edge; a full row, column or diagonal of yours wins.

Two players, x and o, take turns; x begins. A player takes a cube from the edge of the board that is blank or his own,
and pushes it back, now with his sign, into the same row or column at an end where it was not: the cubes between move on
by one. A full row, column or diagonal of one sign wins for that player; who completes one of both signs has lost.

Options
    size         cells to a side

Notation
    A position is (T row row ...), the top row first: T is who moves, x or o; - is blank. A move is the cell from which
    the cube is taken and the one where it comes in again: a1-a5.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.boards import squares
from gamesman.layout import Layout, Pieces, Turn
from gamesman.lines import holds_one, shifted
from gamesman.numbering import Numbering, numbering
from gamesman.options import Number, Options
from gamesman.values import LOSE, UNDECIDED, WIN

options = [Number("size", default=5, low=2, high=26, help="cells to a side")]
players = {"x": "X", "o": "O"}
largest = "size=4"

Position = tuple[int, int, int]  # the cells of x, those of o, whose turn


class Rules(NamedTuple):
    size: int
    cells: int
    lines: tuple[int, ...]
    pushes: tuple[tuple[int, ...], ...]  # by move: taken from, put in at, the cells of that line, their step
    turned: tuple[tuple[int, ...], ...]
    numbering: Numbering


layout = Layout(lambda rules: squares(rules.size, rules.size), Pieces("x"), Pieces("o"), Turn())


def setup(o: Options) -> Rules:
    on, count = squares(o.size, o.size), range(o.size * o.size + 1)
    pushes = [
        (cell, ray[-1], on.mask((cell, *ray)), -away)
        for cell, place in enumerate(on.at)
        for ray, away in zip(on.rays["rook"][cell], on.steps("rook"), strict=True)
        if ray and {0, o.size - 1} & {*place}
    ]
    lines, numbers = on.lines(o.size, "king"), numbering(len(on), count, count, come=True)
    return Rules(o.size, len(on), lines, tuple(pushes), on.turned(), numbers)


def start(rules: Rules) -> Position:
    return 0, 0, 0


def primitive(rules: Rules, position: Position) -> int:
    x, o, who = position
    if holds_one(rules.lines, o if who else x):
        return WIN
    return LOSE if holds_one(rules.lines, x if who else o) else UNDECIDED


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    x, o, who = position
    for move in range(len(rules.pushes)):
        if not (x if who else o) >> rules.pushes[move][0] & 1:
            yield move


def slid(rules: Rules, cells: int, move: int, back: int) -> int:
    """Return the cells of a sign after a push, or before it if `back` is 1, but for the cube that is pushed."""
    push = rules.pushes[move]
    return cells & ~push[2] | shifted(cells & push[2] & ~(1 << push[back]), push[3] * (1 - 2 * back))


def do_move(rules: Rules, position: Position, move: int) -> Position:
    x, o, who = position
    cube = 1 << rules.pushes[move][1]
    return slid(rules, x, move, 0) | cube * (1 - who), slid(rules, o, move, 0) | cube * who, 1 - who


def undo_moves(rules: Rules, position: Position) -> Iterator[Position]:
    """Pull the cube of him who has moved out again: the tier is the same if the cube was his before."""
    x, o, who = position
    for move in range(len(rules.pushes)):
        cube = 1 << rules.pushes[move][0]
        if (x if who else o) >> rules.pushes[move][1] & 1:
            x_before = slid(rules, x, move, 1) | cube * who
            o_before = slid(rules, o, move, 1) | cube * (1 - who)
            if not holds_one(rules.lines, x_before) and not holds_one(rules.lines, o_before):
                yield x_before, o_before, 1 - who


def ends(rules: Rules, position: Position, move: int) -> tuple[int, int]:
    return rules.pushes[move][0], rules.pushes[move][1]
