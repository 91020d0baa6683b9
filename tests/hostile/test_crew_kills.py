"""A solve by several processes ends in the same database, whoever of them is killed, and whenever.

    GAMESMAN_HOSTILE_ROUNDS=10 scripts/test tests/hostile/test_crew_kills.py

kills twenty workers, ten drivers and four schedulers, one in each solve. Konane is shared by its shards; Capture the
Flag is solved whole by one worker, as its moves go in cycles.
"""

import os
import subprocess
import sys
import time
from functools import partial

import psutil
import pytest
from support import ROOT
from support.chance import chance, rounds
from support.crews import dask_processes, free_port, wait_for, workers_of
from support.storing import stored_rows

from gamesman import app
from gamesman.model.variant import variant

pytestmark = pytest.mark.slow

NAMES = ["konane:rows=5,cols=5", "ctf:size=4"]
SMALL_NAMES = ["konane:rows=4,cols=6", "ctf:size=3"]  # where a few kills have to do
if rounds(1) == 1:
    NAMES = SMALL_NAMES
TRIES = 20  # to kill before the solve is through


def start(name, place, *words):
    """Start a solve in a process of its own."""
    command = [sys.executable, "-m", "gamesman", "solve", name, "--db", str(place), "--quiet", *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return psutil.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)


def end(driver):
    """Wait until a solve is through."""
    _, said = driver.communicate(timeout=600)
    assert driver.returncode == 0, said


@pytest.fixture(scope="module", params=NAMES)
def solved(request, tmp_path_factory):
    """The name of a variant, what is stored when nobody is killed, and how long that takes from the first worker on."""
    alone, together = tmp_path_factory.mktemp("alone"), tmp_path_factory.mktemp("together")
    app.solve(variant(request.param), db=str(alone), threads=1)
    driver = start(request.param, together, "--workers", "2")
    wait_for(partial(workers_of, driver))
    began = time.monotonic()
    end(driver)
    taken = time.monotonic() - began
    wanted = stored_rows(alone)
    assert stored_rows(together) == wanted
    return request.param, wanted, taken


def solve_and_kill(start, kill, seconds, dice):
    """Start a solve and kill somebody in the middle of it, not when it is through; return the driver."""
    for number in range(TRIES):
        driver, began = start(number), time.monotonic()
        waiting = dice.random() * seconds
        while driver.poll() is None and time.monotonic() < began + waiting:
            time.sleep(0.01)
        if driver.poll() is None and kill(driver):
            return driver, number
        driver.communicate()
        seconds = min(seconds, time.monotonic() - began)  # it was measured when the machine was busier
    pytest.fail(f"none of {TRIES} solves was killed in the middle")


@pytest.mark.parametrize("number", range(rounds(1)))
def test_a_worker_is_killed(number, solved, tmp_path):
    name, wanted, seconds = solved
    dice = chance("workers", name, number)

    def started(number):
        driver = start(name, tmp_path / str(number), "--workers", "2")
        wait_for(partial(workers_of, driver))
        return driver

    def kill(driver):
        found = workers_of(driver)
        if found:
            dice.choice(found).kill()
        return bool(found)

    driver, last = solve_and_kill(started, kill, seconds, dice)
    end(driver)
    assert stored_rows(tmp_path / str(last)) == wanted


@pytest.mark.parametrize("number", range(rounds(0.5)))
def test_the_driver_is_killed_and_the_same_command_is_given_again(number, solved, tmp_path):
    name, wanted, seconds = solved
    dice = chance("drivers", name, number)

    def started(number):
        driver = start(name, tmp_path / str(number), "--workers", "2")
        wait_for(partial(workers_of, driver))
        return driver

    left = []

    def kill(driver):
        left[:] = driver.children(recursive=True)
        driver.kill()
        return True

    driver, last = solve_and_kill(started, kill, seconds, dice)
    driver.communicate()
    assert not psutil.wait_procs(left, timeout=60)[1]
    end(start(name, tmp_path / str(last), "--workers", "2"))
    assert stored_rows(tmp_path / str(last)) == wanted


@pytest.mark.parametrize("number", range(rounds(0.15)))
def test_the_scheduler_is_killed_and_started_anew(number, solved, tmp_path):
    name, wanted, seconds = solved
    dice, port = chance("schedulers", name, number), str(free_port())
    address = f"tcp://127.0.0.1:{port}"
    with dask_processes(tmp_path) as dask:
        scheduler = partial(dask, "scheduler", "--host", "127.0.0.1", "--port", port)
        workers = [partial(dask, "worker", address, "--nthreads", "1", "--no-nanny", "--memory-limit", "0")] * 2
        running = [scheduler(), *(worker() for worker in workers)]

        def kill(driver):
            running[0].kill()
            running[0].wait()
            return True

        def started(number):
            place = tmp_path / f"db-{number}"
            driver = start(name, place, "--cluster", address)
            # Who has not reached a scheduler yet ends with a line that says so.
            wait_for(lambda: driver.poll() is not None or list(place.glob("*")))
            return driver

        driver, last = solve_and_kill(started, kill, seconds, dice)
        scheduler()
        for worker in workers:
            worker()
        end(driver)
    assert stored_rows(tmp_path / f"db-{last}") == wanted
