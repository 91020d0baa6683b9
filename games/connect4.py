"""Connect 4: drop discs into columns; four in a row win.

Two players, x and o, take turns to drop a disc into a column; it falls to the lowest free cell. x begins. Who first has
a line of four, along a row, a column or a diagonal, has won; a full board without one is a tie.

Options
    rows, cols   the board
    line         how many in a row win

Notation
    A position is (T row row ...), the top row first: T is who moves, x or o. A move is the cell the disc falls to: d1.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.bits import each, popcount
from gamesman.boards import squares
from gamesman.layout import Layout, Pieces
from gamesman.lines import has_line
from gamesman.options import Number, Options
from gamesman.values import LOSE, TIE, UNDECIDED

options = [
    Number("rows", default=6, low=1, help="rows of the board"),
    Number("cols", default=7, low=1, high=26, help="columns of the board"),
    Number("line", default=lambda o: min(4, max(o.rows, o.cols)), high=lambda o: max(o.rows, o.cols), help="to win"),
]
players = {"x": "X", "o": "O"}
shapes = {"x": "disc", "o": "disc"}
largest = "rows=5,cols=5"

Position = tuple[int, int]  # the cells of x and of o; whose turn follows from them


class Rules(NamedTuple):
    rows: int
    cols: int
    cells: int
    line: int
    board: int
    axes: tuple[tuple[int, int], ...]
    turned: tuple[tuple[int, ...], ...]


layout = Layout(lambda rules: squares(rules.rows, rules.cols), Pieces("x"), Pieces("o"))


def setup(o: Options) -> Rules:
    on = squares(o.rows, o.cols)
    turned = on.turned(lambda cells: max(cells[: o.cols]) < o.cols)  # what is below stays below
    return Rules(o.rows, o.cols, len(on), o.line, on.full, on.axes("king"), turned)


def start(rules: Rules) -> Position:
    return 0, 0


def free(rules: Rules, filled: int) -> int:
    """Return the lowest free cell of each column; of a full one, the cell above the board."""
    return ((filled + 1 << rules.cols) - 1) ^ filled


def hash(rules: Rules, position: Position) -> int:
    """Number the cells of x, and the lowest free cell of each column: below it, what is not x's is o's."""
    return position[0] | free(rules, position[0] | position[1])


def unhash(rules: Rules, key: int) -> Position:
    filled = key >> rules.cols
    for _ in range(1, rules.rows):
        filled |= filled >> rules.cols
    return key & filled, filled & ~key


def key_bound(rules: Rules) -> int:
    return 1 << rules.cells + rules.cols


def turn(rules: Rules, position: Position) -> int:
    return popcount(position[0]) - popcount(position[1])


def tier(rules: Rules, position: Position) -> int:
    return rules.cells - popcount(position[0] | position[1])


def tier_name(rules: Rules, tier: int) -> str:
    return f"{tier} empty"


def primitive(rules: Rules, position: Position) -> int:
    x, o = position
    if has_line(rules.axes, x if turn(rules, position) else o, rules.line):
        return LOSE
    return TIE if x | o == rules.board else UNDECIDED


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    for cell in each(free(rules, position[0] | position[1]) & rules.board):
        yield cell


def do_move(rules: Rules, position: Position, move: int) -> Position:
    x, o = position
    return (x, o | 1 << move) if turn(rules, position) else (x | 1 << move, o)
