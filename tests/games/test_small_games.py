"""The two games that others are copied from: tic-tac-toe and ten to zero."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.refusing import refusal

from gamesman.errors import MoveError, OptionError, PositionError
from gamesman.model.variant import variant
from gamesman.solver import reference
from gamesman.values import LOSE, TIE, UNDECIDED, WIN


def play(v, moves):
    position = v.start()
    for move in moves.split():
        assert v.primitive(position) == UNDECIDED
        position = v.do_move(position, v.parse_move(position, move))
    return position


# --- ten to zero ---


@pytest.mark.parametrize(("total", "most"), [(1, 1), (10, 2), (10, 3), (25, 4), (9, 20)])
def test_who_faces_a_multiple_of_one_more_than_may_be_taken_loses(total, most):
    v = variant(f"ten_to_zero:total={total},most={most}")
    solution = reference.solve(v)
    for position, (value, remoteness) in solution.values.items():
        rounds, rest = divmod(position[0], most + 1)
        assert (value, remoteness) == ((WIN, 2 * rounds + 1) if rest else (LOSE, 2 * rounds))


def test_ten_is_won_in_seven():
    summary = reference.solve(variant("ten_to_zero")).summary.as_json()
    assert summary["position"] == "(1 10)"
    assert (summary["value"], summary["remoteness"]) == ("win", 7)
    assert summary["counts"] == {"win": 13, "lose": 7, "tie": 0, "draw": 0}
    assert summary["tiers"] == 11


def test_a_game_of_ten_to_zero():
    v = variant("ten_to_zero")
    position = play(v, "1 2 1 2 1 2 1")
    assert v.show(position) == "(2 0)"
    assert v.primitive(position) == LOSE
    assert [v.move_name((1, 0), move) for move in v.generate_moves((1, 0))] == ["1"]
    with pytest.raises(MoveError, match="expected one of 1, 2, got 3"):
        v.parse_move(v.start(), "3")


@pytest.mark.parametrize("text", ["(1 11)", "(1)", "(1 -1)", "(3 5)", "(1 5 5)", "(1 05)", "(1 ten)", "10", ""])
def test_a_malformed_count_is_refused(text):
    with pytest.raises(PositionError):
        variant("ten_to_zero").parse(text)


@given(st.integers(0, 10), st.sampled_from("12"))
def test_every_count_is_read_as_it_is_written(left, who):
    v = variant("ten_to_zero")
    position = v.parse(f"({who} {left})")
    assert v.show(position) == f"({who} {left})"
    assert v.unhash(v.hash(position)) == position
    assert v.hash(position) < v.key_bound()


# --- tic-tac-toe ---


def test_tic_tac_toe_is_a_tie_with_its_well_known_numbers():
    summary = reference.solve(variant("tictactoe")).summary.as_json()
    assert (summary["value"], summary["remoteness"]) == ("tie", 9)
    assert summary["positions"] == 5478
    assert summary["primitives"] == 958
    assert summary["moves"] == 16167


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "value", "remoteness"),
    [
        ("rows=1,cols=1", "win", 1),
        ("line=1", "win", 1),
        ("line=2", "win", 3),
        ("rows=2,cols=2", "win", 3),
        ("rows=3,cols=4", "win", 7),
        ("rows=1,cols=4,line=3", "tie", 4),
        ("rows=2,cols=3", "tie", 6),
    ],
)
def test_other_boards_and_lines(options, value, remoteness):
    summary = reference.solve(variant(f"tictactoe:{options}")).summary.as_json()
    assert (summary["value"], summary["remoteness"]) == (value, remoteness)


@pytest.mark.parametrize(
    ("moves", "board", "value"),
    [
        ("a3 b2 b3 a2 c3", "(o xxx oo- ---)", LOSE),
        ("a1 b1 b2 c1 c3", "(o --x -x- xoo)", LOSE),
        ("a3 b3 b2 c3 c1", "(o xoo -x- --x)", LOSE),
        ("a1 c3 a2 c2 b3 c1", "(x -xo x-o x-o)", LOSE),
        ("b2 a1 a2 c2 b3 b1 c1 a3 c3", "(o oxx xxo oox)", TIE),
        ("b2 c3", "(x --o -x- ---)", UNDECIDED),
    ],
)
def test_a_game_of_tic_tac_toe(moves, board, value):
    v = variant("tictactoe")
    position = play(v, moves)
    assert v.show(position) == board
    assert v.parse(board) == position
    assert v.primitive(position) == value


def test_a_line_does_not_go_on_at_the_other_side_of_the_board():
    v = variant("tictactoe")
    assert v.primitive(v.parse("(o -x- xoo x--)")) == UNDECIDED
    assert v.primitive(v.parse("(o --x x-o -ox)")) == UNDECIDED


def test_tic_tac_toe_is_drawn_with_coordinates():
    v = variant("tictactoe:rows=2")
    assert v.draw(play(v, "a1 c2")) == "2  - - o\n1  x - -\n\n   a b c"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(x -- -- --)", "expected 3 rows of 3 cells of x, o or -, got 2 cells in row 1: (x -- -- --)"),
        ("(y --- --- ---)", "expected x or o to move, got y: (y --- --- ---)"),
        ("(xo --- --- ---)", "expected x or o to move, got xo: (xo --- --- ---)"),
        (
            "(o --- --- ---)",
            "expected x to move, got o with these pieces: (o --- --- ---)",
        ),
        ("---------", "expected a position like (x --- --- ---), got ---------"),
    ],
)
def test_a_malformed_board_is_one_line_that_says_why(text, said):
    assert refusal(PositionError, variant("tictactoe").parse, text) == said


@pytest.mark.parametrize(
    ("moves", "move", "said"),
    [
        ("b2", "b2", "b2 is taken"),
        ("b2", "d1", "expected a cell from a1 to c3, got d1"),
        ("b2", "", "expected a cell from a1 to c3, got nothing"),
        ("a3 b2 b3 a2 c3", "a1", "a1: the game is over"),
    ],
)
def test_a_wrong_move_is_told_why(moves, move, said):
    v = variant("tictactoe")
    assert refusal(MoveError, v.parse_move, play(v, moves), move) == said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("line=4", "line must be 1 to 3, got 4"),
        ("rows=0", "rows must be 1 or more, got 0"),
        ("cols=27", "cols must be 1 to 26, got 27"),
    ],
)
def test_a_wrong_option_is_one_line_that_says_why(options, said):
    assert refusal(OptionError, variant, f"tictactoe:{options}") == said


@pytest.mark.parametrize("text", ["tictactoe", "tictactoe:rows=2,cols=4"])
def test_every_position_of_tic_tac_toe_has_a_number_of_its_own_and_every_move_lowers_its_tier(text):
    v = variant(text)
    for position in reference.solve(v).values:
        assert v.unhash(v.hash(position)) == position
        assert 0 <= v.hash(position) < v.key_bound()
        assert v.parse(v.show(position)) == position
        if v.primitive(position) == UNDECIDED:
            for move in v.generate_moves(position):
                assert v.tier(v.do_move(position, move)) == v.tier(position) - 1
                assert v.parse_move(position, v.move_name(position, move)) == move
