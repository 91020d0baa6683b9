"""Solved variants are listed and deleted, in files with names of their own, at the location that is given."""

import os
import shutil

import pytest
from support.storing import feed, store_solution, stored_digest

from gamesman.db import open_store
from gamesman.db.location import file_name, read_location
from gamesman.errors import AddressError, NotSolved
from gamesman.model.variant import variant
from gamesman.solver import reference


@pytest.mark.parametrize("location", ["{}/solved", "sqlite:///{}/solved.db"])
def test_variants_are_listed_and_deleted(tmp_path, location):
    store = open_store(location.format(tmp_path))
    for name in ("konane:rows=4", "konane"):
        store_solution(store, name)
    entries = list(store.list())
    assert [(e.variant, e.status, e.positions, e.tiers) for e in entries] == [
        ("konane", "solved", 17, 11),
        ("konane:rows=4", "solved", 1279, 24),
    ]
    assert all(entry.bytes > 100 and entry.finished.startswith("20") for entry in entries)
    store.delete(variant("konane"))
    assert [entry.variant for entry in store.list()] == ["konane:rows=4"]
    with pytest.raises(NotSolved):
        store.open(variant("konane"))
    with pytest.raises(NotSolved, match="is not stored; see: gamesman list"):
        store.delete("konane")
    with store.open(variant("konane:rows=4")) as stored:
        assert stored.probe(stored.variant.start()) == (0, 4)
    if not location.startswith("sqlite"):
        assert os.listdir(tmp_path / "solved") == ["konane.rows=4.gamesman"]


@pytest.mark.parametrize("has_begun", [False, True])
def test_what_is_solved_again_while_somebody_reads_it_is_called_deleted(tmp_path, has_begun):
    of, store = variant("konane"), open_store(f"sqlite:///{tmp_path}/all.db")
    store_solution(store, "konane")
    with store.open(of) as read_whole, store.open(of) as read_in_part, store.open(of) as asked:
        assert not has_begun or (read_whole.tiers and read_in_part.tiers and asked.tiers)
        with store.writer(of, restart=True) as writer:
            feed(writer, of, reference.solve(of))
            said = "has just been deleted" if has_begun else "is not solved"
            with pytest.raises(NotSolved, match=f"^konane {said}; run: gamesman solve konane$"):
                stored_digest(read_whole)
            with pytest.raises(NotSolved):
                next(read_in_part.positions(of.tier(of.start())))
            with pytest.raises(NotSolved):
                asked.get(of.start())


def test_a_variant_that_is_deleted_while_the_store_is_listed_is_left_out(tmp_path):
    store = open_store(f"sqlite:///{tmp_path}/all.db")
    for name in ("konane", "konane:misere", "konane:rows=4"):
        store_solution(store, name)
    entries = store.list()
    assert next(entries).variant == "konane"
    store.delete("konane:misere")
    assert [entry.variant for entry in entries] == ["konane:rows=4"]


def test_file_names_differ_where_variants_differ_whatever_is_in_them():
    texts = [
        "a",
        "b",
        "A",
        "a b",
        "(a)",
        "[a]",
        "a/b",
        "a\\b",
        "é",
        "x" * 300,
        "x" * 301,
        "",
        "a.b",
        "a:b",
        "..",
        "CON",
    ]
    names = [f"konane:start={text}" for text in texts] + [f"./{text}.py:size=4" for text in texts]
    files = [file_name(name) for name in names]
    assert len({file.lower() for file in files}) == len(names)
    for file in files:
        assert len(file) < 120 and not set(file) & set('/\\:*?"<>| ') and not file.startswith("."), file


def test_the_location_is_the_one_given_else_the_environments_else_the_users(monkeypatch, tmp_path):
    monkeypatch.setenv("GAMESMAN_DB", str(tmp_path / "environment"))
    assert read_location(str(tmp_path)) == tmp_path
    assert read_location(None) == tmp_path / "environment"
    monkeypatch.delenv("GAMESMAN_DB")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert "gamesman" in str(read_location(None))


@pytest.mark.parametrize(
    "location", ["", " ", "mysql://server/x", "sqlite://", "sqlite:///:memory:", "http://x", "://", "FILE"]
)
def test_a_location_that_is_none_is_a_wrong_call(location, tmp_path):
    if location == "FILE":
        location = str(tmp_path / "file")
        shutil.copy(__file__, location)
    with pytest.raises(AddressError, match="^expected a folder"):
        open_store(location)
