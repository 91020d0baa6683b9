"""The examples that `stats`, `compare` and `verify` have in their help do what they say."""

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.storing import store_solution

from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.model.variant import variants

EXAMPLES = [
    (name, example) for name in ("compare", "stats", "verify") for example in cli.get_command(None, name).examples
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_the_examples_of_the_help_run(name, example, tmp_path, monkeypatch, database):
    store = open_store(database)
    for v in variants("konane:rows=3..4,misere=*"):
        store_solution(store, v.name)
    monkeypatch.chdir(tmp_path)
    program, *words = shlex.split(example)
    assert (program, words[0]) == ("gamesman", name)
    if words[-1].endswith(".proof"):
        assert CliRunner().invoke(cli, ["prove", "konane", "--no-db", "--certificate", words[-1]]).exit_code == 0
    result = CliRunner().invoke(cli, words)
    assert (result.exit_code, result.exception) == (0, None), result.stderr
    assert ("verified" if name == "verify" else "") in result.stdout and result.stdout
    files = [word for word in words if word.endswith((".png", ".html", ".proof"))]
    assert [str(file) for file in Path().iterdir()] == files
