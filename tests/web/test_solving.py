"""Visitors have variants solved where that is allowed, watch it and cancel it."""

import time

import pytest
from support.serving import serving

from gamesman.db import open_store
from gamesman.errors import TooLarge
from gamesman.model.variant import variant
from gamesman.web.progress import Told

pytestmark = pytest.mark.slow


@pytest.fixture
def client(database):
    with serving(db=database, is_solving=True) as client:
        yield client


def until(client, id, *statuses):
    """Wait until a solve has one of the statuses."""
    for _ in range(1200):
        told = client.ask(f"/api/v1/solves/{id}").json
        if told["status"] in statuses:
            return told
        time.sleep(0.1)
    raise AssertionError(told)


def test_a_solve_is_told_step_by_step_and_is_there_at_the_end(client, database):
    assert client.ask("/api/v1/positions", variant="konane:rows=4").status == 409
    begun = client.ask("/api/v1/solves", "POST", {"variant": "konane:cols=4,rows=4"})
    assert begun.status == 202 and begun.json["variant"] == "konane:rows=4"
    events = client.ask(f"/api/v1/solves/{begun.json['id']}/events")
    assert events.headers["content-type"].startswith("text/event-stream")
    told = events.body.decode().strip().split("\n\n")
    assert told[-1].startswith("event: solved\n") and any('"phase"' in each for each in told)
    end = client.ask(f"/api/v1/solves/{begun.json['id']}").json
    assert end["status"] == "solved" and end["result"]["variant"] == "konane:rows=4"
    assert client.ask("/api/v1/positions", variant="konane:rows=4").status == 200
    assert [each["id"] for each in client.ask("/api/v1/solves").json] == [end["id"]]


def test_a_solve_is_cancelled_and_one_that_waits_as_well(client, database):
    running = client.ask("/api/v1/solves", "POST", {"variant": "konane:rows=5,cols=6"}).json["id"]
    waiting = client.ask("/api/v1/solves", "POST", {"variant": "konane:rows=5"}).json["id"]
    assert client.ask("/api/v1/solves", "POST", {"variant": "konane:rows=5,cols=6"}).json["id"] == running
    assert until(client, running, "running") and until(client, waiting, "queued")
    for id in (waiting, running):
        client.ask(f"/api/v1/solves/{id}", "DELETE")
        assert until(client, id, "cancelled")["result"] is None
    with pytest.raises(Exception, match="not solved"):
        open_store(database).open(variant("konane:rows=5,cols=6"))


def test_a_solve_is_cancelled_while_its_process_starts_without_a_word_in_the_log(client, capfd):
    id = client.ask("/api/v1/solves", "POST", {"variant": "konane:rows=5"}).json["id"]
    assert until(client, id, "running")
    time.sleep(0.2)  # the process is importing
    client.ask(f"/api/v1/solves/{id}", "DELETE")
    until(client, id, "cancelled")
    assert capfd.readouterr().err == ""


def test_what_is_too_large_is_refused_in_a_problem(database):
    with serving(db=database, is_solving=True, memory=1 << 20) as client:
        id = client.ask("/api/v1/solves", "POST", {"variant": "konane"}).json["id"]
        told = until(client, id, "failed")
        assert told["problem"]["status"] == 409 and told["problem"]["type"].endswith("too-large")


def test_a_solve_ends_where_there_are_more_positions_than_visitors_may_ask_for():
    told = []
    progress = Told(told.append, most=100)
    progress.start("enumerating")
    progress.expect(400)
    progress.advance(100)
    with pytest.raises(TooLarge, match="100 positions"):
        progress.advance(1)
    with pytest.raises(TooLarge, match="about 401"):
        progress.expect(401)
    assert told[0] == {"phase": "enumerating", "done": 0, "total": None, "note": "", "seconds": 0.0}


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "games.example"},
        {"host": "127.0.0.1.example:8000"},
        {"x-forwarded-for": "192.0.2.1"},
        {"forwarded": "for=192.0.2.1"},
        {"sec-fetch-site": "cross-site"},
    ],
)
def test_others_than_this_machine_may_not_solve_unasked(client, headers):
    told = client.ask("/api/v1/solves", "POST", {"variant": "konane"}, headers)
    assert told.status == 403
    assert client.ask("/api/v1/solves").json == []


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8000", "[::1]:8000", "[::1]"])
def test_this_machine_has_several_names(client, host):
    assert client.ask("/api/v1/solves", "POST", {"variant": "nothing"}, {"host": host}).status == 404


def test_a_form_of_another_site_cannot_ask_for_a_solve(client):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        told = client.ask("/api/v1/solves", "POST", b'{"variant": "konane"}', {"content-type": kind})
        assert told.status == 400


def test_without_leave_nothing_is_solved(database):
    with serving(db=database, is_solving=False) as client:
        assert client.ask("/api/v1/solves", "POST", {"variant": "konane"}).status == 403
        assert client.ask("/api/v1/solves/x", "DELETE").status == 403
    with serving(db=database, is_solving=True, is_asked_to_solve=True, is_local=False) as client:
        asked = client.ask("/api/v1/solves", "POST", {"variant": "konane"}, {"host": "games.example"})
        assert asked.status == 202
        assert until(client, asked.json["id"], "solved")
