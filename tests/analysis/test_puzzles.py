"""Problems are what they are said to be, the same for the same seed, and no two of them the same turned."""

import json
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from support.storing import store_solution

from gamesman.cli.main import cli
from gamesman.cli.views.problems import solution
from gamesman.db import open_store
from gamesman.model.answers import query
from gamesman.model.variant import variant

NAME = "konane:rows=4"


@pytest.fixture
def solved(database):
    return store_solution(open_store(database), NAME)


def run(*words, code=0):
    result = CliRunner().invoke(cli, ["puzzles", NAME, *words])
    assert result.exit_code == code, result.output
    return result


def problems(*words):
    return [json.loads(text) for text in run(*words, "--json").stdout.splitlines()]


def test_problems_are_won_in_so_many_moves_by_an_only_move_and_solved_by_best_play(solved):
    v = variant(NAME)
    found = problems("--win", "5", "--only-move", "-n", "8")
    assert len(found) == 8
    for problem in found:
        position, only = v.parse(problem["position"]), 0
        assert solved.values[position] == (3, 5)
        assert (problem["value"], problem["remoteness"], len(problem["solution"])) == ("win", 5, 5)
        solver = v.turn(position)
        for number, name in enumerate(problem["solution"]):
            answer = query(v, solved, position)
            best = next(move for move in answer.moves if move.name == name)
            assert best.delta == 0
            is_only = len(answer.moves) > 1 and len(answer.keeping_moves()) == 1
            assert is_only or number
            only += is_only and v.turn(position) == solver
            position = best.position
        assert v.primitive(position) >= 0
        assert problem["only_moves"] == only


def test_a_seed_draws_the_same_problems_and_another_one_others(solved):
    assert problems("--seed", "5") == problems("--seed", "5")
    assert problems("--seed", "5") != problems("--seed", "6")


def test_no_two_problems_are_the_same_turned_or_mirrored(database):
    store_solution(open_store(database), "tictactoe")
    v = variant("tictactoe")
    result = CliRunner().invoke(cli, ["puzzles", "tictactoe", "--win", "1", "-n", "500", "--json", "--quiet"])
    found = [v.parse(json.loads(text)["position"]) for text in result.stdout.splitlines()]
    classes = {min(p, *v.game.functions["symmetries"](v.rules, p)) for p in found}
    assert len(classes) == len(found) > 100


def test_a_page_has_the_problems_and_their_solutions(solved, tmp_path):
    file = tmp_path / "problems.html"
    run("--win", "3", "-n", "4", "--html", str(file))
    page, shown = file.read_text(), run("--win", "3", "-n", "4").stdout
    for problem in problems("--win", "3", "-n", "4"):
        assert " ".join(problem["solution"]) in page and problem["position"] in shown
    assert page.count("to move wins in 3") == 4


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--win", "60"], 1, "has no win in 60; there are some in 1 to"),
        (["--tie", "2"], 1, "has no position to tie; see: gamesman stats konane:rows=4"),
        (["--win", "3", "--tie", "2"], 2, "expected --win or --tie, got both"),
        (["--html", "x.txt"], 2, "must be a file that ends in .html"),
        (["-n", "0"], 2, "must be 1 or more, got 0"),
    ],
)
def test_what_cannot_be_drawn_is_told(solved, words, code, said):
    assert said in run(*words, code=code).stderr


def test_solutions_fit_a_terminal_and_moves_of_two_words_are_told_apart(solved, monkeypatch):
    whole = problems("--win", "9", "-n", "3")
    monkeypatch.setenv("COLUMNS", "40")
    lines = run("--win", "9", "-n", "3").stdout.partition("solutions\n")[2].splitlines()
    assert max(map(len, lines)) <= 40 and len(lines) > len(whole)
    assert " ".join(" ".join(lines).split()).startswith(f"1. {' '.join(whole[0]['solution'])}")
    puzzle = SimpleNamespace(solution=["A4 B4", "C5 C6"], only_moves=0)
    assert solution(puzzle) == "A4 B4, C5 C6"


def test_a_position_without_a_board_is_written_once(database):
    store_solution(open_store(database), "ten_to_zero")
    for words in (["puzzles", "ten_to_zero", "--win", "3", "-n", "1"], ["line", "ten_to_zero", "(1 4)", "--boards"]):
        result = CliRunner().invoke(cli, words)
        assert (result.exit_code, result.stdout.count("(1 4)")) == (0, 1), result.output
