"""Workers answer one task after the other, and make room for new ones before they keep too much."""

import asyncio
import json

import pytest

from gamesman.web import pool
from gamesman.web.settings import Settings


def processes(database, tasks):
    """The processes that a pool with one worker has had, by task."""

    async def ask():
        workers, found = pool.Pool(Settings(db=database), 1), []
        try:
            for _ in range(tasks):
                assert json.loads(await workers.ask("info", seconds=20, variant="konane"))["variant"] == "konane"
                found.append(workers._workers[0]._process)
        finally:
            await workers.close()
        return found

    return asyncio.run(ask())


def test_a_worker_answers_many_tasks(database):
    first, second = processes(database, 2)
    assert first is second is not None


@pytest.mark.slow
def test_a_worker_that_keeps_much_memory_is_ended_after_its_answer(database, monkeypatch):
    monkeypatch.setattr(pool, "MOST_KEPT", 1 << 20)
    assert processes(database, 2) == [None, None]
