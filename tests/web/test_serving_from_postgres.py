"""The server answers from a PostgreSQL server, solves into it, and sees what others change there."""

import time

import pytest
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
