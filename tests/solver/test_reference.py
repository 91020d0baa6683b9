"""The reference solver on little graphs with all that can happen in one, against values found in other ways."""

import pytest
from support.graphs import KINDS, Graph, forced, make_variant, random_graph, reachable, sweep

from gamesman.errors import NotReachable
from gamesman.solver import reference
from gamesman.values import DRAW, LOSE, TIE, UNDECIDED, WIN

U = UNDECIDED


def solved(edges, values, turns):
    """Value and remoteness of every node that can be reached."""
    return {node: found for (node,), found in reference.solve(make_variant(edges, values, turns)).values.items()}


def test_a_move_to_a_lost_position_wins():
    """0 -> 1 lost"""
    assert solved([[1], []], [U, LOSE], [0, 1]) == {0: (WIN, 1), 1: (LOSE, 0)}


def test_a_value_is_not_negated_where_the_same_player_moves_again():
    """0 -> 1 -> 2 lost, where 0 and 1 are the same player's: he wins in two moves of his own

    0 -> 3 lost, where 3 is his own, too: that would be his loss
    """
    found = solved([[1, 3], [2], [], []], [U, U, LOSE, LOSE], [0, 0, 1, 0])
    assert found == {0: (WIN, 2), 1: (WIN, 1), 2: (LOSE, 0), 3: (LOSE, 0)}


def test_going_round_for_ever_is_a_draw():
    """0 <-> 1 -> 2 won: each would lose by leaving the circle"""
    assert solved([[1], [0, 2], []], [U, U, WIN], [0, 1, 0]) == {0: (DRAW, None), 1: (DRAW, None), 2: (WIN, 0)}


def test_a_tie_is_better_than_a_draw_and_worse_than_a_win():
    """0 <-> 1 -> 2 tied;  3 -> 2 tied, 3 -> 4 lost"""
    found = solved([[1], [0, 2, 3], [], [2, 4], []], [U, U, TIE, U, LOSE], [0, 1, 0, 0, 1])
    assert found == {0: (TIE, 2), 1: (TIE, 1), 2: (TIE, 0), 3: (WIN, 1), 4: (LOSE, 0)}


def test_nobody_ties_by_a_way_that_loses():
    """0 -> 1 -> 2 tied, but 1's player rather goes 1 -> 3 lost; so 0 <-> 4 goes round for ever"""
    found = solved([[1, 4], [2, 3], [], [], [0]], [U, U, TIE, LOSE, U], [0, 1, 0, 0, 1])
    assert found == {0: (DRAW, None), 1: (WIN, 1), 2: (TIE, 0), 3: (LOSE, 0), 4: (DRAW, None)}


def test_a_position_whose_only_move_leads_to_itself_is_a_draw():
    """0 -> 0"""
    assert solved([[0]], [U], [0]) == {0: (DRAW, None)}


def test_a_move_back_to_the_same_position_does_not_hinder_a_win_nor_hide_a_loss():
    """0 -> 0, 0 -> 1 lost: a win; 2 -> 2 is a way out of 2 -> 3 won: a draw"""
    assert solved([[0, 1], []], [U, LOSE], [0, 1])[0] == (WIN, 1)
    assert solved([[0, 1], []], [U, WIN], [0, 1])[0] == (DRAW, None)


def test_a_win_is_as_soon_as_possible_and_a_loss_as_late():
    """0 -> 1 lost in 0; 0 -> 2 -> 3 -> 1
    4 -> 0 won in 1; 4 -> 3 won in 1; 4 -> 5 -> 6 -> 0: lost by the last one
    """
    edges = [[4], [], [3], [1], [7, 3, 5], [6], [7], [1, 2]]
    found = solved(edges, [U, LOSE, U, U, U, U, U, U], [1, 1, 1, 0, 1, 0, 1, 0])
    assert found[7] == (WIN, 1)
    assert found[3] == (WIN, 1)
    assert found[6] == (LOSE, 2)
    assert found[5] == (WIN, 3)
    assert found[4] == (LOSE, 4)  # by way of 5: 7 and 3 would have lost in 2
    assert found[0] == (LOSE, 5)  # the same player's move before


def test_two_moves_to_the_same_position_count_twice():
    """0 => 1 won: a loss only when both moves are settled, and then it is one"""
    assert solved([[1, 1], []], [U, WIN], [0, 1]) == {0: (LOSE, 1), 1: (WIN, 0)}


def test_only_what_can_be_reached_is_solved():
    v = make_variant([[1], [], [0]], [U, LOSE, U], [0, 1, 1])
    solution = reference.solve(v)
    assert solution.probe((0,)) == (WIN, 1)
    with pytest.raises(NotReachable, match="cannot be reached"):
        solution.probe((2,))


@pytest.mark.parametrize("kind", KINDS)
def test_random_graphs_have_the_values_that_sweeping_over_them_finds(kind):
    for seed in range(300):
        graph = random_graph(seed)
        values = sweep(graph)
        solution = reference.solve(make_variant(*graph, kind=kind))
        assert solution.values == {(node,): values[node] for node in reachable(graph)}, seed


def test_the_random_graphs_have_everything_in_them():
    graphs = [random_graph(seed) for seed in range(300)]
    outcomes = [outcome for graph in graphs for outcome in sweep(graph)]
    for value in (WIN, LOSE, TIE, DRAW):
        assert sum(found == value for found, _ in outcomes) > 100
    assert max(remoteness or 0 for _, remoteness in outcomes) >= 6
    assert sum(node in to for graph in graphs for node, to in enumerate(graph.edges)) > 50  # moves to itself
    assert sum(len(to) != len(set(to)) for graph in graphs for to in graph.edges) > 50  # two moves to the same
    assert sum(len(reachable(graph)) < len(graph.edges) for graph in graphs) > 50


def test_what_can_be_forced_is_what_the_best_of_all_strategies_forces():
    """No theory at all: every strategy of one player against every one of the other, on graphs of up to 5 nodes."""
    decided = 0
    for seed in range(400):
        graph = random_graph(seed, nodes=5, tiers=1)
        for node, (value, remoteness) in enumerate(sweep(graph)):
            expected = (value, remoteness) if value in (WIN, LOSE) else None
            assert forced(graph, node) == expected, (seed, node)
            decided += expected is not None and remoteness > 0
    assert decided > 100


def test_the_summary_counts_every_reachable_position_once():
    graph = Graph([[1, 2], [], [], [0]], [U, LOSE, TIE, U], [0, 1, 1, 1], [1, 0, 0, 0])
    found = reference.solve(make_variant(*graph)).summary.stats_json()
    assert found["counts"] == {"win": 1, "lose": 1, "tie": 1, "draw": 0}
    assert (found["positions"], found["primitives"], found["moves"], found["tiers"]) == (3, 2, 2, 2)
    assert found["by_remoteness"] == {"win": {"1": 1}, "lose": {"0": 1}, "tie": {"0": 1}}
    assert [tier["tier"] for tier in found["by_tier"]] == [1, 0]
    assert found["branching_factor"] == 2.0
