"""A line of a game that works something out and does nothing with it is told: a forgotten return, or == for =."""

import ast

import pytest

from gamesman.errors import BrokenGame
from gamesman.model.beginning import first_file
from gamesman.model.check import check
from gamesman.model.dropped import dropped
from gamesman.model.variant import variant

RIGHT = first_file("mine", "3x3")

TOLD = [
    ("return LOSE", "LOSE", "primitive works out LOSE on line {} and does nothing with it (did you mean return LOSE?)"),
    (
        "yield cell",
        "cell",
        "generate_moves works out cell on line {} and does nothing with it (did you mean yield cell?)",
    ),
    ("return white | 1", "white | 1", "(did you mean return (white | 1 << move, black, 1)?)"),
    ("return rules.cells", "rules.cells", "(did you mean return rules.cells - popcount(white | black)?)"),
    ("return 0, 0, 0", "0 == 1", "(did you mean 0 = 1?)"),
]


@pytest.mark.parametrize(("right", "wrong", "said"), TOLD)
def test_what_is_worked_out_and_dropped_is_told_with_its_line(tmp_path, right, wrong, said):
    assert RIGHT.count(right) == 1
    line = RIGHT[: RIGHT.index(right)].count("\n") + 1
    (tmp_path / "mine.py").write_text(RIGHT.replace(right, wrong))
    with pytest.raises(BrokenGame) as caught:
        check(variant(f"{tmp_path}/mine.py"))
    assert said.format(line) in str(caught.value) and f" on line {line} " in str(caught.value)


DROPPED = {
    "position": "return position",
    "position[0]": "return position[0]",
    "position._replace(who=1)": "return position._replace(who=1)",
    "who == 1 - who": "who = 1 - who",
    "who == other(position)": "who = other(position)",
    "who < 1": "return who < 1",
    "-1": "return -1",
    "popcount(5)": "return popcount(5)",
    "generate_moves(rules, position)": "return generate_moves(rules, position)",
    "1 if who else 2": "return 1 if who else 2",
    "f'{who}'": "return f'{who}'",
}
USED = [
    "'what this does'",
    "...",
    "found.append(1)",
    "who and found.append(1)",
    "[found.append(i) for i in range(3)]",
    "other(position)",
    "yield",
    "yield 1",
    "yield from position",
    "who: int",
    "print(1), print(2)",
    "try:\n        position[3]\n    except IndexError:\n        who = 1",
    "assert who",
    "del who",
]


@pytest.mark.parametrize("line", DROPPED)
def test_a_line_that_does_nothing_says_what_may_be_meant(line):
    (said,) = dropped(ast.parse(f"def ask(rules, position):\n    {line}\n    return 1\n"))
    assert said == f"ask works out {line} on line 2 and does nothing with it (did you mean {DROPPED[line]}?)"


@pytest.mark.parametrize("line", USED)
def test_a_line_that_may_do_something_is_left_alone(line):
    assert not [*dropped(ast.parse(f"def ask(rules, position):\n    {line}\n    return 1\n"))]


def test_only_what_is_tried_is_left_alone_of_a_try():
    tried = "def ask(p):\n    try:\n        p[3]\n    except IndexError:\n        {}\n    return 1\n"
    assert not [*dropped(ast.parse(tried.format("return 0")))]
    assert "works out 0 on line 5" in next(dropped(ast.parse(tried.format("0"))))


def test_a_property_that_is_asked_in_a_class_is_left_alone():
    assert not [*dropped(ast.parse("class Lines:\n    def load(self):\n        self.line\n"))]
