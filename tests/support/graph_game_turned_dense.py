"""The game on any graph with symmetries, with where its tiers begin."""

# ruff: noqa: F401

from graph_game_turned import (
    Rules,
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


def tier_keys(rules, number):
    nodes = [node for node in range(rules.nodes) if rules.tiers[node] == number]
    return nodes[0], len(nodes)
