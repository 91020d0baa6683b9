"""The application is put together here: its routes, the headers that every answer has, what becomes of errors."""

import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gamesman.errors import GamesmanError
from gamesman.web import api, api_page, pages, shortcut, solving, universal
from gamesman.web.pool import Asked
from gamesman.web.problems import Problem, Refused, problem_of
from gamesman.web.requests import PASSING, json_response
from gamesman.web.settings import Settings
from gamesman.web.site import Site

HERE = Path(__file__).resolve().parent
# Nothing is loaded from elsewhere, and nothing that is in a page's text is run.
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'self'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
]

EVERYBODY = (b"access-control-allow-origin", b"*")  # GamesmanUni's client comes from another site


class Door:
    """Is what every request goes through: it takes a proxy's prefix off and gives the answer our headers."""

    def __init__(self, app: Starlette, site: Site):
        self._app, self._site = app, site
        self._root = site.settings.root_path.rstrip("/")
        self._first_words = {route.path.split("/")[1] for route in app.routes if isinstance(route, Route | Mount)}
        self._positions = self._root + shortcut.PATH

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._root:
            scope = {**scope, "root_path": self._root, "path": self._whole(scope["path"])}
        if scope["path"] == self._positions and (found := await shortcut.answer(self._site, scope)):
            begin: Message = {"type": "http.response.start", "status": 200, "headers": [*found[0], *HEADERS]}
            with contextlib.suppress(Exception):  # the connection is no more
                await send(begin)
                await send({"type": "http.response.body", "body": found[1]})
            return
        is_for_others = scope["path"].removeprefix(self._root).startswith("/universal/")
        headers = [*HEADERS, EVERYBODY] if is_for_others else HEADERS

        is_gone = False

        async def send_with_headers(message: Message) -> None:
            nonlocal is_gone
            if message["type"] == "http.response.start":
                message["headers"] = [*map(_without_host, message["headers"]), *headers]
            if not is_gone:
                try:
                    await send(message)
                except Exception:  # the connection is no more, or what came over it has been refused already
                    is_gone = True

        await self._app(scope, receive, send_with_headers)

    def _whole(self, path: str) -> str:
        """Return a path with the prefix, which the proxy may have taken off.

        The prefix may be called like a page: where it is /games and is taken off, /games/konane is that page.
        """
        rest = path.removeprefix(self._root)
        is_whole = path == self._root or (path.startswith(f"{self._root}/") and rest.split("/")[1] in self._first_words)
        return path if is_whole else self._root + path


def _without_host(header: tuple[bytes, bytes]) -> tuple[bytes, bytes]:
    """Return a header; another address of ours as a path alone, for only the proxy knows its own name and https."""
    name, value = header
    return (name, b"/" + value.split(b"/", 3)[3]) if name == b"location" and b"://" in value[:8] else header


def application(settings: Settings) -> ASGIApp:
    """Return the application, to be run by uvicorn."""
    site = Site(settings)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await site.warm()
        yield
        await site.close()

    app = Starlette(
        routes=[
            Mount("/api/v1", routes=[*api.ROUTES, *solving.ROUTES]),
            Mount("/universal/v1", routes=universal.ROUTES),
            *api_page.ROUTES,
            Mount("/static", StaticFiles(directory=HERE / "static")),
            *pages.ROUTES,
        ],
        exception_handlers={
            HTTPException: _failed,
            GamesmanError: _failed,
            Asked: _failed,
            ClientDisconnect: _failed,
            Exception: _failed,
        },
        lifespan=lifespan,
    )
    app.state.site = site
    app.state.universal = universal.Known()
    return Door(app, site)


async def _failed(request: Request, error: Exception) -> Response:
    """Return what an error is to who has asked: a page to a person, problem+json to a program."""
    site: Site = request.app.state.site
    if isinstance(error, Asked):
        problem = error.problem
    elif isinstance(error, ClientDisconnect):  # nobody will read it
        problem = problem_of(Refused(400, "the request broke off"))
    elif isinstance(error, HTTPException):
        problem = problem_of(Refused(error.status_code, _said(error)))
    else:
        problem = problem_of(error, is_local=site.settings.is_local, told=site.catalogue.told)
    return answer_problem(request, problem)


def _said(error: HTTPException) -> str:
    return "there is nothing at this address" if error.status_code == 404 else error.detail


def answer_problem(request: Request, problem: Problem) -> Response:
    """Return a problem as a page or as problem+json."""
    site: Site = request.app.state.site
    path = request.scope["path"].removeprefix(site.settings.root_path)
    if not path.startswith(("/api/", "/universal/", "/static/")):
        return pages.error_page(request, problem)
    fields = problem.as_json()
    if path.startswith("/universal/"):
        fields["error"] = problem.detail  # where GamesmanUni's client looks
    response = json_response(fields, PASSING, problem.status)
    response.headers["content-type"] = "application/problem+json"
    return response
