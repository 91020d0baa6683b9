"""The command line over a database: the same answers as from the reference solver, and what is not there."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner
from support import ROOT
from support.storing import store_solution

from gamesman.cli.main import cli
from gamesman.db import open_store


def run(*words, stdin=None):
    result = CliRunner().invoke(cli, [*words], input=stdin)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def solved(database):
    """A variant that is stored where the commands look."""
    store_solution(open_store(), "konane:rows=4,any_piece")
    return "konane:rows=4,any_piece"


@pytest.mark.parametrize("command", ["query", "line"])
@pytest.mark.parametrize("more", [[], ["--json"]], ids=["page", "json"])
def test_answers_from_the_database_are_those_of_the_reference_solver(solved, command, more):
    answer = run(command, solved, *more)
    assert answer == run(command, solved, "--reference", *more)
    assert answer[0] == 0 and len(answer[1]) > 100


def test_every_position_from_standard_input_is_answered_as_the_reference_solver_does(solved):
    positions, waiting = {}, ['(w "" bwbw wbwb b--w wbwb)']
    while waiting and len(positions) < 200:
        code, found, _ = run("query", solved, "-", "--json", stdin="\n".join(waiting))
        assert code == 0
        fields = [json.loads(line) for line in found.splitlines()]
        positions |= {each["position"]: each for each in fields}
        children = {move["position"] for each in fields for move in each["moves"]}
        waiting = sorted(children - positions.keys())
    assert len(positions) >= 200
    expected = run("query", solved, "-", "--json", "--reference", stdin="\n".join(positions))[1]
    assert [json.loads(line) for line in expected.splitlines()] == list(positions.values())


def test_what_is_not_solved_says_how_to_solve_it(database):
    line = "konane:rows=4 is not solved; run: gamesman solve konane:rows=4\n"
    assert run("query", "konane:rows=4,cols=4") == (1, "", line)
    assert run("line", "konane:rows=4,cols=4") == (1, "", line)
    assert os.listdir(database) == []


def test_an_unreachable_position_of_a_stored_variant_says_how_to_solve_from_there(solved):
    position = '(b "" bwbw wbwb bwbw ----)'
    code, found, errors = run("query", solved, position)
    assert (code, found, len(errors.splitlines())) == (1, "", 1)
    assert f"{position} cannot be reached from the start of {solved}; to solve from there: gamesman solve '" in errors


def test_solving_what_is_solved_says_so(solved):
    code, found, _ = run("solve", solved, "--json")
    fields = json.loads(found)
    assert (code, fields["variant"], fields["status"]) == (0, solved, "already solved")
    assert fields["database_bytes"] > 0
    assert run("solve", solved)[1].startswith(f"{solved} is already solved: White to move ")


def test_db_names_another_place(solved, tmp_path):
    assert run("query", solved, "--db", str(tmp_path / "empty"))[0] == 1
    store_solution(open_store(str(tmp_path / "other")), "konane")
    assert run("query", "konane")[0] == 1
    assert run("query", "konane", "--db", str(tmp_path / "other"))[0] == 0


@pytest.mark.slow
@pytest.mark.parametrize("words", [["query"], ["line"], ["solve"]], ids=str)
def test_asking_a_database_imports_neither_numba_nor_numpy(solved, words):
    code = "import sys; from gamesman.cli.main import cli; cli.main(standalone_mode=False); print('@', *sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code, *words, solved], cwd=ROOT, capture_output=True, text=True, check=True
    )
    modules = set(result.stdout.splitlines()[-1].split())
    assert "gamesman.db.reader" in modules
    assert not modules & {"numba", "numpy", "tqdm", "gamesman.db.writer"}


def test_solve_stores_what_query_answers_from(database):
    code, found, errors = run("solve", "konane:rows=3..4", "--threads", "1", "--memory", "6G", "--json")
    first, second = map(json.loads, found.splitlines())
    assert (code, errors, first["status"], second["status"]) == (0, "", "solved", "solved")
    assert second["counts"] == {"win": 779, "lose": 500, "tie": 0, "draw": 0}
    assert second["database_bytes"] > 0
    assert run("query", "konane:rows=4") == run("query", "konane:rows=4", "--reference")
    again = json.loads(run("solve", "konane", "--json")[1])
    assert {**again, "status": "solved"} == first
    assert json.loads(run("solve", "konane", "--restart", "--json")[1])["status"] == "solved"


def test_of_a_range_a_variant_too_large_is_named_and_the_others_are_solved(database):
    code, found, errors = run("solve", "konane:rows=3|26,cols=4|26", "--json")
    fields = {each["variant"]: each for each in map(json.loads, found.splitlines())}
    assert (code, errors) == (1, "")
    assert fields["konane"]["status"] == "solved"
    assert "konane:rows=26,cols=26 cannot be solved" in fields["konane:rows=26,cols=26"]["error"]
