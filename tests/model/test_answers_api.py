"""What positions and moves are worth, asked from Python: over graphs drawn here and over Konane."""

import itertools

import pytest
from support.graphs import make_variant

from gamesman.errors import BrokenGame, NotReachable
from gamesman.model.answers import line, query
from gamesman.model.variant import variant
from gamesman.solver import reference
from gamesman.values import LOSE, NAMES, TIE, UNDECIDED, WIN, negate


def ask(edges, values, turns):
    v = make_variant(edges, values, turns, kind="plain")
    return query(v, reference.solve(v), v.start())


def test_moves_are_ranked_win_soonest_tie_soonest_draw_lose_latest():
    # From 0: to 1 loses in 1 (2 is the other's win), to 3 draws (4 and 3 for ever), to 5 ties in 2, to 6 ties at once,
    # to 7 wins in 3, to 10 wins at once, to 11 loses at once, to 12 loses in 2.
    edges = [[1, 3, 5, 6, 7, 10, 11, 12], [2], [], [4], [3], [13], [], [8], [9], [], [], [], [14], [6], [2]]
    values = [UNDECIDED] * 15
    values[2], values[6], values[9], values[10], values[11] = LOSE, TIE, LOSE, LOSE, WIN
    turns = [0, 1, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1]
    answer = ask(edges, values, turns)
    ranking = [(move.position[0], move.value, move.remoteness, move.delta) for move in answer.moves]
    assert ranking == [
        (10, "win", 0, 0),
        (7, "win", 2, 2),
        (6, "tie", 0, None),
        (5, "tie", 2, None),
        (3, "draw", None, None),
        (12, "lose", 2, None),
        (1, "lose", 1, None),
        (11, "lose", 0, None),
    ]
    assert (answer.value, answer.remoteness) == ("win", 1)
    assert [move.position[0] for move in answer.keeping_moves()] == [10, 7]


def test_delta_of_a_loss_is_how_much_sooner_it_comes():
    answer = ask([[1, 2], [], [3], []], [UNDECIDED, WIN, UNDECIDED, LOSE], [0, 1, 1, 0])
    ranking = [(move.position[0], move.value, move.remoteness, move.delta) for move in answer.moves]
    assert ranking == [(2, "lose", 1, 0), (1, "lose", 0, 1)]


def test_equal_moves_are_in_the_order_of_their_names():
    answer = ask([[3, 2, 1], [], [], []], [UNDECIDED, LOSE, LOSE, LOSE], [0, 1, 1, 1])
    assert [move.name for move in answer.moves] == ["0>3", "1>2", "2>1"]


def test_a_value_is_not_negated_where_the_same_player_moves_again():
    answer = ask([[1, 2], [], []], [UNDECIDED, WIN, WIN], [0, 0, 1])
    assert [(move.position[0], move.turn, move.value) for move in answer.moves] == [(1, "1", "win"), (2, "2", "lose")]


def test_a_primitive_position_has_no_moves_even_where_the_game_yields_some():
    answer = ask([[0]], [LOSE], [0])
    assert (answer.value, answer.remoteness, answer.moves) == ("lose", 0, [])


def test_best_play_of_a_win_takes_as_many_moves_as_its_remoteness():
    v = variant("konane:rows=4,any_piece")
    solution = reference.solve(v)
    for position, (value, remoteness) in itertools.islice(solution.values.items(), 500):
        answer = line(v, solution, position)
        assert (answer.start.value, len(answer.moves), answer.repeats) == (NAMES[value], remoteness, None)


def test_best_play_of_a_draw_stops_where_it_would_repeat():
    v = make_variant([[1], [2], [1, 3], []], [UNDECIDED] * 3 + [WIN], [0, 1, 0, 1], kind="plain")
    answer = line(v, reference.solve(v), v.start())
    assert [move.position[0] for move in answer.moves] == [1, 2]
    assert answer.repeats is not None and answer.repeats.position == (1,)
    assert answer.as_json()["repeats"]["position"] == "(1)"


def test_best_play_of_a_draw_that_stays_where_it_is_has_no_moves():
    v = make_variant([[0]], [UNDECIDED], [0], kind="plain")
    answer = line(v, reference.solve(v), v.start())
    assert (answer.moves, answer.repeats.position) == ([], (0,))


@pytest.mark.parametrize("name", ["konane", "konane:misere", "konane:rows=4", "konane:any_piece"])
def test_the_best_move_is_worth_what_the_position_is(name):
    v = variant(name)
    solution = reference.solve(v)
    for position in solution.values:
        answer = query(v, solution, position)
        if answer.moves:
            best = answer.moves[0]
            assert (best.value, best.remoteness + 1, best.delta) == (answer.value, answer.remoteness, 0)
            for move in answer.moves:
                value, remoteness = solution.probe(move.position)
                own = value if v.turn(move.position) == v.turn(position) else negate(value)
                assert (move.value, move.remoteness) == (NAMES[own], remoteness)
                assert v.do_move(position, v.parse_move(position, move.name)) == move.position


def test_an_unreachable_position_says_how_to_solve_from_there():
    v = variant("konane:misere,rows=4,removed=b2,b1")
    position = v.parse('(b "" bwbw wbwb bwbw ----)')
    with pytest.raises(NotReachable) as caught:
        query(v, reference.solve(v), position)
    before, after = str(caught.value).split("; to solve from there: gamesman solve ")
    assert before == f'(b "" bwbw wbwb bwbw ----) cannot be reached from the start of {v.name}'
    there = variant(after.strip("'"))
    assert there.start() == position
    assert there.options.misere


def test_an_unreachable_position_of_a_game_without_start_says_how_to_look_ahead():
    v = make_variant([[1], [], [1]], [UNDECIDED, LOSE, UNDECIDED], [0, 1, 0], kind="plain")
    said = r"^\(2\) cannot be reached from the start of .*\.py:graph=.*; to look ahead .* search '.*' '\(2\)'$"
    with pytest.raises(NotReachable, match=said):
        query(v, reference.solve(v), (2,))


def test_a_position_left_undecided_without_a_move_is_the_games_fault():
    v = make_variant([[1], []], [UNDECIDED, UNDECIDED], [0, 1], kind="plain")
    with pytest.raises(BrokenGame, match=r"UNDECIDED, got none, at \(1\)"):
        query(v, reference.solve(v), (1,))
