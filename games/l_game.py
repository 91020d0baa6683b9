"""The L game: move your L to another place; who cannot has lost.

On a board of four by four cells each player has an L of four cells, and there are two neutral pieces of one cell each.
A player takes up his L and puts it down in another place, turned and mirrored as he likes, on empty cells; then he may,
and need not, move one neutral piece to any empty cell. Red begins. Who cannot put his L in another place has lost.

Notation
    A position is (T row row row row), the top row first: T is who moves, r or b; n are the neutral pieces. A move is
    the two ends of the L, first that of the long arm, a2-c1; then, if a neutral piece moves, from where and to where:
    a2-c1 d4-b1.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.bits import each, popcount
from gamesman.boards import squares
from gamesman.layout import Layout, Pieces, Turn
from gamesman.options import Option, Options
from gamesman.values import LOSE, UNDECIDED

options: list[Option] = []
players = {"r": "Red", "b": "Blue"}
shapes = {"r": "joined", "b": "joined"}
BOARD = squares(4, 4)

Position = tuple[int, int, int, int]  # red's L, blue's, the neutral pieces, whose turn


class Rules(NamedTuple):
    cells: int
    board: int
    places: tuple[int, ...]  # the cells of every L
    tips: tuple[tuple[int, ...], ...]  # the ends of every L
    turned: tuple[tuple[int, ...], ...]


layout = Layout(lambda rules: BOARD, Pieces("r"), Pieces("b"), Pieces("n"), Turn())


def setup(o: Options) -> Rules:
    rays = BOARD.rays["rook"]
    ls: dict[tuple[int, ...], int] = {}
    for end in range(len(BOARD)):
        for arm in (ray[:2] for ray in rays[end] if len(ray) > 1):
            feet = {ray[0] for ray in rays[arm[1]] if ray} - {arm[0], 2 * arm[1] - arm[0]}
            ls |= {(end, foot): BOARD.mask((end, *arm, foot)) for foot in feet}
    return Rules(len(BOARD), BOARD.full, tuple(ls.values()), tuple(ls), BOARD.turned())


def start(rules: Rules) -> Position:
    return BOARD.mask("b1 b2 b3 c1"), BOARD.mask("b4 c2 c3 c4"), BOARD.mask("a4 d1"), 0


def problem(rules: Rules, position: Position) -> str:
    if {*position[:2]} - {*rules.places} or popcount(position[2]) != 2:
        return "expected an L of four cells each, r and b, and two neutral pieces n"
    return ""


def primitive(rules: Rules, position: Position) -> int:
    for _ in generate_moves(rules, position):
        return UNDECIDED
    return LOSE


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    """Yield each move: 256 times the L's place, plus 16 times a neutral piece's cell, plus the one it goes to."""
    red, blue, neutral, who = position
    own, other = (blue, red) if who else (red, blue)
    for place in range(len(rules.places)):
        taken = rules.places[place]
        if taken != own and not taken & (other | neutral):
            yield place << 8
            for piece in each(neutral):
                for empty in each(rules.board & ~(taken | other | neutral)):
                    yield place << 8 | piece << 4 | empty


def do_move(rules: Rules, position: Position, move: int) -> Position:
    red, blue, neutral, who = position
    neutral ^= 1 << (move >> 4 & 15) ^ 1 << (move & 15)
    return (red, rules.places[move >> 8], neutral, 0) if who else (rules.places[move >> 8], blue, neutral, 1)


def ends(rules: Rules, position: Position, move: int) -> tuple[int, ...]:
    return rules.tips[move >> 8] + ((move >> 4 & 15, move & 15) if move & 255 else ())


def move_name(rules: Rules, position: Position, move: int) -> str:
    names = [BOARD.names[cell] for cell in ends(rules, position, move)]
    return " ".join(map("-".join, zip(names[::2], names[1::2], strict=True)))
