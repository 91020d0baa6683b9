"""Where variants are stored: the folder, file or server that is named, and a file name for every variant."""

import shutil

import pytest

from db import open_store
from db.place import file_name, read_place
from gamesman.errors import AddressError


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


def test_the_place_is_the_one_named_else_the_environments_else_the_users(monkeypatch, tmp_path):
    monkeypatch.setenv("GAMESMAN_DB", str(tmp_path / "environment"))
    assert read_place(str(tmp_path)) == tmp_path
    assert read_place(None) == tmp_path / "environment"
    monkeypatch.delenv("GAMESMAN_DB")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert "gamesman" in str(read_place(None))


@pytest.mark.parametrize(
    "place", ["", " ", "mysql://server/x", "sqlite://", "sqlite:///:memory:", "http://x", "://", "FILE"]
)
def test_a_place_that_is_none_is_a_wrong_call(place, tmp_path):
    if place == "FILE":
        place = str(tmp_path / "file")
        shutil.copy(__file__, place)
    with pytest.raises(AddressError, match="^expected a folder"):
        open_store(place)
