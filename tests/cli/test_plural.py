"""Players whose names are plural do what they do in the plural, wherever anything is said of them."""

from pathlib import Path

import pytest
from click import unstyle
from click.testing import CliRunner
from support.storing import store_solution

from gamesman.cli.display import worth
from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.games import ten_to_zero
from gamesman.model.variant import variant
from gamesman.play.record import GameRecord

HUNTED = variant("hare_and_hounds")


@pytest.mark.parametrize(
    "player, value, remoteness, said",
    [
        (0, "win", 5, "Hounds to move win in 5"),
        (1, "win", 5, "Hare to move wins in 5"),
        (0, "lose", 0, "Hounds have lost"),
        (1, "lose", 0, "Hare has lost"),
        (0, "draw", None, "Hounds to move draw: neither side can force an end"),
    ],
)
def test_what_a_position_is_worth(player, value, remoteness, said):
    position = (*HUNTED.start()[:2], player)
    assert unstyle(worth(HUNTED, position, value, remoteness)) == said


def test_how_a_game_has_ended():
    game = GameRecord(HUNTED)
    game.resigned = 1
    assert game.end.reason == "Hare has resigned"
    game.resigned = 0
    assert game.end.reason == "Hounds have resigned"


@pytest.mark.slow
def test_statistics_problems_and_games_against_a_program(database):
    store_solution(open_store(database), HUNTED.name)

    def run(*words, given=None):
        result = CliRunner().invoke(cli, [*words, HUNTED.name], input=given)
        assert result.exit_code == 0, result.output
        return result.stdout

    assert "Hounds win " in run("stats") and "of their turns, Hare " in run("stats")
    assert "Hounds to move win in " in run("query")
    assert {"Hounds to move win in 3", "Hare to move wins in 3"} <= {
        line.partition(". ")[2] for line in run("puzzles", "-n", "30").splitlines()
    }
    said = run("play", "--side", "none", "--other", "random")
    assert "Hounds play " in said and "Hare plays " in said and "Hounds have won" in said


@pytest.mark.slow
def test_a_function_of_that_name_is_the_author_s_own(tmp_path):
    (tmp_path / "own.py").write_text(Path(ten_to_zero.__file__).read_text() + "\n\ndef plural():\n    return 'men'\n")
    result = CliRunner().invoke(cli, ["solve", str(tmp_path / "own.py"), "--db", str(tmp_path), "--quiet"])
    assert result.exit_code == 0 and "Player 1 to move" in result.stdout
