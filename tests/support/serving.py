"""The server's application, asked without a network."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote, urlencode

from gamesman.web.application import application
from gamesman.web.settings import Settings


class Answered:
    """What came back."""

    def __init__(self, status: int, headers: dict[str, str], body: bytes):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Client:
    """Asks an application, whose loop runs on a thread of its own."""

    def __init__(self, settings: Settings):
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._app = application(settings)
        self._to_app: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._started = threading.Event()
        self._ended = asyncio.run_coroutine_threadsafe(self._lifespan(), self._loop)
        self._say("startup")
        assert self._started.wait(60)

    def _say(self, what: str) -> None:
        self._loop.call_soon_threadsafe(self._to_app.put_nowait, {"type": f"lifespan.{what}"})

    async def _lifespan(self) -> None:
        async def send(message: Any) -> None:
            if message["type"] == "lifespan.startup.complete":
                self._started.set()

        await self._app({"type": "lifespan", "state": {}, "asgi": {"version": "3.0"}}, self._to_app.get, send)

    def close(self) -> None:
        self._say("shutdown")
        self._ended.result(60)
        asyncio.run_coroutine_threadsafe(self._cancel_the_rest(), self._loop).result(60)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)
        self._loop.close()

    async def _cancel_the_rest(self) -> None:
        """Leave no task behind, whose end would be told in the middle of another test."""
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def ask(
        self,
        path: str,
        method: str = "GET",
        body: Any = None,
        headers: dict[str, str] | None = None,
        raw: bytes | None = None,
        **query: str,
    ) -> Answered:
        """Ask for a path, with a query or a body of JSON; `raw` is the query's bytes as they are sent."""
        sent = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        own = {"host": "127.0.0.1:8000"} | ({} if body is None else {"content-type": "application/json"})
        named = [(k.encode("latin-1"), v.encode("latin-1")) for k, v in (own | (headers or {})).items()]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": quote(path).encode(),
            "query_string": urlencode(query).encode() if raw is None else raw,
            "root_path": "",
            "headers": named,
            "server": ("127.0.0.1", 8000),
            "client": ("127.0.0.1", 50000),
            "state": {},
        }
        return asyncio.run_coroutine_threadsafe(self._ask(scope, sent), self._loop).result(300)

    async def _ask(self, scope: dict[str, Any], sent: bytes) -> Answered:
        parts: list[Any] = []
        is_sent = False
        is_over = asyncio.Event()

        async def receive() -> Any:
            nonlocal is_sent
            if is_sent:
                await is_over.wait()
                return {"type": "http.disconnect"}
            is_sent = True
            return {"type": "http.request", "body": sent, "more_body": False}

        async def send(message: Any) -> None:
            parts.append(message)

        await self._app(scope, receive, send)
        is_over.set()
        headers = {k.decode().lower(): v.decode() for k, v in parts[0]["headers"]}
        return Answered(parts[0]["status"], headers, b"".join(part.get("body", b"") for part in parts[1:]))


@contextmanager
def serving(**settings: Any) -> Iterator[Client]:
    """Give a client of an application with such settings."""
    client = Client(Settings(**settings))
    try:
        yield client
    finally:
        client.close()
