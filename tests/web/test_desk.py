"""A process beside the server works positions out as the server does, and nothing depends on it."""

import time

import pytest
from support.serving import serving
from support.storing import store_solution

import gamesman.web.desk
from gamesman.db import open_store
from gamesman.model.variant import variant
from gamesman.web import clerk
from gamesman.web.desk import Desk
from gamesman.web.stored import Opened, Store

NAME = "ten_to_zero:total=400"


@pytest.fixture
def folder(tmp_path):
    store_solution(open_store(str(tmp_path)), NAME)
    return str(tmp_path)


@pytest.mark.slow
def test_answers_from_beside_are_the_same_and_the_server_goes_on_when_it_ends(folder, monkeypatch):
    monkeypatch.setattr(gamesman.web.desk, "BUSY", 1)
    monkeypatch.setattr(gamesman.web.desk, "FEWEST_CORES", 1)
    beside, ask = [], Desk.ask

    async def noted(self, own, position):
        beside.append(await ask(self, own, position))
        return beside[-1]

    monkeypatch.setattr(Desk, "ask", noted)
    opened, of = Opened(NAME, NAME, folder), variant(NAME)
    texts = [of.show((left, who)) for left in range(1, 399) for who in (0, 1)]
    with serving(db=folder) as client:

        def check(count):
            for text in [texts.pop() for _ in range(count)]:
                assert client.ask("/api/v1/positions", variant=NAME, p=text).body == opened.position_json(text)

        check(1)
        for _ in range(600):
            check(1)
            if beside[-1] is not None:
                break
            time.sleep(0.05)
        assert beside[-1] is not None
        assert client.ask("/api/v1/positions", variant=NAME, p="(1 x)").status == 400
        monkeypatch.setattr(gamesman.web.desk, "PATIENCE", 0.0)  # it is ended over whatever it is asked
        check(20)
        assert beside[-1] is None
    opened.close()


def test_what_cannot_be_answered_beside_is_left_to_the_server(folder, capfd):
    store = Store(folder)
    assert clerk.answer(store, f"{NAME}\t(1 3)") == store.open(NAME, NAME, NAME).position_json("(1 3)")
    for line in ("", f"{NAME}\t", f"{NAME}\t(1 999)", "konane\t(1 3)", "nothing\t(1 3)", "./nothing.py\t(1 3)"):
        assert clerk.answer(store, line) == b""
    store.close()
    assert capfd.readouterr().err == ""
