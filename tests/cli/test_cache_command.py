"""`gamesman cache`: what is kept is shown, and removed."""

import json

import pytest
from click.testing import CliRunner

from gamesman.cli.main import cli
from gamesman.compiler.cache import CodeFolder, cache_folder


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMESMAN_CACHE", str(tmp_path / "cache"))
    one = CodeFolder(cache_folder() / f"konane-{'0' * 24}")
    one.write("sparse.count.nbc", bytes(2000))
    one.write("settle.nbc", bytes(100))
    one.write("0123.checked", b"")
    return one.path


def run(*words):
    result = CliRunner().invoke(cli, ["cache", *words])
    assert result.exit_code == 0, result.output
    return result


def test_what_is_kept_is_shown_with_where_and_how_large(folder, tmp_path):
    lines = run().stdout.splitlines()
    assert lines[0].split() == ["game", "functions", "size", "used", "folder"]
    assert lines[1].split()[:4] == ["konane", "2", "2.2", "KB"]
    assert lines[-1] == f"2 functions, 2.2 KB in {tmp_path / 'cache'}"
    shown = json.loads(run("--json").stdout)
    assert shown.pop("used").startswith("20")
    size = sum(path.stat().st_size for path in folder.iterdir())
    assert shown == {"game": "konane", "folder": str(folder), "functions": 2, "bytes": size}


def test_clear_removes_it_and_says_what_it_was(folder, tmp_path):
    assert run("clear").stdout == f"removed from {tmp_path / 'cache'}: 2 functions, 2.2 KB\n"
    assert not folder.exists()
    result = run()
    assert (result.stdout, result.stderr) == ("", f"nothing is kept in {tmp_path / 'cache'}\n")


def test_clear_says_it_as_json(folder):
    assert json.loads(run("clear", "--json").stdout)["status"] == "removed"
    assert run("--json").stdout == ""


def test_anything_else_to_do_is_refused():
    result = CliRunner().invoke(cli, ["cache", "clean"])
    assert result.exit_code == 2
    assert "clear" in result.output
