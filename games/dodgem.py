"""Dodgem: drive all your cars off the board; who leaves the other without a move loses.

Left's cars start at the left edge and go right, up or down; they leave by the right edge. Bottom's start at the bottom
edge and go up, left or right; they leave by the top edge. A cell holds one car; the corner between them is empty. Left
begins. A player who is to move and cannot has won: his cars are off the board, or blocked.

Options
    size         cells to a side; one car less on each side

Notation
    A position is (T row row ...), the top row first: T is who moves, x for Left or o for Bottom. A move is the cells it
    goes from and to, a2-b2; a car that leaves the board is named by its cell alone, c2.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.bits import each, popcount
from gamesman.boards import squares
from gamesman.layout import Layout, Pieces, Turn
from gamesman.moves import step, touched
from gamesman.options import Number, Options
from gamesman.values import UNDECIDED, WIN

options = [Number("size", default=3, low=2, high=26, help="cells to a side")]
players = {"x": "Left", "o": "Bottom"}
shapes = {"x": "right", "o": "up"}

Position = tuple[int, int, int]  # Left's cars, Bottom's cars, whose turn


class Rules(NamedTuple):
    size: int
    cells: int
    left: int  # Left's cars at the start
    bottom: int
    ways: tuple[tuple[int, ...], ...]  # by player, by cell: the cells a car can go to
    exits: tuple[int, ...]  # by player: the cells from which a car can leave the board
    behind: tuple[tuple[int, ...], ...]  # by player: the cells at least 1, 2, ... steps from leaving


layout = Layout(lambda rules: squares(rules.size, rules.size), Pieces("x"), Pieces("o"), Turn())


def setup(o: Options) -> Rules:
    n, on = o.size, squares(o.size, o.size)
    east, west, north, south = zip(*on.rays["rook"], strict=True)
    ways = [
        tuple(on.mask(ray[0] for ray in rays if ray) for rays in zip(*directions, strict=True))
        for directions in ((east, north, south), (north, east, west))
    ]
    behind = [tuple(on.mask(c for c in range(n * n) if on.at[c][who] <= i) for i in range(n)) for who in (0, 1)]
    exits = on.where(lambda x, y: x == n - 1), on.where(lambda x, y: y == n - 1)
    left, bottom = on.where(lambda x, y: x == 0 < y), on.where(lambda x, y: y == 0 < x)
    return Rules(n, n * n, left, bottom, tuple(ways), exits, tuple(behind))


def start(rules: Rules) -> Position:
    return rules.left, rules.bottom, 0


def tier(rules: Rules, position: Position) -> int:
    """Count the steps ahead that are left to all cars: they never go back."""
    left = 0
    for i in range(rules.size):
        left += popcount(position[0] & rules.behind[0][i]) + popcount(position[1] & rules.behind[1][i])
    return left


def tier_name(rules: Rules, tier: int) -> str:
    return f"steps ahead of all cars: {tier}"


def primitive(rules: Rules, position: Position) -> int:
    for _ in generate_moves(rules, position):
        return UNDECIDED
    return WIN


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    x, o, who = position
    for cell in each(o if who else x):
        if rules.exits[who] >> cell & 1:
            yield cell
        for to in each(rules.ways[who][cell] & ~(x | o)):
            yield step(cell, to)


def do_move(rules: Rules, position: Position, move: int) -> Position:
    x, o, who = position
    change = touched(move)
    return (x, o ^ change, 0) if who else (x ^ change, o, 1)
