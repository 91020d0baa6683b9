"""Stairs: two players move one token to and fro, and down; who is to move when it is down has lost.

The smallest game that has cycles, tiers and every optional function. The tests break it, one function at a time.
"""

from typing import NamedTuple

from gamesman.errors import MoveError, PositionError
from gamesman.options import Number
from gamesman.values import LOSE, UNDECIDED

options = [
    Number("floors", default=3, help="floors above the ground"),
    Number("width", default=4, help="steps a floor"),
]


class Rules(NamedTuple):
    floors: int
    width: int


def setup(o):
    return Rules(o.floors, o.width)


def start(rules):
    return rules.floors, 0, 0


def hash(rules, position):
    floor, step, who = position
    return (floor * rules.width + step) * 2 + who


def unhash(rules, key):
    return key // 2 // rules.width, key // 2 % rules.width, key % 2


def key_bound(rules):
    return (rules.floors + 1) * rules.width * 2


def turn(rules, position):
    return position[2]


def tier(rules, position):
    return position[0]


def tier_keys(rules, tier):
    return tier * rules.width * 2, rules.width * 2


def primitive(rules, position):
    return UNDECIDED if position[0] else LOSE


def generate_moves(rules, position):
    """Yield -1 and 1 along the floor, 0 down."""
    floor, step, who = position
    if step > 0:
        yield -1
    if step < rules.width - 1:
        yield 1
    yield 0


def do_move(rules, position, move):
    floor, step, who = position
    if move == 0:
        return floor - 1, step, 1 - who
    return floor, step + move, 1 - who


def undo_moves(rules, position):
    floor, step, who = position
    if floor:
        if step > 0:
            yield floor, step - 1, 1 - who
        if step < rules.width - 1:
            yield floor, step + 1, 1 - who


def evaluate(rules, position):
    return -position[0]


def show(rules, position):
    return f"({' '.join(map(str, position))})"


def parse(rules, text):
    numbers = text.strip().removeprefix("(").removesuffix(")").split()
    if len(numbers) != 3:
        raise PositionError(f"expected three numbers, got {text!r}")
    return int(numbers[0]), int(numbers[1]), int(numbers[2])


def draw(rules, position):
    return show(rules, position)


def move_name(rules, position, move):
    return ("left", "down", "right")[move + 1]


def parse_move(rules, position, text):
    if text not in ("left", "down", "right"):
        raise MoveError(f"expected left, down or right, got {text!r}")
    return ("left", "down", "right").index(text) - 1


def mobility(rules, position):
    return position[0]
