"""What is too large by its numbers is refused before anything is loaded, and some more of it before it is solved."""

import os
import subprocess
import sys

import pytest

from gamesman.compiler.agreement import check_compiled
from gamesman.compiler.compile import compiler_for, rules_for
from gamesman.errors import TooLarge
from gamesman.machine.memory import Allowance
from gamesman.machine.workers import Workers
from gamesman.model.progress import Silent
from gamesman.model.symmetry import in_use
from gamesman.model.variant import variant
from gamesman.solver import upfront
from gamesman.solver.dense import Dense
from gamesman.solver.estimate import Sampler
from gamesman.solver.forecast import Forecast
from gamesman.solver.solve import solve

PROGRAM = """
import sys
from gamesman import app
from gamesman.errors import TooLarge
from gamesman.model.variant import variant
try:
    app.solve(variant(sys.argv[1]), memory=4 << 30)
except TooLarge as error:
    print(error)
    print({"numba", "numpy"} & set(sys.modules))
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["othello", "domineering", "quixo", "hex_abalone", "konane:rows=8,cols=9"])
def test_what_its_numbers_show_to_be_too_large_is_refused_before_anything_is_loaded(name, database):
    command = [sys.executable, "-c", PROGRAM, name]
    done = subprocess.run(command, env={**os.environ, "PYTHONPATH": os.getcwd()}, capture_output=True, text=True)
    said, loaded = done.stdout.splitlines()
    assert said.startswith(name) and ("2**63" in said or "GB allowed" in said)
    assert loaded == "set()"
    assert os.listdir(database) == []


class Phases(Silent):
    def __init__(self):
        self.phases = []

    def start(self, phase, total=None):
        self.phases.append(phase)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["connect4", "clobber"])
def test_what_games_show_to_be_far_too_large_is_refused_before_it_is_compiled_whole(name, monkeypatch):
    monkeypatch.setattr("gamesman.compiler.agreement.is_checked", lambda *_: False)
    progress = Phases()
    with pytest.raises(TooLarge, match=rf"^{name}, which has at least [\d,]+,000 positions .* allowed"):
        solve(variant(name), memory=Allowance(None).used() + (200 << 20), progress=progress)
    (phase,) = progress.phases
    assert phase.startswith(f"looking how large {name} is")


@pytest.mark.parametrize("name", ["konane:rows=5,cols=6", "dodgem", "mu_torere", "ten_to_zero"])
def test_nobody_looks_how_large_a_game_is_whose_numbers_are_few(name):
    assert not upfront.is_doubtful(variant(name), Allowance(20 << 30))


def test_a_game_whose_numbers_are_many_is_looked_at():
    assert upfront.is_doubtful(variant("ctf"), Allowance(20 << 30))


@pytest.fixture
def played(monkeypatch):
    """Return how many games were asked for, each time that games are played at random."""
    asked, play = [], Sampler.play

    def counted(self, keys, games, seconds, most):
        asked.append(games)
        return play(self, keys, games, seconds, most)

    monkeypatch.setattr(Sampler, "play", counted)
    return asked


@pytest.mark.slow
def test_a_small_game_whose_numbers_are_many_is_looked_at_before_it_is_compiled_and_no_more(played):
    v = variant("ctf:size=4")
    assert upfront.is_doubtful(v, Allowance(20 << 30))
    solve(v, memory=20 << 30)
    played.clear()
    solve(v, memory=20 << 30)
    assert played == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "memory", "rounds"), [("ctf:size=4", 20 << 30, 1), ("konane:rows=6,cols=6", 4 << 30, 2)]
)
def test_games_are_played_ahead_until_it_is_clear_or_more_of_them_do_not_help(name, memory, rounds, played):
    v = variant(name)
    symmetry = in_use(v)
    compiler, rules = compiler_for(v, symmetry), rules_for(v, symmetry)
    given = name, compiler.kernel, compiler.functions, rules, v.hash(v.start())
    Forecast(*given, Allowance(memory), is_stored=True).look_ahead()
    assert played == [20_000, 80_000][:rounds]


def test_a_refusal_says_what_is_needed_at_least_and_which_variant_was_solved():
    with pytest.raises(TooLarge, match="the largest that was solved is quixo:size=4") as refused:
        solve(variant("quixo"), memory=4 << 30)
    assert refused.value.needed > 500 << 30


@pytest.mark.slow
def test_up_to_symmetry_arrays_are_refused_only_when_they_come_to_need_more_than_there_is():
    v = variant("teeko:size=4")
    symmetry = in_use(v)
    compiler, rules, workers = compiler_for(v, symmetry), rules_for(v, symmetry), Workers(1)
    start = v.tier(v.start()), v.hash(v.start())
    check_compiled(v, compiler, symmetry)  # which takes memory

    def enumerate_in(spare, **how):
        allowance = Allowance(None)
        allowance.limit = allowance.used() + spare
        upfront.refuse(v, allowance)
        Dense(v, compiler, rules, workers, allowance, symmetry, **how).enumerate(*start, lambda tier, count: None)

    enumerate_in(64 << 20)
    with pytest.raises(
        TooLarge, match="^teeko:size=4, which has .* positions, reachable or not, needs at least"
    ) as refused:
        enumerate_in(3 << 20)
    assert 0 < refused.value.positions[0] < refused.value.positions[1] < v.key_bound()
    enumerate_in(3 << 20, is_solved=False)
