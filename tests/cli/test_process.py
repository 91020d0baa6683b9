"""The program as a process of its own: what it imports, what is in its folder, pipes and terminals."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from support import ROOT, SUPPORT

GRAPH = str(SUPPORT / "graph_game.py")
START = '(w "" wbwb bwb- w-wb)'
PROGRAM = [sys.executable, "-m", "gamesman"]
# What the console script that is installed does.
SCRIPT = [sys.executable, "-c", "import sys; from gamesman.__main__ import main; sys.exit(main())"]


def environment(**more):
    return {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", **more}


def run(*words, program=PROGRAM, folder=ROOT, stdin="", **more):
    return subprocess.run(
        [*program, *words], cwd=folder, env=environment(**more), input=stdin, capture_output=True, text=True
    )


@pytest.mark.slow
@pytest.mark.parametrize("program", [PROGRAM, SCRIPT], ids=["module", "script"])
def test_modules_in_the_current_folder_are_not_taken_for_ours(tmp_path, program):
    for name in ("db", "click", "tqdm", "numba", "games/__init__", "gamesman_file", "string", "json"):
        file = tmp_path / f"{name}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text("raise SystemExit('mine was imported')\n")
    (tmp_path / "mine.py").write_text(Path(GRAPH).read_text())
    expected = run("query", "konane", "--reference").stdout
    for more in ({}, {"PYTHONPATH": f"{tmp_path}:{ROOT}"}):
        result = run("query", "konane", "--reference", program=program, folder=tmp_path, **more)
        assert (result.stderr, result.stdout) == ("", expected)
        assert run("info", "./mine.py", program=program, folder=tmp_path, **more).returncode == 0
        assert "\nmine" not in run("games", program=program, folder=tmp_path, **more).stdout


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["games"], ["info", "konane"]], ids=" ".join)
def test_what_needs_no_solver_imports_none(words):
    assert not imported_by(*words) & {"numba", "numpy", "sqlalchemy", "tqdm", "gamesman.solver"}


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["info", "konane"]], ids=" ".join)
def test_a_start_does_without_what_it_seldom_needs(words):
    assert not imported_by(*words) & {"shlex", "importlib.resources", "gamesman.app"}


def imported_by(*words):
    code = "import sys; from gamesman.cli.main import cli; cli.main(standalone_mode=False); print('@', *sys.modules)"
    result = run(*words, program=[sys.executable, "-c", code])
    assert result.returncode == 0, result.stderr
    return set(result.stdout.splitlines()[-1].split()[1:])


def test_a_query_imports_neither_numba_nor_numpy():
    modules = imported_by("query", "konane", "--reference")
    assert "gamesman.solver.reference" in modules
    assert not modules & {"numba", "numpy"}


@pytest.mark.slow
def test_a_look_up_and_a_solve_in_memory_read_nothing_of_larger_solves(tmp_path):
    run("solve", "konane", "--db", str(tmp_path))  # checks the game, if that was not done before
    modules = imported_by("solve", "konane", "--restart", "--db", str(tmp_path))
    assert "gamesman.solver.sparse" in modules
    assert not modules & {"gamesman.solver.disk.strategy", "gamesman.solver.dense", "gamesman.model.check"}
    modules = imported_by("query", "konane", "--db", str(tmp_path))
    assert not modules & {"numba", "numpy", "psutil", "gamesman.app.solving", "gamesman.machine.crew"}


@pytest.mark.parametrize("words, is_brief", [("query konane --reference", True), ("solve konane --reference", False)])
def test_a_brief_command_does_not_look_for_garbage_and_another_does_as_usual(words, is_brief):
    code = "import gc, sys; from gamesman.__main__ import main; usual = gc.get_threshold(); seen = []; "
    code += "gc.callbacks.append(lambda *_: seen.append(gc.get_threshold() == usual)); main(); print('@', *seen)"
    result = run(*words.split(), program=[sys.executable, "-c", code])
    collected = result.stdout.splitlines()[-1].split()[1:]
    # One may come before anything can be said about it, a start and an end.
    assert (len(collected) <= 2) == is_brief, result.stderr
    assert ("True" in collected[2:]) != is_brief


def test_an_answer_to_a_pipe_has_no_colours_and_is_all_there_is():
    result = run("query", "konane", "--reference")
    assert "\x1b" not in result.stdout and (result.stderr, result.returncode) == ("", 0)


def on_a_terminal(*words, program=PROGRAM, **more):
    """What the program writes to a terminal, both answers and errors."""
    terminal, end = pty.openpty()
    process = subprocess.Popen([*program, *words], cwd=ROOT, env=environment(**more), stdout=end, stderr=end, stdin=end)
    os.close(end)
    found = b""
    while True:
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        found += part
    os.close(terminal)
    assert process.wait() == 0
    return found.decode()


def test_on_a_terminal_values_have_colours():
    text = on_a_terminal("query", "konane:rows=4,misere", '(b "" bw-- w--b ---w -b--)', "--reference")
    assert "\x1b[32mBlack to move wins in 2\x1b[0m" in text
    assert "\x1b[32mwin\x1b[0m" in text and "\x1b[31mlose\x1b[0m" in text
    assert "\x1b[33m" in on_a_terminal("query", f"{GRAPH}:graph=(t0)", "--reference")
    assert "\x1b[36m" in on_a_terminal("query", f"{GRAPH}:graph=(u0:1 u1:0)", "--reference")


@pytest.mark.parametrize("setting", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_colours_can_be_turned_off(setting):
    text = on_a_terminal("query", "konane", "--reference", **setting)
    assert "White to move loses in 7" in text and "\x1b[" not in text


def test_positions_are_answered_as_they_come():
    process = subprocess.Popen(
        [*PROGRAM, "query", "konane", "-", "--json", "--reference"],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        for position in (START, "nonsense", START):
            process.stdin.write(position + "\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["position"] == position
        process.stdin.close()
    assert process.returncode == 1


def test_a_reader_that_goes_away_is_no_error_message():
    process = subprocess.Popen(
        [*PROGRAM, "query", "konane", "-", "--reference"],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    _, errors = process.communicate(f"{START}\n" * 3000)
    assert (errors, process.returncode) == ("", 1)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line():
    with open("/dev/full", "w") as full:
        result = subprocess.run(
            [*PROGRAM, "info", "konane"], cwd=ROOT, env=environment(), stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert (result.stderr, result.returncode) == ("cannot write the answer: No space left on device\n", 1)


@pytest.mark.slow
def test_a_text_that_the_terminal_cannot_show_or_read_is_no_traceback():
    result = run("query", "konane", "(ä)", "--reference", PYTHONIOENCODING="ascii")
    assert (result.returncode, result.stderr) == (2, "expected w or b to move, got \\xe4: (\\xe4)\n")
    result = subprocess.run(
        [*PROGRAM, "query", "konane", "-", b"\xff", "--reference"],
        cwd=ROOT,
        env=environment(),
        input=b"\xff\xfe\n\0\n",
        capture_output=True,
    )
    assert (result.returncode, len(result.stderr.splitlines()), result.stdout) == (1, 3, b"")


def test_ctrl_c_is_one_line(tmp_path):
    file = tmp_path / "mine.py"
    ctrl_c = "import os, signal\n    os.kill(os.getpid(), signal.SIGINT)\n    return (rules.edges"
    file.write_text(Path(GRAPH).read_text().replace("return (rules.edges", ctrl_c))
    result = run("solve", str(file), "--reference")
    line = file.read_text().splitlines().index("    os.kill(os.getpid(), signal.SIGINT)") + 1
    said = [f"interrupted while solving {file}, in do_move ({file}, line {line + i}), at (0)\n" for i in (0, 1)]
    assert (result.stdout, result.returncode) == ("", 1) and result.stderr in said


PROGRESS = """
from gamesman.model.progress import watched
progress = watched({is_quiet})
progress.start("tier 3: solving", 1000)
progress.advance(500)
progress.start("tier 2: solving")
progress.advance(7)
progress.finish()
"""


def test_progress_is_shown_on_a_terminal_unless_it_should_be_quiet():
    shown = on_a_terminal(program=[sys.executable, "-c", PROGRESS.format(is_quiet=False)])
    assert "tier 3: solving" in shown and "1.00k" in shown and "tier 2: solving" in shown
    assert on_a_terminal(program=[sys.executable, "-c", PROGRESS.format(is_quiet=True)]) == ""


def test_an_error_in_mid_progress_has_a_line_of_its_own():
    program = """
from gamesman.solver import reference
from gamesman.cli.main import cli
from gamesman.model.progress import watched
def fail(*_):
    watched().start("tier 3: solving", 1000)
    raise KeyboardInterrupt
reference.solve = fail
assert cli.main(["solve", "konane", "--reference"], standalone_mode=False) == 1
"""
    shown = on_a_terminal(program=[sys.executable, "-c", program])
    assert "tier 3: solving" in shown
    assert shown.endswith(" \rinterrupted while solving konane\r\n")


def test_progress_is_not_shown_in_a_pipe():
    result = run(program=[sys.executable, "-c", PROGRESS.format(is_quiet=False)])
    assert (result.stdout, result.stderr, result.returncode) == ("", "", 0)


def test_positions_from_a_closed_input_are_none():
    words = [sys.executable, "-c", "import os, sys; os.close(0); os.execv(sys.argv[1], sys.argv[1:])"]
    result = run("query", "konane", "-", "--reference", program=[*words, *PROGRAM])
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


@pytest.mark.slow
@pytest.mark.parametrize("setting", ["NUMBA_DISABLE_JIT=1", "NUMBA_BOUNDSCHECK=1", "NUMBA_OPT=0", "NUMBA_OPT=none"])
def test_what_is_set_for_the_compilers_other_users_makes_no_difference(setting, tmp_path):
    words = ["solve", GRAPH, "--json", "--no-verify", "--restart", "--db", str(tmp_path)]
    plain, other = run(*words), run(*words, **dict([setting.split("=")]))
    assert (other.returncode, other.stderr) == (plain.returncode, plain.stderr) == (0, "")
    counted = [json.loads(each.stdout)["counts"] for each in (plain, other)]
    assert counted[0] == counted[1]


def test_in_python_it_is_said_that_nothing_can_be_compiled():
    code = """
import gamesman.errors
try:
    gamesman.solve("konane:rows=4")
except gamesman.errors.CallError as error:
    print(error)
"""
    result = run(program=[sys.executable, "-c", code], NUMBA_DISABLE_JIT="1")
    said = "nothing can be compiled where NUMBA_DISABLE_JIT is set; unset it and start again\n"
    assert (result.stdout, result.stderr) == (said, "")


def test_linear_algebra_takes_one_thread_unless_told_otherwise():
    said = "import os, gamesman.__main__ as program; program.main(); print(os.environ['OPENBLAS_NUM_THREADS'])"
    for told, wanted in ((None, "1"), ("2", "2")):
        environment = {name: text for name, text in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
        environment |= {} if told is None else {"OPENBLAS_NUM_THREADS": told}
        run = subprocess.run(
            [sys.executable, "-c", said, "--version"], env=environment, capture_output=True, text=True, check=True
        )
        assert run.stdout.splitlines()[-1] == wanted
