"""A process beside the server works positions out as the server does, and nothing depends on it."""

import asyncio
import time

import pytest
from support.serving import serving
from support.storing import store_solution

import gamesman.web.desk
from gamesman.db import open_store
from gamesman.model.variant import variant
from gamesman.web import clerk
from gamesman.web.desk import MOST_GIVEN, Desk
from gamesman.web.settings import Settings
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
    monkeypatch.setattr(gamesman.web.desk, "WATCH_SECONDS", 0.01)
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
        for _ in range(150):  # an answer may be there before anybody looks whether it is late
            check(1)
            if beside[-1] is None:
                break
        assert beside[-1] is None
        check(20)
    opened.close()


def test_what_cannot_be_answered_beside_is_left_to_the_server(folder, capfd):
    store = Store(folder)
    assert clerk.answer(store, f"{NAME}\t(1 3)") == store.open(NAME, NAME, NAME).position_json("(1 3)")
    for line in ("", f"{NAME}\t", f"{NAME}\t(1 999)", "konane\t(1 3)", "nothing\t(1 3)", "./nothing.py\t(1 3)"):
        assert clerk.answer(store, line) == b""
    store.close()
    assert capfd.readouterr().err == ""


def test_what_the_process_has_no_room_for_is_left_to_the_server_one_at_a_time():
    class Pipe(list):
        write = list.append

    async def asked():
        desk = Desk(Settings())
        desk._to, desk._is_open = Pipe(), True
        asked = [asyncio.create_task(desk.ask("x", str(i))) for i in range(MOST_GIVEN + 3)]
        left = []
        for _ in range(10):
            await asyncio.sleep(0)
            left.append(sum(one.done() for one in asked))
        desk.pipe_data_received(1, b"".join(b"%d\n" % i for i in range(MOST_GIVEN - 1)) + b"\n")
        return desk._to, left, await asyncio.gather(*asked)

    given, left, answers = asyncio.run(asked())
    assert given == [b"x\t%d\n" % i for i in range(MOST_GIVEN)]
    assert sorted({*left}) == [0, 1, 2, 3] and left == sorted(left)
    assert answers == [b"%d" % i for i in range(MOST_GIVEN - 1)] + [None] * 4
