"""Ten to Zero: take one or two from ten; who takes the last one wins.

Two players take turns, and each takes one or two of what is left. A position is (T left), T being the player to move;
a move is the number taken.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman.errors import PositionError, shorten
from gamesman.notation import read_fields, read_turn
from gamesman.options import Number, Options
from gamesman.values import LOSE, UNDECIDED

options = [
    Number("total", default=10, low=1, high=10_000, help="how many there are at the start"),
    Number("most", default=2, low=1, help="how many may be taken at once"),
]

Position = tuple[int, int]  # how many are left, whose turn (0 or 1)


class Rules(NamedTuple):
    total: int
    most: int


def setup(o: Options) -> Rules:
    return Rules(o.total, o.most)


def start(rules: Rules) -> Position:
    return rules.total, 0


def hash(rules: Rules, position: Position) -> int:
    return position[0] * 2 + position[1]


def unhash(rules: Rules, key: int) -> Position:
    return key // 2, key % 2


def turn(rules: Rules, position: Position) -> int:
    return position[1]


def primitive(rules: Rules, position: Position) -> int:
    return LOSE if position[0] == 0 else UNDECIDED  # the other has just taken the last one


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    for taken in range(1, min(rules.most, position[0]) + 1):
        yield taken


def do_move(rules: Rules, position: Position, move: int) -> Position:
    return position[0] - move, 1 - position[1]


# Optional: no move raises it, so the solver need not hold all positions in memory at once.
def tier(rules: Rules, position: Position) -> int:
    return position[0]


def tier_name(rules: Rules, tier: int) -> str:
    return f"{tier} left"


# Optional: a page draws so many things in a pile.
def piles(rules: Rules, position: Position) -> tuple[int]:
    return (position[0],)


# Optional: a variant with too many positions is refused before any work is done.
def key_bound(rules: Rules) -> int:
    return 2 * rules.total + 2


def show(rules: Rules, position: Position) -> str:
    return f"({position[1] + 1} {position[0]})"


def parse(rules: Rules, text: str) -> Position:
    who, *left = read_fields(text, show(rules, start(rules)))
    if len(left) != 1 or left[0] not in map(str, range(rules.total + 1)):
        raise PositionError(f"expected a number from 0 to {rules.total} after the player to move: {shorten(text)}")
    return int(left[0]), read_turn(who, ["1", "2"], text)


def move_name(rules: Rules, position: Position, move: int) -> str:
    return str(move)
