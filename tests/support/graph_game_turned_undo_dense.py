"""The game on any graph with symmetries, with moves taken back and where its tiers begin."""

import graph_game_turned_undo
from graph_game_turned_dense import tier_keys  # noqa: F401 (a function of the game)


def __getattr__(name):
    return getattr(graph_game_turned_undo, name)  # what is not written here
