"""A variant that is solved again stays what it was until the new solution takes its place, in one step."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.storing import counted, feed, made_up_part, store_solution

from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.db.sqlite_file import SQLiteFile
from gamesman.errors import NotSolved, StorageFailed, TooLarge
from gamesman.model.variant import variant
from gamesman.solver import reference

NAME = "konane:rows=4"
PLACES = ["{}/solved", "sqlite:///{}/all.db"]


@pytest.fixture(params=PLACES)
def place(request, tmp_path):
    return request.param.format(tmp_path)


def begin_again(store, tiers):
    """Solve NAME again, as far as so many made-up tiers, and be interrupted."""
    with pytest.raises(KeyboardInterrupt), store.writer(variant(NAME), restart=True) as writer:
        for tier in tiers:
            if tier not in writer.finished():
                writer.write(tier, made_up_part(tier))
                writer.finish(counted(tier, made_up_part(tier)))
        raise KeyboardInterrupt
    return writer


def check(store, solution):
    with store.open(variant(NAME)) as stored:
        assert {position: stored.probe(position) for position in solution.values} == solution.values


def test_a_restart_that_is_refused_loses_nothing(place):
    store = open_store(place)
    solution = store_solution(store, NAME)
    with pytest.raises(TooLarge), store.writer(variant(NAME), restart=True):
        raise TooLarge("it does not fit")
    check(store, solution)
    assert [(entry.status, entry.detail) for entry in store.list()] == [("solved", None)]


def test_the_command_that_is_refused_for_want_of_memory_loses_nothing(place):
    store_solution(open_store(place), "konane")
    result = CliRunner().invoke(cli, ["solve", "konane", "--restart", "--memory", "1K", "--db", place, "--quiet"])
    assert result.exit_code == 1, result.stdout
    with open_store(place).open(variant("konane")) as stored:
        assert stored.probe(stored.variant.start()) == (0, 7)


def test_a_restart_that_is_interrupted_leaves_the_old_one_and_goes_on(place):
    store = open_store(place)
    solution = store_solution(store, NAME)
    begin_again(store, range(3))
    check(store, solution)
    (entry,) = store.list()
    assert (entry.variant, entry.status) == (NAME, "solved")
    assert entry.detail == f"it has been solved again in part; go on with that: gamesman solve --restart {NAME}"
    assert sorted(begin_again(store, range(5)).finished()) == [0, 1, 2]
    with store.writer(variant(NAME)) as writer:
        assert writer.summary is not None, "what is solved is solved, whatever has been begun again"
    assert sorted(begin_again(store, ()).finished()) == [0, 1, 2, 3, 4]


def test_what_is_solved_again_takes_the_place_of_what_was_there(place, tmp_path):
    store, of = open_store(place), variant(NAME)
    solution = store_solution(store, NAME)
    solution.summary.seconds = 7
    with store.writer(of, restart=True) as writer:
        with store.open(of) as stored:
            assert stored.summary.seconds == 0
        feed(writer, of, solution)
    check(store, solution)
    with store.open(of) as stored:
        assert stored.summary.seconds == 7
    assert [(entry.variant, entry.status, entry.detail) for entry in store.list()] == [(NAME, "solved", None)]
    (file,) = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert file.name in ("konane.rows=4.gamesman", "all.db")


def test_a_restart_of_what_is_not_there_is_listed_goes_on_and_is_deleted(place, tmp_path):
    store = open_store(place)
    begin_again(store, range(2))
    (entry,) = store.list()
    assert (entry.variant, entry.status, entry.tiers) == (NAME, "unfinished", 2)
    assert entry.detail == f"go on with it: gamesman solve --restart {NAME}"
    with pytest.raises(NotSolved):
        store.open(variant(NAME))
    assert sorted(begin_again(store, ()).finished()) == [0, 1]
    store.delete(NAME)
    assert list(store.list()) == []
    assert not list(tmp_path.rglob("*.again"))


def test_what_a_restart_has_left_goes_when_the_variant_is_solved_otherwise(place, tmp_path):
    store = open_store(place)
    begin_again(store, range(2))
    solution = store_solution(store, NAME)
    check(store, solution)
    assert [(entry.status, entry.detail) for entry in store.list()] == [("solved", None)]
    assert begin_again(store, ()).finished() == {}


def test_a_restart_that_was_killed_just_before_its_end_is_ended_by_the_next(tmp_path, monkeypatch):
    store = open_store(str(tmp_path))
    store_solution(store, NAME)
    path = tmp_path / "konane.rows=4.gamesman"
    before = path.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(SQLiteFile, "replace_by", lambda *_: None)
        store_solution(store, NAME, restart=True)
    assert path.read_bytes() == before and (tmp_path / f"{path.name}.again").exists()
    with store.writer(variant(NAME), restart=True) as writer:
        assert writer.summary is not None
    assert os.listdir(tmp_path) == [path.name] and path.read_bytes() != before
    check(store, reference.solve(variant(NAME)))


@pytest.mark.parametrize("content", [b"", b"nonsense" * 99, b"SQLite format 3\0" + b"\1" * 84])
def test_a_restart_that_cannot_be_believed_begins_anew(tmp_path, content):
    store = open_store(str(tmp_path))
    begin_again(store, range(2))
    (tmp_path / "konane.rows=4.gamesman.again").write_bytes(content)
    check(store, store_solution(store, NAME, restart=True))
    assert os.listdir(tmp_path) == ["konane.rows=4.gamesman"]


def test_a_file_whose_log_is_needed_gives_way_with_it(tmp_path):
    """Without its log the old file would be half of one, and with it the new file would be neither."""
    store, of = open_store(str(tmp_path)), variant(NAME)
    solution = store_solution(store, NAME)
    path, copy = tmp_path / "konane.rows=4.gamesman", tmp_path / "copy"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("UPDATE gamesman_work SET since = 'later'")
        shutil.copy(path, copy)
        shutil.copy(Path(f"{path}-wal"), Path(f"{copy}-wal"))
    for ending in ("", "-wal"):
        os.replace(f"{copy}{ending}", f"{path}{ending}")
    with store.writer(of, restart=True) as writer:
        feed(writer, of, solution)
    assert os.listdir(tmp_path) == [path.name]
    check(store, solution)


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_a_restart_replaces_nothing_but_a_file(tmp_path, kind):
    path = tmp_path / "konane.rows=4.gamesman"
    if kind == "link":
        (tmp_path / "mine").write_text("")
        path.symlink_to("mine")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    before = os.lstat(path)
    store = open_store(str(tmp_path))
    with pytest.raises(StorageFailed, match="^expected a file at .*, got .*, which is left alone; give another place$"):
        store.writer(variant(NAME), restart=True)
    assert os.lstat(path) == before
