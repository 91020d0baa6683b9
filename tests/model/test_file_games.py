"""A game that is a file is that file, however it is named, and no other of the same name."""

import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from support import SUPPORT
from support.storing import feed, store_solution

from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.db.location import earlier_file_name, file_name
from gamesman.model.ports import Part
from gamesman.model.variant import variant
from gamesman.solver import reference
from gamesman.values import pack

STAIRS = SUPPORT / "stairs.py"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "here" / "games").mkdir(parents=True)
    shutil.copy(STAIRS, tmp_path / "here" / "games" / "clobber.py")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def ways(folder):
    """Return all that a file may be called in its own folder's folder."""
    (folder / "link").symlink_to(folder / "games")
    return ["games/clobber.py", "./games/clobber.py", "games/../games//clobber.py", "../here/games/clobber.py"] + [
        "link/clobber.py",
        str(folder / "games" / "clobber.py"),
    ]


def run(*words):
    return CliRunner().invoke(cli, words)


def test_its_name_is_one_and_starts_from_the_current_folder(folder, monkeypatch):
    assert {variant(f"{way}:floors=2").name for way in ways(folder)} == {"./games/clobber.py:floors=2"}
    monkeypatch.chdir("games")
    assert variant("clobber.py").name == variant("./clobber.py").name == "./clobber.py"
    (folder / "aside").mkdir()
    monkeypatch.chdir(folder / "aside")
    assert variant("../games/clobber.py").name == str(folder / "games" / "clobber.py")


def test_what_is_solved_by_one_name_is_there_by_all_and_from_everywhere(folder, monkeypatch):
    store_solution(open_store(), "games/clobber.py")
    for way in ways(folder):
        assert json.loads(run("query", way, "--json").stdout)["value"] == "draw"
    assert [entry.variant for entry in open_store().list()] == ["./games/clobber.py"]
    monkeypatch.chdir("games")
    assert run("query", "clobber.py").exit_code == 0
    assert [entry.variant for entry in open_store().list()] == ["./clobber.py"]
    (folder / "aside").mkdir()
    monkeypatch.chdir(folder / "aside")
    assert [entry.variant for entry in open_store().list()] == [str(folder / "games" / "clobber.py")]


@pytest.mark.parametrize("place", ["solved", "sqlite:///solved.db"])
def test_two_files_of_one_name_do_not_share_a_place(folder, place, monkeypatch):
    other = folder / "other"
    other.mkdir()
    (other / "clobber.py").write_text(STAIRS.read_text().replace("default=3", "default=2"))
    place = place.replace("solved", str(folder / "solved")) if ":" not in place else f"sqlite:///{folder}/solved.db"
    found = {}
    for name in ("games", "other"):
        monkeypatch.chdir(folder / name)
        store_solution(open_store(place), "./clobber.py")
    for name in ("games", "other"):
        monkeypatch.chdir(folder / name)
        with open_store(place).open(variant("./clobber.py")) as stored:
            found[name] = stored.summary.position
            assert stored.summary.variant == "./clobber.py"
    assert found["games"] != found["other"]
    run("delete", "./clobber.py", "--yes", "--db", place)
    assert [entry.variant for entry in open_store(place).list()] == [str(folder / "games" / "clobber.py")]


@pytest.mark.parametrize("place", ["{}/solved", "sqlite:///{}/all.db"])
def test_a_restart_goes_on_by_any_of_its_names_and_takes_the_place_of_the_old_one(folder, place, monkeypatch):
    store = open_store(place.format(folder))
    solution = store_solution(store, "games/clobber.py")
    first = interrupted_restart(store, solution)
    (entry,) = store.list()
    assert (entry.variant, entry.status) == ("./games/clobber.py", "solved")
    assert entry.detail.endswith("go on with that: gamesman solve --restart ./games/clobber.py")
    monkeypatch.chdir("games")
    of = variant("clobber.py")
    solution.summary.seconds = 7
    with store.writer(of, restart=True) as writer:
        assert list(writer.finished()) == [first.number]
        assert next(store.list()).detail.startswith(f"process {os.getpid()} on ")
        feed(writer, of, solution)
    with store.open(of) as stored:
        assert stored.summary.seconds == 7
    assert [(entry.variant, entry.detail) for entry in store.list()] == [("./clobber.py", None)]
    store.delete("clobber.py")
    assert list(store.list()) == []


@pytest.mark.parametrize("place", ["{}/solved", "sqlite:///{}/all.db"])
def test_what_a_restart_alone_has_left_is_listed_and_deleted_by_its_name(folder, place):
    store = open_store(place.format(folder))
    solution = reference.solve(variant("games/clobber.py"))
    interrupted_restart(store, solution)
    (entry,) = store.list()
    assert (entry.variant, entry.status) == ("./games/clobber.py", "unfinished")
    assert entry.detail == "go on with it: gamesman solve --restart ./games/clobber.py"
    store.delete("./games/clobber.py")
    assert list(store.list()) == []


@pytest.mark.parametrize("place", ["{}/solved", "sqlite:///{}/all.db"])
def test_the_list_is_sorted_by_the_names_that_it_shows(folder, place):
    store = open_store(place.format(folder))
    shutil.copytree(folder / "games", folder.parent / "elsewhere")
    names = ["./games/clobber.py:floors=9", "./games/clobber.py:floors=10", f"{folder.parent}/elsewhere/clobber.py"]
    for name in reversed([*names, "konane"]):
        store_solution(store, name)
    assert [entry.variant for entry in store.list()] == [*names, "konane"]


def interrupted_restart(store, solution):
    """Solve the first tier of what is solved again, and stop. Returns the tier's summary."""
    first = min(solution.summary.tiers, key=lambda tier: tier.number)
    with pytest.raises(KeyboardInterrupt), store.writer(variant("games/clobber.py"), restart=True) as writer:
        writer.write(first.number, part_of(solution, first.number))
        writer.finish(first)
        raise KeyboardInterrupt
    return first


def part_of(solution, tier):
    """Return the positions of a tier of a solution of the stairs, as the solver hands them over."""
    of = variant("games/clobber.py")
    found = {of.hash(p): pack(v, r or 0) for p, (v, r) in solution.values.items() if of.tier(p) == tier}
    keys = np.array(sorted(found))
    return Part(int(keys[0]), keys, np.array([found[key] for key in keys], np.uint16))


def test_the_name_of_its_database_can_be_read_and_is_of_the_whole_path(folder):
    name = file_name("games/clobber.py:floors=2")
    assert name.startswith("clobber.py.floors=2-")
    assert name == file_name(f"{folder}/games/clobber.py:floors=2") != file_name("other/clobber.py:floors=2")
    assert file_name("konane:rows=4") == "konane.rows=4.gamesman"


def test_what_was_stored_under_what_was_typed_is_not_taken_for_it_but_told_and_deleted(folder):
    place = Path(os.environ["GAMESMAN_DB"])
    store_solution(open_store(), "games/clobber.py")
    earlier = place / earlier_file_name("./games/clobber.py")
    (place / file_name("games/clobber.py")).rename(earlier)
    result = run("query", "games/clobber.py")
    assert result.exit_code == 1
    assert f"an earlier gamesman solved one called so, maybe another file: {earlier}" in result.output
    assert run("delete", "games/clobber.py", "--yes").exit_code == 0
    assert not earlier.exists()
