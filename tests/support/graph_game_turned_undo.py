"""The game on any graph with symmetries, with moves taken back."""

# ruff: noqa: F401

from graph_game_turned import (
    Rules,
    at,
    do_move,
    generate_moves,
    hash,
    key_bound,
    move_name,
    options,
    parse,
    primitive,
    setup,
    show,
    start,
    symmetries,
    tier,
    turn,
    unhash,
)


def undo_moves(rules, position):
    node = hash(rules, position)
    for edge in range(rules.undo_width):
        if rules.parents[node][edge] >= 0:
            yield at(rules, rules.parents[node][edge])
