"""A game that is a file is that file, however it is named, and no other of the same name."""

import json
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from storing import store_solution

from db import open_store
from db.place import earlier_file_name, file_name
from gamesman.cli import cli
from gamesman.variant import variant

STAIRS = Path(__file__).parent / "stairs.py"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "here" / "games").mkdir(parents=True)
    shutil.copy(STAIRS, tmp_path / "here" / "games" / "clobber.py")
    monkeypatch.chdir(tmp_path / "here")
    return tmp_path / "here"


def ways(folder):
    """All that a file may be called in its own folder's folder."""
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
