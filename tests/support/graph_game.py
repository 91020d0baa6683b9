"""A game on any graph: a token moves along its edges until it comes to a node that has a value.

The graph is an option, a word for each node, the token's first: graph=(u0:1+2 l1 u1:0+2) is

    node 0   undecided, player 0 to move to node 1 or node 2
    node 1   lost for player 1, who is to move
    node 2   undecided, player 1 to move to node 0, or to stay

A node's tier may follow its turn: u0@3:1+2. Nothing optional is here, so that solvers are tried without it, too.
"""

from typing import NamedTuple

from gamesman.errors import OptionError, PositionError
from gamesman.options import Text
from gamesman.values import LOSE, TIE, UNDECIDED, WIN

options = [Text("graph", default="(u0:1 l1)", form="a graph like (u0:1+2 l1 u1:0+2)")]

VALUES = {"l": LOSE, "t": TIE, "w": WIN, "u": UNDECIDED}


class Rules(NamedTuple):
    """A table has a row a node; rows of edges are filled up with -1."""

    nodes: int
    width: int
    values: tuple
    turns: tuple
    tiers: tuple
    edges: tuple
    undo_width: int
    parents: tuple  # of the same tier, once for each edge


def setup(o):
    values, turns, tiers, edges = [], [], [], []
    for word in o.graph.strip("()").split():
        node, _, targets = word.partition(":")
        turn, _, tier = node[1:].partition("@")
        values.append(VALUES[node[0]])
        turns.append(int(turn))
        tiers.append(int(tier or 0))
        edges.append([int(target) for target in targets.split("+") if target])
    parents = [[] for _ in edges]
    for node, targets in enumerate(edges):
        for target in targets:
            if target >= len(edges):
                raise OptionError(f"graph has no node {target}")
            if tiers[node] == tiers[target]:
                parents[target].append(node)
    width, table = _table(edges)
    undo_width, undo_table = _table(parents)
    return Rules(len(edges), width, tuple(values), tuple(turns), tuple(tiers), table, undo_width, undo_table)


def _table(rows):
    width = max(1, *map(len, rows))
    return width, tuple(tuple(row + [-1] * (width - len(row))) for row in rows)


def start(rules):
    return (0,)


def hash(rules, position):
    return position[0]


def unhash(rules, key):
    return (key,)


def turn(rules, position):
    return rules.turns[position[0]]


def primitive(rules, position):
    return rules.values[position[0]]


def generate_moves(rules, position):
    for edge in range(rules.width):
        if rules.edges[position[0]][edge] >= 0:
            yield edge


def do_move(rules, position, move):
    return (rules.edges[position[0]][move],)


def show(rules, position):
    return f"({position[0]})"


def parse(rules, text):
    node = text.strip().removeprefix("(").removesuffix(")")
    if not node.isascii() or not node.isdecimal() or len(node) > 9 or int(node) >= rules.nodes:
        raise PositionError(f"expected a node from (0) to ({rules.nodes - 1}), got {text!r}")
    return (int(node),)


def move_name(rules, position, move):
    return f"{move}>{rules.edges[position[0]][move]}"
