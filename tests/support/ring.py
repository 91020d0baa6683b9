"""A stone on a ring of fields: each move takes it one, two or three fields on; no position may come back.

Some fields end the game as a tie. Who lands on a field that divides by 5 moves again. For searching where the rule
against repetition decides: without it nobody ever wins.
"""

from typing import NamedTuple

from gamesman.errors import PositionError
from gamesman.options import Number
from gamesman.values import TIE, UNDECIDED

options = [Number("fields", default=9, low=4), Number("ties", default=0, low=0, help="every so many fields a tie")]
no_repetition = True


class Rules(NamedTuple):
    fields: int
    ties: int


def setup(o):
    return Rules(o.fields, o.ties)


def start(rules):
    return 1, 0


def hash(rules, position):
    return position[0] * 2 + position[1]


def unhash(rules, key):
    return key // 2, key % 2


def turn(rules, position):
    return position[1]


def primitive(rules, position):
    if rules.ties > 0 and position[0] % rules.ties == rules.ties - 1:
        return TIE
    return UNDECIDED


def generate_moves(rules, position):
    for step in range(1, 4):
        yield step


def do_move(rules, position, move):
    field = (position[0] + move) % rules.fields
    return field, position[1] if field % 5 == 0 else 1 - position[1]


def evaluate(rules, position):
    return position[0] * 7 % 13 - 6


def show(rules, position):
    return f"({position[1] + 1} {position[0]})"


def parse(rules, text):
    who, field = text.strip(" ()").split()
    if who not in ("1", "2") or not field.isdigit() or int(field) >= rules.fields:
        raise PositionError(f"expected a player and a field: {text}")
    return int(field), int(who) - 1


def move_name(rules, position, move):
    return str(move)
