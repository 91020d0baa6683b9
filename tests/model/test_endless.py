"""A function that does not return is named with its line, at whatever position it is."""

import threading

import numpy as np
import pytest
from support import SUPPORT

from gamesman.model import endless
from gamesman.model.variant import variant
from gamesman.solver.dense import Dense
from gamesman.solver.kernels.places import CHUNK_BITS, DIRTY, NEW, SWEPT
from gamesman.solver.solve import solve
from gamesman.solver.sparse import Enumeration

SECONDS = 3.0
GOES_ON = """
from pathlib import Path

def goes_on():
    if Path(__file__ + ".").exists():
        raise RuntimeError("the test is over")
    return True
"""


@pytest.fixture
def ending(tmp_path, monkeypatch):
    """A copy of a game that fails wherever it is asked as soon as the test is over: a thread cannot be ended."""

    def write(name, loop):
        text = (SUPPORT / name).read_text()
        assert loop in text
        path = tmp_path / name
        path.write_text(f"{text.replace(loop, f'goes_on() and {loop}')}{GOES_ON}")
        return path

    yield write
    for path in tmp_path.glob("*.py"):
        path.with_name(path.name + ".").touch()
    for thread in threading.enumerate():
        if thread.name == "gamesman-endless":
            thread.join()


LOOPS = {
    "loop": ("generate_moves", "is_there(rules, position, LOOP)"),
    "endless": ("undo_moves", "is_there(rules, position, ENDLESS)"),
}


@pytest.mark.slow
@pytest.mark.parametrize("fault", LOOPS)
def test_it_is_found_from_the_start_on(fault, ending):
    function, loop = LOOPS[fault]
    game = variant(f"{ending('faulty.py', loop)}:fault={fault},floors=20")
    line = next(i for i, line in enumerate(game.game.path.read_text().splitlines(), 1) if loop in line)
    found = endless.seek(game, SECONDS)
    assert found in [f"{function} does not return (line {n} of faulty.py), at (5 55 0)" for n in (line, line + 1)]


@pytest.mark.slow
def test_it_is_found_far_from_the_start_where_it_is_told_what_compiled_code_is_at(ending):
    game = variant(f"{ending('endless.py', 'rules.at and position')}:size=1000000,at=1000")
    assert endless.seek(game, 0.5) == ""
    with endless.suspected(lambda: range(900, 1100)):
        assert endless.seek(game, SECONDS).endswith(", at (1000)")
    with endless.suspected(lambda: range(1001, 1100)):
        assert endless.seek(game, 0.5) == ""


def test_moves_that_never_end_are_named(tmp_path):
    path = tmp_path / "yields.py"
    path.write_text((SUPPORT / "endless.py").read_text().replace("n ^= 1", "yield n"))
    said = "generate_moves must come to an end, got 100,000 moves and more, at (50)"
    assert endless.seek(variant(f"{path}:size=100,at=50"), SECONDS) == said


def test_a_game_without_such_a_fault_is_not_blamed():
    assert endless.seek(variant(f"{SUPPORT}/faulty.py:floors=20"), SECONDS) == ""
    assert endless.seek(variant(f"{SUPPORT}/faulty.py:floors=1000"), 0.1) == ""


@pytest.mark.slow
@pytest.mark.parametrize("at_once", [10, 1000])
def test_the_solver_tells_which_few_positions_are_expanded(at_once, monkeypatch):
    seen, most, empty = set(), 0, Enumeration._empty

    def look(self, *arguments):
        nonlocal most
        (keys,) = endless._suspects
        at_work = list(keys())
        seen.update(at_work)
        most = max(most, len(at_work))
        empty(self, *arguments)

    monkeypatch.setattr(Enumeration, "_empty", look)
    monkeypatch.setattr(endless, "AT_ONCE", at_once)
    game = variant(f"{SUPPORT}/faulty.py:floors=20")
    solve(game, threads=1)
    assert 0 < most <= at_once and not endless._suspects
    assert at_once == 10 or game.hash((5, 59, 0)) in seen


@pytest.mark.slow
def test_where_positions_are_in_arrays_it_tells_those_of_a_chunk_that_is_not_done(monkeypatch):
    held, enumerate = [], Dense.enumerate

    def note(self, *arguments):
        enumerate(self, *arguments)
        at = game.hash((5, 55, 0))
        assert list(self._at_work()) == []
        was, self._known[at], self.at = self._known[at], NEW, 5
        held.extend(self._at_work())
        self._known[at] = was

    game = variant(f"{SUPPORT}/faulty.py:floors=20,dense")
    monkeypatch.setattr(Dense, "enumerate", note)
    solve(game, threads=1)
    assert held == [game.hash((5, 55, 0))]


def test_a_chunk_that_is_noted_again_while_it_is_expanded_comes_after_those_that_are_not():
    chunk = 1 << CHUNK_BITS
    dense = object.__new__(Dense)
    dense.at, dense._spans = 0, {0: (0, 4 * chunk)}
    dense._known, dense._dirty = np.zeros(4 * chunk, np.uint8), np.array([SWEPT, DIRTY, SWEPT, SWEPT], np.uint8)
    dense._known[[chunk + 7, 2 * chunk + 7, 3 * chunk + 7]] = NEW
    assert list(dense._at_work()) == [2 * chunk + 7, 3 * chunk + 7, chunk + 7]
