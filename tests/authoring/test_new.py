"""`gamesman new` writes a game that is right as it is, and writes over nothing."""

import pytest

from gamesman.cli.main import cli
from gamesman.errors import CallError
from gamesman.model.beginning import first_file
from gamesman.model.check import check
from gamesman.model.variant import variant
from gamesman.solver import reference

BOARDS = ["1x1", "1x5", "3x3", "4x4", "5x6", "hex2", "hex3"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*words):
    return cli.main(["new", *words], standalone_mode=False)


@pytest.mark.parametrize("board", BOARDS)
def test_what_is_written_passes_the_check(folder, board):
    assert call("my_game", "--board", board) == 0
    assert check(variant("my_game.py"), 300) >= 1
    assert "My game: put a stone" in variant("my_game.py").game.title


def test_what_is_written_is_solved_and_the_board_is_an_option(folder):
    call("mygame", "--board", "2x3")
    solved = [reference.solve(variant(f"mygame.py{options}")).summary.as_json() for options in ("", ":rows=1,cols=1")]
    assert [(fields["positions"], fields["value"], fields["remoteness"]) for fields in solved] == [
        (105, "lose", 4),
        (2, "win", 1),
    ]


@pytest.mark.slow
def test_what_is_written_is_compiled_solved_and_proved(folder, capsys):
    call("mygame", "--board", "3x3")
    assert cli.main(["solve", "mygame.py"], standalone_mode=False) == 0
    assert "to move" in capsys.readouterr().out


def test_a_file_that_is_there_is_not_touched(folder, capsys):
    (folder / "mygame.py").write_text("mine")
    assert call("mygame") == 2
    assert capsys.readouterr().err == "mygame.py is there already; give another name\n"
    assert (folder / "mygame.py").read_text() == "mine"


@pytest.mark.parametrize("name", ["my-game", "", "1st", "a b"])
def test_a_name_that_is_none_in_python_is_refused(folder, name):
    assert call(name) == 2
    assert not list(folder.iterdir())


def test_a_path_that_no_system_has_is_refused_in_a_line(folder, capsys):
    assert call("no\0where/mine.py") == 2
    said = capsys.readouterr().err
    assert said.endswith("mine.py cannot be written: embedded null byte; give another place\n")
    assert said.count("\n") == 1


@pytest.mark.parametrize("board", ["", "4", "4x", "0x4", "6x6", "1x27", "hex1", "hex4", "4x4x4"])
def test_a_board_that_is_none_or_too_large_is_refused(board):
    with pytest.raises(CallError, match="rows by columns like 4x4"):
        first_file("mygame", board)
