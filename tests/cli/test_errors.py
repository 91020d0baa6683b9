"""A wrong call of any kind ends in one line that helps, and its exit code; never in a traceback."""

import os
from pathlib import Path
from unittest.mock import Mock

import pytest
from click.testing import CliRunner
from support import SUPPORT

from gamesman.cli.main import cli
from gamesman.model.blame import blame
from gamesman.model.variant import variant

GRAPH = SUPPORT / "graph_game.py"
BAD_KONANE = 'expected 3 rows of 4 cells of w, b or -, got 2 rows: (w "" wbwb bwb-)'
HOMELESS = "expected a folder or a database URL, got ~nobody-has-this-name/x: Could not determine home directory"

WRONG = [
    # what is called, the exit code, the line
    ("qury konane", 2, "no such command: qury (did you mean query?); see: gamesman --help"),
    ("konane:rows=4", 2, "no such command: konane:rows=4; run: gamesman play konane:rows=4; see: gamesman --help"),
    (
        "solve konane rows=4",
        2,
        "no such game: rows=4; options follow the name of a game and a colon, as in konane:rows=4; run: gamesman games",
    ),
    (
        "query konane --reference rows=4",
        2,
        'expected a position like (w "" wbwb bwb- w-wb), got rows=4; options follow the game: konane:rows=4',
    ),
    ("delete konane:rows=9", 1, "konane:rows=9 is not stored; see: gamesman list"),
    ("serve --port none", 2, "--port must be a whole number, 0 or more, got none"),
    ("serve --port 65536", 2, "--port must be 0 to 65535, got 65536"),
    ("|", 2, "no such command: nothing; see: gamesman --help"),
    ("--nope", 2, "no such option: --nope; see: gamesman --help"),
    ("--verson", 2, "no such option: --verson (did you mean --version?); see: gamesman --help"),
    ("--db x query konane", 2, "--db goes after the command: gamesman COMMAND --db; see: gamesman --help"),
    ("query", 2, "expected VARIANT, got nothing; see: gamesman query --help"),
    ("info", 2, "expected GAME, got nothing; see: gamesman info --help"),
    ("solve --reference", 2, "expected VARIANT..., got nothing; see: gamesman solve --help"),
    ("query konane --winnin", 2, "no such option: --winnin (did you mean --winning?); see: gamesman query --help"),
    ("query konane --json=3", 2, "option '--json' does not take a value; see: gamesman query --help"),
    ("query konane --db", 2, "expected a value after --db, got nothing; see: gamesman query --help"),
    ("games konane", 2, "expected nothing more, got konane; see: gamesman games --help"),
    ("line konane|a|b", 2, "expected nothing more, got b; see: gamesman line --help"),
    ("line konane|a|b|c", 2, "expected nothing more, got b c; see: gamesman line --help"),
    ("puzzles konane --lose 2", 2, "no such option: --lose; see: gamesman puzzles --help"),
    ("cache clean", 2, "expected clear or nothing after cache, got clean"),
    ("export konane|", 2, "expected a file ending in .parquet or .csv, got nothing"),
    ("export konane .", 2, "expected a file ending in .parquet or .csv, got ."),
    ("new|", 2, "a game must have a name like Python's, got nothing"),
    ("new nowhere/mygame", 2, "nowhere/mygame.py cannot be written: No such file or directory; give another place"),
    ("prove konane --certificate|", 2, "--certificate must be a file to write, got nothing"),
    (
        "verify nowhere.proof",
        2,
        "no such file: nowhere.proof; expected a variant, or what gamesman prove --certificate writes",
    ),
    ("serve --host|", 2, "--host must be an address of this machine, like 127.0.0.1, got nothing"),
    ("serve --db|", 2, "expected a folder or a database URL, got nothing"),
    (
        "play konane --side 2 --other random",
        2,
        "--other says how player 2 plays where you are none of both; add --side none",
    ),
    ("solve konane --estimate --reference", 2, "expected --estimate or --reference, got both"),
    ("solve konane --reference --restart", 2, "--reference stores nothing; leave out --restart"),
    ("solve konane --estimate --workers 2", 2, "--estimate stores nothing; leave out --workers"),
    ("info konan", 2, "no such game: konan (did you mean konane?); run: gamesman games"),
    ("query|", 2, "no such game: nothing; run: gamesman games"),
    (
        "solve konane:row=4",
        2,
        "no such option: row (did you mean rows?); options: rows, cols, start, removed, misere, any_piece",
    ),
    ("solve konane:rows=0", 2, "rows must be 1 or more, got 0"),
    ("solve konane:rows=x", 2, "rows must be a whole number, got x"),
    ("solve konane:cols=27", 2, "cols must be 1 to 26, got 27"),
    ("solve konane:misere=maybe", 2, "misere must be yes or no, got maybe"),
    ("solve konane:rows=5..3", 2, "rows must be a range like 3..5, got 5..3"),
    ("solve konane:rows=*", 2, "rows=* has no end; give a range like rows=3..5"),
    ("query konane:rows=3..4", 2, "rows must be one value here, for one variant, got 3..4"),
    ("line konane:misere=*", 2, "misere must be one value here, for one variant, got *"),
    ("query konane:rows=3,rows=4", 2, "rows is given twice in rows=3,rows=4"),
    ("query ./nowhere.py", 2, "no such game file: ./nowhere.py"),
    ("solve konane --threads 0", 2, "--threads must be 1 or more, got 0"),
    ("solve konane --threads 99999999999", 2, "--threads must be less than a billion, got 99999999999"),
    ("list --db ~nobody-has-this-name/x", 2, HOMELESS),
    ("list|--db|" + "a" * 300, 2, f"expected a folder or a database URL, got {'a' * 59}…: File name too long"),
    ("list|--db|sqlite:///a\0b", 2, "expected a folder or a database URL, got one with a zero byte: sqlite:///a b"),
    ("export konane a\0b", 2, "expected a file ending in .parquet or .csv, got a b"),
    ("info ./a\udcff.py", 2, "a game file must have a name in UTF-8, got './a\\udcff.py'; rename it"),
    ("compare konane konane:misere --plot|", 2, "--plot must be a file that ends in .png, .svg or .pdf, got nothing"),
    ("solve konane --threads two", 2, "--threads must be a whole number, 1 or more, got two"),
    ("solve konane --memory 6X", 2, "--memory must be a size like 6G or 500M, got 6X"),
    ("solve konane --memory 0", 2, "--memory must be a size like 6G or 500M, got 0"),
    ("solve konane --memory -1G", 2, "--memory must be a size like 6G or 500M, got -1G"),
    ("query konane --reference|nonsense", 2, 'expected a position like (w "" wbwb bwb- w-wb), got nonsense'),
    ("query abalone:rows=3,cols=3 --reference|x", 2, "expected a position like (b bb- b-w -ww), got x"),
    ("query hex_abalone:edge=2 --reference|x", 2, "expected a position like (b bb --- rr), got x"),
    ("query konane:rows=2,cols=3 --reference|x", 2, 'expected a position like (w "" -wb -bw), got x'),
    ("info|konane:start=(w)", 2, 'start: expected a position like (w "" wbwb bwb- w-wb), got no rows: (w)'),
    ("info|konane:start=x", 2, 'start: expected a position like (w "" wbwb bwb- w-wb), got x'),
    ("query konane --reference|", 2, 'expected a position like (w "" wbwb bwb- w-wb), got nothing'),
    ('query konane --reference|(w "" wbwb bwb-)', 2, BAD_KONANE),
    ('line konane --reference|(w "" wbwb bwb-)', 2, BAD_KONANE),
    (
        "query abalone --reference|(b bbb- b--w b--w)",
        2,
        "expected 4 rows of 4 cells of b, w or -, got 3 rows: (b bbb- b--w b--w)",
    ),
    (
        "query konane --reference|(w  wbwb bwb- w-wb)",
        2,
        'the shell has taken "" out of (w wbwb bwb- w-wb); '
        "put the position in single quotes: '(w \"\" wbwb bwb- w-wb)'",
    ),
    (
        'line konane --reference|(b "" wbwb bwb- w-wb)',
        1,
        '(b "" wbwb bwb- w-wb) cannot be reached from the start of konane; '
        "to solve from there: gamesman solve 'konane:start=(b \"\" wbwb bwb- w-wb)'",
    ),
    (
        "query ctf:size=9 --db nowhere",
        1,
        "ctf:size=9 is too large to be solved; run: gamesman search ctf:size=9 --db nowhere; "
        "or, to prove who wins: gamesman prove ctf:size=9 --db nowhere",
    ),
    (
        "line hex_abalone",
        1,
        "hex_abalone is too large to be solved; run: gamesman search hex_abalone; "
        "or, to prove who wins: gamesman prove hex_abalone",
    ),
]


def run(words):
    """A call; what is after a bar is one word however many blanks it has."""
    first, *others = words.split("|")
    return CliRunner().invoke(cli, [*first.split(), *others])


@pytest.mark.parametrize("words, code, line", WRONG, ids=[words for words, _, _ in WRONG])
def test_a_wrong_call_is_one_line_and_its_exit_code(words, code, line):
    result = run(words)
    assert (result.stderr, result.exit_code, result.stdout) == (line + "\n", code, "")


@pytest.mark.parametrize(
    "name, advice",
    [
        (
            "konane:rows=20,cols=20",
            "run: gamesman search konane:rows=20,cols=20; or, to prove who wins: gamesman prove konane:rows=20,cols=20",
        ),
        ("konane:rows=6,cols=6", "leave out --reference"),
    ],
)
def test_what_is_too_large_for_the_reference_solver_is_told_what_else_there_is(name, advice, monkeypatch):
    monkeypatch.setattr("gamesman.app.sources.MOST_POSITIONS", 102)
    said = f"{name} has more than 102 positions, too many for the reference solver; {advice}\n"
    assert run(f"solve {name} --reference").stderr == said


@pytest.mark.parametrize("words", [f"{words} --debug" for words, *_ in WRONG if "|" not in words][:8])
def test_with_debug_the_traceback_comes_before_the_line(words):
    lines = run(words).stderr.splitlines()
    assert lines[0].startswith("Traceback") and lines[-1] == run(words.removesuffix(" --debug")).stderr.rstrip()


def test_debug_may_stand_anywhere():
    for words in ("--debug info konan", "info --debug konan", "info konan --debug"):
        assert run(words).stderr.startswith("Traceback")


def write(folder, old, new):
    """The graph game with something wrong in it."""
    source = GRAPH.read_text()
    assert old in source
    file = folder / "mine.py"
    file.write_text(source.replace(old, new, 1))
    return str(file)


def test_an_exception_in_a_game_file_names_its_function_and_line(tmp_path, monkeypatch):
    write(
        tmp_path, 'return f"({position[0]})"', "return broken(position)\n\n\ndef broken(position):\n    return 1 // 0"
    )
    monkeypatch.chdir(tmp_path)
    number = Path("mine.py").read_text().splitlines().index("    return 1 // 0") + 1
    what = "ZeroDivisionError: integer division or modulo by zero"
    result = run("info ./mine.py")
    said = f"./mine.py: show must not fail, got {what} on line {number}, at (0,)\n"
    assert (result.exit_code, result.stderr) == (2, said)


def test_an_exception_that_no_check_has_met_is_blamed_on_the_function_and_line(tmp_path, monkeypatch):
    write(tmp_path, 'return f"({position[0]})"', "return 1 // 0")
    monkeypatch.chdir(tmp_path)
    number = Path("mine.py").read_text().splitlines().index("    return 1 // 0") + 1
    mine = variant("./mine.py")
    with pytest.raises(ZeroDivisionError) as caught:
        mine.game.functions["show"](mine.rules, mine.start())
    assert blame(caught.value).startswith(f"show failed in mine.py, line {number}: ZeroDivisionError: ")


def test_a_game_that_hands_nonsense_to_our_functions_is_at_fault(tmp_path):
    file = write(
        tmp_path, 'return f"({position[0]})"', "from gamesman.notation import draw_grid\n    return draw_grid([])"
    )
    result = run(f"info {file}")
    assert result.exit_code == 2 and result.stderr.startswith(f"{file}: show must not fail, got ")
    assert "on line" in result.stderr and len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "line", ["raise SystemExit(0)", "raise ValueError('a\\nb')", "def (", "1 / 0", "import nowhere"]
)
def test_a_game_file_that_cannot_be_loaded_names_the_file_and_the_line(tmp_path, monkeypatch, line):
    (tmp_path / "mine.py").write_text(f"'''Mine.'''\n{line}\n")
    monkeypatch.chdir(tmp_path)
    result = run("info ./mine.py")
    assert result.exit_code in (1, 2)
    assert "mine.py" in result.stderr and "line 2" in result.stderr and len(result.stderr.splitlines()) == 1


def test_a_mistake_of_ours_says_so(monkeypatch):
    monkeypatch.setattr("gamesman.model.game.load", lambda name: None)
    result = run("info konane")
    assert result.exit_code == 1
    assert result.stderr.startswith("this is a bug in gamesman: AttributeError: 'NoneType' object has no attribute")
    assert " (gamesman.model.variant, variant, line " in result.stderr
    assert result.stderr.endswith("; run with --debug for the traceback\n")


DENIED = PermissionError(13, "Permission denied", "work")


@pytest.mark.parametrize(
    "error, line",
    [
        (KeyboardInterrupt(), "interrupted"),
        (MemoryError(), "not enough memory"),
        (DENIED, "cannot go on: Permission denied: work; see to that, and give the same command again\n"),
    ],
)
def test_what_the_system_does_or_refuses_is_a_line_too(monkeypatch, error, line):
    def fail(*_):
        raise error

    monkeypatch.setattr("gamesman.solver.reference.solve", fail)
    result = run("query konane --reference")
    assert (result.exit_code, len(result.stderr.splitlines())) == (1, 1)
    assert result.stderr.startswith(line)


def test_an_interrupted_solve_says_what_it_was_at(monkeypatch):
    monkeypatch.setattr("gamesman.solver.reference.solve", Mock(side_effect=KeyboardInterrupt))
    assert run("solve konane --reference").stderr == "interrupted while solving konane\n"


def test_a_folder_that_is_gone_is_no_traceback(tmp_path, monkeypatch):
    folder = tmp_path / "gone"
    folder.mkdir()
    monkeypatch.chdir(folder)
    os.rmdir(folder)
    assert run("info ./mine.py").stderr == "no such game file: ./mine.py\n"
