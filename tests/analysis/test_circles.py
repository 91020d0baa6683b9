"""Systems of tiers with cycles are held against direct solutions: where play lingers, passes on, and keeps no turns."""

import numpy as np
import pytest

from gamesman.analysis.circles import Circles, interpreted
from gamesman.analysis.graph import TierGraph
from gamesman.analysis.kernels.playing import BEST, ROW, flow_kernels


@pytest.fixture(scope="module", params=["interpreted", pytest.param("compiled", marks=pytest.mark.slow)])
def kernels(request):
    if request.param == "interpreted":
        return interpreted()
    from numba import njit

    return flow_kernels(njit, njit)


def tier(who, moves, leaving):
    """Make a tier of rows that have these moves, the first of each the best one, and so many more that leave it."""
    counts = [len(row) for row in moves]
    edge = np.array([to | (BEST if i == 0 else 0) for row in moves for i, to in enumerate(row)], np.uint32)
    facts = np.zeros((len(who), 4), np.uint16)
    facts[:, 0], facts[:, 1] = np.array(counts) + leaving, np.minimum(1, counts)
    at, none = np.concatenate([[0], np.cumsum(counts)]), np.zeros(0, np.int64)
    rows = np.zeros(len(who), np.uint8)
    return TierGraph(0, none, rows, np.array(who, np.uint8), rows, facts, at, edge, none, none, none, [])


def chances(graph, rates, closed):
    matrix = np.zeros((len(graph), len(graph)))
    for row in np.flatnonzero(closed == 0):
        rate, (moves, best) = rates[graph.who[row]], graph.facts[row, :2]
        for edge in graph.edge[graph.at[row] : graph.at[row + 1]]:
            matrix[edge & ROW, row] += rate / moves + ((1 - rate) / best if edge >= BEST else 0)
    return matrix


def anywhere(seed, *, takes_turns):
    dice = np.random.default_rng(seed)
    who = dice.integers(0, 2, 301)
    others = [np.flatnonzero(who != player) if takes_turns else np.arange(301) for player in range(2)]
    return tier(who, [dice.choice(others[player], dice.integers(0, 6)) for player in who], dice.integers(1, 3, 301))


def ring(rows):
    """Rows that each pass on to the next one, and the last to the first: corrections alone would not get on."""
    return tier([i % 2 for i in range(rows)], [[(i + 1) % rows] for i in range(rows)], [1] * rows)


GRAPHS = {
    "turns": anywhere(1, takes_turns=True),
    "no turns": anywhere(2, takes_turns=False),
    "ring": ring(120),
    "to oneself": tier([0, 1, 0], [[0, 1], [1, 2], [0]], [1, 1, 1]),
}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("rates", [(1.0, 1.0), (0.1, 0.1), (0.02, 1.0)])
def test_going_round_finds_what_is_solved_directly(name, rates, kernels):
    graph = GRAPHS[name]
    dice = np.random.default_rng(7)
    entered, closed = dice.random(len(graph)), (dice.random(len(graph)) < 0.05).astype(np.uint8) << 3
    expected = np.linalg.solve(np.eye(len(graph)) - chances(graph, rates, closed), entered)
    wanted = 1e-12 * entered.sum()
    for guess in (lambda size: None, lambda size: np.full(size, 3.0), lambda size: np.full(size, 1e9)):
        circles = Circles(graph, closed, kernels)
        carried = guess(len(circles.solve(entered, np.array(rates), 3, None, np.inf).carried))
        found = circles.solve(entered, np.array(rates), 3, carried, wanted)
        assert found.visits == pytest.approx(expected, rel=1e-9) and found.left <= wanted


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("wanted", [1e-1, 1e-3, 1e-5])
def test_what_is_left_is_no_less_than_the_residual(name, wanted, kernels):
    graph, rates = GRAPHS[name], (0.3, 0.3)
    entered, closed = np.ones(len(graph)), np.zeros(len(graph), np.uint8)
    found = Circles(graph, closed, kernels).solve(entered, np.array(rates), 3, None, wanted)
    residual = entered + chances(graph, rates, closed) @ found.visits - found.visits
    assert np.abs(residual).sum() <= found.left * (1 + 1e-9) + 1e-12
    assert found.left <= wanted
