"""Tic-tac-toe: three in a row win.

Two players, x and o, take turns to put their sign on an empty cell; x begins. Who first has a line of three, along a
row, a column or a diagonal, has won; a full board without one is a tie.

Options
    rows, cols   the board
    line         how many in a row win

Notation
    A position is (T row row ...), the top row first: T is who moves, x or o. A move is the cell it goes to: b2.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.bits import lowest, popcount
from gamesman.errors import MoveError, PositionError, shorten
from gamesman.games._turning import Table, image, mask_table, turned_cells
from gamesman.notation import cell_name, draw_grid, read_cell, read_fields, read_rows, read_turn
from gamesman.options import Number, Options
from gamesman.values import LOSE, TIE, UNDECIDED

options = [
    Number("rows", default=3, low=1, help="rows of the board"),
    Number("cols", default=3, low=1, high=26, help="columns of the board"),
    Number(
        "line",
        default=lambda o: min(3, max(o.rows, o.cols)),
        low=1,
        high=lambda o: max(o.rows, o.cols),
        help="how many in a row win; 3 where there is room",
    ),
]
players = {"x": "X", "o": "O"}

Position = tuple[int, int]  # the cells of x and of o, a bit a cell, row by row from a1; whose turn follows from them


class Rules(NamedTuple):
    rows: int
    cols: int
    board: int  # all cells
    lines: tuple[int, ...]  # the cells of every line that wins
    turned: tuple[Table, ...]  # for each turn and mirror image of the board; see games/_turning.py


def setup(o: Options) -> Rules:
    lines = []
    for row in range(o.rows):
        for col in range(o.cols):
            for up, right in (0, 1), (1, 0), (1, 1), (1, -1):
                if row + up * (o.line - 1) < o.rows and 0 <= col + right * (o.line - 1) < o.cols:
                    lines.append(sum(1 << (row + up * i) * o.cols + col + right * i for i in range(o.line)))
    turned = tuple(map(mask_table, turned_cells(o.rows, o.cols)))
    return Rules(o.rows, o.cols, (1 << o.rows * o.cols) - 1, tuple(lines), turned)


def start(rules: Rules) -> Position:
    return 0, 0


def hash(rules: Rules, position: Position) -> int:
    return position[0] << rules.rows * rules.cols | position[1]


def unhash(rules: Rules, key: int) -> Position:
    return key >> rules.rows * rules.cols, key & rules.board


def turn(rules: Rules, position: Position) -> int:
    return popcount(position[0]) - popcount(position[1])


def primitive(rules: Rules, position: Position) -> int:
    x, o = position
    last = x if turn(rules, position) else o  # only who has moved last can have a line
    for line in rules.lines:
        if last & line == line:
            return LOSE
    return TIE if x | o == rules.board else UNDECIDED


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    empty = rules.board & ~(position[0] | position[1])
    while empty:
        yield lowest(empty)
        empty &= empty - 1


def do_move(rules: Rules, position: Position, move: int) -> Position:
    x, o = position
    return (x, o | 1 << move) if turn(rules, position) else (x | 1 << move, o)


# Optional: no move raises it, so the solver need not hold all positions in memory at once.
def tier(rules: Rules, position: Position) -> int:
    return popcount(rules.board & ~(position[0] | position[1]))


# Optional: of boards that are the same one turned or mirrored the solver need only look at one.
def symmetries(rules: Rules, position: Position) -> Iterator[Position]:
    for table in rules.turned:
        yield image(table, position[0]), image(table, position[1])


# Optional: a board with too many positions is refused before any work is done.
def key_bound(rules: Rules) -> int:
    return 1 << 2 * rules.rows * rules.cols


def board_rows(rules: Rules, position: Position) -> list[str]:
    x, o = position
    letters = ["x" if x >> i & 1 else "o" if o >> i & 1 else "-" for i in range(rules.rows * rules.cols)]
    return ["".join(letters[i * rules.cols : (i + 1) * rules.cols]) for i in reversed(range(rules.rows))]


def show(rules: Rules, position: Position) -> str:
    return f"({'xo'[turn(rules, position)]} {' '.join(board_rows(rules, position))})"


def parse(rules: Rules, text: str) -> Position:
    who, *rows = read_fields(text, show(rules, start(rules)))
    read_rows(rows, [rules.cols] * rules.rows, "xo-", text)
    cells = "".join(reversed(rows))
    x, o = (sum(1 << i for i, c in enumerate(cells) if c == letter) for letter in "xo")
    if read_turn(who, list(players), text) != popcount(x) - popcount(o):
        raise PositionError(f"expected as many x as o with x to move, or one x more with o to move: {shorten(text)}")
    return x, o


def move_name(rules: Rules, position: Position, move: int) -> str:
    return cell_name(move // rules.cols, move % rules.cols)


# Optional: says why a move is not legal, instead of only listing those that are.
def parse_move(rules: Rules, position: Position, text: str) -> int:
    try:
        row, col = read_cell(text.strip(), rules.rows, rules.cols)
    except PositionError as error:
        raise MoveError(str(error)) from None
    move = row * rules.cols + col
    if primitive(rules, position) != UNDECIDED:
        raise MoveError(f"{text.strip()}: the game is over")
    if (position[0] | position[1]) >> move & 1:
        raise MoveError(f"{text.strip()} is taken")
    return move


# Optional: the board with its coordinates, for a person.
def draw(rules: Rules, position: Position) -> str:
    return draw_grid(board_rows(rules, position))
