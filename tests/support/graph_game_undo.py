"""The game on any graph, with its tiers and with moves taken back."""

# ruff: noqa: F401

from graph_game import (
    Rules,
    do_move,
    generate_moves,
    hash,
    move_name,
    options,
    parse,
    primitive,
    setup,
    show,
    start,
    turn,
    unhash,
)
from graph_game_tiers import key_bound, tier


def undo_moves(rules, position):
    for edge in range(rules.undo_width):
        if rules.parents[position[0]][edge] >= 0:
            yield (rules.parents[position[0]][edge],)
