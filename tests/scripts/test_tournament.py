"""The tournament measures what it says: pairs of games, shares of points, positions in which one can go wrong."""

import random
import subprocess
import sys

import pytest
from click.testing import CliRunner
from support import ROOT
from support.programs import script

from gamesman.errors import CallError
from gamesman.model.variant import variant
from gamesman.play.players import Strength
from gamesman.solver.reference import solve
from gamesman.values import LOSE, negate

pytestmark = pytest.mark.slow

tournament = script("tournament")
Score, elo, kept, main, match = tournament.Score, tournament.elo, tournament.kept, tournament.main, tournament.match
as_problem, openings = tournament.as_problem, tournament.openings


class Reference:
    def __init__(self, v):
        self.solution = solve(v)
        self.probe, self.probe_many = self.solution.probe, self.solution.probe_many


def test_the_elo_difference_is_that_of_the_share():
    assert elo(0.5) == 0
    assert elo(0.25) == pytest.approx(-elo(0.75))
    assert Score(0, 10, 0, 0.0).elo() == "+0 (+0 to +0)"
    assert Score(100, 0, 0, 0.0).elo().startswith("over +")
    assert Score(0, 0, 100, 0.0).elo().startswith("under -")
    assert Score(1, 2, 1, 0.0).share == 0.5


def test_openings_differ_and_come_again_with_the_same_seed():
    v = variant("hex_abalone")
    found = list(openings(v, 20, 4, random.Random(1)))
    assert len({tuple(moves) for moves in found}) == 20
    assert {len(moves) for moves in found} == {4}
    assert found == list(openings(v, 20, 4, random.Random(1)))
    assert found != list(openings(v, 20, 4, random.Random(2)))
    with pytest.raises(CallError, match="expected 20 different openings of 1 moves, found 1"):
        list(openings(variant("konane:rows=4"), 20, 1, random.Random(1)))


def test_openings_with_tables_end_just_above_these():
    class Tables:
        endgames = variant("ctf:size=4,up_to=2")

    v, counts = variant("ctf:size=4"), set()
    for moves in openings(v, 5, 2, random.Random(1), Tables()):
        position = v.start()
        for move in moves:
            position = v.do_move(position, move)
        counts.add(Tables.endgames.tier(position))
        assert len(moves) >= 2
    assert counts == {3}


def test_a_program_is_as_strong_as_itself_and_stronger_than_random_play():
    v = variant("konane:rows=6,cols=6")
    equal = match(v, Strength("depth", 2), Strength("depth", 2), 5, 4, 1)
    assert (equal.wins, equal.losses) == (5, 5)
    better = match(v, Strength("depth", 3), Strength("random"), 15, 4, 1)
    assert better.games == 30
    assert better.share > 0.75
    worse = match(v, Strength("random"), Strength("depth", 3), 15, 4, 1)
    assert worse.share < 0.25


def test_a_problem_is_a_position_in_which_one_can_go_wrong():
    v = variant("ctf:size=3")
    stored = Reference(v)
    problems = [p for p in (as_problem(v, stored, position) for position in stored.solution.values) if p]
    assert 1000 < len(problems) < len(stored.solution.values)
    for problem in problems[:300]:
        value = stored.probe(problem.position)[0]
        assert value != LOSE
        worth = {m: negate(stored.probe(v.do_move(problem.position, m))[0]) for m in v.generate_moves(problem.position)}
        assert problem.moves == len(worth) > len(problem.keeping) > 0
        assert all((worth[m] == value) == (m in problem.keeping) for m in worth)


def test_the_deeper_a_search_the_more_often_it_keeps_the_value():
    v = variant("konane:rows=4,cols=5")
    stored = Reference(v)
    problems = [p for p in (as_problem(v, stored, position) for position in stored.solution.values) if p][:300]
    shares = [kept(v, problems, Strength.read(text)) for text in ("random", "depth=2", "depth=20")]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert 0 < shares[0] < shares[1]


def test_it_prints_tables_in_markdown():
    result = CliRunner().invoke(main, ["konane:rows=6,cols=6", "random", "depth=2", "--pairs", "3", "--opening", "4"])
    assert result.exit_code == 0
    head, line, row = result.stdout.splitlines()
    assert head.count("|") == line.count("|") == row.count("|")
    assert row.startswith("| depth=2 against random | ")


def test_against_solved_values(database):
    subprocess.run([sys.executable, "-m", "gamesman", "solve", "ctf:size=3", "--quiet"], cwd=ROOT, check=True)
    result = CliRunner().invoke(main, ["ctf:size=3", "random", "depth=6", "--solved", "--positions", "50"])
    assert result.exit_code == 0, result.output
    head, _, chance, deep = result.stdout.splitlines()
    assert head.startswith("| ctf:size=3, 50 positions | keeps the value |")
    assert float(chance.split("|")[2].strip(" %")) < float(deep.split("|")[2].strip(" %"))


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["konane", "random"], 2, "expected two strengths or more to play each other, got one: random"),
        (["konane", "random", "perfect"], 2, "depth=N, time=S or random, got perfect"),
        (["ctf:size=2", "random", "--solved"], 1, "ctf:size=2 has no position in which a move can be wrong"),
    ],
)
def test_what_cannot_be_measured_is_said_in_a_line(words, code, said, database):
    subprocess.run([sys.executable, "-m", "gamesman", "solve", "ctf:size=2", "--quiet"], cwd=ROOT, check=True)
    command = [sys.executable, "scripts/tournament.py", *words]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (result.returncode, result.stderr.count("\n")) == (code, 1)
    assert said in result.stderr


def test_what_is_not_solved_is_said_in_a_line():
    command = [sys.executable, "scripts/tournament.py", "konane", "random", "--solved"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (1, "konane is not solved; run: gamesman solve konane\n")
