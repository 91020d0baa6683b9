"""A game file of the user's is served as it is, by a name that is no path; the server starts, says so and ends."""

import json
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import ROOT
from support.serving import serving
from support.storing import store_solution

from gamesman.cli.main import cli
from gamesman.db import open_store

pytestmark = pytest.mark.slow


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The game of CONTRIBUTING, in a folder whose name nobody is to learn."""
    home = tmp_path / "secret place"
    home.mkdir()
    (code,) = re.findall(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL)[:1]
    (home / "mygame.py").write_text(code)
    monkeypatch.chdir(home)
    return Path("./mygame.py")


def test_the_game_of_contributing_is_served_by_its_name(file, database):
    store_solution(open_store(database), "./mygame.py:total=4")
    with serving(db=database, files=("./mygame.py",), is_local=False) as client:
        assert {"name": "mygame", "title": client.ask("/api/v1/info", variant="mygame").json["title"]} in client.ask(
            "/api/v1/games"
        ).json
        told = client.ask("/api/v1/positions", variant="mygame:total=4").json
        assert told["value"] == "win" and [move["move"] for move in told["moves"]] == ["1", "2"]
        assert [each["variant"] for each in client.ask("/api/v1/variants").json] == ["mygame:total=4"]
        assert client.ask("/api/v1/stats", variant="mygame:total=4").json["variant"] == "mygame:total=4"
        assert client.ask("/api/v1/moves", variant="mygame:total=20").json["moves"]
        wrong = [
            client.ask("/api/v1/positions", variant="mygame:total=5"),
            client.ask("/api/v1/positions", variant="mygame:total=4", p="(2 4)"),
            client.ask("/api/v1/positions", variant="mygame:total=4", p="((("),
            client.ask("/api/v1/positions", "POST", {"variant": "mygame:total=4", "positions": ["(2 4)"]}),
            client.ask("/api/v1/stats", variant="mygame:total=5"),
            client.ask("/api/v1/info", variant="./mygame.py"),
            client.ask("/api/v1/info", variant=str(file.resolve())),
        ]
        assert [each.status for each in wrong] == [409, 404, 400, 200, 409, 404, 404]
        assert not [each.body for each in wrong[:-1] if b"secret" in each.body or database.encode() in each.body]
        assert wrong[0].json["command"] == "gamesman solve mygame.py:total=5"


def test_what_is_wrong_with_a_game_is_told_and_nothing_is_called_a_bug(file, database):
    text = file.read_text()
    file.write_text(text.replace("    return str(move)", "    return str(move)[move]"))
    with serving(db=database, files=("./mygame.py",)) as client:
        for address in ("/api/v1/info", "/play/position"):
            told = client.ask(address, variant="mygame")
            assert (told.status, told.json["title"]) == (422, "The game is broken")
            assert told.json["detail"].startswith("mygame.py: move_name must not fail, got IndexError: ")
            assert told.json["detail"].endswith(", at (1 10)")


FAULTY = "    return str(move) if position not in ((3, 0), (7000, 0)) else open('/no such place/at all')"


@pytest.mark.parametrize("is_local", [True, False])
@pytest.mark.parametrize("total, at", [(20, 3), (10_000, 7000)])  # the check meets one of them
def test_a_fault_met_later_is_the_games_and_names_function_and_line(file, database, capfd, is_local, total, at):
    text = file.read_text()
    store_solution(open_store(database), "./mygame.py:total=20")
    file.write_text(text.replace("    return str(move)", FAULTY))
    line = file.read_text().splitlines().index(FAULTY) + 1
    with serving(db=database, files=("./mygame.py",), is_local=is_local) as client:
        asked = [("/api/v1/moves", total, at)] + [("/api/v1/positions", 20, 3)] * (total == 20)
        for address, options, left in asked:
            told = client.ask(address, variant=f"mygame:total={options}", p=f"(1 {left})")
            assert (told.status, told.json["type"]) == (422, "urn:gamesman:problem:broken-game")
            assert re.search(rf"mygame\.py.*line {line}\b", told.json["detail"]) and "move_name" in told.json["detail"]
            assert (b"secret" in told.body, b"/no such place" in told.body) == (False, is_local)
    assert "Traceback" not in capfd.readouterr().err


def test_two_files_of_one_name_and_one_named_like_ours_have_names_of_their_own(file, database):
    others = [Path("a/mygame.py"), Path("konane.py")]
    for other in others:
        other.parent.mkdir(exist_ok=True)
        other.write_text(file.read_text())
    with serving(db=database, files=("./mygame.py", *map(str, others))) as client:
        names = [each["name"] for each in client.ask("/api/v1/games").json]
        assert names[-3:] == ["mygame", "mygame-2", "konane-2"]
        assert client.ask("/api/v1/moves", variant="konane-2").json["position"] == "(1 10)"


def test_the_server_says_its_address_and_ends_with_ctrl_c(file, database):
    command = [sys.executable, "-m", "gamesman", "serve", "./mygame.py", "--port", "0", "--root-path", "/games"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    said = process.stdout.readline()
    address = re.search(r"(http://127.0.0.1:\d+)/games/", said)[1]
    for prefix in ("/games", ""):  # a proxy may take it off
        with urllib.request.urlopen(f"{address}{prefix}/api/v1/moves?variant=mygame", timeout=60) as answer:
            assert json.load(answer)["position"] == "(1 10)"
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "") and "./mygame.py among them" in said


@pytest.mark.parametrize(
    "words, said",
    [
        (["nothing.py"], "no such game file"),
        (["konane"], "expected a game file like ./mygame.py"),
        (["--host", "nowhere.invalid"], "--host must be an address of this machine"),
        (["--host", "192.0.2.1"], "--host must be an address of this machine"),
        (["--port", "x"], "--port"),
        (["--port", "70000"], "--port"),
        (["--root-path", "games"], "--root-path must be a path like /games"),
        (["--root-path", "/a?b"], "--root-path must be a path like /games"),
        (["--memory", "lots"], "--memory must be a size"),
        (["--db", "mysql://x/y"], "expected a folder"),
    ],
)
def test_a_wrong_call_is_said_in_a_line(words, said, monkeypatch):
    monkeypatch.setattr("gamesman.web.running.run", None)  # or a call that is taken for right would not end
    result = CliRunner().invoke(cli, ["serve", *words])
    assert result.exit_code == 2 and said in result.stderr and result.stderr.count("\n") == 1


def test_a_port_that_is_taken_is_said(database):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        result = CliRunner().invoke(cli, ["serve", "--port", str(taken.getsockname()[1])])
    assert result.exit_code == 1 and "is taken; give another: --port" in result.stderr
