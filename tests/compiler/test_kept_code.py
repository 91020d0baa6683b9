"""The folder of compiled code: whom it trusts, what it forgets, and that it never stops anything."""

import os
import stat
import time

import pytest

from gamesman.compiler import cache
from gamesman.compiler.cache import CodeFolder, cache_folder

DIGEST = "0123456789abcdef01234567"


@pytest.fixture(autouse=True)
def root(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMESMAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "_told", set())
    return tmp_path / "cache"


def folder(name="konane", digest=DIGEST):
    return CodeFolder(cache_folder() / f"{name}-{digest}")


def file(name="konane"):
    return cache_folder() / f"{name}-{DIGEST}" / "kernel.nbc"


def test_what_is_written_is_read_and_only_we_may(root):
    folder().write("kernel.nbc", b"code")
    assert folder().read("kernel.nbc") == b"code"
    assert folder().read("other.nbc") is None
    for path in (root, file().parent, file()):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077
    assert [path.name for path in file().parent.iterdir()] == ["kernel.nbc"]


@pytest.mark.parametrize("bit", range(0, 8 * 61, 7))
def test_no_flipped_bit_is_read(bit):
    folder().write("kernel.nbc", b"code")
    content = bytearray(file().read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    file().write_bytes(content)
    assert folder().read("kernel.nbc") is None
    folder().write("kernel.nbc", b"code")
    assert folder().read("kernel.nbc") == b"code"


def test_the_code_of_another_function_is_not_read():
    folder().write("kernel.nbc", b"code")
    file().rename(file().with_name("other.nbc"))
    assert folder().read("other.nbc") is None


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_not_read(mode):
    folder().write("kernel.nbc", b"code")
    file().chmod(mode)
    assert folder().read("kernel.nbc") is None


@pytest.mark.parametrize("which", ["root", "game"])
@pytest.mark.parametrize("mode", [0o770, 0o707, 0o1777])
def test_a_folder_that_others_can_write_is_not_used_and_that_is_said_once(root, which, mode, capfd):
    folder().write("kernel.nbc", b"code")
    path = root if which == "root" else file().parent
    path.chmod(mode)
    assert folder().read("kernel.nbc") is None
    folder().write("new.nbc", b"code")
    assert not (file().parent / "new.nbc").exists()
    said = f"compiled code is neither kept nor used: {path} can be written by other users; run: chmod go-w {path}\n"
    assert capfd.readouterr() == ("", said)
    path.chmod(0o700)
    assert folder().read("kernel.nbc") == b"code"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
@pytest.mark.parametrize("which", ["root", "game", "file"])
def test_what_belongs_to_another_user_is_not_used(root, which, capfd):
    folder().write("kernel.nbc", b"code")
    path = {"root": root, "game": file().parent, "file": file()}[which]
    os.chown(path, 12345, 12345)
    assert folder().read("kernel.nbc") is None
    said = capfd.readouterr().err
    assert said.count("belongs to another user; set GAMESMAN_CACHE to a folder of your own\n") == (which != "file")


def test_the_owner_is_asked_for(monkeypatch, capfd):
    """The same where one is not root: as another user would find it."""
    folder().write("kernel.nbc", b"code")
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert folder().read("kernel.nbc") is None
    assert "belongs to another user" in capfd.readouterr().err


@pytest.mark.parametrize("what", ["directory", "pipe", "link", "dangling"])
def test_what_is_no_file_is_not_read(tmp_path, what):
    folder().write("kernel.nbc", b"code")
    content = file().read_bytes()
    file().unlink()
    if what == "directory":
        file().mkdir()
    elif what == "pipe":
        os.mkfifo(file())
    else:
        (tmp_path / "elsewhere").write_bytes(content)
        file().symlink_to(tmp_path / ("elsewhere" if what == "link" else "nowhere"))
    assert folder().read("kernel.nbc") is None
    folder().write("kernel.nbc", b"code")
    assert folder().read("kernel.nbc") == (None if what == "directory" else b"code")


def test_a_game_folder_that_is_a_link_is_not_used(root, tmp_path, capfd):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    root.mkdir(mode=0o700)
    file().parent.symlink_to(tmp_path / "elsewhere")
    folder().write("kernel.nbc", b"code")
    assert not list((tmp_path / "elsewhere").iterdir())
    assert "is no folder; move it away" in capfd.readouterr().err


def test_where_nothing_can_be_written_nothing_is_kept_and_nothing_said(root, monkeypatch, capfd):
    root.write_text("a file")
    monkeypatch.setenv("GAMESMAN_CACHE", str(root / "deeper"))
    folder().write("kernel.nbc", b"code")
    assert folder().read("kernel.nbc") is None
    assert capfd.readouterr() == ("", "")


def test_a_full_disk_leaves_nothing_half_written(monkeypatch):
    there = folder()

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        there.write("kernel.nbc", b"code")
    assert list(there.path.iterdir()) == []


def test_earlier_versions_of_a_game_are_forgotten_but_for_the_latest_used(root):
    for number in range(cache.KEPT_VERSIONS + 3):
        one = folder(digest=f"{number:024}")
        one.write("kernel.nbc", b"code")
        os.utime(one.path, (number, number))
        folder("another", f"{number % 2:024}")
    left = sorted(path.name for path in root.glob("konane-*"))
    assert left == [f"konane-{number:024}" for number in range(3, cache.KEPT_VERSIONS + 3)]
    assert len(list(root.glob("another-*"))) == 2


def test_the_earliest_used_games_are_forgotten_where_all_are_too_large(root, monkeypatch):
    monkeypatch.setattr(cache, "MOST_BYTES", 1000)
    for number, name in enumerate(["oldest", "older", "old"]):
        one = folder(name)
        one.write("kernel.nbc", bytes(400))
        os.utime(one.path, (number, number))
    folder("new")
    assert sorted(path.name.partition("-")[0] for path in root.iterdir()) == ["new", "old", "older"]


def test_versions_of_a_function_do_not_pile_up():
    there = folder()
    for number in range(100):
        there.write(f"sparse.count.{number:024}.nbc", b"code")
        os.utime(there.path / f"sparse.count.{number:024}.nbc", (number, number))
    assert 8 <= len(list(there.path.iterdir())) <= 20
    assert there.read(f"sparse.count.{99:024}.nbc") == b"code"


def test_what_was_left_half_written_is_swept(root):
    part = folder().path / ".kernel.nbc.0123.part"
    part.write_bytes(b"half")
    folder("another")
    assert part.exists()  # somebody may be at it
    os.utime(part, (time.time() - 2 * cache.ABANDONED_SECONDS,) * 2)
    folder("third")
    assert not part.exists()


def test_clearing_leaves_what_is_not_ours(root):
    folder().write("kernel.nbc", b"code")
    folder("another").write("kernel.nbc", b"code")
    (file("another").parent / "letter.txt").write_text("mine")
    (root / "photos-2026").mkdir()
    (root / "photos-2026" / "one.nbc").write_text("mine")
    assert {one.game for one in cache.clear()} == {"konane", "another"}
    left = sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))
    assert left == [f"another-{DIGEST}", f"another-{DIGEST}/letter.txt", "photos-2026", "photos-2026/one.nbc"]
