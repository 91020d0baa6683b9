"""The server is run here: it takes its address, says so, and serves until Ctrl-C."""

import contextlib
import errno
import socket
from collections.abc import Callable, Iterator

import uvicorn

from gamesman.errors import CallError, NoAnswer, shorten
from gamesman.machine import signals
from gamesman.web.application import application
from gamesman.web.joining import JoiningProtocol
from gamesman.web.settings import Settings

LONGEST_HEAD = 32 << 10  # bytes of a request's first line and headers
IDLE_SECONDS = 15  # that a connection may stay open with nothing asked
CLOSING_SECONDS = 1  # for answers on their way when we end
MOST_CONNECTIONS = 1000


class _Server(uvicorn.Server):
    """Ends by our signals, and as something that has been done."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        def end() -> None:
            self.should_exit = True

        with signals.heeded_by(end):
            yield


def listen(host: str, port: int) -> socket.socket:
    """Take an address, so that nobody else gets it; return the socket. Raises CallError, NoAnswer."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise CallError(
            f"--host must be an address of this machine, like 127.0.0.1, got {shorten(host) or 'nothing'}"
        ) from None
    found = socket.socket(family, kind, protocol)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(2048)
    except OSError as error:
        found.close()
        if error.errno == errno.EADDRINUSE:
            raise NoAnswer(f"port {port} of {host} is taken; give another: --port {port % 65535 + 1}") from None
        if error.errno == errno.EACCES:
            raise NoAnswer(f"port {port} may not be used; give one from 1024: --port 8000") from None
        raise CallError(
            f"--host must be an address of this machine, like 127.0.0.1, got {shorten(host)}: {error.strerror}"
        ) from None
    return found


def is_loopback(found: socket.socket) -> bool:
    """Tell whether only this machine can connect to a socket."""
    host = str(found.getsockname()[0])
    return host == "::1" or host.startswith("127.")


def address_of(found: socket.socket, root_path: str) -> str:
    """Return the address to open in a browser."""
    host, port = found.getsockname()[:2]
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{root_path}/"


def run(settings: Settings, listening: socket.socket, ready: Callable[[], object]) -> None:
    """Serve until a signal ends it; call `ready` when the first request can be answered."""
    config = uvicorn.Config(
        application(settings),
        lifespan="on",
        log_level="critical",  # what goes wrong is logged by us, see problems.py
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=CLOSING_SECONDS,
        h11_max_incomplete_event_size=LONGEST_HEAD,
        limit_concurrency=MOST_CONNECTIONS,
        ws="none",
        http=JoiningProtocol,
    )
    server = _Server(config)
    ready()
    server.run(sockets=[listening])
