"""Walk on, or fall into the one place where it ends."""

from collections import namedtuple

from gamesman.options import Number
from gamesman.values import LOSE, UNDECIDED

options = [Number("length", 10)]
Rules = namedtuple("Rules", "length")


def setup(o):
    return Rules(o.length)


def start(rules):
    return 1, 0


def hash(rules, position):
    return position[0] * 2 + position[1]


def unhash(rules, key):
    return key // 2, key % 2


def turn(rules, position):
    return position[1]


def primitive(rules, position):
    return UNDECIDED if position[0] else LOSE


def generate_moves(rules, position):
    yield 0
    if position[0] < rules.length:
        yield 1


def do_move(rules, position, move):
    return (position[0] + 1, 1 - position[1]) if move else (0, 0)


def show(rules, position):
    return f"({position[0]} {position[1]})"


def parse(rules, text):
    return tuple(map(int, text.strip("()").split()))


def move_name(rules, position, move):
    return str(move)
