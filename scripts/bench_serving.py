"""How many requests a second the server answers, beside a route that answers nothing, in the same run.

Each is a process of its own that listens on this machine alone; they are asked in turn, over connections that stay
open, so many requests and no more. What other programs do meanwhile tells on the rates, and less on the CPU time that
each spends on a request, with all of its processes; the share is told of both.
"""

import contextlib
import json
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

import psutil

CONNECTIONS = 8
ROUNDS = 3
BARE = """
import sys, uvicorn
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

async def nothing(request):
    return PlainTextResponse("ok")

uvicorn.run(Starlette(routes=[Route("/", nothing)]), port=int(sys.argv[1]), log_level="error", access_log=False)
"""


class Load(NamedTuple):
    """Tells how a server has answered."""

    rate: float  # requests a second
    middle: float  # milliseconds
    p99: float
    spent: float  # microseconds of CPU a request


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@contextlib.contextmanager
def running(command: Sequence[str], port: int) -> Iterator[psutil.Process]:
    """Run a server until what is inside is over; return its process when it answers."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.1)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(30)


def spent(server: psutil.Process) -> float:
    """Return the seconds of CPU that a server and its processes have taken by now."""
    times = [each.cpu_times() for each in (server, *server.children(recursive=True))]
    return sum(each.user + each.system for each in times)


def ask(server: psutil.Process, port: int, paths: Sequence[str], count: int) -> Load:
    """Ask for paths, one after the other, over a few connections at once; return how that went."""
    head = "Host: 127.0.0.1\r\nConnection: keep-alive\r\n\r\n"
    requests = [f"GET {path} HTTP/1.1\r\n{head}".encode() for path in paths]
    choose, took = selectors.DefaultSelector(), []
    sent: dict[socket.socket, float] = {}
    received: dict[socket.socket, bytes] = {}
    begun = 0

    def begin(connection: socket.socket) -> None:
        nonlocal begun
        received[connection], sent[connection] = b"", time.perf_counter()
        connection.sendall(requests[begun % len(requests)])
        begun += 1

    connections = [socket.create_connection(("127.0.0.1", port)) for _ in range(min(CONNECTIONS, count))]
    cpu, began = spent(server), time.perf_counter()
    for connection in connections:
        choose.register(connection, selectors.EVENT_READ)
        begin(connection)
    while len(took) < count:
        for key, _ in choose.select(60):
            connection = key.fileobj  # type: ignore[assignment]
            received[connection] += connection.recv(1 << 16)
            if _is_whole(received[connection]):
                took.append(time.perf_counter() - sent[connection])
                if begun < count:
                    begin(connection)
    seconds, cpu = time.perf_counter() - began, spent(server) - cpu
    for connection in connections:
        connection.close()
    took.sort()
    return Load(count / seconds, took[count // 2] * 1000, took[count * 99 // 100] * 1000, cpu / count * 1e6)


def _is_whole(answer: bytes) -> bool:
    """Tell whether an answer is there; raise what is none."""
    head, _, body = answer.partition(b"\r\n\r\n")
    if not answer.startswith(b"HTTP/1.1 200"):
        sys.exit(f"bench: expected 200, got {answer[:300]!r}")
    length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
    return len(body) >= int(length)


def paths_of(variant: Any, count: int) -> list[str]:
    """Return the addresses of so many different positions that random games have come to."""
    from gamesman.model.random_play import random_positions

    texts = dict.fromkeys(variant.show(position) for position in random_positions(variant, 4 * count))
    found = [*texts][:count]
    return [f"/api/v1/positions?variant={quote(variant.name)}&p={quote(text)}" for text in found]


def serving(name: str, folder: str, count: int) -> Iterator[dict[str, Any]]:
    """Yield how the bare route answers, and ours: positions that nobody has asked for before, and the same again."""
    from gamesman.model.variant import variant

    bare, ours = free_port(), free_port()
    command = [sys.executable, "-m", "gamesman", "serve", "--db", folder, "--port", str(ours)]
    every = paths_of(variant(name), ROUNDS * count)
    with running([sys.executable, "-c", BARE, str(bare)], bare) as other, running(command, ours) as server:
        ask(other, bare, ["/"], 100)
        ask(server, ours, every[:1], 100)
        nothing, new, again = [], [], []
        for i in range(ROUNDS):  # in turn, for the machine may be busier at one time than at another
            paths = every[i::ROUNDS]
            nothing.append(ask(other, bare, ["/"], count))
            new.append(ask(server, ours, paths, len(paths)))
            again.append(ask(server, ours, paths, count))
    best, least = max(nothing).rate, min(load.spent for load in nothing)
    for what, loads in ("a bare route", nothing), ("positions, the first time", new), ("positions, again", again):
        load = max(loads)._replace(spent=min(load.spent for load in loads))
        shares = {"share": load.rate / best, "spent_share": least / load.spent}
        yield {"variant": name, "asked": what, **load._asdict(), **shares}


if __name__ == "__main__":
    for row in serving(sys.argv[1], sys.argv[2], int(sys.argv[3])):
        print(json.dumps(row))
