"""Graphs as games, for solvers: given ones, random ones, and their values by two methods that are plainly right."""

import itertools
import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from gamesman.model.variant import Variant, variant
from gamesman.values import DRAW, LOSE, TIE, UNDECIDED, WIN, preference

# With what each kind of game tells a solver: nothing, its tiers, and how to take moves back or which keys a tier has.
KINDS = {
    "plain": "graph_game",
    "tiers": "graph_game_tiers",
    "undo": "graph_game_undo",
    "dense": "graph_game_dense",
}
LETTERS = {LOSE: "l", TIE: "t", WIN: "w", UNDECIDED: "u"}


class Graph(NamedTuple):
    edges: list[list[int]]  # where each node's moves lead; a list may name a node twice
    values: list[int]  # UNDECIDED or what a node is worth to the player to move
    turns: list[int]
    tiers: list[int]


def make_variant(
    edges: Sequence[Sequence[int]],
    values: Sequence[int],
    turns: Sequence[int],
    tiers: Sequence[int] | None = None,
    kind: str = "undo",
) -> Variant:
    """Return the game on a graph; node 0 is the start.

    >>> v = make_variant([[1, 0], []], [UNDECIDED, LOSE], [0, 1], kind="plain")
    >>> v.name.split(":", 1)[1]
    'graph=(u0@0:1+0 l1@0:)'
    """
    tiers = tiers or [0] * len(edges)
    nodes = zip(values, turns, tiers, edges, strict=True)
    words = [f"{LETTERS[v]}{turn}@{tier}:{'+'.join(map(str, to))}" for v, turn, tier, to in nodes]
    return variant(f"{Path(__file__).parent / KINDS[kind]}.py:graph=({' '.join(words)})")


def random_graph(seed: int, nodes: int = 24, moves: int = 3, tiers: int = 3) -> Graph:
    """Make a graph with up to so many nodes; a move may lead back, or anywhere within its tier and those below."""
    dice = random.Random(seed)
    count = dice.randint(1, nodes)
    levels = sorted((dice.randrange(tiers) for _ in range(count)), reverse=True)
    ends = dice.choice([0.1, 0.2, 0.4])
    kinds = dice.choice([[LOSE], [LOSE, WIN], [LOSE, TIE], [LOSE, TIE, WIN]])
    values = [dice.choice(kinds) if dice.random() < ends else UNDECIDED for _ in range(count)]
    turns = [dice.randrange(2) for _ in range(count)]
    below = [[n for n in range(count) if levels[n] <= level] for level in levels]
    edges = [
        [dice.choice(below[n]) for _ in range(dice.randint(1, moves))] if values[n] == UNDECIDED else []
        for n in range(count)
    ]
    return Graph(edges, values, turns, levels)


def reachable(graph: Graph) -> set[int]:
    found, waiting = {0}, [0]
    while waiting:
        new = set(graph.edges[waiting.pop()]) - found
        found |= new
        waiting.extend(new)
    return found


def sweep(graph: Graph) -> list[tuple[int, int | None]]:
    """Return each node's value and remoteness, looking at all moves of all nodes until nothing changes any more.

    First a tie counts as going on for ever: what can be forced does not depend on what the others prefer. Then the
    nodes that nobody can force look for the nearest tie among themselves.
    """
    nodes = range(len(graph.edges))
    values: list[tuple[int, int | None]] = [(v, 0) if v in (WIN, LOSE) else (DRAW, None) for v in graph.values]
    for wanted in ((WIN, LOSE), (TIE,)):
        if wanted == (TIE,):
            values = [(TIE, 0) if graph.values[n] == TIE else values[n] for n in nodes]
        for _ in nodes:
            before = values
            values = [
                best if before[n] == (DRAW, None) and (best := _best(graph, before, n))[0] in wanted else before[n]
                for n in nodes
            ]
    return values


def _best(graph: Graph, values: list[tuple[int, int | None]], node: int) -> tuple[int, int | None]:
    """Return the best that a node's moves lead to for its own player, counting the move; (DRAW, None) without any."""
    outcomes = []
    for target in graph.edges[node]:
        value, remoteness = values[target]
        if graph.turns[node] != graph.turns[target]:
            value = {WIN: LOSE, LOSE: WIN}.get(value, value)
        outcomes.append((value, None if remoteness is None else remoteness + 1))
    return max(outcomes, key=lambda outcome: preference(outcome[0], outcome[1] or 0), default=(DRAW, None))


def forced(graph: Graph, node: int) -> tuple[int, int] | None:
    """Tell whether the player to move wins or loses, and how soon, by trying all his strategies against all others.

    A strategy here is one move for each of a player's nodes; None if neither player can force a win.
    """
    mine = graph.turns[node]
    plans: tuple[list[dict[int, int]], list[dict[int, int]]] = ([], [])
    for player in (0, 1):
        own = [n for n in range(len(graph.edges)) if graph.turns[n] == player and graph.edges[n]]
        for choice in itertools.product(*(graph.edges[n] for n in own)):
            plans[player].append(dict(zip(own, choice, strict=True)))

    def score(plan: dict[int, int]) -> float:
        """Score a result: the higher the better for the player to move; a quick win is large, a quick loss is small."""
        at, length = node, 0
        while at in plan and length <= len(graph.edges):
            at, length = plan[at], length + 1
        value = graph.values[at]
        if value not in (WIN, LOSE):
            return 0.0
        won = (value == WIN) == (graph.turns[at] == mine)
        return 1 / (length + 1) if won else -1 / (length + 1)

    best = max(min(score(plan | against) for against in plans[1 - mine]) for plan in plans[mine])
    if best == 0:
        return None
    return (WIN if best > 0 else LOSE), round(1 / abs(best)) - 1
