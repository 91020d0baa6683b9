"""A search for a time alone is quick: not exact, but what it says is certain is, and its table mixes no games."""

import random

import pytest

from gamesman.cli.commands.search import page
from gamesman.model.variant import variant
from gamesman.search import deepening
from gamesman.search.plain import Interpreted
from gamesman.search.scores import ESTIMATE, QUICK, STATIC
from gamesman.search.searcher import Searcher
from gamesman.solver.reference import solve
from gamesman.values import LOSE, TIE, WIN

LONG = 1000  # seconds; what is certain ends the search long before


@pytest.mark.parametrize("name", ["konane:rows=4", "konane:any_piece", "ten_to_zero"])
def test_what_a_search_for_a_time_says_for_certain_is_what_the_solver_says(name):
    v = variant(name)
    solved = solve(v).values
    searcher = Searcher(v, compiled=False)
    for position in random.Random(1).choices(list(solved), k=60):
        found = searcher.search(position, seconds=LONG)
        assert (found.value, found.remoteness) == solved[position], v.show(position)
        if found.move is not None:
            child = v.do_move(position, found.move)
            is_same = v.turn(child) == v.turn(position)
            assert solved[child] == (found.value if is_same else WIN + LOSE - found.value, found.remoteness - 1)


def test_a_search_for_a_time_is_certain_of_a_tie_too():
    v = variant("tictactoe")
    found = Searcher(v, compiled=False).search(v.parse("(o x-- -o- --x)"), seconds=LONG)
    assert (found.value, found.remoteness) == (TIE, 6)


def test_a_quick_search_looks_at_fewer_positions_and_what_it_keeps_serves_no_exact_one():
    v = variant("hex_abalone:edge=3")
    quick, exact = Interpreted(v, 1 << 22), Interpreted(v, 1 << 22)
    assert searched(quick, v.start(), 5, QUICK) < searched(exact, v.start(), 5, ESTIMATE)
    searched(quick, v.start(), 5, ESTIMATE)
    assert quick.value == exact.value


def searched(tree, position, depth, mode):
    for ahead in range(1, depth + 1):
        tree.begin(position, ahead, mode=mode)
        while not tree.go_on(1 << 40):
            pass
    return tree.nodes


def test_a_game_is_the_same_as_long_as_all_that_has_been_has_been():
    v = variant("hex_abalone:edge=3")
    searcher, position, been = Searcher(v, compiled=False), v.start(), frozenset()
    numbers = []
    for _ in range(3):
        numbers.append(searcher.game(position, been))
        been |= {position}
        position = v.do_move(position, next(iter(v.generate_moves(position))))
    assert len(set(numbers)) == 1
    assert searcher.game(position, frozenset()) not in numbers


def test_a_call_that_was_held_up_does_not_make_all_that_follow_too_short():
    tree = Interpreted(variant("tictactoe"), 1 << 16)
    tree.keep_pace(1, 0.05, 0.01)
    assert tree.pace == 20
    for _ in range(40):  # what it does in truth is a million nodes a second
        nodes = max(1, int(tree.pace * 0.01))
        tree.keep_pace(nodes, nodes / 1_000_000, 0.01)
    assert 500_000 < tree.pace < 2_000_000


@pytest.mark.slow
def test_threads_that_help_change_no_value_and_end_with_the_search():
    v = variant("konane:rows=4,cols=5")
    searcher = Searcher(v, compiled=True, threads=3)
    for _ in range(5):
        found = searcher.search(v.start(), seconds=LONG)
        assert (found.value, found.remoteness, found.line_names(v)[0]) == (LOSE, 10, "d4-d2")
    alone = Searcher(v, compiled=True).search(v.start(), depth=6)
    helped = Searcher(v, compiled=True, threads=3).search(v.start(), depth=6)
    assert (alone.score, alone.line, alone.nodes) == (helped.score, helped.line, helped.nodes)


@pytest.mark.slow
def test_a_win_that_there_was_no_time_to_make_sure_of_is_an_estimate(monkeypatch):
    def out_of_time(*arguments):
        raise deepening._OutOfTime

    monkeypatch.setattr(deepening.Run, "_confirmed", out_of_time)
    board = variant("konane:rows=4,cols=5")
    found = Searcher(board).search(board.start(), seconds=5)
    assert (found.value, found.score, found.estimate) == (None, -STATIC, "seems to lose")
    assert "seems to lose" in page(board, found)
