"""Othello: enclose the other's discs to turn them; who has more at the end wins.

Two players, Black and White; Black begins. A disc is put on an empty cell so that it encloses, with another disc of the
same colour, one or more straight lines of discs of the other colour, in any of the 8 directions; all these are turned
over. Who can make no such move passes. When neither can, the game is over, and who has more discs has won.

Options
    rows, cols   the board

Notation
    A position is (T row row ...), the top row first: T is who moves, b or w. A move is the cell of the disc, c4, or
    pass, which there is only where nothing else is.

Rulings
    On boards with an odd number of rows or columns the four discs of the start are below or left of the middle.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.bits import each, popcount
from gamesman.boards import squares
from gamesman.layout import Layout, Pieces, Turn
from gamesman.lines import shifted
from gamesman.moves import PASS
from gamesman.options import Number, Options
from gamesman.values import LOSE, TIE, UNDECIDED, WIN

options = [
    Number("rows", default=8, low=2, help="rows of the board"),
    Number("cols", default=lambda o: min(o.rows, 26), low=2, high=26, help="columns; as many as rows"),
]
players = {"b": "Black", "w": "White"}
largest = "rows=4,cols=5"

Position = tuple[int, int, int]  # black's discs, white's discs, whose turn


class Rules(NamedTuple):
    rows: int
    cols: int
    cells: int
    board: int
    inside: tuple[int, ...]  # by direction, the cells from which a step stays on the board
    steps: tuple[int, ...]
    longest: int  # no more discs than this can be enclosed in a line
    turned: tuple[tuple[int, ...], ...]


layout = Layout(lambda rules: squares(rules.rows, rules.cols), Pieces("b"), Pieces("w"), Turn())


def setup(o: Options) -> Rules:
    on = squares(o.rows, o.cols)
    inside, steps = on.inside("king"), on.steps("king")
    return Rules(o.rows, o.cols, len(on), on.full, inside, steps, max(o.rows, o.cols) - 2, on.turned())


def start(rules: Rules) -> Position:
    corner = ((rules.rows - 1) // 2) * rules.cols + (rules.cols - 1) // 2
    return (1 | 2 << rules.cols) << corner, (2 | 1 << rules.cols) << corner, 0


def enclosing(rules: Rules, own: int, other: int) -> int:
    """Return the empty cells where a disc encloses others."""
    found = 0
    for i in range(8):
        line = other & shifted(own & rules.inside[i], rules.steps[i])
        for _ in range(1, rules.longest):
            line |= other & shifted(line & rules.inside[i], rules.steps[i])
        found |= shifted(line & rules.inside[i], rules.steps[i])
    return found & rules.board & ~(own | other)


def sides(position: Position) -> tuple[int, int]:
    black, white, who = position
    return (white, black) if who else (black, white)


def tier(rules: Rules, position: Position) -> int:
    """Count the cells still empty; one more for who has to pass."""
    own, other = sides(position)
    return 2 * popcount(rules.board & ~(own | other)) + (enclosing(rules, own, other) == 0)


def tier_name(rules: Rules, tier: int) -> str:
    return f"{tier // 2} empty" + ", no disc can be put" * (tier % 2)


def primitive(rules: Rules, position: Position) -> int:
    own, other = sides(position)
    if enclosing(rules, own, other) or enclosing(rules, other, own):
        return UNDECIDED
    more = popcount(own) - popcount(other)
    return WIN if more > 0 else LOSE if more < 0 else TIE


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    own, other = sides(position)
    cells = enclosing(rules, own, other)
    if cells == 0:
        yield PASS
    for cell in each(cells):
        yield cell


def do_move(rules: Rules, position: Position, move: int) -> Position:
    own, other = sides(position)
    if move != PASS:
        for i in range(8):
            line, cell = 0, 1 << move
            while True:
                cell = shifted(cell & rules.inside[i], rules.steps[i])
                if not cell & other:
                    break
                line |= cell
            if cell & own:
                own, other = own | line, other & ~line
        own |= 1 << move
    return (other, own, 0) if position[2] else (own, other, 1)


def mobility(rules: Rules, position: Position) -> int:
    """Count the discs that can be put; a pass counts least."""
    return popcount(enclosing(rules, *sides(position)))
