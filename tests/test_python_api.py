"""Solved variants from Python: what docs/python.md shows, and what it promises."""

import doctest
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.storing import store_solution

import gamesman
from gamesman.db import open_store
from gamesman.errors import NotReachable, NotSolved, OptionError, PositionError
from gamesman.model.variant import variant
from gamesman.values import DRAW, NAMES

ROOT = Path(gamesman.__file__).parents[1]


@pytest.fixture
def solution(database):
    return store_solution(open_store(database), "abalone:rows=3,cols=3")


def test_the_page_on_it_is_true(database):
    store_solution(open_store(database), "konane")
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    result = doctest.testfile(str(ROOT / "docs" / "python.md"), module_relative=False, optionflags=flags)
    assert (result.failed, result.attempted > 15) == (0, True)


def test_what_the_page_of_how_to_shows_of_python_is_so():
    result = doctest.testfile(str(ROOT / "docs" / "how-to.md"), module_relative=False)
    assert (result.failed, result.attempted) == (0, 4)


def test_variants_that_nobody_has_solved_are_estimated():
    few = {"playouts": 20, "depth": 1}
    one = gamesman.estimate("ten_to_zero", seed=2, **few)
    assert (one["status"], one["estimated"]["seed"], one["estimated"]["random"]["games"]) == ("estimated", 2, 20)
    two = gamesman.estimate("ten_to_zero:total=4..5", **few)
    assert [each["variant"] for each in two["variants"]] == ["ten_to_zero:total=4", "ten_to_zero:total=5"]
    assert two["status"] == "estimated" and two["effects"]
    with pytest.raises(OptionError, match="got none"):
        gamesman.estimate()


def test_importing_it_is_light():
    code = "import sys, gamesman; print(*sys.modules); assert gamesman.open"
    words = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert not set(words.split()) & {"numpy", "numba", "sqlalchemy", "click", "gamesman.model.variant"}


def test_a_name_that_it_lacks_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'gamesman' has no attribute 'close'"):
        _ = gamesman.close


def test_every_position_is_answered_as_text_and_as_a_tuple(solution):
    with gamesman.open("abalone:rows=3,cols=3") as solved:
        for position, (value, remoteness) in solution.values.items():
            assert solved.probe(position) == (NAMES[value], remoteness)
        text = solved.variant.show(position)
        assert solved.get(text) == solved.probe(text) == solved.get(position)


def test_what_cannot_be_reached_raises_or_is_the_default(database):
    solution = store_solution(open_store(database), "konane")
    there_not = '(b "" wbwb bwb- w-wb)'
    with gamesman.open("konane") as solved:
        assert solved.variant.parse(there_not) not in solution.values
        with pytest.raises(NotReachable):
            solved.probe(there_not)
        with pytest.raises(NotReachable):
            solved.moves(there_not)
        assert (solved.get(there_not), solved.get(there_not, 0)) == (None, 0)
        with pytest.raises(PositionError):
            solved.get("(b bbb)")


def test_moves_lead_to_positions_with_the_values_they_say(solution):
    with gamesman.open("abalone:rows=3,cols=3") as solved:
        assert solved.moves() == solved.moves(solved.start) == solved.query().moves
        for move in solved.moves():
            found = solved.probe(move.text)
            assert found.remoteness == move.remoteness
            assert (found.value == "win") == (move.value == "lose")
        line = solved.line()
        assert len(line.moves) == line.start.remoteness == solved.probe(solved.start).remoteness


@pytest.mark.slow
def test_arrays_are_all_positions_and_their_texts_can_be_had(solution):
    with gamesman.open("abalone:rows=3,cols=3") as solved:
        found = {}
        for part in solved.arrays():
            assert (part.keys.dtype, part.values.dtype, part.remoteness.dtype) == (np.int64, np.uint8, np.int16)
            assert (np.diff(part.keys) > 0).all()
            for key, value, remoteness in zip(part.keys, part.values, part.remoteness, strict=True):
                text = solved.text(key)
                assert solved.variant.tier(solved.variant.parse(text)) == part.tier
                found[text] = int(value), int(remoteness)
        show = solved.variant.show
        assert found == {show(p): (v, -1 if v == DRAW else r) for p, (v, r) in solution.values.items()}


def test_a_place_may_be_given(tmp_path):
    store_solution(open_store(str(tmp_path)), "konane")
    with pytest.raises(NotSolved, match="konane is not solved"):
        gamesman.open("konane")
    with gamesman.open("konane", db=str(tmp_path)) as solved:
        assert solved.summary.as_json()["positions"] == 17


def test_solve_solves_what_is_not_solved_and_opens_it(database):
    with gamesman.solve("konane:rows=4") as solved:
        assert solved.probe(solved.start) == ("lose", 4)
    with open_store(database).open(variant("konane:rows=4")) as stored:
        finished = stored.summary.as_json()
    with gamesman.solve("konane:rows=4", threads=1) as solved:
        assert solved.summary.as_json() == finished


def test_compare_is_that_of_the_command_line(database):
    for name in ("konane", "konane:misere"):
        store_solution(open_store(database), name)
    found = gamesman.compare("konane:misere=*")
    assert [fields["variant"] for fields in found["variants"]] == ["konane", "konane:misere"]
    with gamesman.open("konane") as solved:
        assert solved.stats()["only_moves"] == found["variants"][0]["only_moves"]
    with pytest.raises(OptionError, match="two or more variants"):
        gamesman.compare("konane")
