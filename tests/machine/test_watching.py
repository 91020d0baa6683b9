"""A crash of a game file's compiled code is one line that says what to do, and nothing else shows the parent."""

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest
from support import ROOT

from gamesman.machine.watching import game_file

PROGRAM = [sys.executable, "-m", "gamesman"]
FAULTY = "./tests/support/faulty.py"

# The program as it is, but that a game file's command ends as it is told to.
ENDING = """
import os, sys
from gamesman.cli import main as cli
def call(self, words):
    {what}
cli.Group._call = call
from gamesman.__main__ import main
sys.exit(main())
"""


def environment():
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def ended(what, *words, **settings):
    program = [sys.executable, "-c", ENDING.format(what=what)]
    return subprocess.run([*program, *words], cwd=ROOT, env=environment(), capture_output=True, text=True, **settings)


@pytest.mark.parametrize("words", [["solve", "konane"], ["solve", "--db", "x", "mygame"], ["games"]])
def test_what_names_no_game_file_has_no_parent(words):
    assert not game_file(words)


def test_the_game_file_of_a_call_is_named_with_its_options():
    assert game_file(["compare", "--json", "my games/a b.py:size=3", "c.py"]) == "my games/a b.py:size=3"


@pytest.mark.parametrize("code", [0, 1, 2])
def test_the_exit_code_is_the_childs(code):
    result = ended(f"print('answer'); return {code}", "solve", "./mygame.py")
    assert (result.returncode, result.stdout + result.stderr) == (code, "answer\n")


def test_a_crash_is_told_with_what_to_run():
    result = ended("os.kill(os.getpid(), 11)", "solve", "./my game.py:size=3", "--quiet")
    said = "./my game.py:size=3: compiled code has crashed (SIGSEGV), most likely at an index far out of a table; "
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"{said}run: gamesman check './my game.py:size=3'\n"


def test_a_killed_process_is_told():
    result = ended("os.kill(os.getpid(), 9)", "solve", "./mygame.py")
    assert (result.returncode, result.stderr.count("\n")) == (1, 1) and "SIGKILL" in result.stderr


@pytest.mark.parametrize("code", [0, 7])
def test_a_game_that_ends_the_program_is_told(code):
    result = ended(f"os._exit({code})", "solve", "./mygame.py")
    said = f"./mygame.py: the game has ended the program, with status {code}; take os._exit out of it\n"
    assert (result.returncode, result.stderr) == (2, said)


@pytest.mark.slow
def test_a_game_that_ends_the_program_is_told_while_a_process_of_its_own_goes_on():
    result = ended("import time; os.fork() or time.sleep(3); os._exit(7)", "solve", "./mygame.py")
    assert (result.returncode, result.stderr.count("the game has ended the program")) == (2, 1)


def test_a_signal_that_gamesman_does_not_send_is_told():
    result = ended("os.kill(os.getpid(), 14)", "solve", "./mygame.py")
    assert (result.returncode, result.stderr.count("\n")) == (142, 1) and "was ended by SIGALRM" in result.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_reaches_the_child(number):
    process = waiting()
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert (errors, process.returncode) == ("interrupted\n", 1)


def test_a_child_does_not_outlive_its_parent():
    process = waiting()
    (child,) = psutil.Process(process.pid).children()
    process.kill()
    process.communicate(timeout=30)  # until the child has closed its end, too
    for _ in range(300):  # it closes it a little before it is gone
        if not child.is_running() or child.status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.1)
    pytest.fail("the child goes on without its parent")


def waiting():
    """The program, when its child waits for ever."""
    program = [sys.executable, "-c", ENDING.format(what="print(flush=True); import time; time.sleep(1000)")]
    process = subprocess.Popen(
        [*program, "solve", "./mygame.py"],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stderr.readline()
    return process


@pytest.mark.slow
def test_an_index_far_out_of_a_table_in_one_position_is_no_silent_end():
    result = subprocess.run(
        [*PROGRAM, "solve", f"{FAULTY}:fault=index"], cwd=ROOT, env=environment(), capture_output=True, text=True
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.endswith(f"run: gamesman check {FAULTY}:fault=index\n")
