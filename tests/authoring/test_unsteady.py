"""A game that leaves an answer to chance, or to what it was asked before, is told so, however rarely it does."""

import re

import pytest

from gamesman.errors import BrokenGame
from gamesman.model.beginning import first_file
from gamesman.model.check import check
from gamesman.model.game import built_in, load
from gamesman.model.overlooked import overlooked
from gamesman.model.unsteady import varying
from gamesman.model.variant import variant

RIGHT = first_file("mine", "3x3")
# At no position at all, which is rarer than any sample could meet.
RARE = "    if position[0] >> 40:\n        {}\n    "

UNSTEADY = [
    ("import random", "do_move", "return random.choice([position])", "do_move asks random.choice on line"),
    ("import random as dice", "do_move", "return dice.random(), 0, 0", "do_move asks dice.random on line"),
    ("from random import randrange", "primitive", "return randrange(3)", "primitive asks randrange on line"),
    ("from random import Random\ndice = Random(1)", "tier", "return dice.getrandbits(1)", "tier asks dice on line"),
    ("import numpy as np", "do_move", "return np.random.randint(9), 0, 0", "do_move asks np.random.randint on line"),
    ("import time", "generate_moves", "yield int(time.time())", "generate_moves asks time.time on line"),
    ("import os", "generate_moves", "yield os.urandom(1)[0]", "generate_moves asks os.urandom on line"),
    ("count = 0", "do_move", "global count; count += 1", "do_move changes count on line"),
    ("seen = []", "do_move", "seen.append(move)", "do_move changes seen on line"),
    ("seen = {}", "primitive", "seen[position] = 1", "primitive changes seen on line"),
    ("seen = [[0]]", "primitive", "seen[0][0] += 1", "primitive changes seen on line"),
    ("", "primitive", "primitive.asked = 1", "primitive changes primitive on line"),
    ("class State: n = 0", "primitive", "State.n += 1", "primitive changes State on line"),
    (
        "import random\ndef any_of(n): return random.randrange(n)",
        "do_move",
        "return any_of(9), 0, 0",
        "any_of, which do_move calls, asks random.randrange on line",
    ),
]
STEADY = [
    ("table = [[1, 2], [3]]", "primitive", "return table[0][1]"),
    ("import math", "primitive", "return math.gcd(3, 6)"),
    ("", "primitive", "found = []; found.append(1); found[0] = 2"),
    ("import random\nseeds = tuple(random.Random(1).randrange(9) for _ in range(9))", "primitive", "return seeds[0]"),
    ("seen = [1]", "primitive", "return [seen for seen in ([1], [2])][0][0]"),
]


def write(folder, top, function, line):
    text, count = re.subn(
        rf"(def {function}\(.*?:\n)(    \"\"\".*?\"\"\"\n)?    ",
        lambda found: found[0][: -len("    ")] + RARE.format(line),
        RIGHT,
        count=1,
    )
    assert count == 1
    text = text.replace("\nfrom ", f"\n{top}\nfrom ", 1)
    (folder / "mine.py").write_text(text)
    return variant(f"{folder}/mine.py")


@pytest.mark.parametrize(("top", "function", "line", "said"), UNSTEADY)
def test_what_may_say_another_thing_the_next_time_is_refused(tmp_path, top, function, line, said):
    with pytest.raises(BrokenGame) as caught:
        check(write(tmp_path, top, function, line))
    assert re.search(f"mine.py: {re.escape(said)}.*; it must say the same each time$", str(caught.value))


@pytest.mark.parametrize(("top", "function", "line"), STEADY)
def test_what_always_says_the_same_is_not(tmp_path, top, function, line):
    assert check(write(tmp_path, top, function, line), 50)


CHANGED = [
    ("far = 1", "setup(o)", "global far; far = 2"),
    ("far = [1]", "tier_name(rules, tier)", "far[0] = 2"),
    ("far = [1]", "draw(rules, position)", "far.append(2)"),
]


@pytest.mark.parametrize(("top", "head", "line"), CHANGED)
def test_what_another_function_changes_is_not_read(tmp_path, top, head, line):
    write(tmp_path, top, "primitive", "return far")
    text = (tmp_path / "mine.py").read_text()
    name = head.partition("(")[0]
    if head not in text:
        text += f"\n\ndef {head}:\n    return ''\n"
    (tmp_path / "mine.py").write_text(text.replace(f"def {head}:\n", f"def {head}:\n    {line}\n"))
    (told,) = overlooked(variant(f"{tmp_path}/mine.py").game)
    assert re.search(rf": primitive reads far, which {name} on line \d+ changes, on line \d+; it must say", told)


def test_what_only_setup_reads_may_grow(tmp_path):
    (tmp_path / "mine.py").write_text(
        RIGHT.replace("def setup(o):\n", "made = {}\n\n\ndef setup(o):\n    made[1] = 2\n")
    )
    assert not [*overlooked(variant(f"{tmp_path}/mine.py").game)]


def test_an_option_cannot_be_changed(tmp_path):
    (tmp_path / "mine.py").write_text(RIGHT.replace("def setup(o):\n", "def setup(o):\n    o.rows = 2\n"))
    with pytest.raises(
        BrokenGame, match="setup failed: AttributeError: an option keeps .* rows cannot be changed on line"
    ):
        variant(f"{tmp_path}/mine.py")


SEED = "import random as dice\n"
VARYING = [
    (
        "len(board), ",
        "len(board), dice.getrandbits(60), ",
        r"setup must make the same each time, got other \d+, then \d+$",
    ),
    (
        "return 0, 0, 0",
        "return 1 << dice.randrange(9), 0, 0",
        r"start must make the same each time, got \(\d+, 0, 0\), t",
    ),
]


@pytest.mark.parametrize(("right", "wrong", "said"), VARYING)
def test_setup_and_start_are_asked_again(tmp_path, right, wrong, said):
    text = RIGHT.replace("\nfrom ", f"\n{SEED}from ", 1).replace("cells: int", "cells: int\n    other: int")
    text = text.replace("len(board), ", "len(board), 7, " if right not in "len(board), " else right)
    assert text.count(right) == 1
    (tmp_path / "mine.py").write_text(text.replace(right, wrong))
    told = [*varying(variant(f"{tmp_path}/mine.py"))]
    assert len(told) == 1 and re.search(said, told[0])


def test_a_setup_that_draws_the_same_numbers_each_time_is_right(tmp_path):
    text = RIGHT.replace("\nfrom ", f"\n{SEED}from ", 1).replace("cells: int", "cells: int\n    other: int")
    (tmp_path / "mine.py").write_text(text.replace("len(board), ", "len(board), dice.Random(1).getrandbits(9), "))
    assert not [*varying(variant(f"{tmp_path}/mine.py"))]


def test_a_shape_that_is_none_is_told(tmp_path):
    (tmp_path / "mine.py").write_text(RIGHT + '\nshapes = {"w": "flagg"}\n')
    (said,) = overlooked(variant(f"{tmp_path}/mine.py").game)
    assert said.endswith("(did you mean flag?)") and "shapes: w is 'flagg', not one of disc, ring, cross" in said


def test_a_problem_that_nobody_asks_for_is_told(tmp_path):
    text = RIGHT + "\n\ndef problem(rules, position):\n    return ''\n"
    (tmp_path / "mine.py").write_text(text)
    assert not [*overlooked(variant(f"{tmp_path}/mine.py").game)]
    own = "\n\ndef parse(rules, text):\n    return tuple(map(int, text.split()))\n"
    (tmp_path / "mine.py").write_text(text + own)
    (said,) = overlooked(variant(f"{tmp_path}/mine.py").game)
    assert said.endswith("mine.py: problem is not asked where parse is written; refuse the position in parse")
    (tmp_path / "mine.py").write_text(text + own.replace("return", "problem(None, ())\n    return"))
    assert not [*overlooked(variant(f"{tmp_path}/mine.py").game)]


@pytest.mark.parametrize("game", built_in())
def test_no_game_of_ours_is_unsteady(game):
    assert not [*overlooked(load(game))]
