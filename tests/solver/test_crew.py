"""Several processes solve: the same to the byte, whoever of them is killed."""

import contextlib
import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from functools import partial
from importlib.metadata import version

import psutil
import pytest
from click.testing import CliRunner
from distributed.comm.core import CommClosedError
from support import ROOT
from support.crews import dask_processes, free_port, wait_for, workers_of
from support.storing import stored_rows

from gamesman import app
from gamesman.cli.arguments import crew_of
from gamesman.cli.main import cli
from gamesman.errors import AddressError, ClusterFailed, MissingExtra, NotSolved, OptionError, TooLarge
from gamesman.machine import crew as crews
from gamesman.machine.crew import Call, crew
from gamesman.model import same
from gamesman.model.beginning import first_file
from gamesman.model.progress import Silent
from gamesman.model.variant import variant, variants
from gamesman.solver.disk import beyond
from gamesman.solver.disk.folder import WorkFolder
from gamesman.solver.disk.remote import Plan, Remote, perform
from gamesman.solver.disk.steps import Step
from gamesman.solver.disk.tasks import Room

pytestmark = pytest.mark.slow

ROWS = 4  # of Konane, whose 24 tiers are cut into a hundred tiny shards


@pytest.fixture(scope="module")
def two():
    """Two workers that all tests here may kill."""
    with crew(2, None) as found:
        yield found


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    """Cut whatever is solved into shards of a few keys."""
    monkeypatch.setattr(beyond, "KEYS_OF_WORKER", 30)
    monkeypatch.setattr(beyond, "LEAST_KEYS", 1)


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    """What is stored of the variant that was solved in memory."""
    place = tmp_path_factory.mktemp("memory")
    app.solve(variant(f"konane:rows={ROWS}"), db=str(place), threads=1)
    return stored_rows(place)


def solve(place, found, name=f"konane:rows={ROWS}", tell=str, progress=Silent):
    made = None if found is None else partial(contextlib.nullcontext, found)
    return [answer for _, answer in app.solve_each(variants(name), made, db=str(place), progress=progress, tell=tell)]


class Killing(Silent):
    """Kills a random worker of this process after some numbers of steps."""

    def __init__(self, *steps):
        self.steps, self.taken, self.killed = set(steps), 0, 0

    def advance(self, steps):
        self.taken += 1
        if self.taken in self.steps:
            # Two that are killed one after the other may both be gone for a moment, before new ones are started.
            random.choice(wait_for(partial(workers_of, psutil.Process()))).kill()
            self.killed += 1


def test_a_variant_is_solved_together_whichever_worker_is_killed(two, wanted, tmp_path):
    progress = Killing(10, 60, 61, 150)
    ((status, summary),) = solve(tmp_path, two, progress=lambda: progress)
    assert progress.killed == 4
    assert status == "solved" and summary.cpu_seconds > 0
    assert stored_rows(tmp_path) == wanted


PROGRAM = f"""
import sys
from functools import partial
from gamesman import app
from gamesman.machine.crew import crew
from gamesman.model.progress import Silent
from gamesman.model.variant import variant
from gamesman.solver.disk import beyond

if __name__ == "__main__":
    beyond.KEYS_OF_WORKER, beyond.LEAST_KEYS = 30, 1
    where = (None, sys.argv[2]) if len(sys.argv) > 2 else (1, None)
    made = partial(crew, *where)
    print("begin", flush=True)
    for _, answer in app.solve_each([variant("konane:rows={ROWS}")], made, db=sys.argv[1], progress=Silent):
        print(answer)
"""


@pytest.fixture
def program(tmp_path):
    """Return what starts a solve in a process of its own, in a database and, if told, on a cluster."""
    (tmp_path / "program.py").write_text(PROGRAM)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}

    def start(*words):
        command = [sys.executable, str(tmp_path / "program.py"), str(tmp_path / "db"), *words]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)

    return start


def is_at_work(tmp_path):
    return list((tmp_path / "db").glob("*-work/tier-*"))


def test_workers_end_with_the_driver_that_is_killed_and_the_next_one_goes_on(program, wanted, tmp_path):
    driver = program()
    wait_for(lambda: is_at_work(tmp_path))
    workers = psutil.Process(driver.pid).children(recursive=True)
    assert workers
    driver.kill()
    driver.communicate()
    _, left = psutil.wait_procs(workers, timeout=5)
    assert not left
    driver = program()
    driver.communicate()
    assert driver.returncode == 0
    assert stored_rows(tmp_path / "db") == wanted


def test_ctrl_c_in_a_terminal_which_all_processes_hear_is_said_in_a_line(tmp_path):
    command = [sys.executable, "-m", "gamesman", "solve", "konane:rows=5,cols=6", "--workers", "2", "--quiet"]
    said = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "start_new_session": True}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GAMESMAN_DB": str(tmp_path / "db")}
    driver = psutil.Popen(command, env=environment, **said)
    wait_for(partial(is_at_work, tmp_path))
    workers = workers_of(driver)
    os.killpg(driver.pid, signal.SIGINT)
    lines = driver.communicate(timeout=60)[0].splitlines()
    assert len(lines) == 1 and lines[0].startswith("interrupted "), lines
    assert driver.returncode == 1 and workers
    assert not psutil.wait_procs(workers, timeout=10)[1]


@pytest.fixture
def dask(tmp_path):
    """Return what starts a scheduler or a worker of Dask, which end with the test."""
    with dask_processes(tmp_path) as start:
        yield start


def test_a_scheduler_that_is_started_anew_goes_on(program, dask, wanted, tmp_path):
    port = str(free_port())
    address = f"tcp://127.0.0.1:{port}"
    worker = "worker", address, "--nthreads", "1", "--no-nanny"
    scheduler = partial(dask, "scheduler", "--host", "127.0.0.1", "--port", port)
    first, _ = scheduler(), dask(*worker)
    driver = program(address)
    wait_for(lambda: is_at_work(tmp_path))
    first.kill()
    first.wait()
    scheduler()
    dask(*worker)
    said, _ = driver.communicate(timeout=240)
    assert "1,279 positions" in said
    assert stored_rows(tmp_path / "db") == wanted


def test_a_worker_that_joins_late_does_what_one_that_is_gone_has_left(program, dask, wanted, tmp_path):
    port = str(free_port())
    address = f"tcp://127.0.0.1:{port}"
    worker = "worker", address, "--nthreads", "1", "--no-nanny"
    _, first = dask("scheduler", "--host", "127.0.0.1", "--port", port), dask(*worker)
    driver = program(address)
    wait_for(lambda: is_at_work(tmp_path))
    first.kill()
    dask(*worker)
    said, _ = driver.communicate(timeout=240)
    assert "1,279 positions" in said
    assert stored_rows(tmp_path / "db") == wanted


def test_several_variants_are_solved_side_by_side_and_one_that_cannot_be_stops_no_other(two, tmp_path):
    names = f"konane:rows=3|{ROWS}|20"
    alone, together = solve(tmp_path / "alone", None, names), solve(tmp_path / "together", two, names)
    assert [type(answer) for answer in together] == [tuple, tuple, TooLarge]
    assert str(together[2]) == str(alone[2]) and str(together[2]).startswith("konane:rows=20 cannot be solved")
    for (_, summary), (_, its) in zip(alone[:2], together[:2], strict=True):
        assert its.tiers == summary.tiers
    again = solve(tmp_path / "together", None, names)
    assert [answer[0] for answer in again[:2]] == ["already solved"] * 2


def lines(*words):
    """What a command answers in JSON, without how long it took, and its exit code."""
    result = CliRunner().invoke(cli, [*words, "--json"])
    found = [json.loads(line) for line in result.stdout.splitlines()]
    changing = {"seconds", "cpu_seconds", "peak_memory"}
    return [{name: value for name, value in one.items() if name not in changing} for one in found], result.exit_code


def test_several_variants_are_described_and_proved_side_by_side(two, monkeypatch):
    monkeypatch.setattr(crews, "crew", lambda workers, cluster: contextlib.nullcontext(two))
    solved, code = lines("solve", "konane:rows=3..4", "--workers", "2")
    assert code == 0 and [each["status"] for each in solved] == ["solved"] * 2
    for command in ("stats", "verify"):
        both = lines(command, "konane:rows=3..4", "--workers", "2")
        assert both == ([lines(command, f"konane:rows={rows}")[0][0] for rows in (3, 4)], 0)
        found, code = lines(command, "konane:rows=3|5", "--workers", "2")
        assert code == 1 and found[0] == both[0][0]
    assert found[1]["error"] == "konane:rows=5 is not solved; run: gamesman solve konane:rows=5"
    (compared,), code = lines("compare", "konane:rows=3|5", "--quick", "--workers", "2", "--solve")
    assert code == 0 and len(compared["variants"]) == 2


def test_what_cannot_be_cut_into_shards_is_solved_whole_by_one_worker(two, tmp_path):
    said = []
    ((status, summary),) = solve(tmp_path, two, "tapatan", said.append)
    assert (status, summary.variant) == ("solved", "tapatan")
    assert said == ["tapatan cannot be cut into shards: one worker solves it whole"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"version": "0.0.1"}, "has gamesman .*, not 0.0.1; install the same version there"),
        ({"fingerprint": "x"}, "has other rules of konane; install the same game there"),
        ({"folder": "/nowhere"}, "does not see what is in /nowhere; give a folder that all machines share"),
    ],
)
def test_a_worker_that_may_take_no_part_is_refused_by_name(wrong, said, two, tmp_path):
    v, folder = variant("konane"), WorkFolder(tmp_path / "work")
    folder.open({"of": "konane", "keys": 9})
    plan = Plan.of(v.name, v.fingerprint, folder, Room.of(9), has_classes=False, memory=None)
    Remote(two, plan)
    with pytest.raises(ClusterFailed, match=f"^the worker tcp://127.0.0.1:[0-9]+ {said}"):
        Remote(two, plan._replace(**wrong))
    late = Call("expand", "a step", perform, (plan._replace(**wrong), Step("expand", 0, 0, 1)))
    with pytest.raises(ClusterFailed, match=f"^a worker on .* {said}"):
        two.run([late], lambda number, found: None)
    folder.close()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("konane", "0.0.1", variant("konane").fingerprint), "has gamesman .*, not 0.0.1; install the same version"),
        (("konane", version("gamesman"), "x"), "has other rules of konane; install the same game there"),
        (("konan", version("gamesman"), "x"), "cannot load konan: "),
    ],
)
def test_a_worker_with_another_game_is_refused_one_of_several_variants(wrong, said, two, tmp_path, monkeypatch):
    wanted = same.marks
    monkeypatch.setattr(same, "marks", lambda v: wrong if v.name == "konane" else wanted(v))
    with pytest.raises(ClusterFailed, match=f"^the worker tcp://127.0.0.1:[0-9]+ {said}"):
        solve(tmp_path, two, "konane:misere=*")
    with pytest.raises(NotSolved):
        app.open(variant("konane"), db=str(tmp_path))


def test_a_worker_that_dies_when_it_is_asked_whether_it_may_take_part_stops_nobody(tmp_path):
    class Dying:
        def everywhere(self, function, plan):
            return {"tcp://127.0.0.1:1": CommClosedError("Stream is closed"), "tcp://127.0.0.1:2": function(plan)}

    v, folder = variant("konane"), WorkFolder(tmp_path / "work")
    folder.open({"of": "konane", "keys": 9})
    plan = Plan.of(v.name, v.fingerprint, folder, Room.of(9), has_classes=False, memory=None)
    Remote(Dying(), plan)
    with pytest.raises(ClusterFailed, match="^the worker tcp://127.0.0.1:2 has gamesman"):
        Remote(Dying(), plan._replace(version="0.0.1"))
    folder.close()


def test_what_a_call_raises_is_raised_and_the_rest_is_taken_back(two):
    with pytest.raises(ZeroDivisionError):
        two.run([Call("divide", f"divide by {n}", divmod, (1, n)) for n in (1, 0, 2)], lambda number, found: None)
    found = {}
    two.run([Call("divide", f"divide by {n}", divmod, (7, n)) for n in (1, 2)], found.__setitem__)
    assert found == {0: (7, 0), 1: (3, 1)}


def test_no_call_waits_behind_a_long_one_while_a_worker_is_free(two):
    seconds = [2.0, *[0.02] * 12]
    heard = []
    calls = [Call("sleep", f"sleep {number}", time.sleep, (s,)) for number, s in enumerate(seconds)]
    two.run(calls, lambda number, found: heard.append(number))
    assert heard.index(0) >= len(seconds) - 2  # a worker is given one call ahead
    assert heard[1] < 4


def test_what_is_not_there_is_said(monkeypatch):
    monkeypatch.setattr(crews, "CONNECTING", 0.2)
    with (
        pytest.raises(ClusterFailed, match="no Dask scheduler answers at tcp://127.0.0.1:1; start one"),
        crew(None, "tcp://127.0.0.1:1"),
    ):
        pass
    for wrong, said in (
        ("x://y", "x://y: unknown"),
        ("nonsense", "nonsense: missing port"),
        ("", "nothing: missing port"),
    ):
        expected = f"expected the address of a Dask scheduler, like tcp://HOST:8786, got {said}"
        with pytest.raises(AddressError, match=expected), crew(None, wrong):
            pass
    with pytest.raises(OptionError, match=r"--workers must be at most \d+, 8 for each core here, got 100,000"):
        crew_of(100_000, None)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"run: pip install 'gamesman\[cluster\]'"), crew(1, None):
        pass


def test_what_answers_and_is_no_scheduler_is_said_soon(monkeypatch):
    monkeypatch.setattr(crews, "CONNECTING", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        said = f"no Dask scheduler answers at {address}; start one"
        with pytest.raises(ClusterFailed, match=said), crew(None, address):
            pass


def test_ctrl_c_while_the_scheduler_is_gone_ends_soon_with_one_line(tmp_path):
    port = free_port()
    address = f"tcp://127.0.0.1:{port}"
    with dask_processes(tmp_path) as start:
        scheduler = start("scheduler", "--host", "127.0.0.1", "--port", str(port))
        start("worker", address, "--nthreads", "1", "--memory-limit", "0")
        command = [sys.executable, "-m", "gamesman", "solve", "konane:rows=4,cols=7", "--cluster", address]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        more = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True, "env": environment}
        solving = subprocess.Popen([*command, "--db", str(tmp_path / "db"), "--quiet"], **more)
        wait_for(lambda: [*tmp_path.glob("db/*/*")])  # files of positions
        scheduler.kill()
        time.sleep(2)
        solving.send_signal(signal.SIGINT)
        begun = time.monotonic()
        _, errors = solving.communicate(timeout=60)
        assert time.monotonic() - begun < 10
    assert (solving.returncode, errors.count("\n")) == (1, 1), errors
    assert errors.startswith("interrupted while solving konane:rows=4,cols=7")


def test_a_game_that_is_a_file_is_solved_by_workers_in_another_folder(tmp_path):
    port, here = free_port(), tmp_path / "here"
    here.mkdir()
    (here / "mine.py").write_text(first_file("mine", "3x3"))
    with dask_processes(tmp_path) as start:
        start("scheduler", "--host", "127.0.0.1", "--port", str(port))
        start("worker", f"tcp://127.0.0.1:{port}", "--nthreads", "1", "--memory-limit", "0")

        def run(*words):
            command = [sys.executable, "-m", "gamesman", *words, "--cluster", f"tcp://127.0.0.1:{port}", "--db", "db"]
            environment = {**os.environ, "PYTHONPATH": str(ROOT)}
            return subprocess.run(command, cwd=here, env=environment, capture_output=True, text=True)

        one = run("solve", "./mine.py:rows=2,cols=2", "--json", "--quiet")
        assert json.loads(one.stdout)["variant"] == "./mine.py:rows=2,cols=2", one.stderr
        several = run("solve", "./mine.py:rows=3,cols=2..3", "--json", "--quiet")
        names = ["./mine.py:cols=2", "./mine.py"]
        assert [json.loads(line)["variant"] for line in several.stdout.splitlines()] == names, several.stderr
        assert run("stats", "./mine.py:rows=3,cols=2..3").stdout.startswith(f"{names[0]}: ")
        for command in ("verify", "stats"):
            assert run(command, "./mine.py:cols=3..4").stderr.startswith("./mine.py:cols=4 is not solved")
