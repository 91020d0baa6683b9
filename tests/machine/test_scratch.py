"""Folders for what does not fit memory: gone at the end, swept after a kill, and never taken from a living process."""

import os
import signal
import subprocess
import sys

import pytest
from support import ROOT

from gamesman.errors import StorageFailed
from gamesman.machine import scratch
from gamesman.machine.scratch import LOCK, Scratch, sweep
from gamesman.solver.keyset import SpillFolder

OWNER = """
import sys
from pathlib import Path
from gamesman.machine.scratch import Scratch
scratch = Scratch(Path(sys.argv[1]))
(scratch.path / "1.keys").write_text("keys")
print("there", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def owner(tmp_path):
    """A process with a folder in tmp_path."""
    words = [sys.executable, "-c", OWNER, str(tmp_path)]
    with subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        yield process
        process.kill()


def names(folder):
    return sorted(path.name for path in folder.rglob("*"))


def test_a_folder_is_gone_after_its_use(tmp_path):
    folder = SpillFolder(tmp_path)
    folder.new_file().write_text("keys")
    assert "1.keys" in names(tmp_path)
    folder.remove()
    assert names(tmp_path) == []


def test_a_folder_of_a_killed_process_is_swept_and_that_of_a_living_one_is_not(tmp_path, owner):
    sweep(tmp_path)
    assert "1.keys" in names(tmp_path)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    SpillFolder(tmp_path).remove()  # what every solve begins with
    assert names(tmp_path) == []


def test_a_folder_of_another_machine_stays(tmp_path, monkeypatch):
    left = Scratch(tmp_path)
    os.close(left._lock)
    monkeypatch.setattr(scratch.platform, "node", lambda: "another")
    sweep(tmp_path)
    assert names(tmp_path) == [left.path.name, LOCK]
    monkeypatch.undo()
    sweep(tmp_path)
    assert names(tmp_path) == []


def test_what_is_not_ours_stays(tmp_path):
    (tmp_path / f"{scratch.PREFIX}full").mkdir()
    (tmp_path / f"{scratch.PREFIX}full" / "mine").touch()
    (tmp_path / f"{scratch.PREFIX}file").touch()
    (tmp_path / f"{scratch.PREFIX}link").symlink_to(tmp_path / f"{scratch.PREFIX}full")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / LOCK).write_text(scratch.platform.node())
    before = names(tmp_path)
    sweep(tmp_path)
    assert names(tmp_path) == before


def test_a_folder_left_before_it_was_locked_is_swept(tmp_path):
    (tmp_path / f"{scratch.PREFIX}empty").mkdir()
    sweep(tmp_path)
    assert names(tmp_path) == []


def test_no_folder_for_temporary_files_is_said_in_a_line(tmp_path):
    folder = SpillFolder(tmp_path / "nowhere")
    with pytest.raises(StorageFailed, match="no room for positions not in use: No such file"):
        folder.new_file()
    folder.remove()
