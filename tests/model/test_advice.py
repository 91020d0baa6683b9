"""What errors say to type next: it can be typed as it stands, and asks the same database."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import ROOT
from support.storing import store_solution

import gamesman
from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.errors import NoAnswer, NotReachable, NotSolved
from gamesman.model.advice import asking, command
from gamesman.model.variant import variant

TAKE = ROOT / "games" / "ten_to_zero.py"


def ran(*words, typed=None):
    result = CliRunner().invoke(cli, [str(word) for word in words], input=typed)
    assert "Traceback" not in result.output
    return result


def advised(text):
    """Return the words of the command that a line ends with."""
    return shlex.split(re.search(r"gamesman ([a-z]+ .*?)(; |$)", text.splitlines()[-1])[1])


@pytest.mark.parametrize(
    "words",
    [
        ["query", "konane:rows=4"],
        ["line", "konane:removed=c2,b2"],
        ["stats", "konane", "konane:rows=4"],
        ["compare", "konane", "konane:rows=4"],
        ["verify", 'konane:start=(b "" wb- -bw)'],
        ["export", "konane:rows=4", "all.csv"],
        ["play", "konane:rows=4", "--strength", "perfect", "--side", "none"],
    ],
)
def test_a_variant_that_is_not_solved_is_solved_by_what_is_advised(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "it's here"
    store_solution(open_store(str(folder)), "konane")
    result = ran(*words, "--db", folder)
    assert result.exit_code == 1
    typed = advised(result.stderr)
    assert typed[0] == "solve"
    assert typed[2:] == ["--db", str(folder)]
    store_solution(open_store(str(folder)), typed[1])
    assert "is not solved" not in ran(*words, "--db", folder).output
    assert "--db" not in ran(*words).stderr


def test_a_position_that_cannot_be_reached_is_asked_in_the_same_place(tmp_path):
    store_solution(open_store(str(tmp_path)), "konane")
    position = '(w "" bbbb bbb- b-bb)'
    typed = advised(ran("query", "konane", position, "--db", tmp_path).stderr)
    assert typed == ["solve", f"konane:start={position}", "--db", str(tmp_path)]
    assert variant(typed[1]).start() == variant("konane").parse(position)


def test_what_is_advised_in_a_game_file_with_a_quote_in_its_name_can_be_typed(tmp_path, database):
    game = tmp_path / "it's $mine.py"
    shutil.copy(TAKE, game)
    assert advised(ran("query", game).stderr) == ["solve", str(game)]
    store_solution(open_store(database), str(game))
    typed = advised(ran("query", game, "(2 10)").stderr)
    assert typed == ["search", str(game), "(2 10)"]
    assert ran(*typed, "--depth", "2").exit_code == 0


def test_a_file_whose_name_looks_like_an_option_is_no_option():
    with asking("x"):
        assert command("solve", "-my.py") == "gamesman solve --db x -- -my.py"


def test_no_password_is_shown():
    for place in ("postgresql://me:sec:ret@server/all", "postgresql://server/all?user=me&password=sec:ret&x=1"):
        assert "ret" not in command("solve", "konane", db=place)


def test_from_python_the_place_is_told_as_it_was_given(tmp_path):
    with pytest.raises(NotSolved, match=f"gamesman solve konane --db {tmp_path}$"):
        gamesman.open("konane", str(tmp_path))
    store_solution(open_store(str(tmp_path)), "konane")
    with gamesman.open("konane", str(tmp_path)) as solved:
        for ask in (solved.probe, solved.query, solved.line, solved.moves):
            with pytest.raises(NotReachable, match=f"gamesman solve 'konane:start=.*' --db {tmp_path}$"):
                ask('(w "" bbbb bbb- b-bb)')


def test_verify_on_threads_tells_the_place(tmp_path):
    from gamesman.machine.workers import Workers

    def fail():
        raise NoAnswer(command("solve", "konane"))

    workers = Workers(2)
    with asking("there"), pytest.raises(NoAnswer, match="--db there"):
        workers.run([fail, fail])
    workers.close()


def test_of_several_variants_the_line_says_which(database, monkeypatch):
    for name in ("konane", "konane:misere"):
        store_solution(open_store(database), name)
    (broken,) = Path(database).glob("konane.misere*")
    broken.write_bytes(broken.read_bytes()[:5000])
    for words in (["solve"], ["stats"], ["compare"]):
        result = ran(*words, "konane", "konane:misere")
        assert result.exit_code == 1
        assert result.stderr.startswith("konane:misere: ")
        assert " is cut short" in result.stderr
    assert "konane:misere: " not in ran("stats", "konane:misere").stderr
    monkeypatch.setattr("gamesman.app.sources.MOST_POSITIONS", 100)
    few = ran("solve", "konane:rows=4", "konane:rows=5", "--reference")
    assert [line.split(" has ")[0] for line in few.stderr.splitlines()] == ["konane:rows=4", "konane:rows=5"]


@pytest.mark.slow
def test_a_whole_run_of_the_program_tells_the_place(tmp_path):
    words = [sys.executable, "-m", "gamesman", "query", "konane", "--db", str(tmp_path)]
    run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert run.stderr == f"konane is not solved; run: gamesman solve konane --db {tmp_path}\n"
