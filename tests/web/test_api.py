"""The HTTP API answers what the command line does, and says what is wrong in one form."""

import json

import pytest
from click.testing import CliRunner
from support.serving import serving
from support.storing import store_solution

from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.model.answers import query
from gamesman.model.random_play import random_positions
from gamesman.web.boards import cells, clicks
from gamesman.web.stored import Opened

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


@pytest.mark.parametrize(
    "path, query, words",
    [
        ("line", {"variant": "konane"}, ["line", "konane"]),
        ("stats", {"variant": "konane"}, ["stats", "konane"]),
        ("compare", {"v": "konane"}, None),
        ("info", {"variant": "konane:cols=5,rows=4"}, ["info", "konane:rows=4,cols=5"]),
    ],
)
def test_an_answer_has_the_fields_of_the_command(client, path, query, words):
    told = client.ask(f"/api/v1/{path}", **query)
    if words is None:  # one variant is nothing to compare
        assert told.status == 400
        return
    assert told.status == 200 and with_fields_of(told.json, on_command_line(client, *words))


def test_variants_are_compared_by_several_names_or_one_with_stars(client):
    store_solution(open_store(client.folder), "konane:misere")
    told = client.ask("/api/v1/compare", raw=b"v=konane&v=konane:misere")
    assert told.status == 200
    assert [each["variant"] for each in told.json["variants"]] == ["konane", "konane:misere"]
    assert client.ask("/api/v1/compare", v="konane:misere=*").json == told.json
    assert client.ask("/api/v1/compare", v="konane:rows=3..40").status == 400
    many = client.ask("/api/v1/compare", v="konane:rows=1..9999")  # counted, and not made one by one
    assert (many.status, many.json["detail"].partition(":")[0]) == (400, "expected at most 32 variants, got 9999")
    assert client.ask("/api/v1/compare", v="konane:rows=3..4").status == 409


def test_a_search_answers_where_nothing_is_solved(client):
    told = client.ask("/api/v1/search", variant="ctf:size=3", depth="2", time="1").json
    assert told["variant"] == "ctf:size=3" and told["source"] == "search" and told["move"]
    posted = {"variant": "ctf:size=3", "depth": 1, "history": [told["position"]]}
    assert client.ask("/api/v1/search", "POST", posted).json["move"]


@pytest.mark.parametrize("bad", [{"depth": "0"}, {"depth": "x"}, {"time": "1000"}, {"time": "nan"}, {"p": "x" * 6000}])
def test_a_search_is_bounded(client, bad):
    assert client.ask("/api/v1/search", variant="konane:rows=5", **bad).status == 400


def test_several_positions_are_answered_each_by_itself(client):
    start = client.ask("/api/v1/positions", variant="konane").json
    posted = {"variant": "konane", "positions": [start["position"], "nonsense"]}
    good, bad = client.ask("/api/v1/positions", "POST", posted).json
    assert good == start and bad["position"] == "nonsense" and bad["error"]
    posted["positions"] = ["x"] * 101
    assert client.ask("/api/v1/positions", "POST", posted).status == 400
    assert client.ask("/api/v1/positions", "POST", b" " * 400_000).status == 413
    assert client.ask("/api/v1/positions", "POST", b"{").status == 400
    assert client.ask("/api/v1/positions", "POST", b"[" * 100_000).status == 400
    assert client.ask("/api/v1/positions", "POST", posted, {"content-type": "text/plain"}).status == 400


def test_what_has_not_changed_is_not_sent_again(client):
    first = client.ask("/api/v1/positions", variant="konane")
    again = client.ask(
        "/api/v1/positions", variant="konane", headers={"if-none-match": f'"x", W/{first.headers["etag"]}'}
    )
    assert again.status == 304 and not again.body
    assert first.headers["cache-control"] == "public, no-cache"
    sure = client.ask("/api/v1/positions", variant="konane", fingerprint=first.json["fingerprint"])
    assert "immutable" in sure.headers["cache-control"] and sure.body == first.body
    assert client.ask("/api/v1/positions", variant="konane", fingerprint="another").status == 404


def test_what_is_solved_again_or_deleted_meanwhile_is_noticed(client, monkeypatch):
    monkeypatch.setattr("gamesman.web.stored.LOOKS_SECONDS", 0)
    store_solution(open_store(client.folder), "ten_to_zero:total=5")
    assert client.ask("/api/v1/positions", variant="ten_to_zero:total=5").status == 200
    open_store(client.folder).delete("ten_to_zero:total=5")
    assert client.ask("/api/v1/positions", variant="ten_to_zero:total=5").status == 409


def test_moves_are_told_where_nothing_is_solved_and_where_a_position_cannot_arise(client):
    told = client.ask("/api/v1/moves", variant="konane:rows=26,cols=26").json
    assert told["moves"] and told["value"] is None
    assert client.ask("/api/v1/moves", variant="konane", p='(w "" wbwb bwbw wbwb)').status == 200


def test_what_goes_past_the_router_is_what_the_route_answers(client):
    plain = {"variant": "konane", "p": '(b "" wbwb b--w w-wb)'}
    fingerprint = client.ask("/api/v1/positions", **plain).json["fingerprint"]
    for asked in plain, plain | {"fingerprint": fingerprint}, {"variant": "konane"}:
        past = client.ask("/api/v1/positions", **asked)
        routed = client.ask("/api/v1/positions", **asked, unknown="1")
        assert past.status == routed.status == 200 and past.body == routed.body and past.headers == routed.headers
        assert client.ask("/api/v1/positions", headers={"if-none-match": past.headers["etag"]}, **asked).status == 304


@pytest.mark.parametrize("name", ["konane", "ten_to_zero", "tictactoe:rows=2,cols=2"])
def test_a_position_is_written_as_json_writes_it(client, name):
    opened = Opened(name, name, client.folder)
    for position in random_positions(opened.variant, 30):
        answer = query(opened.variant, opened.reader, position)
        fields = answer.as_json()
        for shown, move in zip(fields["moves"], answer.moves, strict=True):
            shown |= {"delta": move.delta, "clicks": clicks(opened.variant, position, move.move)}
        fields |= {"cells": cells(opened.variant, position), "fingerprint": opened.fingerprint}
        assert opened.position_json(answer.text) == json.dumps(fields, separators=(",", ":")).encode()
    opened.close()


def test_the_document_has_every_route_and_its_examples_are_answered(client):
    from gamesman.web.api import ROUTES
    from gamesman.web.solving import ROUTES as SOLVING

    document = client.ask("/api/v1/openapi.json").json
    routes = {(r.path, m.lower()) for r in [*ROUTES, *SOLVING] for m in r.methods if m != "HEAD"}
    told = {(path, method) for path, found in document["paths"].items() for method in found}
    assert routes - {("/openapi.json", "get"), ("/search", "post")} == told
    page = client.ask("/api/")
    assert page.status == 200 and b"/api/v1/solves/{id}/events" in page.body
    assert b"://" not in page.body.replace(b"http://www.w3.org/2000/svg", b"")  # the name of a format


def test_a_database_that_others_share_is_read_as_well(tmp_path):
    place = f"sqlite:///{tmp_path}/shared.db"
    for name in ("konane", "ten_to_zero"):
        store_solution(open_store(place), name)
    with serving(db=place) as client:
        for _ in range(2):
            assert client.ask("/api/v1/positions", variant="konane").json["remoteness"] == 7
            assert (
                client.ask("/universal/v1/konane/regular/positions/", p="1_w.~.wbwb.bwb-.w-wb").json["remoteness"] == 7
            )
        assert client.ask("/api/v1/positions", variant="konane", p="x").status == 400
        assert client.ask("/api/v1/positions", variant="konane:misere").status == 409
        assert [each["variant"] for each in client.ask("/api/v1/variants").json] == ["konane", "ten_to_zero"]


def test_a_damaged_database_is_a_problem_that_names_no_file_to_others(tmp_path, capfd):
    store_solution(open_store(str(tmp_path)), "konane")
    (file,) = tmp_path.glob("konane*.gamesman")
    content = bytearray(file.read_bytes())
    content[200 : len(content) // 2] = bytes(len(content) // 2 - 200)
    file.write_bytes(content)
    with serving(db=str(tmp_path), is_local=False) as client:
        told = client.ask("/api/v1/positions", variant="konane")
        assert told.status == 500 and told.json["detail"] == "it cannot be answered; the server's log says why"
        assert str(tmp_path).encode() not in told.body
    assert "konane" in capfd.readouterr().err
