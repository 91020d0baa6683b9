"""Whatever --memory and --threads say: the process keeps to it, or is refused in one line with both numbers."""

import re
import subprocess
import sys

import pytest
from support.chance import chance, rounds

MEGA = 1 << 20
REFUSED = re.compile(r"needs (at least |about )?[\d.,]+ (byte|bytes|KB|MB|GB|TB) of memory, [\d.,]+ .* allowed; .*\n")
NAMES = ["konane", "konane:rows=4,cols=5", "ctf:size=2"]
COMMANDS = ["solve {} --restart", "stats {}", "verify {}", "compare {} konane:misere --solve"]
COMMANDS += ["query {}", "line {}", "search {}", "search {} --time 1 --no-db"]
FIGURES = [1, 20 << 20, 100 << 20, 180 << 20, 230 << 20, 300 << 20, 400 << 20, 4 << 30]
THREADS = [1, 2, 128, 1000, 100_000]


# A small process that starts the one that is measured: a child begins with the most that its parent ever had.
STARTER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
print(process.returncode, used.ru_maxrss)
"""


def spend(words, folder):
    """Exit code, what was said on standard error, and the most memory the process had."""
    # What is solved again lies elsewhere: here it is about memory, not about what becomes of the old solution.
    place = folder / ("again" if "--restart" in words else "db")
    with (folder / "said").open("w+") as said:
        program = [sys.executable, "-m", "gamesman", *words, "--quiet", "--db", str(place)]
        run = subprocess.run([sys.executable, "-c", STARTER, *program], stdout=subprocess.PIPE, stderr=said, text=True)
        code, most = map(int, run.stdout.split())
        said.seek(0)
        return code, said.read(), most * (1 if sys.platform == "darwin" else 1024)


def check(words, memory, folder):
    code, said, most = spend([*words, "--memory", str(memory)], folder)
    if code == 0:
        assert most <= memory * 1.05 + 20_000_000
        return True
    assert (code, len(said.splitlines())) == (1, 1), said
    assert REFUSED.search(said), said
    return False


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which what is asked about is solved."""
    found = tmp_path_factory.mktemp("memory")
    assert spend(["solve", *NAMES, "konane:misere"], found)[0] == 0
    return found


@pytest.mark.parametrize("number", range(rounds(6)))
def test_a_process_keeps_to_the_memory_allowed_or_is_refused_in_a_line(number, folder):
    choose = chance("memory", number)
    words = choose.choice(COMMANDS).format(choose.choice(NAMES)).split()
    if words[0] not in ("stats", "query", "line"):
        words += ["--threads", str(choose.choice(THREADS))]
    check(words, choose.choice(FIGURES), folder)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_single_byte_is_refused_with_the_least_that_would_do(command, folder):
    assert not check(command.format("konane").split(), 1, folder)


def test_any_number_of_threads_is_a_number_that_helps(folder):
    assert check("solve konane:rows=4,cols=5 --restart --threads 100000".split(), 600 << 20, folder)


@pytest.mark.parametrize("words", ["--table 900G", "--table 60M --memory 200M"])
def test_a_table_that_no_memory_holds_is_not_tried(words, folder):
    code, said, most = spend(["search", "konane", "--no-db", *words.split()], folder)
    assert (code, bool(REFUSED.search(said))) == (1, True), said
    assert most < 200 * MEGA
