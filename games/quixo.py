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

from gamesman.boards import Board, squares
from gamesman.layout import Layout, Pieces, Turn
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
    board: int
    lines: tuple[int, ...]
    pushes: tuple[tuple[int, ...], ...]  # by move: taken from, put in at, the cells between, how these move up or down
    turned: tuple[tuple[int, ...], ...]
    numbering: Numbering


def board(rules: Rules) -> Board:
    return squares(rules.size, rules.size)


layout = Layout(board, Pieces("x"), Pieces("o"), Turn())


def setup(o: Options) -> Rules:
    on, last = squares(o.size, o.size), o.size - 1
    pushes = []
    for cell, (col, row) in enumerate(on.at):
        if not {0, last} & {row, col}:
            continue
        for ray, away in zip(on.rays["rook"][cell], on.steps("rook"), strict=True):
            if ray:
                pushes.append((1 << cell, 1 << ray[-1], on.mask(ray), max(-away, 0), max(away, 0)))
    count = range(on.full.bit_length() + 1)
    turned = on.turned()
    numbers = numbering(len(on), count, count, come=True)
    return Rules(o.size, len(on), on.full, on.lines(o.size, "king"), tuple(pushes), turned, numbers)


def start(rules: Rules) -> Position:
    return 0, 0, 0


def has_line(rules: Rules, cells: int) -> bool:
    for line in rules.lines:
        if cells & line == line:
            return True
    return False


def primitive(rules: Rules, position: Position) -> int:
    x, o, who = position
    if has_line(rules, o if who else x):
        return WIN
    return LOSE if has_line(rules, x if who else o) else UNDECIDED


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    x, o, who = position
    free = rules.board & ~(x if who else o)
    for move in range(len(rules.pushes)):
        if free & rules.pushes[move][0]:
            yield move


def pushed(rules: Rules, cells: int, move: int) -> int:
    """The cells of a sign after a push, but for the cube pushed."""
    between, up, down = rules.pushes[move][2], rules.pushes[move][3], rules.pushes[move][4]
    return cells & ~(between | rules.pushes[move][0]) | (cells & between) << up >> down


def do_move(rules: Rules, position: Position, move: int) -> Position:
    x, o, who = position
    x, o, cube = pushed(rules, x, move), pushed(rules, o, move), rules.pushes[move][1]
    return (x, o | cube, 0) if who else (x | cube, o, 1)


def pulled(rules: Rules, cells: int, move: int) -> int:
    """The cells of a sign before a push, but for the cube pushed."""
    between, up, down = rules.pushes[move][2], rules.pushes[move][3], rules.pushes[move][4]
    line = between | rules.pushes[move][0]
    return cells & ~line | (cells & line & ~rules.pushes[move][1]) << down >> up


def undo_moves(rules: Rules, position: Position) -> Iterator[Position]:
    """The cube of him who has moved, pulled out again: of the same tier if it was his before."""
    x, o, who = position
    own = x if who else o
    for move in range(len(rules.pushes)):
        if own & rules.pushes[move][1]:
            x_before, o_before, cube = pulled(rules, x, move), pulled(rules, o, move), rules.pushes[move][0]
            if who:
                x_before |= cube
            else:
                o_before |= cube
            if not has_line(rules, x_before) and not has_line(rules, o_before):
                yield x_before, o_before, 1 - who


def ends(rules: Rules, position: Position, move: int) -> tuple[int, int]:
    return rules.pushes[move][0].bit_length() - 1, rules.pushes[move][1].bit_length() - 1
