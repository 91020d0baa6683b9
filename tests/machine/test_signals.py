"""Ctrl-C, SIGTERM and SIGHUP end the program with one line, also where compiled code does not return."""

import os
import re
import signal
import subprocess
import sys
import time

import psutil
import pytest
from support import ROOT

PROGRAM = [sys.executable, "-m", "gamesman"]
FILE = "tests/support/endless.py"
ENDLESS = f"./{FILE}"
# A test fails if the program has not ended then; it takes two seconds, on a machine that has nothing else to do.
PATIENCE = 30

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]

# The program as it is, but that it says when it is at a place in the code, after which it may be sent a signal.
TELLING = """
import sys
from gamesman.model.progress import Silent
was, place = Silent.start, sys.argv.pop(1)
def start(self, phase, total=None):
    was(self, phase, total)
    if phase.startswith(place):
        sys.stderr.write("there\\n")
Silent.start = start
from gamesman.__main__ import main
sys.exit(main())
"""


def begin(*words, program=PROGRAM, **more):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **more}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*program, *words], cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, stderr=pipe, text=True
    )


def at(phase, *words):
    """The program, when it has come to a phase."""
    process = begin(phase, *words, program=[sys.executable, "-c", TELLING])
    said = process.stderr.readline()
    if said != "there\n":
        process.kill()
        raise AssertionError(f"expected there, got {said} {process.communicate()}")
    return process


def let_it_work(process):
    """Wait until it has worked for two seconds, in which it comes to where it has no end, on however slow a machine."""
    family = psutil.Process(process.pid)
    working = (family.children() or [family])[0]  # a game file is at work in a child
    begun = working.cpu_times().user
    while working.cpu_times().user < begun + 2:
        time.sleep(0.1)


def ending(process):
    """What a process says that has been told to end, and its exit code."""
    try:
        _, errors = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return errors, process.returncode


def compiled():
    """Solve what has no end anywhere, so that the game is compiled."""
    process = begin("solve", ENDLESS)
    assert (*process.communicate()[1:], process.returncode) == ("", 0)


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_compiled_code_that_does_not_return_is_ended(number):
    compiled()
    process = at("enumerating", "solve", f"{ENDLESS}:at=1000", "--threads", "1")
    let_it_work(process)
    process.send_signal(number)
    errors, code = ending(process)
    line = f"interrupted while solving {ENDLESS}:at=1000, in compiled code (enumerating); nothing is stored yet\n"
    named = r", where generate_moves does not return \(line 4[67] of endless.py\), at \(1000\)"
    assert (re.sub(named, "", errors), code) == (line, 1)  # a busy machine may not find it in time


@pytest.mark.slow
def test_where_compiled_code_does_not_return_no_file_stays(tmp_path):
    program = f"""
import hashlib, sys
from pathlib import Path
from gamesman import export
from gamesman.machine import signals
from gamesman.machine.scratch import Scratch
signals.watch()
(Scratch(Path({str(tmp_path)!r})).path / "1.keys").write_text("keys")
with export._unfinished(Path({str(tmp_path)!r}) / "all.csv") as unfinished:
    unfinished.write_text("begun")
    signals.at("exporting")
    sys.stderr.write("there\\n")
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)
"""
    process = begin(program=[sys.executable, "-c", program])
    assert process.stderr.readline() == "there\n"
    assert len(list(tmp_path.iterdir())) == 2
    let_it_work(process)
    process.send_signal(signal.SIGTERM)
    assert ending(process) == ("interrupted in compiled code (exporting)\n", 1)
    assert list(tmp_path.iterdir()) == []


def test_a_thread_that_does_not_return_is_not_waited_for_at_the_end():
    program = """
import threading, sys
from concurrent.futures import ThreadPoolExecutor
from gamesman import __main__
from gamesman.cli import main as cli
from gamesman.machine import signals
def call(self, words):
    ThreadPoolExecutor(1).submit(threading.Event().wait)
    signals.at("enumerating")
    sys.stderr.write("there\\n")
    threading.Event().wait()
cli.Group._call = call
sys.exit(__main__.main())
"""
    process = begin(program=[sys.executable, "-c", program])
    process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    assert ending(process) == ("interrupted\n", 1)


@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_function_without_an_end_is_named_with_its_line(number):
    process = at("checking", "solve", f"{ENDLESS}:at=15990")
    let_it_work(process)
    for _ in range(3):
        process.send_signal(number)
    errors, code = ending(process)
    lines = (ROOT / ENDLESS).read_text().splitlines()
    loop = next(i for i, line in enumerate(lines, 1) if "while rules.at" in line)
    start = f"interrupted while solving {ENDLESS}:at=15990, in generate_moves ({FILE}, line "
    said = [f"{start}{loop + i}), at (15990)" for i in (0, 1)]
    assert code == 1 and errors.removesuffix("; nothing is stored yet\n") in said


def test_a_signal_that_is_ignored_from_the_start_stays_ignored(tmp_path):
    words = "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])"
    process = begin("query", "konane", "-", "--reference", program=[sys.executable, "-c", words, *PROGRAM])
    process.stdin.write("nonsense\n")
    process.stdin.flush()
    assert process.stderr.readline().startswith("expected a position")
    process.send_signal(signal.SIGHUP)
    process.stdin.write("nonsense\n")
    process.stdin.close()
    process.stdin = None
    assert ending(process)[0].startswith("expected a position")


@pytest.mark.parametrize(
    ("when", "ends"),
    [
        ("import gamesman.machine.collection as early; early.put_off = end", ("interrupted\n", 1)),
        ("import gamesman.machine.collection as late; late.give_up = end", ("", 0)),
    ],
)
def test_a_signal_at_the_very_start_or_end_is_no_traceback(when, ends):
    end = "import os, signal, sys; end = lambda: os.kill(os.getpid(), signal.SIGINT)"
    run = "from gamesman.__main__ import main; sys.exit(main())"
    process = begin("games", program=[sys.executable, "-c", f"{end}; {when}; {run}"])
    assert ending(process) == ends


def test_an_interruption_while_a_connection_is_closed_is_not_logged():
    log = "import logging, gamesman.db.connection; logging.getLogger('sqlalchemy.pool').error('a traceback')"
    assert ending(begin(program=[sys.executable, "-c", log])) == ("", 0)


def test_sigterm_while_it_waits_for_a_line_is_one_line():
    process = begin("query", "konane", "-", "--reference")
    process.stdin.write("nonsense\n")
    process.stdin.flush()
    process.stderr.readline()
    process.send_signal(signal.SIGTERM)
    assert ending(process) == ("interrupted\n", 1)


@pytest.mark.slow
def test_what_is_stored_is_said_to_be_gone_on_with_and_what_is_not_is_not():
    process = at("solving", "solve", "konane:rows=4,cols=5", "--threads", "1")
    process.send_signal(signal.SIGTERM)
    errors, code = ending(process)
    assert code in (0, 1)
    if code == 1:
        started = "interrupted while solving konane:rows=4,cols=5"
        assert errors.startswith(started)
        said = errors.removesuffix("\n").rpartition("; ")[2]
        listed = subprocess.run(
            [*PROGRAM, "list"], cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True
        ).stdout
        assert said == (
            "the same command goes on where it stopped" if "unfinished" in listed else "nothing is stored yet"
        )
