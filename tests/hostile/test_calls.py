"""Wrong calls over all commands, drawn at random: one line that helps, exit code 1 or 2, and never a traceback."""

import json
import os
import signal
import string
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner
from support import ROOT, SUPPORT
from support.chance import chance, rounds

from gamesman.cli.main import cli
from gamesman.model.game import built_in

PROGRAM = [sys.executable, "-m", "gamesman"]
GAMES = [
    "konane",
    "konane:rows=3,cols=3",
    "tictactoe",
    "ten_to_zero",
    "abalone:rows=3,cols=3",
    "chomp:rows=2,cols=3",
    "clobber:rows=2,cols=3",
    "connect4:rows=2,cols=3",
    "dodgem:size=2",
    "domineering:rows=2",
    "hare_and_hounds",
    "mu_torere",
    "othello:rows=2",
    "quixo:size=2",
    "tapatan",
    "teeko:size=3,pieces=2",
    str(SUPPORT / "graph_game.py"),
]
POSITIONS = ['(w "" wbwb bwb- w-wb)', '(b "" wbwb bwb- w-wb)', "(b bb- b-w -ww)", "(10)", "(x --- --- ---)", "(0)"]
ODD = [
    "",
    " ",
    "0",
    "-1",
    "9" * 30,
    "1e9",
    "nan",
    "inf",
    "½",
    "٣",
    "\x1b[31m",
    "\t",
    "\n",
    "a\x00b",
    "\udcff",
    "é",
    "💥",
]
ODD += ["*", "..", "1..", "..3", "|", "=", ",", ":", "::", "''", '"', "((", "))", "-", "--", "/", "\\", "%s", "{}", "~"]
# None of them solves or searches long, whatever comes after: nothing is that is not refused, or small.
SMALL = {
    "search": ["--depth", "1"],
    "play": ["--side", "none", "--strength", "random", "--other", "random"],
    "prove": ["--time", "1"],
    "serve": ["--port", "none"],  # a right call never ends
}
NEEDS_MORE = {name: ["--reference", "--memory", "2M"] for name in ("solve", "query", "line")}
SECONDS = 120  # of CPU: a right call may take some, and on a busy machine that is a quarter of an hour
WAITING = 1200  # of any kind


def places(folder):
    """Files and folders of all kinds, and names of none."""
    (folder / "file.txt").write_text("no database")
    (folder / "empty").touch()
    (folder / "empty.py").touch()
    (folder / "broken.py").write_text("def (")
    (folder / "folder").mkdir(exist_ok=True)
    (folder / "folder.py").mkdir(exist_ok=True)
    pipes = [f"pipe{ending}" for ending in ("", ".py", ".csv", ".parquet", ".png", ".html")]
    for name in pipes:
        os.mkfifo(folder / name)
    names = ["file.txt", "empty", "empty.py", "broken.py", "folder", "folder.py", "nowhere/x", "x.csv", "x.png", *pipes]
    odd = [
        "sqlite:///",
        "sqlite:////",
        "sqlite:///:memory:",
        "mysql://x",
        "postgresql://",
        "://",
        "sqlite:////dev/null/x",
    ]
    return (
        [str(folder / name) for name in names] + odd + [f"sqlite:///{folder / name}" for name in ("file.txt", "folder")]
    )


def word(dice, known):
    """A word as it should be, or near it, or of nothing but odd characters."""
    text = dice.choice([dice.choice(known), dice.choice(ODD), dice.choice(POSITIONS), dice.choice(GAMES)])
    for _ in range(dice.choice([0, 0, 0, 1, 1, 3])):
        cut = dice.randrange(len(text) + 1)
        text = (
            text[:cut]
            + dice.choice([dice.choice(ODD), dice.choice(string.printable)])
            + text[cut + dice.randrange(2) :]
        )
    return text


def game(dice, known):
    if dice.random() < 0.3:
        return word(dice, known)
    name = dice.choice([*built_in(), *known])
    options = ["rows", "cols", "misere", "start", "size", "edge", "captures", "first", "line", "pieces", "nope", ""]
    option = dice.choice(options)
    return f"{name}:{option}={word(dice, known)}" if dice.random() < 0.6 else name


def call(dice, known):
    """A command with arguments and options, few of which are right."""
    context = cli.make_context("gamesman", ["games"])
    name = dice.choice(cli.list_commands(context))
    command = cli.get_command(context, name)
    words = [name]
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            kinds = game if parameter.name in ("variant", "variants", "names") else word
            words += [kinds(dice, known) for _ in range(dice.choice([1, 1, 1, 1, 0, 2]))]
        elif dice.random() < 0.15:
            words.append(parameter.opts[0])
            if not parameter.is_flag and dice.random() < 0.95:
                words.append(word(dice, known))
    if dice.random() < 0.05:
        words.insert(dice.randrange(len(words) + 1), word(dice, known))
    return words + SMALL.get(name, []) + NEEDS_MORE.get(name, [])


def _too_long(number, frame):
    raise TimeoutError(f"more than {SECONDS} seconds of CPU, or than {WAITING} in all")


def faults(words, code, out, err):
    """What is wrong with the end of a call."""
    found = []
    if code not in (0, 1, 2):
        found.append(f"exit code {code}")
    if "Traceback" in err or "bug in gamesman" in err or TimeoutError.__name__ in err:
        found.append("no line that helps")
    if code and len(err.splitlines()) != 1 and not (code == 1 and words[0] in ("query", "solve")):
        found.append("not one line")
    if "--json" in words and code == 0 and "--help" not in words:
        for line in out.splitlines():
            try:
                json.loads(line)
            except ValueError:
                found.append("no JSON")
                break
    return found


@pytest.mark.parametrize("part", range(4))
def test_a_wrong_call_ends_in_one_line(part, tmp_path, monkeypatch):
    known = places(tmp_path)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")  # games are saved and pictures drawn under any name
    for kind in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(kind, _too_long)
    wrong = []
    for number in range(rounds(100)):
        words = call(chance("calls", part, number), known)
        signal.alarm(WAITING)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            result = CliRunner().invoke(cli, words, input="")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.alarm(0)
        found = faults(words, result.exit_code, result.stdout, result.stderr)
        if found:
            wrong.append(f"{number}: {words}: {', '.join(found)}: {result.stderr[:300]!r}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    "name", ["games", "info konane", "query konane --reference", "list", "search konane --depth 1"]
)
def test_an_answer_that_cannot_be_written_is_an_error(name):
    words = [sys.executable, "-c", "import os, sys; os.close(1); os.execv(sys.argv[1], sys.argv[1:])"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(
        [*words, *PROGRAM, *name.split()], cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True, timeout=60
    )
    expected = (
        ("nothing is stored; run: gamesman solve VARIANT\n", 0)
        if name == "list"
        else ("cannot write the answer: standard output is closed\n", 1)
    )
    assert (result.stderr, result.returncode) == expected


@pytest.mark.parametrize(
    "name", ["query konane --reference", "list", "search konane --depth 1", "delete konane", "games"]
)
def test_without_standard_input_and_error_a_command_answers_as_ever(name):
    closed = "import os, sys; os.close(0); os.close(2); os.execv(sys.argv[1], sys.argv[1:])"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    whole, without = (
        subprocess.run(
            [*first, *PROGRAM, *name.split()], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60
        )
        for first in ([], [sys.executable, "-c", closed])
    )
    without_time = [[line for line in run.stdout.splitlines() if "searched" not in line] for run in (whole, without)]
    assert (without_time[0], whole.returncode) == (without_time[1], without.returncode)
