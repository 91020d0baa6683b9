"""At a database's place, and an export's, nothing is opened, replaced or removed but a file."""

import json
import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from support import ROOT
from support.storing import store_solution

from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.db.lock import FileLock
from gamesman.errors import AddressError, NotSolved, StorageFailed
from gamesman.model.variant import Variant, variant


def make_other(path, kind):
    if kind == "link":
        path.with_name("target").write_bytes(b"")
        path.symlink_to("target")
    elif kind == "link to nothing":
        path.symlink_to("nowhere")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "device":
        try:
            os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        except OSError:
            pytest.skip("NOT TESTED: devices, which only the system's administrator may make")
    else:
        here = os.getcwd()
        os.chdir(path.parent)  # a socket's name must be short
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(path.name)
        os.chdir(here)


OTHERS = ["link", "link to nothing", "pipe", "folder", "device", "socket"]
COMMANDS = [["solve"], ["solve", "--restart"], ["delete", "--yes"], ["query"], ["verify"]]


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("is_shared", [True, False])
def test_what_is_no_file_is_left_alone(kind, words, is_shared, tmp_path):
    path = tmp_path / ("all.db" if is_shared else "konane.gamesman")
    make_other(path, kind)
    before = os.lstat(path)
    place = f"sqlite:///{path}" if is_shared else str(tmp_path)
    result = CliRunner().invoke(cli, [*words, "konane", "--db", place])
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1), result.output
    assert "bug" not in result.stderr
    after = os.lstat(path)
    assert (after.st_mode, after.st_ino) == (before.st_mode, before.st_ino)
    assert result.stdout == ""


@pytest.mark.parametrize("kind", OTHERS)
def test_what_is_no_file_hides_nothing_in_the_list(kind, tmp_path):
    store_solution(open_store(str(tmp_path)), "konane:rows=4")
    make_other(tmp_path / "konane.gamesman", kind)
    result = CliRunner().invoke(cli, ["list", "--db", str(tmp_path), "--json"])
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert ("konane:rows=4", "solved") in [(entry["variant"], entry["status"]) for entry in found]


@pytest.mark.parametrize("kind", OTHERS)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_export_replaces_nothing_but_a_file(kind, ending, tmp_path, database):
    store_solution(open_store(database), "konane")
    path = tmp_path / f"all.{ending}"
    make_other(path, kind)
    before = os.lstat(path)
    result = CliRunner().invoke(cli, ["export", "konane", str(path)])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1), result.stderr
    assert os.lstat(path) == before
    assert not (tmp_path / "target").exists() or (tmp_path / "target").read_bytes() == b""


def test_files_beside_a_database_that_are_not_ours_stay(tmp_path):
    """They have the names that ours had, or could have."""
    others = ["all.db.new", "all.db.new.lock", "all.db.lock", "all.db.part", "all.csv.part"]
    for name in others:
        (tmp_path / name).write_text("mine")
    store_solution(open_store(f"sqlite:///{tmp_path}/all.db"), "konane")
    arguments = ["export", "konane", str(tmp_path / "all.csv"), "--db", f"sqlite:///{tmp_path}/all.db"]
    assert CliRunner().invoke(cli, arguments).exit_code == 0
    assert {name: (tmp_path / name).read_text() for name in others} == dict.fromkeys(others, "mine")
    assert sorted(os.listdir(tmp_path)) == sorted([*others, "all.db", "all.csv"])


def test_a_lock_removes_no_file_that_has_its_name_by_now(tmp_path):
    lock = FileLock(tmp_path / "lock")
    assert lock.acquire()
    os.replace(tmp_path / "lock", tmp_path / "moved")
    (tmp_path / "lock").write_text("another")
    lock.release()
    assert sorted(os.listdir(tmp_path)) == ["lock", "moved"]


@pytest.mark.slow
def test_a_folder_that_cannot_be_read_is_not_called_empty(tmp_path):
    """As a user who may not: the administrator may read anything."""
    folder = tmp_path / "closed"
    folder.mkdir()
    folder.chmod(0o700)
    program = (
        "import os, sys; from gamesman.db.store import Store; store = Store(sys.argv[1])\n"
        "os.geteuid() or os.setuid(65534); list(store.list())"
    )
    for path in [tmp_path, *tmp_path.parents][:-2]:
        if path.stat().st_uid == os.getuid() and path != Path("/tmp"):
            path.chmod(0o755)
    folder.chmod(0o700 if os.geteuid() == 0 else 0)
    done = subprocess.run([sys.executable, "-c", program, str(folder)], capture_output=True, text=True, cwd=ROOT)
    folder.chmod(0o700)
    said = done.stderr.splitlines()[-1]
    assert f"StorageFailed: {folder} cannot be read: Permission denied; see to that" in said, done.stderr


def test_the_list_is_sorted_by_game_and_then_by_numbers(database):
    names = ["konane:rows=4,cols=10", "tictactoe", "konane:rows=4,cols=5", "konane", "konane:rows=10,cols=1"]
    for name in names:
        with pytest.raises(KeyboardInterrupt), open_store(database).writer(variant(name)) as writer:
            writer._has_tiers = True
            raise KeyboardInterrupt
    result = CliRunner().invoke(cli, ["list", "--json"])
    found = [json.loads(line)["variant"] for line in result.stdout.splitlines()]
    assert found == ["konane", "konane:rows=4,cols=5", "konane:rows=4,cols=10", "konane:rows=10,cols=1", "tictactoe"]


def test_the_list_prints_no_letters_that_move_the_cursor(database):
    (Path(database) / "a\x1b[2Jb\nc.gamesman").write_bytes(b"nonsense")
    result = CliRunner().invoke(cli, ["list"])
    assert result.exit_code == 0 and "\x1b" not in result.output and "nonsense" not in result.output
    assert len(result.stdout.splitlines()) == 2


@pytest.mark.parametrize(
    "place",
    [
        "postgresql://me:sesame@127.0.0.1:1/x",
        "postgresql://127.0.0.1:1/x?user=me&password=sesame",
        "postgresql://127.0.0.1:port/x?password=sesame",
        "postgresql://me:ses@me:sesame@127.0.0.1:port/x",
        "mysql://127.0.0.1/x?password=sesame",
        "sqlite:///x.db?password=sesame",
        "postgresql+nothing://127.0.0.1/x?password=sesame",
        "postgresql://127.0.0.1:1/x?sslpassword=sesame",
    ],
)
@pytest.mark.parametrize("command", ["list", "query", "solve", "delete"])
def test_no_password_is_printed(place, command):
    words = [command] if command == "list" else [command, "konane"]
    result = CliRunner().invoke(cli, [*words, *(["--yes"] if command == "delete" else []), "--db", place])
    assert result.exit_code in (1, 2) and result.stderr.count("\n") == 1
    assert "sesame" not in result.output


@pytest.mark.parametrize("place", ["a\0b", "sqlite:///a\0b", "sqlite:////a\0b.db", "postgresql://server/a\0b"])
def test_a_zero_byte_is_in_no_name(place):
    with pytest.raises(AddressError, match="zero byte"):
        open_store(place)


@pytest.mark.parametrize("place", ["{}/\udcff", "sqlite:///{}/\udcff.db"])
def test_a_place_may_have_any_name_that_the_system_allows(place, tmp_path):
    store = open_store(place.format(tmp_path))
    store_solution(store, "konane")
    with store.open(variant("konane")) as stored:
        assert stored.probe(stored.variant.start()) == (0, 7)
    assert [entry.status for entry in store.list()] == ["solved"]


@pytest.mark.slow
@pytest.mark.parametrize("place", ["{}", "sqlite:///{}/all.db"])
def test_a_game_whose_name_is_no_text_is_one_line(tmp_path, place):
    store, of = open_store(place.format(tmp_path)), variant("konane")
    store_solution(store, "konane")
    odd = Variant(of.game, of.options, "m\udcff.py", of.rules)
    for call in (store.writer, store.open, store.delete):
        with pytest.raises((StorageFailed, NotSolved)) as caught:
            call(odd)
        assert "\n" not in str(caught.value)
    with pytest.raises(StorageFailed, match="its name is no Unicode text; rename the game's file$"):
        store.writer(odd)
