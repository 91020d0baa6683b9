"""The game on any graph, with its tiers and with moves taken back."""

import graph_game_tiers


def __getattr__(name):
    return getattr(graph_game_tiers, name)  # what is not written here


def undo_moves(rules, position):
    for edge in range(rules.undo_width):
        if rules.parents[position[0]][edge] >= 0:
            yield (rules.parents[position[0]][edge],)
