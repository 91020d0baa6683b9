"""The HTTP API answers what the command line does, and says what is wrong in one form."""

import json

import pytest
from click.testing import CliRunner
from support.serving import serving
from support.storing import store_solution

from gamesman.cli.main import cli
from gamesman.db import open_store

pytestmark = pytest.mark.slow  # workers are started


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("served"))
    for name in ("konane", "ten_to_zero", "tictactoe:rows=2,cols=2"):
        store_solution(open_store(folder), name)
    with serving(db=folder) as client:
        client.folder = folder
        yield client


def on_command_line(client, *words):
    result = CliRunner().invoke(cli, [*words, "--db", client.folder, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def with_fields_of(told, wanted):
    """Keep what the command line tells as well."""
    if isinstance(wanted, dict):
        return {name: with_fields_of(told[name], each) for name, each in wanted.items()}
    if isinstance(wanted, list):
        return [with_fields_of(one, other) for one, other in zip(told, wanted, strict=True)]
    return told


@pytest.mark.parametrize("position", [None, '(b "" wbwb b--w w-wb)'])
def test_a_position_has_the_fields_of_query(client, position):
    told = client.ask("/api/v1/positions", variant="konane", **({"p": position} if position else {}))
    wanted = on_command_line(client, "query", "konane", *([position] if position else []))
    assert told.status == 200 and with_fields_of(told.json, wanted) == wanted


@pytest.mark.parametrize(
    "path, query, status, kind",
    [
        ("positions", {}, 400, "call"),
        ("positions", {"variant": "konan"}, 404, "unknown-game"),
        ("positions", {"variant": "./konane.py"}, 404, "unknown-game"),
        ("positions", {"variant": "/etc/passwd"}, 404, "unknown-game"),
        ("positions", {"variant": "konane:rows=0"}, 400, "option"),
        ("positions", {"variant": "konane", "p": "(w)"}, 400, "position"),
        ("positions", {"variant": "konane", "p": '(w "" wbwb bwbw wbwb)'}, 404, "not-reachable"),
        ("positions", {"variant": "konane:rows=5"}, 409, "not-solved"),
        ("nowhere", {}, 404, "refused"),
    ],
)
def test_what_is_wrong_is_a_problem_with_its_status(client, path, query, status, kind):
    told = client.ask(f"/api/v1/{path}", **query)
    assert told.status == status
    assert told.headers["content-type"] == "application/problem+json"
    assert told.json["status"] == status and told.json["type"] == f"urn:gamesman:problem:{kind}"
    assert told.json["detail"]


def test_what_is_not_solved_comes_with_the_command_that_does(client):
    told = client.ask("/api/v1/positions", variant="konane:rows=5").json
    assert told["command"] == f"gamesman solve konane:rows=5 --db {client.folder}"
