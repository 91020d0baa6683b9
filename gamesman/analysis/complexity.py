"""How large a game is: positions, games there are from its start, sequences of moves by depth, and its first plies."""

from collections import Counter
from math import isfinite, log10
from typing import TYPE_CHECKING, Any

import numpy as np

from gamesman.analysis.graph import Graphs, TierGraph
from gamesman.analysis.kernels.playing import ROW
from gamesman.model.answers import Source
from gamesman.model.variant import Position, Variant
from gamesman.values import NAMES, UNDECIDED

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

MOST_FOLLOWED = 20_000  # moves that are made in plain Python for the table by depth
OPENING_PLIES = 2
MOST_OPENINGS = 200


def complexity(stored: "SolvedPositions", graphs: Graphs) -> dict[str, Any]:
    """Return the field `complexity` of `stats --json`."""
    summary = stored.summary
    games = count_games(stored, graphs)
    return {
        "log10_positions": log10(summary.positions),
        "log10_classes": log10(sum(tier.classes for tier in summary.tiers)),
        "log10_games": None if games is None else log10(games[0]),
        "log10_tree": None if games is None else log10(games[1]),
        "by_depth": by_depth(stored.variant),
    }


def count_games(stored: "SolvedPositions", graphs: Graphs) -> tuple[float, float] | None:
    """Return how many games there are from the start, and nodes in their tree; None where moves can go in circles."""
    if sum(tier.counts["draw"] for tier in stored.summary.tiers):
        return None
    sizes = {tier.number: tier.classes for tier in stored.summary.tiers}
    variant, start = stored.variant, stored.variant.start()
    ways: dict[int, np.ndarray] = {variant.tier(start): np.zeros(sizes[variant.tier(start)])}
    ways[variant.tier(start)][graphs.row(variant.tier(start), variant.hash(start))] = 1.0
    games = nodes = 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        for tier in sorted(sizes, reverse=True):
            if tier not in ways:
                continue
            graph = graphs.tier(tier)
            here = _within(graph, ways.pop(tier))
            if here is None:
                return None
            games += float(here[graph.facts[:, 0] == 0].sum())
            nodes += float(here.sum())
            flowing = np.repeat(here, np.diff(graph.lower_at))
            for slot, lower in enumerate(graph.lower):
                into = graph.slots == slot
                found = np.bincount(graph.lower_edge[into] & ROW, flowing[into], minlength=sizes[lower])
                ways[lower] = ways.get(lower, 0.0) + found
    return (games, nodes) if isfinite(nodes) else None


def _within(graph: TierGraph, ways: np.ndarray) -> np.ndarray | None:
    """Let ways to rows go on within the tier, each row after all that lead to it; None where there is a circle."""
    to = (graph.edge & ROW).astype(np.int64)
    if not len(to):
        return ways
    waiting = np.bincount(to, minlength=len(graph))
    ready, done = np.flatnonzero(waiting == 0), 0
    while len(ready):
        done += len(ready)
        counts = np.diff(graph.at)[ready]
        places = np.repeat(graph.at[ready] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        np.add.at(ways, to[places], np.repeat(ways[ready], counts))
        np.subtract.at(waiting, to[places], 1)
        ready = np.unique(to[places][waiting[to[places]] == 0])
    return ways if done == len(graph) else None


def by_depth(variant: Variant) -> list[dict[str, Any]]:
    """Count the sequences of so many moves from the start (perft), as deep as is quickly done.

    >>> from gamesman.model.variant import variant
    >>> [row["sequences"] for row in by_depth(variant("tictactoe"))[:6]]
    [1, 9, 72, 504, 3024, 15120]
    """
    here: Counter[Position] = Counter({variant.start(): 1})
    rows: list[dict[str, Any]] = []
    followed = 0
    while here and followed < MOST_FOLLOWED:
        following: Counter[Position] = Counter()
        ended = 0
        for position, ways in here.items():
            if variant.primitive(position) != UNDECIDED:
                ended += ways
                continue
            for move in variant.generate_moves(position):
                following[variant.do_move(position, move)] += ways
                followed += 1
        sequences, more = here.total(), following.total()
        branching = more / (sequences - ended) if sequences > ended else None
        rows.append(
            {
                "depth": len(rows),
                "sequences": sequences,
                "ended": ended,
                "positions": len(here),
                "branching": branching,
            }
        )
        here = following
    return rows


def opening(variant: Variant, source: Source, plies: int = OPENING_PLIES) -> list[dict[str, Any]]:
    """Return the positions of the first plies, one of those that are the same turned or mirrored, with their values."""
    symmetry = variant.symmetry
    here: dict[Position, list[str]] = {variant.start(): []}
    seen = {variant.start()}
    rows: list[dict[str, Any]] = []
    for _ in range(plies + 1):
        following: dict[Position, list[str]] = {}
        for position, names in here.items():
            value, remoteness = source.probe(position)
            fields = {"moves": names, "position": variant.show(position), "turn": variant.letter(position)}
            rows.append({**fields, "value": NAMES[value], "remoteness": remoteness})
            if variant.primitive(position) == UNDECIDED:
                for move in variant.generate_moves(position):
                    child = variant.do_move(position, move)
                    known = child if symmetry is None else symmetry.least(child)
                    if known not in seen:
                        seen.add(known)
                        following[child] = [*names, variant.move_name(position, move)]
        here = following
        if len(rows) + len(here) > MOST_OPENINGS:
            break
    return rows
