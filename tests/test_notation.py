"""Cells, fields, rows and boards: read exactly as written, and anything else is told in one line."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamesman.errors import MoveError, PositionError
from gamesman.notation import cell_name, draw_grid, read_cell, read_fields, read_rows, read_step, read_turn


@given(st.integers(0, 999_999), st.integers(0, 25))
def test_a_cell_is_read_as_it_is_named(row, col):
    assert read_cell(cell_name(row, col), 1_000_000, 26) == (row, col)


@pytest.mark.parametrize(
    "text", ["", "a", "1", "A1", "a0", "a01", "a5", "e1", "1a", "a1 ", "a-1", "a²", "a١", "aa1", "a" + "9" * 99]
)
def test_what_is_no_cell_of_the_board_is_told_with_the_cells_there_are(text):
    with pytest.raises(PositionError, match=r"^expected a cell from a1 to d4, got ") as raised:
        read_cell(text, 4, 4)
    assert len(str(raised.value)) < 120


def test_a_step_is_two_cells():
    assert read_step(" a1-b2\n", 2, 2) == ((0, 0), (1, 1))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected a move like a1-a2, got nothing"),
        ("a1", "expected a move like a1-a2, got a1"),
        ("a1-b2-c3", "expected a move like a1-a2, got a1-b2-c3"),
        ("a1-c3", "expected a cell from a1 to b2, got c3 in a1-c3"),
        ("-a1", "expected a cell from a1 to b2, got nothing in -a1"),
        ("a1\n-\nb2", "expected a cell from a1 to b2, got a1 in a1 - b2"),
    ],
)
def test_what_is_no_step_is_told(text, said):
    with pytest.raises(MoveError) as raised:
        read_step(text, 2, 2)
    assert str(raised.value) == said


@pytest.mark.parametrize("text", ["", "()", "( )", "w b", "(w b", "w b)", "((w b))", "(w) b", "(w (b))"])
def test_a_position_is_words_in_one_pair_of_parentheses(text):
    with pytest.raises(PositionError, match=r"^expected a position like \(w -\), got "):
        read_fields(text, "(w -)")


def test_words_may_have_any_spaces_between_them():
    assert read_fields("\t( w \n b- )  ", "") == ["w", "b-"]


def test_the_player_to_move_is_one_of_two():
    assert read_turn("b", ["w", "b"], "") == 1
    with pytest.raises(PositionError, match=r"^expected w or b to move, got x: \(x -\)$"):
        read_turn("x", ["w", "b"], "(x -)")


@pytest.mark.parametrize(
    ("rows", "lengths", "said"),
    [
        (["wb"], [2, 2], "expected 2 rows of 2 cells of w, b or -, got 1 row: (…)"),
        (["wb", "--", "--"], [2, 2], "expected 2 rows of 2 cells of w, b or -, got 3 rows: (…)"),
        (["w"], [2], "expected 1 row of 2 cells of w, b or -, got 1 cells in row 1: (…)"),
        (["ww", "-bb"], [2, 3], None),
        (["ww", "-bb-"], [2, 3], "expected 2 rows of 2, 3 cells of w, b or -, got 4 cells in row 2: (…)"),
        (["wB"], [2], "expected 1 row of 2 cells of w, b or -, got B: (…)"),
        (["w\0"], [2], "expected 1 row of 2 cells of w, b or -, got a blank: (…)"),
    ],
)
def test_rows_have_their_lengths_and_letters(rows, lengths, said):
    if said is None:
        read_rows(rows, lengths, "wb-", "(…)")
        return
    with pytest.raises(PositionError) as raised:
        read_rows(rows, lengths, "wb-", "(…)")
    assert str(raised.value) == said


def test_a_board_of_many_rows_stays_aligned():
    drawn = draw_grid(["w" * 3] * 12).splitlines()
    assert drawn[0] == "12  w w w"
    assert drawn[-3] == " 1  w w w"
    assert drawn[-1] == "    a b c"
