"""The server answers from a PostgreSQL server, solves into it, and sees what others change there."""

import contextlib
import time

import pytest
from sqlalchemy import create_engine, text
from support.postgres_server import find_binaries, running
from support.serving import serving
from support.storing import store_solution

from gamesman.db import open_store
from gamesman.web import site

NAME = "ten_to_zero:total=3"


@pytest.mark.slow
def test_a_postgres_server_is_read_solved_into_and_looked_at_again(place, monkeypatch):
    monkeypatch.setattr(site, "LOOKS_SECONDS", 0.05)
    store_solution(open_store(place), NAME)
    with serving(db=place, is_solving=True) as client:
        assert client.ask("/api/v1/positions", variant=NAME, p="(2 2)").json["value"] == "win"
        assert [one["variant"] for one in client.ask("/api/v1/variants").json] == [NAME]
        begun = client.ask("/api/v1/solves", "POST", {"variant": "ten_to_zero:total=4"}).json
        assert b"event: solved" in client.ask(f"/api/v1/solves/{begun['id']}/events").body
        assert client.ask("/api/v1/positions", variant="ten_to_zero:total=4").status == 200
        open_store(place).delete(NAME)
        for _ in range(200):
            if client.ask("/api/v1/positions", variant=NAME, p="(2 2)").status == 409:
                break
            time.sleep(0.05)
        assert client.ask("/api/v1/positions", variant=NAME, p="(2 2)").status == 409


def until(client, status):
    """Ask until the answer has a status; fail if it never has."""
    for _ in range(200):
        answer = client.ask("/api/v1/positions", variant=NAME, p="(2 2)")
        if answer.status == status:
            return answer
        time.sleep(0.05)
    raise AssertionError(answer.body)


@pytest.mark.slow
def test_connections_that_are_cut_are_made_again(server, place, monkeypatch):
    monkeypatch.setattr(site, "LOOKS_SECONDS", 0.05)
    store_solution(open_store(place), NAME)
    with serving(db=place) as client:
        until(client, 200)
        engine = create_engine(server, isolation_level="AUTOCOMMIT")
        cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = :name"
        with engine.connect() as connection:
            assert connection.execute(text(cut), {"name": place.rpartition("/")[2]}).scalar()
        engine.dispose()
        time.sleep(0.5)
        until(client, 200)
        open_store(place).delete(NAME)
        until(client, 409)


@pytest.mark.slow
def test_a_postgres_server_that_has_stopped_is_told_as_such(server, monkeypatch):
    monkeypatch.setattr(site, "LOOKS_SECONDS", 0.05)
    with contextlib.ExitStack() as database:
        place = database.enter_context(running(find_binaries()))
        store_solution(open_store(place), NAME)
        with serving(db=place, is_local=False) as client:
            until(client, 200)
            database.close()
            problem = until(client, 503).json
            assert problem["detail"] == "it cannot be answered now; the server's log says why"
            for path in ("/", f"/game/{NAME}", "/games/ten_to_zero", "/game/konane", "/api/v1/variants"):
                answer = client.ask(path)
                assert answer.status == 503 and b"postgres" not in answer.body, path
            assert client.ask("/api/").status == 200
