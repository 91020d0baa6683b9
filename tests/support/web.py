"""Web: two players move one token through a tangle of nodes, all in one tier; who cannot leave a node has lost."""

from typing import NamedTuple

from gamesman.options import Number
from gamesman.values import LOSE, UNDECIDED

options = [Number("nodes", default=20_000, high=10_000_000, help="how many nodes there are")]

MOVES = 3
MANY = 1 << 32


class Rules(NamedTuple):
    nodes: int


def setup(o):
    return Rules(o.nodes)


def start(rules):
    return 0, 0


def hash(rules, position):
    return 2 * position[0] + position[1]


def unhash(rules, key):
    return key // 2, key % 2


def key_bound(rules):
    return 2 * rules.nodes


def tier(rules, position):
    return 0


def turn(rules, position):
    return position[1]


def scatter(node, salt):
    mixed = (node * 2654435761 + salt * 40503 + 12345) % MANY
    mixed = (mixed ^ mixed >> 15) * 2246822519 % MANY
    return mixed ^ mixed >> 13


def primitive(rules, position):
    return LOSE if position[0] and scatter(position[0], 99) % 100 == 0 else UNDECIDED


def generate_moves(rules, position):
    for move in range(MOVES):
        yield move


def do_move(rules, position, move):
    return scatter(position[0], move) % rules.nodes, 1 - position[1]


def show(rules, position):
    return f"{position[0]} {position[1]}"


def parse(rules, text):
    node, who = text.split()
    return int(node), int(who)


def move_name(rules, position, move):
    return str(move)
