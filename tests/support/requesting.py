"""Requests of all kinds, friendly and hostile, the same ones for a seed, as the bytes that go over the wire."""

import json
import random
import socket
from collections import Counter
from collections.abc import Sequence
from urllib.parse import quote

from gamesman.model.random_play import random_positions
from gamesman.model.variant import variant

OPTIONS = "rows cols misere start removed any_piece size first captures line total x".split()
VALUES = "3 0 -1 99999999999999999999 4 yes no * 1..9 2|3 1..10000 b2,c2 ' =,=:".split()
PLACES = r"""/etc/passwd ../../etc/passwd ..%2f..%2f..%2fetc/passwd %2e%2e/%2e%2e/x ..\..\x //x/y ....//....// /%00
C:\x file:///etc/passwd ./games/konane.py /proc/self/environ ~root %c0%ae%c0%ae/ static/%5c..%5c
page.css%00.js""".split()
BYTES = "%ff%fe %c3%28 %ed%a0%80 %00 %f0%9f%99%82 %u0041 % %zz + &p= ; \xe9 %0d%0aX:%20y".split()
METHODS = ["PUT", "DELETE", "PATCH", "OPTIONS", "HEAD", "TRACE", "POST", "get", "CONNECT", "X" * 300]
PATHS = "positions moves line info variants games openapi.json solves solves/x solves/x/events".split()
COMPILING = "search stats compare".split()
PLAY = "position positions choose estimate scorecard setup random save load".split()


class Requests:
    """Makes requests; `names` are variants that are solved on the server.

    Brief ones do without what compiles a game first.
    """

    def __init__(self, seed: int, names: Sequence[str], *, is_brief: bool = False):
        self._paths = PATHS if is_brief else PATHS + COMPILING
        self._is_brief = is_brief
        self._posts = ["/api/v1/positions", "/api/v1/solves", "/play/load?variant=konane", "/"]
        self._posts += [] if is_brief else ["/api/v1/search"]
        self._dice = random.Random(seed)
        self._names = names
        positions = {name: [variant(name)] for name in names}
        self._texts = {
            name: [found[0].show(position) for position in random_positions(found[0], 200)]
            for name, found in positions.items()
        }

    def one(self) -> bytes:
        """Return the next request."""
        kinds = (
            [self._friendly] * 4 + [self._near] * 3 + [self._lost, self._posted, self._universal, self._play, self._raw]
        )
        return self._dice.choice(kinds)()

    def _get(self, path: str, method: str = "GET", body: bytes = b"", kind: str = "") -> bytes:
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        if body or kind:
            head += f"Content-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        return head.encode("latin-1", "replace") + b"\r\n" + body

    def _known(self) -> tuple[str, str]:
        name = self._dice.choice(self._names)
        return name, self._dice.choice(self._texts[name])

    def _friendly(self) -> bytes:
        name, text = self._known()
        path = self._dice.choice(["positions"] * 8 + ["moves", "line", "info"])
        return self._get(f"/api/v1/{path}?variant={quote(name)}&p={quote(text)}")

    def _wild(self) -> str:
        """Return a text that is nothing, or nearly something."""
        dice = self._dice
        name, text = self._known()
        cut = dice.randrange(len(text) + 1)
        return dice.choice(
            [
                text[:cut],
                text[:cut] + dice.choice(BYTES) + text[cut:],
                "".join(dice.sample(text, len(text))),
                dice.choice(PLACES),
                dice.choice(BYTES) * dice.choice([1, 5, 500]),
                "(" * dice.choice([1, 100, 4000]),
                "9" * dice.choice([5, 400, 5000, 9000]),
                quote("".join(chr(dice.randrange(1, 0x2FFF)) for _ in range(dice.randrange(30)))),
                "",
            ]
        )

    def _variant(self) -> str:
        dice = self._dice
        game = dice.choice(
            [*self._names, "othello", "quixo", "chomp", "ctf", "nothing", dice.choice(PLACES)]
        ).partition(":")[0]
        options = [f"{dice.choice(OPTIONS)}={dice.choice([*VALUES, self._wild()])}" for _ in range(dice.randrange(4))]
        return quote(game) + (":" + ",".join(options) if options else "")

    def _near(self) -> bytes:
        dice = self._dice
        query = f"variant={self._variant()}&p={quote(self._wild(), safe='%')}"
        extra = dice.choice(
            ["", "", "&p=x", "&variant=konane", "&depth=-1", "&time=1e9", "&time=0.01", "&v=konane:rows=*"]
        )
        if dice.random() < 0.3:
            query = f"v={self._variant()}&v={self._variant()}"
        return self._get(
            f"/api/v1/{dice.choice(self._paths)}?{query}{extra}".replace(" ", "%20"), dice.choice(["GET"] * 9 + METHODS)
        )

    def _lost(self) -> bytes:
        dice = self._dice
        under = dice.choice(["/", "/static/", "/api/v1/", "/api/", "/universal/v1/", "/game/", "/stats/", "/compare/"])
        return self._get(
            under + (dice.choice(PLACES) + dice.choice(["", "?x", "/"])).replace(" ", ""),
            dice.choice(["GET", *METHODS]),
        )

    def _posted(self) -> bytes:
        dice = self._dice
        name, text = self._known()
        what = dice.choice(
            [
                {"variant": name, "positions": [text, self._wild()]},
                {"variant": name, "positions": "x"},
                {"variant": [name]},
                {"variant": self._variant()},
                {"variant": name, "depth": dice.choice([1, 1e308, "x", None]), "time": 0.01, "history": [self._wild()]},
                [],
                None,
                1e999,
                "x" * 400_000,
            ]
        )
        body = json.dumps(what).encode()
        body = dice.choice([body, body, body, body[: len(body) // 2], b"[" * 50_000, bytes(dice.randbytes(200)), b""])
        kind = dice.choice(["application/json"] * 4 + ["text/plain", "x" * 2000])
        path = dice.choice(self._posts)
        return self._get(path, dice.choice(["POST", "POST", "PUT"]), body, kind)

    def _universal(self) -> bytes:
        dice = self._dice
        id = dice.choice(["konane", "ten_to_zero", "tictactoe-game", "x", quote(self._wild(), safe="")])
        rest = dice.choice(
            ["", "regular/", "regular/positions/?p=", "x/positions/?p=", "regular/instructions/?locale=x"]
        )
        position = dice.choice(
            ["1_w.~.wbwb.bwb-.w-wb", "1_10", "1_~", "1_~zz", "2_~-~ff", self._wild(), "1_" + "." * 9000]
        )
        return self._get(f"/universal/v1/{id}/{rest}{quote(position, safe='%')}"[:20_000])

    def _play(self) -> bytes:
        dice = self._dice
        name, text = self._known()
        solved, name = quote(name), dice.choice([quote(name), self._variant()])
        words = "&".join(
            f"{key}={quote(self._wild(), safe='%')}" for key in dice.sample(["m", "from", "been", "field", "tier"], 2)
        )
        how = dice.choice(["perfect", "random", "depth=1", "depth=x", "mistakes=0.5", self._wild()])
        if dice.random() < 0.3:
            page = dice.choice(["game", "stats", "compare"])
            if self._is_brief and page != "game":  # what is not solved is estimated, compiled
                name = solved
            return self._get(f"/{page}/{name}?p={quote(text)}&{words}"[:20_000].replace(" ", ""))
        path = f"/play/{dice.choice(PLAY)}?variant={name}&p={quote(text)}&how={quote(how, safe='%')}"
        path += f"&value=win&board=x&turn=w&{words}"
        return self._get(path[:20_000].replace(" ", ""))

    def _raw(self) -> bytes:
        dice = self._dice
        return dice.choice(
            [
                dice.randbytes(dice.randrange(1, 300)) + b"\r\n\r\n",
                b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * dice.randrange(500) + b"\r\n",
                b"GET /" + b"a" * dice.choice([10_000, 40_000]) + b" HTTP/1.1\r\nHost: x\r\n\r\n",
                b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"b" * 50_000 + b"\r\n\r\n",
                b"POST /api/v1/positions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
                b"POST /api/v1/positions HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\n{",
                b"GET / HTTP/9.9\r\n\r\n",
            ]
        )


class Line:
    """A connection that is opened again when the server has closed it."""

    def __init__(self, port: int):
        self._port = port
        self._socket: socket.socket | None = None

    def ask(self, request: bytes, seconds: float = 120) -> int:
        """Send a request; return the status of the answer, or 0 where the connection was closed without one."""
        if self._socket is None:
            self._socket = socket.create_connection(("127.0.0.1", self._port), seconds)
        answer = b""
        try:
            self._socket.sendall(request)
            if b"Content-Length: 99999999999" in request or b"chunked" in request:
                self._socket.shutdown(socket.SHUT_WR)  # what is promised does not come
            while b"\r\n\r\n" not in answer:
                part = self._socket.recv(1 << 16)
                if not part:
                    raise ConnectionError
                answer += part
            head, _, body = answer.partition(b"\r\n\r\n")
            length = head.lower().partition(b"\r\ncontent-length:")[2].split(b"\r\n")[0]
            while not request.startswith(b"HEAD") and len(body) < int(length or 0):
                part = self._socket.recv(1 << 16)
                if not part:
                    raise ConnectionError
                body += part
            is_over = b"connection: close" in head.lower() or not length or request.startswith(b"HEAD")
        except (ConnectionError, BrokenPipeError):
            is_over = True
        if is_over:
            self._socket.close()
            self._socket = None
        return int(answer.split()[1]) if answer.startswith(b"HTTP/1.1 ") else 0

    def close(self) -> None:
        if self._socket is not None:
            self._socket.close()


def statuses(
    port: int, seed: int, names: Sequence[str], count: int, *, wrong: list[bytes], is_brief: bool = False
) -> Counter[int]:
    """Send so many requests; return how often each status came back, and put those answered 500 in `wrong`."""
    found: Counter[int] = Counter()
    requests, line = Requests(seed, names, is_brief=is_brief), Line(port)
    for _ in range(count):
        request = requests.one()
        status = line.ask(request)
        found[status] += 1
        if status == 500:
            wrong.append(request)
    line.close()
    return found
