"""What is written comes to the disk in few transactions, soon, and gives back the room of what is removed."""

import time

import numpy as np
import pytest
from sqlalchemy import event
from support.storing import counted, made_up_part, make_up, store_solution

import gamesman.db.writer
from gamesman.db import open_store, vacuum
from gamesman.model.ports import Part
from gamesman.model.summary import Summary
from gamesman.model.variant import variant


@pytest.fixture
def store(tmp_path):
    return open_store(str(tmp_path / "solved"))


def small_tier(writer, number):
    part = Part(number, np.array([number]), np.zeros(1, np.uint16))
    writer.write(number, part)
    summary = counted(number, part)
    writer.finish(summary)
    return summary


def count_commits(writer):
    commits = []
    event.listen(writer._engine, "commit", commits.append)
    return commits


def test_small_tiers_share_a_transaction(store, monkeypatch):
    monkeypatch.setattr(gamesman.db.writer, "WAITING_SECONDS", 3600)
    with store.writer(variant("konane")) as writer:
        commits = count_commits(writer)
        tiers = [small_tier(writer, number) for number in range(300)]
        writer.complete(Summary("konane", "made up", 0, 7, tiers))
    assert len(commits) == 2
    with store.open(variant("konane")) as stored:
        assert len(stored.tiers) == 300


def test_a_tier_does_not_wait_for_others_that_do_not_come(store, monkeypatch):
    monkeypatch.setattr(gamesman.db.writer, "WAITING_SECONDS", 0.01)
    with store.writer(variant("konane")) as writer:
        small_tier(writer, 0)
        deadline = time.monotonic() + 60
        while [entry.tiers for entry in store.list()] != [1] and time.monotonic() < deadline:
            time.sleep(0.01)
        assert [entry.tiers for entry in store.list()] == [1]


def test_a_transaction_that_is_large_waits_for_nobody(store, monkeypatch):
    monkeypatch.setattr(gamesman.db.writer, "WAITING_SECONDS", 3600)
    monkeypatch.setattr(gamesman.db.writer, "TRANSACTION_BYTES", 1)
    with store.writer(variant("konane")) as writer:
        commits = count_commits(writer)
        for number in range(3):
            part = made_up_part(number)
            writer.write(number, part)
            writer.finish(counted(number, part))
        writer._queue.join()
        assert len(commits) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("is_old", [False, True])
@pytest.mark.parametrize("way", ["delete", "restart"])
def test_what_is_removed_from_a_shared_file_gives_its_room_back(tmp_path, monkeypatch, is_old, way):
    if is_old:  # as files were made before
        monkeypatch.setattr(vacuum, "enable", lambda engine: None)
    path = tmp_path / "all.db"
    store = open_store(f"sqlite:///{path}")
    solution = store_solution(store, "konane:rows=4")
    small = path.stat().st_size
    with store.writer(variant("konane")) as writer:
        make_up(writer)
    large = path.stat().st_size
    assert large > 4 * small
    if way == "delete":
        store.delete("konane")
    else:
        store_solution(store, "konane", restart=True)
    assert path.stat().st_size < small + (large - small) / 4
    with store.open(variant("konane:rows=4")) as stored:
        assert {position: stored.probe(position) for position in solution.values} == solution.values
