"""A file takes the place of another as a whole, and nothing but files is replaced."""

import os
import stat

import pytest

from gamesman.machine.files import at_once, write_text


def test_a_text_takes_the_place_of_another_as_a_whole(tmp_path):
    path = tmp_path / "game.json"
    write_text(path, "one")
    path.chmod(0o640)
    with path.open() as reader:
        write_text(path, "two")
        assert reader.read() == "one"
    assert path.read_text() == "two" and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert os.listdir(tmp_path) == ["game.json"]


def test_a_text_that_cannot_be_written_leaves_what_was_there(tmp_path):
    path = tmp_path / "game.json"
    write_text(path, "one")
    with pytest.raises(ValueError, match="surrogates"):
        write_text(path, "\udcff")
    assert path.read_text() == "one" and os.listdir(tmp_path) == ["game.json"]


def test_a_link_stays_one_and_what_it_leads_to_is_written(tmp_path):
    path, link = tmp_path / "game.json", tmp_path / "link"
    path.write_text("one")
    link.symlink_to(path)
    write_text(link, "two")
    assert link.is_symlink() and path.read_text() == "two"


def test_a_device_is_written_to_and_stays_one(tmp_path):
    reading, writing = os.openpty()
    path = tmp_path / "terminal"
    path.symlink_to(os.ttyname(writing))
    write_text(path, "one")
    assert os.read(reading, 3) == b"one" and stat.S_ISCHR(path.stat().st_mode)
    os.close(reading)
    os.close(writing)


def test_a_named_pipe_is_not_waited_for(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    with pytest.raises(OSError, match="No such device"):
        write_text(path, "one")
    with open(path, opener=at_once) as nothing:
        assert nothing.read() == ""
    assert stat.S_ISFIFO(path.stat().st_mode)
