"""What is stored is what was solved; reading creates nothing; a solve goes on where it stopped."""

import os
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import numpy as np
import pytest
from support.storing import (
    counted,
    digest,
    feed,
    made_up_digest,
    made_up_part,
    make_up,
    reached,
    store_solution,
    stored_digest,
)

import gamesman.db.held_files
import gamesman.db.reader
import gamesman.db.writer
from gamesman.db import open_store
from gamesman.db.connection import connected
from gamesman.errors import NotReachable, NotSolved, TooLarge
from gamesman.model.ports import Part
from gamesman.model.variant import variant
from gamesman.solver import reference
from gamesman.values import pack, unpack

VARIANTS = ["konane", "konane:misere,any_piece", "konane:rows=4", 'konane:start=(w "" wb- bw- -wb)']


@pytest.fixture
def store(tmp_path):
    return open_store(str(tmp_path / "solved"))


@pytest.mark.parametrize("name", VARIANTS)
def test_every_position_comes_back(store, name):
    solution = store_solution(store, name)
    with store.open(variant(name)) as stored:
        assert {position: stored.probe(position) for position in solution.values} == solution.values
        assert stored.summary.tiers == solution.summary.tiers
        assert stored.summary.as_json() == solution.summary.as_json()
        found = {
            k: r
            for _, keys, records in stored.positions()
            for k, r in zip(keys.tolist(), records.tolist(), strict=True)
        }
        hash_ = stored.variant.hash
        assert found == {hash_(p): pack(value, r or 0) for p, (value, r) in solution.values.items()}


def test_many_at_once_are_the_same_as_one_by_one(store):
    solution = store_solution(store, "konane:rows=4")
    of = variant("konane:rows=4")
    with store.open(of) as stored:
        positions = list(solution.values)
        assert stored.probe_many(positions) == [solution.values[p] for p in positions]
        for tier in stored.tiers:
            for part in stored.positions(tier):
                found = [stored.record(tier, key) for key in part.keys.tolist()]
                assert part.tier == tier and part.records.tolist() == found
                assert list(zip(part.values().tolist(), part.remotenesses(draw=0).tolist(), strict=True)) == [
                    unpack(record) for record in found
                ]
            assert stored.record(tier, 1 << 40) is None and not list(stored.positions(99))


def test_a_position_that_cannot_be_reached_is_no_answer(store):
    store_solution(store, "konane")
    of = variant("konane")
    there, not_there = of.start(), of.parse('(b "" wbwb bwbw wbwb)')
    with store.open(of) as stored:
        assert stored.get(not_there) is None
        assert stored.get_many([there, not_there]) == [(0, 7), None]
        with pytest.raises(NotReachable):
            stored.probe(not_there)
        with pytest.raises(NotReachable):
            stored.probe_many([there, not_there])


@pytest.mark.slow
def test_blocks_in_the_cache_answer_like_those_in_the_file(store, monkeypatch):
    monkeypatch.setattr(gamesman.db.reader, "CACHED_BLOCKS", 3)
    with store.writer(variant("konane")) as writer:
        make_up(writer)
    random = np.random.default_rng(1)
    parts = {tier: reached(made_up_part(tier)) for tier in range(40)}
    with store.open(variant("konane")) as stored:
        assert stored_digest(stored) == made_up_digest()
        for tier in random.integers(0, 40, 1000).tolist():
            keys, records = parts[tier]
            place = int(random.integers(0, len(keys)))
            assert stored.record(tier, int(keys[place])) == records[place]
            other = int(random.integers(0, keys[-1] + 1000))
            assert (stored.record(tier, other) is not None) == (other in keys)
        assert len(stored._cache) == 3 == sum(map(len, stored._firsts.values()))


@pytest.mark.slow
def test_what_is_there_is_found_in_blocks_of_every_kind(store):
    with store.writer(variant("konane")) as writer:
        make_up(writer)
    random = np.random.default_rng(2)
    with store.open(variant("konane")) as stored:
        for tier in range(40):
            keys, records = reached(made_up_part(tier))
            asked = np.sort(np.concatenate([random.choice(keys, 200), random.integers(0, keys[-1] + 9, 200)]))
            there = dict(zip(keys.tolist(), records.tolist(), strict=True))
            assert [stored.record(tier, key) for key in asked.tolist()] == [there.get(key) for key in asked.tolist()]


def test_what_is_not_solved_says_what_to_run_and_nothing_is_created(tmp_path):
    folder = tmp_path / "not" / "there"
    for place in (str(folder), f"sqlite:///{folder}/solved.db"):
        store = open_store(place)
        with pytest.raises(NotSolved, match="^konane:rows=4 is not solved; run: gamesman solve konane:rows=4$"):
            store.open(variant("konane:rows=4,cols=4"))
        assert list(store.list()) == []
        with pytest.raises(NotSolved, match="is not stored"):
            store.delete(variant("konane"))
        assert list(tmp_path.iterdir()) == []


def test_a_finished_database_is_one_file_and_is_read_where_nothing_can_be_written(store, tmp_path):
    solution = store_solution(store, "konane")
    folder = tmp_path / "solved"
    assert [path.name for path in folder.iterdir()] == ["konane.gamesman"]
    path = folder / "konane.gamesman"
    before = path.read_bytes()
    path.chmod(stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH)
    folder.chmod(0o555)
    try:
        with store.open(variant("konane")) as stored:
            assert stored.probe(stored.variant.start()) == solution.values[stored.variant.start()]
            assert stored_digest(stored)
            assert os.listdir(folder) == ["konane.gamesman"]
        assert [entry.status for entry in store.list()] == ["solved"]
    finally:
        folder.chmod(0o755)
    assert path.read_bytes() == before and os.listdir(folder) == ["konane.gamesman"]


@pytest.mark.slow
def test_a_database_finished_while_somebody_reads_it_is_read_and_tidied_up_later(store, tmp_path):
    of = variant("konane")
    solution = reference.solve(of)
    folder = tmp_path / "solved"
    with store.writer(of) as writer:
        engine = writer._database.reading()
        with engine.connect() as reader, closing(reader.connection.cursor()) as cursor:
            cursor.execute("SELECT 1 FROM gamesman_variants UNION ALL SELECT 2")
            cursor.fetchone()
            feed(writer, of, solution)
            assert (folder / "konane.gamesman").read_bytes()[18] == 2, "with a reader the write-ahead log should stay"
        engine.dispose()
    with store.open(of) as stored:
        assert stored.probe(of.start()) == (0, 7)
    with store.writer(of) as writer:
        assert writer.summary == solution.summary
    assert os.listdir(folder) == ["konane.gamesman"]


def test_of_two_that_finish_at_once_the_last_one_tidies_up(tmp_path):
    store = open_store(f"sqlite:///{tmp_path}/all.db")
    names = ["konane", "konane:rows=4"]
    writers = [store.writer(variant(name)) for name in names]
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda writer: feed(writer, writer.variant, reference.solve(writer.variant)), writers))
        list(threads.map(lambda writer: writer.close(), writers))
    assert (tmp_path / "all.db").read_bytes()[18] == 1, "it should be set to have no write-ahead log"
    assert [(entry.variant, entry.status) for entry in store.list()] == [(name, "solved") for name in names]
    assert os.listdir(tmp_path) == ["all.db"]


def test_a_file_set_to_keep_a_log_is_read_without_a_trace(store, tmp_path):
    store_solution(store, "konane")
    path = tmp_path / "solved" / "konane.gamesman"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
    before = path.read_bytes()
    assert before[18] == 2
    with store.open(variant("konane")) as stored:
        assert stored.probe(stored.variant.start()) == (0, 7)
        assert os.listdir(path.parent) == ["konane.gamesman"]
    assert os.listdir(path.parent) == ["konane.gamesman"] and path.read_bytes() == before


@pytest.mark.parametrize("place", ["solved", "sqlite:///{}/solved.db"])
def test_a_solve_that_was_refused_leaves_nothing_behind(tmp_path, place):
    store = open_store(place.format(tmp_path) if "{}" in place else str(tmp_path / place))
    store_solution(store, "konane")
    with pytest.raises(TooLarge), store.writer(variant("konane:rows=4")):
        raise TooLarge("it does not fit")
    assert [entry.variant for entry in store.list()] == ["konane"]
    with pytest.raises(KeyboardInterrupt), store.writer(variant("konane")) as writer:
        assert writer.summary is not None
        raise KeyboardInterrupt
    assert [(entry.variant, entry.status) for entry in store.list()] == [("konane", "solved")]


def test_an_interrupted_solve_goes_on_where_it_stopped(store):
    of = variant("konane")
    with pytest.raises(KeyboardInterrupt), store.writer(of) as writer:
        for tier in range(10):
            part = made_up_part(tier)
            writer.write(tier, part)
            writer.finish(counted(tier, part))
        writer.write(10, made_up_part(10))
        raise KeyboardInterrupt
    with pytest.raises(NotSolved, match="is not solved; run"):
        store.open(of)
    assert [(entry.status, entry.tiers) for entry in store.list()] == [("unfinished", 10)]
    with store.writer(of) as writer:
        assert writer.summary is None
        assert dict(writer.finished()) == {tier: counted(tier, made_up_part(tier)) for tier in range(10)}
        for tier in range(10):
            parts = list(writer.load(tier))
            assert {part.keys is None for part in parts} == {tier % 3 == 0}
            assert digest(map(reached, parts)) == made_up_digest([tier])
        make_up(writer)
    with store.open(of) as stored:
        assert stored_digest(stored) == made_up_digest()


def test_a_tier_that_fits_no_transaction_shows_as_a_whole(store, monkeypatch):
    monkeypatch.setattr(gamesman.db.writer, "TRANSACTION_BYTES", 1 << 12)
    with store.writer(variant("konane")) as writer:
        make_up(writer, range(5))
        writer_summary = writer.summary
    with store.open(variant("konane")) as stored:
        assert stored_digest(stored) == made_up_digest(range(5))
        assert stored.summary.tiers == writer_summary.tiers


def test_the_blocks_do_not_depend_on_how_the_positions_came(store, tmp_path):
    of, other = variant("konane"), open_store(str(tmp_path / "other"))
    keys, records = reached(made_up_part(7))
    summary = counted(7, Part(0, keys, records))
    found = []
    for where, step in ((store, len(keys)), (other, 777)):
        with where.writer(of) as writer:
            for begin in range(0, len(keys), step):
                writer.write(7, Part(int(keys[begin]), keys[begin : begin + step], records[begin : begin + step]))
            writer.finish(summary)
            writer.flush()
            with connected(writer._database) as connection:
                query = "SELECT first, last, number, positions, packed_keys, packed_records FROM gamesman_blocks"
                found.append(connection.exec_driver_sql(query).all())
    assert found[0] == found[1] and len(found[0]) > 1


@pytest.mark.parametrize("fault", ["descending", "twice", "two tiers", "another count"])
def test_a_solver_that_hands_over_nonsense_is_stopped(store, fault):
    keys, records = np.array([5, 3]), np.zeros(2, np.uint16)
    with pytest.raises(ValueError, match="expected"), store.writer(variant("konane")) as writer:
        if fault == "descending":
            writer.write(1, Part(5, keys, records))
        else:
            writer.write(1, Part(3, keys[::-1], records))
        if fault == "twice":
            writer.write(1, Part(3, keys[::-1], records))
        if fault == "two tiers":
            writer.write(2, Part(13, keys[::-1] + 10, records))
        tier = counted(1, Part(3, keys[::-1], records))
        tier.histogram[0][0] += fault == "another count"
        writer.finish(tier)
        writer.complete(None)
    with pytest.raises(NotSolved):
        store.open(variant("konane"))


def test_solved_is_solved_also_while_it_is_solved_again(store):
    solution = store_solution(store, "konane")
    with store.writer(variant("konane")) as writer:
        assert writer.summary == solution.summary
    with store.writer(variant("konane"), restart=True) as writer:
        assert writer.summary is None and not writer.finished()
        with store.open(variant("konane")) as stored:
            assert stored.summary.tiers == solution.summary.tiers


@pytest.mark.slow
def test_one_query_imports_neither_numba_nor_numpy(store, tmp_path):
    store_solution(store, "konane")
    program = (
        "import sys; from gamesman.db import open_store; from gamesman.model.variant import variant\n"
        "v = variant('konane')\n"
        "with open_store(sys.argv[1]).open(v) as s: print(s.probe(v.start()), s.summary.as_json()['positions'])\n"
        "print(*sorted({'numpy', 'numba', 'pyarrow', 'tqdm', 'psycopg', 'platformdirs'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "solved")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["(0, 7) 17", ""]


def test_a_file_has_one_handle_of_ours_for_as_long_as_it_is_open(store):
    store_solution(store, "konane")
    before = dict(gamesman.db.held_files._handles)
    with store.open(variant("konane")):
        once = {file: list(handles) for file, handles in gamesman.db.held_files._handles.items()}
        with store.open(variant("konane")):
            assert list(store.list()) and gamesman.db.held_files._handles == once
        assert gamesman.db.held_files._handles == once and len(once) == len(before) + 1
    assert gamesman.db.held_files._handles == before


def test_threads_share_an_open_variant(store, monkeypatch):
    monkeypatch.setattr(gamesman.db.reader, "CACHED_BLOCKS", 2)
    solution = store_solution(store, "konane:rows=4")
    positions = list(solution.values)
    with store.open(variant("konane:rows=4")) as stored, ThreadPoolExecutor(4) as threads:
        for found in threads.map(stored.get_many, [positions[i::8] for i in range(8)] * 2):
            assert all(answer is not None for answer in found)
        assert list(threads.map(stored.probe, positions)) == list(solution.values.values())
