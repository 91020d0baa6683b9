"""`gamesman prove` on the command line: what it says, in words and in JSON, and what it refuses."""

import json

import pytest
from click.testing import CliRunner
from support.storing import store_solution

from gamesman.cli.main import cli
from gamesman.db import open_store

pytestmark = pytest.mark.slow


def run(*words):
    return CliRunner().invoke(cli, words)


def test_a_proof_is_said_and_its_certificate_verified(tmp_path):
    path = str(tmp_path / "k.proof")
    found = run("prove", "konane:rows=5,cols=5", "--certificate", path, "--table", "4M", "--threads", "1")
    assert found.exit_code == 0, found.output
    assert "proved: White wins" in found.stdout and "a3-c3" in found.stdout and path in found.stdout
    verified = run("verify", path)
    assert verified.exit_code == 0, verified.output
    assert verified.stdout.startswith("verified: White wins by a3-c3, from (w ")
    fields = json.loads(run("verify", path, "--json").stdout)
    assert (fields["status"], fields["value"], fields["move"]) == ("verified", "win", "a3-c3")


def test_json_has_the_fields_of_the_contract():
    found = json.loads(run("prove", "konane", "--json", "--threads", "1").stdout)
    contract = ["variant", "position", "turn", "value", "move", "nodes", "seconds", "proved"]
    assert list(found)[: len(contract)] == contract
    assert (found["value"], found["move"], found["proved"]) == ("lose", None, True)


def test_what_is_not_proved_in_time_ends_with_exit_code_1():
    found = run("prove", "konane:rows=8,cols=8", "--time", "0.05", "--json", "--table", "4M")
    assert found.exit_code == 1
    assert json.loads(found.stdout)["proved"] is False
    assert "not proved within" in found.stderr and len(found.stderr.splitlines()) == 1


def test_a_solved_variant_is_answered_from_the_database(database):
    store_solution(open_store(database), "konane")
    found = json.loads(run("prove", "konane", "--json").stdout)
    assert (found["value"], found["source"]) == ("lose", "database")


def test_a_wrong_call_is_answered_with_one_line(tmp_path):
    (tmp_path / "other.txt").write_text("nothing")
    for words, code in [
        (["prove"], 2),
        (["prove", "konan"], 2),
        (["prove", "konane", "nonsense"], 2),
        (["prove", "konane", "--time", "0"], 2),
        (["prove", "konane", "--table", "much"], 2),
        (["prove", "konane", "--table", "900T"], 1),
        (["prove", "konane", "--threads", "0"], 2),
        (["prove", "konane:rows=30,cols=26", "--table", "4M"], 1),
        (["prove", "konane", "--certificate", str(tmp_path)], 1),
        (["verify", str(tmp_path / "other.txt")], 1),
        (["verify", str(tmp_path / "none.proof")], 2),
    ]:
        found = run(*words)
        assert found.exit_code == code, (words, found.output)
        assert len(found.stderr.splitlines()) == 1, (words, found.stderr)
