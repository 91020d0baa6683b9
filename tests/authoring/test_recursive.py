"""A function of a game that calls itself is told before it is compiled, where it could crash or have no end."""

import pytest

from gamesman.errors import BrokenGame
from gamesman.model.beginning import first_file
from gamesman.model.check import check
from gamesman.model.recursive import recursive
from gamesman.model.variant import variant

HEAD = "def tier(rules, position):\n"
RIGHT = first_file("mine", "3x3")

RECURSIVE = {
    "return tier(rules, position)": "tier on line {} calls itself; compiled code needs a loop instead",
    "return other(rules, position)": "other on line {} calls itself; compiled code needs a loop instead",
}
OTHER = "def other(rules, position):\n    return 1 + own(rules, position)\n\n\n"
OWN = "def own(rules, position):\n    return other(rules, position)\n\n\n"


@pytest.mark.parametrize("line", RECURSIVE)
def test_a_function_that_calls_itself_is_told_with_its_line(tmp_path, line):
    text = RIGHT.replace(HEAD, f"{OTHER}{OWN}{HEAD}    if position[0] >> 40:\n        {line}\n")
    (tmp_path / "mine.py").write_text(text)
    called = line.removeprefix("return ").partition("(")[0]
    at = text[: text.index(f"def {called}(")].count("\n") + 1
    with pytest.raises(BrokenGame) as caught:
        check(variant(f"{tmp_path}/mine.py"))
    assert str(caught.value) == f"{tmp_path}/mine.py: {RECURSIVE[line].format(at)}"


def test_a_field_of_the_rules_may_be_called_like_a_function_and_what_is_not_compiled_may_call_itself(tmp_path):
    text = RIGHT.replace("cells: int", "cells: int\n    tier: int").replace("len(board), ", "len(board), 0, ")
    text = text.replace(HEAD, f"{HEAD}    if position[0] >> 40:\n        return rules.tier\n")
    text += "\n\ndef draw(rules, position):\n    return draw(rules, ()) if position else ''\n"
    (tmp_path / "mine.py").write_text(text)
    game = variant(f"{tmp_path}/mine.py").game
    assert not [*recursive(game)]
