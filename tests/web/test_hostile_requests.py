"""Whatever is sent, the server answers it or closes the connection: no 500, no traceback, no growing memory.

A few seconds of it here; GAMESMAN_HOSTILE_REQUESTS=100000 sends as many, and `pytest -s` tells how it goes on.
"""

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress

import psutil
import pytest
from support.requesting import Line, statuses
from support.storing import store_solution

from gamesman.db import open_store

pytestmark = pytest.mark.slow

NAMES = ["konane", "konane:misere", "ten_to_zero", "tictactoe:line=2"]
COUNT = int(os.environ.get("GAMESMAN_HOSTILE_REQUESTS", "1000"))
IS_BRIEF = COUNT <= 1000
GROWTH = 100 << 20  # bytes
LINES = 8  # connections at once
# Before memory is measured: by then all processes have started, and those that search have loaded the compiler.
WARMING = 400 if IS_BRIEF else 5000


class Served:
    """A server that was started as people start it."""

    def __init__(self, *words, **settings):
        command = [sys.executable, "-m", "gamesman", "serve", "--port", "0", *words]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings)
        self.said = self.process.stdout.readline()
        self.port = int(re.search(r":(\d+)/", self.said)[1])

    def memory(self):
        """Return the bytes that the server and all processes it has started have to themselves."""
        server = psutil.Process(self.process.pid)
        return sum(each.memory_full_info().uss for each in [server, *server.children(recursive=True)])

    @contextmanager
    def watched(self):
        """Give a list of how much memory that is, twice a second."""
        found, is_over = [self.memory()], threading.Event()

        def look():
            while not is_over.wait(0.5):
                with suppress(psutil.Error):  # a worker has just been ended
                    found.append(self.memory())

        thread = threading.Thread(target=look)
        thread.start()
        try:
            yield found
        finally:
            is_over.set()
            thread.join()

    def end(self):
        self.process.terminate()
        _, errors = self.process.communicate(timeout=60)
        return self.process.returncode, errors


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("served"))
    for name in NAMES:
        store_solution(open_store(folder), name)
    return folder


def sent(port, count, first_seed, wrong):
    """Send so many requests over some connections at once; return how often each status came back."""
    shares = [(port, first_seed + i, NAMES, count // LINES) for i in range(LINES)]
    with ThreadPoolExecutor(LINES) as threads:
        futures = [threads.submit(statuses, *share, wrong=wrong, is_brief=IS_BRIEF) for share in shares]
        return sum((future.result() for future in futures), Counter())


def test_no_request_is_answered_500_or_lets_memory_grow(folder):
    """Workers come and go, so it is the most that there has ever been that is compared."""
    served = Served("--db", folder, "--no-solve")
    found, wrong = Counter(), []
    try:
        with served.watched() as looks:
            sent(served.port, WARMING, 1000, wrong)
        before, after, rounds = max(looks), 0, max(1, COUNT // 5000)
        for i in range(rounds):
            with served.watched() as looks:
                found += sent(served.port, COUNT // rounds, 2000 + i * LINES, wrong)
            after = max(after, *looks)
            print(
                f"{found.total()} requests, {before >> 20} MB at most before, now {looks[-1] >> 20}, "
                f"{max(looks) >> 20} at most: {dict(found)}",
                flush=True,
            )
    finally:
        code, errors = served.end()
    assert not wrong
    assert found[200] > COUNT / 5 and found[400] and found[404]
    assert after - before < GROWTH
    assert code == 0 and "Traceback" not in errors, errors[-2000:]


def test_200_who_never_finish_asking_keep_nobody_waiting(folder):
    served = Served("--db", folder)
    slow = []
    try:
        for _ in range(200):
            slow.append(socket.create_connection(("127.0.0.1", served.port), 60))
            slow[-1].sendall(b"GET /api/v1/positions?variant=konane HTTP/1.1\r\nHost: x\r\nX: ")
        with closing(Line(served.port)) as line:
            assert line.ask(b"GET /api/v1/positions?variant=konane HTTP/1.1\r\nHost: x\r\n\r\n") == 200
            assert line.ask(b"GET /api/v1/moves?variant=konane:rows=5 HTTP/1.1\r\nHost: x\r\n\r\n") == 200
    finally:
        for each in slow:
            each.close()
        assert served.end()[0] == 0


def test_a_server_ends_its_workers_with_itself(folder):
    served = Served("--db", folder)
    with closing(Line(served.port)) as line:
        assert line.ask(b"GET /api/v1/moves?variant=konane HTTP/1.1\r\nHost: x\r\n\r\n") == 200
    workers = psutil.Process(served.process.pid).children()
    assert workers
    served.process.kill()
    served.process.communicate(timeout=60)
    for _ in range(300):
        if not any(worker.is_running() and worker.status() != psutil.STATUS_ZOMBIE for worker in workers):
            return
        time.sleep(0.1)
    raise AssertionError(workers)
