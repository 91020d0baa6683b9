"""Whatever happens to a solve, its database opens, shows only whole tiers, and the next solve goes on from there."""

import os
import random
import select
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from support import ROOT
from support.killing import start
from support.storing import TIERS, digest, made_up_digest, make_up, reached, store_solution, stored_digest

from gamesman.db import open_store, schema
from gamesman.errors import InUse, NotSolved
from gamesman.model.variant import variant

pytestmark = pytest.mark.slow

KILLS = 15


def kill_at_a_random_moment(place, seed):
    """Kill a solve somewhere between its first step and its last, and say whether it was through."""
    moment = random.Random(seed)
    transaction, seconds = moment.choice([1 << 12, 1 << 16, 32 << 20]), moment.choice([0, 0.01, 1])
    process = start(place, 0.001, transaction, seconds=seconds)
    assert process.stdout.readline() == "begin\n"
    time.sleep(moment.random() * moment.choice([0.02, 0.1, 0.4]))
    process.send_signal(signal.SIGKILL)
    said = process.communicate()[0].splitlines()
    return "complete" in said


def is_solved(store):
    return [entry.status for entry in store.list()] == ["solved"]


def check(store, digests):
    """What a killed solve has left is sound: every finished tier whole, nothing of any other."""
    entries = list(store.list())
    assert [entry.status for entry in entries] == ["unfinished"], entries
    with pytest.raises(NotSolved):
        store.open(variant("konane"))
    with store.writer(variant("konane")) as writer:
        finished = list(writer.finished())
        assert finished == list(range(len(finished)))
        for tier in finished:
            assert digest(map(reached, writer.load(tier))) == digests[tier]
    return len(finished)


def test_random_kills_in_a_row_leave_the_same_database_as_none(tmp_path):
    digests = [made_up_digest([tier]) for tier in range(TIERS)]
    kills, rounds, seen = 0, 0, set()
    while kills < KILLS:
        place = tmp_path / str(rounds)
        store = open_store(str(place))
        rounds += 1
        while kills < KILLS and not kill_at_a_random_moment(place, kills):
            kills += 1
            if is_solved(store):  # killed between its last transaction and saying so
                break
            seen.add(check(store, digests))
        process = start(place)
        assert process.communicate()[0].splitlines()[-1] == "complete"
        with store.open(variant("konane")) as stored:
            assert stored_digest(stored) == made_up_digest()
            assert len(stored.summary.tiers) == TIERS
        assert os.listdir(place) == ["konane.gamesman"]
    assert len(seen) > 3, f"the kills came at too few different moments: {seen}"


def test_a_full_disk_is_one_line_and_the_next_solve_goes_on(tmp_path):
    process = start(tmp_path, limit=300_000)
    said = process.communicate()[0].splitlines()
    assert process.returncode == 1
    assert said[-1].startswith("StorageFailed ") and "konane.gamesman" in said[-1], said[-1]
    assert said[-1].endswith("run: gamesman solve konane"), said[-1]
    store = open_store(str(tmp_path))
    assert check(store, [made_up_digest([tier]) for tier in range(TIERS)]) < TIERS
    assert start(tmp_path).communicate()[0].splitlines()[-1] == "complete"
    with store.open(variant("konane")) as stored:
        assert stored_digest(stored) == made_up_digest()


def test_a_second_solve_says_who_is_at_work_and_damages_nothing(tmp_path):
    first = start(tmp_path, pause=0.02)
    store = open_store(str(tmp_path))
    try:
        assert first.stdout.readline() == "begin\n"
        with pytest.raises(
            InUse, match=rf"^konane is being solved by process {first.pid} on \S+ since \d{{4}}-\S+; wait"
        ):
            store.writer(variant("konane"))
        with pytest.raises(InUse, match="stop that first"):
            store.delete(variant("konane"))
        with pytest.raises(InUse):
            store.writer(variant("konane"), restart=True)
        with pytest.raises(NotSolved, match=f"not solved yet: process {first.pid} on"):
            store.open(variant("konane"))
        assert [(entry.status, str(first.pid) in entry.detail) for entry in store.list()] == [("being solved", True)]
        with store.writer(variant("konane"), wait=True) as writer:
            assert first.wait() == 0
            assert writer.summary is not None and len(writer.summary.tiers) == TIERS
    finally:
        first.kill()
        first.communicate()
    with store.open(variant("konane")) as stored:
        assert stored_digest(stored) == made_up_digest()
    assert os.listdir(tmp_path) == ["konane.gamesman"]


def test_a_lock_ends_with_its_process(tmp_path):
    process = start(tmp_path, pause=0.05)
    assert process.stdout.readline() == "begin\n"
    process.kill()
    process.communicate()
    with open_store(str(tmp_path)).writer(variant("konane")) as writer:
        assert writer.summary is None


def test_reading_goes_on_while_a_solve_writes(tmp_path):
    place = f"sqlite:///{tmp_path}/all.db"
    assert start(place).communicate()[0].splitlines()[-1] == "complete"
    store = open_store(place)
    other = variant("konane:rows=4")
    with store.open(variant("konane")) as stored, store.writer(other) as writer:
        make_up(writer)
        assert stored_digest(stored) == made_up_digest()
        with store.open(other) as second:
            assert stored_digest(second) == made_up_digest()


@pytest.mark.parametrize("place", ["{}", "sqlite:///{}/konane.gamesman"])
def test_what_a_killed_writer_was_at_is_undone_by_the_first_who_reads(tmp_path, place):
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    killed.mkdir()
    solution = store_solution(open_store(place.format(whole)), "konane")
    with closing(sqlite3.connect(whole / "konane.gamesman", isolation_level=None)) as connection:
        connection.execute(
            "PRAGMA cache_size=1"
        )  # so that what is changed comes to the file before its transaction ends
        connection.execute("BEGIN")
        connection.execute("UPDATE gamesman_blocks SET packed_records = zeroblob(20000)")
        for path in whole.iterdir():
            shutil.copy(path, killed)
    assert (killed / "konane.gamesman").read_bytes() != (whole / "konane.gamesman").read_bytes()
    store = open_store(place.format(killed))
    with store.open(variant("konane")) as stored:
        assert {position: stored.probe(position) for position in solution.values} == solution.values
    assert [entry.status for entry in store.list()] == ["solved"]
    assert os.listdir(killed) == ["konane.gamesman"]


def test_two_that_create_the_same_file_at_once_both_have_their_variants_in_it(tmp_path, monkeypatch):
    place = f"sqlite:///{tmp_path}/all.db"
    program = (
        "import sys; from support.storing import open_store, store_solution; store = open_store(sys.argv[1])\n"
        "print('ready', flush=True); input(); store_solution(store, 'konane:rows=4'); print('stored', flush=True)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), str(ROOT)])}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}
    create_all = schema.metadata.create_all

    def while_the_other_begins(engine):
        monkeypatch.setattr(schema.metadata, "create_all", create_all)
        create_all(engine)
        other.stdin.write("go\n")
        other.stdin.flush()
        select.select([other.stdout], [], [], 1)  # as long as it takes to store, if it does not wait for us

    with subprocess.Popen([sys.executable, "-c", program, place], **pipes) as other:
        assert other.stdout.readline() == "ready\n"
        monkeypatch.setattr(schema.metadata, "create_all", while_the_other_begins)
        store = open_store(place)
        store_solution(store, "konane")
        assert other.stdout.readline() == "stored\n"
    assert [(entry.variant, entry.status) for entry in store.list()] == [
        ("konane", "solved"),
        ("konane:rows=4", "solved"),
    ]


@pytest.mark.parametrize(
    "look", [lambda store: list(store.list()), lambda store: store.open(variant("konane:rows=4")).close()]
)
def test_a_solve_keeps_its_log_from_others_although_its_own_process_opens_the_file_again(tmp_path, look):
    store = open_store(f"sqlite:///{tmp_path}/all.db")
    store_solution(store, "konane:rows=4")
    remove_log = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('PRAGMA journal_mode=DELETE')"
    with store.writer(variant("konane")):
        look(store)
        other = subprocess.run([sys.executable, "-c", remove_log, tmp_path / "all.db"], capture_output=True, text=True)
        assert "database is locked" in other.stderr
        assert (tmp_path / "all.db-wal").exists()


def test_killed_solves_of_a_game_end_where_one_that_was_left_alone_does(tmp_path):
    name = "konane:rows=4,cols=5,any_piece"

    def solve(place, name=name):
        command = [sys.executable, "-m", "gamesman", "solve", name, "--db", str(tmp_path / place), "--quiet"]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT)

    assert solve("alone", "konane").communicate()[1] == b""  # so that the game is compiled already
    began = time.monotonic()
    assert solve("alone").communicate()[1] == b""
    took = time.monotonic() - began
    again = open_store(str(tmp_path / "killed"))
    for seed in range(5):
        process = solve("killed")
        time.sleep(took * random.Random(seed).uniform(0.2, 1))
        process.kill()
        process.communicate()
        assert [entry.status for entry in again.list()] in ([], ["unfinished"], ["solved"])
    process = solve("killed")
    assert process.communicate()[1] == b"" and process.returncode == 0
    with open_store(str(tmp_path / "alone")).open(variant(name)) as one, again.open(variant(name)) as other:
        assert stored_digest(one) == stored_digest(other)
        assert one.summary.tiers == other.summary.tiers
