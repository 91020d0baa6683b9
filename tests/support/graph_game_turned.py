"""The game on any graph, with symmetries: a word for each says where it takes every node.

turned=(1+0+2 2+1+0) swaps the first two nodes, or the first and the third. A position is three words, as boards have
them: of many nodes the first two are the same. With far=yes they are large.
"""

from typing import NamedTuple

import graph_game

from gamesman.options import Switch, Text

options = [
    *graph_game.options,
    Text("turned", default="()", form="words like 1+0+2"),
    Switch("far", help="words of more than 31 bits"),
]


class Rules(NamedTuple):
    graph: graph_game.Rules
    images: tuple  # a row a symmetry
    base: int


def setup(o):
    images = tuple(tuple(map(int, word.split("+"))) for word in o.turned.strip("()").split())
    return Rules(graph_game.setup(o), images, (1 << 40) * o.far)


def at(rules, node):
    return rules.base + node // 6, node // 2 % 3, node % 2


def hash(rules, position):
    return (position[0] - rules.base) * 6 + position[1] * 2 + position[2]


def unhash(rules, key):
    return at(rules, key)


def key_bound(rules):
    return rules.graph.nodes


def start(rules):
    return at(rules, 0)


def turn(rules, position):
    return rules.graph.turns[hash(rules, position)]


def tier(rules, position):
    return rules.graph.tiers[hash(rules, position)]


def primitive(rules, position):
    return rules.graph.values[hash(rules, position)]


def generate_moves(rules, position):
    node = hash(rules, position)
    for edge in range(rules.graph.width):
        if rules.graph.edges[node][edge] >= 0:
            yield edge


def do_move(rules, position, move):
    return at(rules, rules.graph.edges[hash(rules, position)][move])


def symmetries(rules, position):
    node = hash(rules, position)
    for image in rules.images:
        yield at(rules, image[node])


def show(rules, position):
    return f"({hash(rules, position)})"


def parse(rules, text):
    return at(rules, graph_game.parse(rules.graph, text)[0])


def move_name(rules, position, move):
    return f"{move}>{rules.graph.edges[hash(rules, position)][move]}"
