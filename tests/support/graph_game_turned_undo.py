"""The game on any graph with symmetries, with moves taken back."""

import graph_game_turned
from graph_game_turned import at, hash


def __getattr__(name):
    return getattr(graph_game_turned, name)  # what is not written here


def undo_moves(rules, position):
    node = hash(rules, position)
    for edge in range(rules.graph.undo_width):
        if rules.graph.parents[node][edge] >= 0:
            yield at(rules, rules.graph.parents[node][edge])
