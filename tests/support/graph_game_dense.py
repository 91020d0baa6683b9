"""The game on any graph whose nodes are in the order of their tiers, with where each begins, but for tier 13."""

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


def tier_keys(rules, number):
    nodes = [node for node in range(rules.nodes) if rules.tiers[node] == number]
    return nodes[0], 0 if number == 13 else len(nodes)
