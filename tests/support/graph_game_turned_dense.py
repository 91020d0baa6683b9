"""The game on any graph with symmetries, with where its tiers begin."""

import graph_game_turned


def __getattr__(name):
    return getattr(graph_game_turned, name)  # what is not written here


def tier_keys(rules, number):
    nodes = [node for node in range(rules.graph.nodes) if rules.graph.tiers[node] == number]
    return nodes[0], len(nodes)
