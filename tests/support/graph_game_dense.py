"""The game on any graph whose nodes are in the order of their tiers, with where each begins, but for tier 13."""

import graph_game_tiers


def __getattr__(name):
    return getattr(graph_game_tiers, name)  # what is not written here


def tier_keys(rules, number):
    nodes = [node for node in range(rules.nodes) if rules.tiers[node] == number]
    return nodes[0], 0 if number == 13 else len(nodes)
