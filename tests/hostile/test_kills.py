"""A solve killed at any moment, once or many times in a row, for the first time or again, ends in the same database."""

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest
from support.chance import chance, rounds
from support.killing import start
from support.storing import TIERS, digest, made_up_digest, reached, stored_digest

from gamesman.db import open_store
from gamesman.errors import NotSolved
from gamesman.model.variant import variant

PLACES = ["{}/solved", "sqlite:///{}/all.db", "postgresql"]


@pytest.fixture(params=PLACES)
def places(request, tmp_path):
    """What returns a place in which nothing is stored, and what its source of random numbers is to be called."""
    if request.param != "postgresql":
        return (lambda number: request.param.format(tmp_path / str(number))), request.param
    url = request.getfixturevalue("place")

    def empty(number):
        with contextlib.suppress(NotSolved):
            open_store(url).delete(variant("konane"))
        return url

    return empty, request.param


def kill(place, dice, restart=False):
    """Start a solve and kill it somewhere between its first step and its last; whether it was through by then."""
    transaction, seconds = dice.choice([1 << 12, 1 << 16, 32 << 20]), dice.choice([0, 0.01, 1])
    process = start(place, 0.001, transaction, seconds=seconds, restart=restart)
    said = process.stdout.readline()
    assert said == "begin\n", said
    time.sleep(dice.random() * dice.choice([0.02, 0.1, 0.4]))
    process.send_signal(signal.SIGKILL)
    return "complete" in process.communicate()[0].splitlines()


def check_kept(store, digests, restart=False):
    """What a killed solve has left: every tier that it kept is whole."""
    with store.writer(variant("konane"), restart=restart) as writer:
        for tier in writer.finished():
            assert digest(map(reached, writer.load(tier))) == digests[tier]
        return writer.summary is not None


@pytest.fixture(scope="module")
def digests():
    return [made_up_digest([tier]) for tier in range(TIERS)]


def test_kills_in_a_row_end_where_no_kill_does(places, digests):
    empty, kind = places
    dice = chance("kills", kind)
    for number in range(rounds(1)):
        where = empty(number)
        store = open_store(where)
        for _ in range(3):
            if kill(where, dice):
                break
            if [entry.status for entry in store.list()] == ["solved"]:  # killed before it could say so
                break
            with pytest.raises(NotSolved):
                store.open(variant("konane"))
            check_kept(store, digests)
        assert start(where).communicate()[0].splitlines()[-1] == "complete"
        with store.open(variant("konane")) as stored:
            assert stored_digest(stored) == made_up_digest()


def test_kills_of_restarts_leave_the_old_solution_or_the_new_one(places, tmp_path, digests):
    empty, kind = places
    dice = chance("restarts", kind)
    where = empty(0)
    store = open_store(where)
    assert start(where).communicate()[0].splitlines()[-1] == "complete"
    for _ in range(rounds(3)):
        kill(where, dice, restart=True)
        (entry,) = store.list()
        assert entry.status == "solved", entry
        with store.open(variant("konane")) as stored:
            assert stored_digest(stored) == made_up_digest()
        if dice.random() < 0.5:
            check_kept(store, digests, restart=True)
    assert start(where, restart=True).communicate()[0].splitlines()[-1] == "complete"
    with store.open(variant("konane")) as stored:
        assert stored_digest(stored) == made_up_digest()
    left = [path.name for path in tmp_path.rglob("*") if path.is_file()]
    assert left == {"{}/solved": ["konane.gamesman"], "sqlite:///{}/all.db": ["all.db"]}.get(kind, [])


EXPORT = """
import sys
import gamesman.export
from gamesman.db import open_store
from gamesman.model.variant import variant

if __name__ == "__main__":
    gamesman.export.FEW_POSITIONS = 0
    slow = gamesman.export.CsvOutput.write
    def write(*arguments):
        print("written", flush=True)
        sys.stdin.readline()
        slow(*arguments)
    gamesman.export.CsvOutput.write = write
    with open_store(sys.argv[1]).open(variant("konane:rows=4")) as stored:
        gamesman.export.export(stored, gamesman.export.Path(sys.argv[2]), processes=2)
"""


def test_a_killed_export_leaves_no_process_and_the_next_one_leaves_no_file(tmp_path):
    from support.storing import store_solution

    from gamesman.export import export

    store = open_store(str(tmp_path / "solved"))
    store_solution(store, "konane:rows=4")
    (tmp_path / "slow.py").write_text(EXPORT)
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "all.csv"
    command = [sys.executable, str(tmp_path / "slow.py"), str(tmp_path / "solved"), str(path)]
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}
    process = subprocess.Popen(command, start_new_session=True, **pipes)
    assert process.stdout.readline() == "written\n"
    process.kill()
    process.wait()
    deadline = time.monotonic() + 60  # until the system has told them; without that they never end
    while _is_anybody_left(process.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    is_left = _is_anybody_left(process.pid)
    if is_left:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    assert not is_left
    assert [file.name for file in path.parent.iterdir()] == ["all.csv.gamesman-part"]
    with store.open(variant("konane:rows=4")) as stored:
        export(stored, path.with_name("other.csv"))
    assert [file.name for file in path.parent.iterdir()] == ["other.csv"]


def _is_anybody_left(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
