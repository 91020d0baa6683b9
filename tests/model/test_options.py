"""Options are read, checked, filled in and written again, and a wrong one is told in one line."""

import pytest

from gamesman.errors import OptionError
from gamesman.options import Choice, Number, Switch, Text, resolve, written

BOARD = [
    Number("rows", default=4, low=3, help="rows"),
    Number("cols", default=lambda o: o.rows, low=3, high=26, help="columns"),
    Number("captures", default=2, low=1, high=lambda o: o.rows + o.cols - 3, help="captures"),
    Choice("corner", choices=("axis", "any", "none"), help="corner"),
    Switch("misere", help="misere"),
    Switch("frozen", default=lambda o: o.misere, help="frozen"),
    Text("start", default=lambda o: "x" * o.rows, normal=lambda text, o: text.lower(), form="a board", help="start"),
]


def test_what_is_not_given_has_its_default():
    o = resolve(BOARD, {})
    assert (o.rows, o.cols, o.captures, o.corner, o.misere, o.frozen, o.start) == (
        4,
        4,
        2,
        "axis",
        False,
        False,
        "xxxx",
    )


def test_a_default_follows_from_the_other_options():
    o = resolve(BOARD, {"rows": "5", "misere": None})
    assert (o.cols, o.frozen, o.start) == (5, True, "xxxxx")


def test_a_bound_follows_from_the_other_options():
    assert resolve(BOARD, {"captures": "7", "rows": "6"}).captures == 7
    with pytest.raises(OptionError, match=r"^captures must be 1 to 5, got 7$"):
        resolve(BOARD, {"captures": "7"})


def test_a_default_out_of_its_bounds_is_told_too():
    kinds = [Number("n", default=1, low=1), Number("of", default=5, high=lambda o: o.n)]
    with pytest.raises(OptionError, match=r"^of must be 1 to 1, got 5 by default$"):
        resolve(kinds, {})


def test_whether_an_option_was_given_is_known():
    o = resolve(BOARD, {"rows": "4"})
    assert o.is_given("rows")
    assert not o.is_given("cols")


@pytest.mark.parametrize(
    ("option", "text", "said"),
    [
        ("rows", "2", "rows must be 3 or more, got 2"),
        ("rows", "-1", "rows must be 3 or more, got -1"),
        ("rows", "four", "rows must be a whole number, got four"),
        ("rows", "4.0", "rows must be a whole number, got 4.0"),
        ("rows", "٤", "rows must be a whole number, got ٤"),
        ("rows", "1_0", "rows must be a whole number, got 1_0"),
        ("rows", "--4", "rows must be a whole number, got --4"),
        ("rows", "", "rows must be a whole number, got nothing"),
        ("rows", None, "rows must be a whole number, got nothing"),
        ("rows", "9" * 17, "rows must be 10000 or less, got " + "9" * 17),
        ("rows", "9" * 5000, "rows must be a whole number of at most 18 digits, got " + "9" * 59 + "…"),
        ("cols", "27", "cols must be 3 to 26, got 27"),
        ("corner", "axes", "corner must be axis, any or none, got axes (did you mean axis?)"),
        ("corner", None, "corner must be axis, any or none, got nothing"),
        ("misere", "on", "misere must be yes or no, got on"),
        ("misere", "", "misere must be yes or no, got nothing"),
        ("start", " ", "start must be a board, got nothing"),
        ("start", None, "start must be a board, got nothing"),
        (
            "row",
            "4",
            "no such option: row (did you mean rows?); options: rows, cols, captures, corner, misere, frozen, start",
        ),
        ("", "4", "no such option: nothing; options: rows, cols, captures, corner, misere, frozen, start"),
    ],
)
def test_a_wrong_option_gets_one_line(option, text, said):
    with pytest.raises(OptionError) as raised:
        resolve(BOARD, {option: text})
    assert str(raised.value) == said
    assert raised.value.exit_code == 2


def test_a_game_without_options_says_so():
    with pytest.raises(OptionError, match=r"^no such option: rows; options: none$"):
        resolve([], {"rows": "4"})


@pytest.mark.parametrize("text", ["yes", None])
def test_a_switch_stands_alone_or_says_yes(text):
    assert resolve(BOARD, {"misere": text}).misere is True
    assert resolve(BOARD, {"misere": "no"}).misere is False


def test_a_text_is_brought_to_its_normal_form():
    assert resolve(BOARD, {"start": " AbC "}).start == "abc"


def test_written_options_are_the_fewest_that_mean_the_same_in_the_order_declared():
    assert written(BOARD, resolve(BOARD, {})) == []
    assert written(BOARD, resolve(BOARD, {"misere": "yes", "frozen": "yes", "cols": "4", "rows": "4"})) == ["misere"]
    assert written(BOARD, resolve(BOARD, {"misere": "yes", "frozen": "no"})) == ["misere", "frozen=no"]
    assert written(BOARD, resolve(BOARD, {"corner": "any", "rows": "5", "start": "XXXXX"})) == ["rows=5", "corner=any"]
    assert written(BOARD, resolve(BOARD, {"cols": "5", "captures": "1", "start": "Y"})) == [
        "cols=5",
        "captures=1",
        "start=y",
    ]


def test_options_that_are_not_there_are_not_made_up():
    with pytest.raises(AttributeError):
        _ = resolve(BOARD, {}).depth


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (BOARD[0], "3 or more"),
        (BOARD[1], "3 to 26"),
        (BOARD[2], "1 to …"),
        (Number("n", 1, low=lambda o: 1), "… or more"),
        (BOARD[3], "axis, any or none"),
        (BOARD[4], "yes or no"),
        (BOARD[6], "a board"),
    ],
)
def test_a_range_is_told_for_the_help(kind, text):
    assert kind.range_text() == text
