"""The game on any graph, with its tiers."""

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


def tier(rules, position):
    return rules.tiers[position[0]]


def key_bound(rules):
    return rules.nodes
