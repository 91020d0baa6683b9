"""list, delete and export at the command line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.storing import counted, made_up_part, store_solution

import gamesman.cli.commands.delete
from gamesman.app.location import work_folder
from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.model.variant import variant


def run(*words, stdin=None, code=0):
    result = CliRunner().invoke(cli, [*words], input=stdin)
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    return result


@pytest.fixture
def store():
    """The store of the folder in the environment, with two variants in it."""
    found = open_store()
    store_solution(found, "konane")
    store_solution(found, "konane:rows=4")
    return found


def test_list_shows_what_is_stored(store):
    head, first, second = run("list").stdout.splitlines()
    assert head.split() == ["variant", "status", "positions", "size", "finished", "took"]
    assert first.split()[:3] == ["konane", "solved", "17"] and second.split()[:3] == [
        "konane:rows=4",
        "solved",
        "1,279",
    ]
    fields = [json.loads(line) for line in run("list", "--json").stdout.splitlines()]
    assert [(f["variant"], f["status"], f["positions"], f["tiers"]) for f in fields] == [
        ("konane", "solved", 17, 11),
        ("konane:rows=4", "solved", 1279, 24),
    ]
    assert all(f["database_bytes"] > 0 and f["finished"] and f["detail"] is None for f in fields)


def test_list_shows_what_is_unfinished_and_what_is_wrong(store, database):
    (Path(database) / "konane.gamesman").write_bytes(b"nonsense")
    with store.writer(variant("konane:misere")) as writer:
        writer.write(1, made_up_part(1))
        writer.finish(counted(1, made_up_part(1)))
        entries = [json.loads(line) for line in run("list", "--json").stdout.splitlines()]
    assert [entry["status"] for entry in entries] == ["unusable", "being solved", "solved"]
    assert "is no database" in entries[0]["detail"] and "process" in entries[1]["detail"]
    result = run("list")
    assert "konane:misere  unfinished" in result.stdout and "is no database" in result.stderr


def test_an_empty_place_lists_nothing_and_stays_empty(database):
    result = run("list")
    assert result.stdout == "" and "nothing is stored" in result.stderr
    assert list(Path(database).iterdir()) == []


def test_delete_removes_what_it_is_told(store):
    assert run("delete", "konane:cols=4,rows=3", "--yes").stdout == "konane is deleted\n"
    assert [entry.variant for entry in store.list()] == ["konane:rows=4"]
    assert "konane is not stored; see: gamesman list" in run("delete", "konane", "--yes", code=1).stderr
    assert "no such game: konan" in run("delete", "konan", "--yes", code=2).stderr


def test_delete_removes_the_files_of_a_solve_that_was_killed(store):
    for name in ("konane", "konane:rows=5"):
        work = work_folder(variant(name).name, None, None)
        work.mkdir()
        (work / "begun.json").touch()
        run("delete", name, "--yes")
        assert not work.exists()


def test_delete_asks_nobody_without_a_terminal(store):
    assert "only with --yes" in run("delete", "konane", code=2).stderr
    assert len(list(store.list())) == 2


@pytest.mark.parametrize("answer,left", [("n\n", 2), ("\n", 2), ("y\n", 1)])
def test_delete_asks_on_a_terminal(store, monkeypatch, answer, left):
    monkeypatch.setattr(gamesman.cli.commands.delete, "is_terminal", lambda: True)
    result = run("delete", "konane", stdin=answer)
    assert "Delete konane?" in result.stderr
    assert len(list(store.list())) == left


def test_delete_removes_a_game_that_is_gone(tmp_path):
    game = tmp_path / "mine.py"
    game.write_text(variant("konane").game.path.read_text())
    store_solution(open_store(), str(game))
    game.unlink()
    assert run("delete", str(game), "--yes").stdout == f"{game} is deleted\n"
    assert list(open_store().list()) == []


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_export_writes_a_file_and_says_so(store, tmp_path, kind):
    path = tmp_path / f"all.{kind}"
    result = run("export", "konane", str(path))
    assert result.stdout == "" and f"konane: 17 positions in {path}" in result.stderr
    assert path.stat().st_size > 100


def test_export_of_what_is_not_solved_says_what_to_run(tmp_path):
    result = run("export", "konane", str(tmp_path / "all.csv"), code=1)
    assert result.stderr == "konane is not solved; run: gamesman solve konane\n"
    assert list(tmp_path.iterdir()) == []


def test_export_without_the_texts(store, tmp_path):
    run("export", "konane", str(tmp_path / "all.csv"), "--no-position")
    assert (tmp_path / "all.csv").read_text().splitlines()[0] == "key,value,remoteness,tier"
