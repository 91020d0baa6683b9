"""Count down from `size`; in one position, `at`, the moves have no end. Without `at` nothing is wrong."""

from typing import NamedTuple

from gamesman.errors import PositionError
from gamesman.options import Number
from gamesman.values import LOSE, UNDECIDED

options = [
    Number("size", default=16_000, high=1_000_000, help="where it begins"),
    Number("at", default=0, low=0, high=1_000_000, help="the position that has no end"),
]


class Rules(NamedTuple):
    size: int
    at: int


def setup(options):
    return Rules(options.size, options.at)


def start(rules):
    return (rules.size,)


def hash(rules, position):
    return position[0]


def unhash(rules, key):
    return (key,)


def turn(rules, position):
    return (rules.size - position[0]) & 1


def primitive(rules, position):
    return LOSE if position[0] == 0 else UNDECIDED


def generate_moves(rules, position):
    n = position[0]
    while rules.at and position[0] == rules.at and n >= 0:
        n ^= 1
    yield 1


def do_move(rules, position, move):
    return (position[0] - move,)


def show(rules, position):
    return f"({position[0]})"


def parse(rules, text):
    if not text.strip("()").isdecimal():
        raise PositionError(f"expected a position like (7), got {text}")
    return (int(text.strip("()")),)


def move_name(rules, position, move):
    return str(move)
