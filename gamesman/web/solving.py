"""Solving from the browser: it is asked for, watched and cancelled here, where the server allows it."""

import json

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from gamesman.errors import CallError
from gamesman.web.problems import Refused
from gamesman.web.requests import PASSING, json_response, read_json, site_of

FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip")
OURS = ("127.0.0.1", "localhost", "[::1]")


def may_solve(request: Request) -> bool:
    """Tell whether this visitor may have variants solved.

    Where that follows from nobody but this machine being able to connect, what has come through a proxy may not, nor
    what was sent for another host's name.
    """
    settings = site_of(request).settings
    if not settings.is_solving or settings.is_asked_to_solve:
        return settings.is_solving
    host = request.headers.get("host", "").rpartition(":")
    name = host[0] if host[1] and not host[2].endswith("]") else host[2] if not host[1] else "".join(host)
    return name in OURS and not any(header in request.headers for header in FORWARDED)


def _check(request: Request) -> None:
    """Refuse who may not solve, and what another site's page has sent. Raises Refused."""
    if not may_solve(request):
        raise Refused(
            403, "variants are not solved from here; whoever runs the server can allow it: gamesman serve --solve"
        )
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Refused(403, "a page of another site may not have variants solved")


async def begin(request: Request) -> Response:
    """Ask for a solve."""
    _check(request)
    posted = await read_json(request)
    if not isinstance(posted, dict) or not isinstance(posted.get("variant"), str):
        raise CallError('expected {"variant": VARIANT}, got no variant')
    site = site_of(request)
    name = json.loads(await site.ask("info", variant=posted["variant"]))["variant"]
    return json_response(site.solves.begin(name).as_json(), PASSING, 202)


async def every(request: Request) -> Response:
    """List the solves."""
    return json_response([solve.as_json() for solve in site_of(request).solves.list()])


async def one(request: Request) -> Response:
    """Tell how far a solve is."""
    return json_response(site_of(request).solves.get(request.path_params["id"]).as_json())


async def cancel(request: Request) -> Response:
    """Cancel a solve."""
    _check(request)
    return json_response(site_of(request).solves.cancel(request.path_params["id"]).as_json())


async def events(request: Request) -> Response:
    """Tell how far a solve is, again and again."""
    solves = site_of(request).solves
    headers = {"cache-control": PASSING, "x-accel-buffering": "no"}
    return StreamingResponse(
        solves.events(solves.get(request.path_params["id"])), headers=headers, media_type="text/event-stream"
    )


ROUTES = [
    Route("/solves", begin, methods=["POST"]),
    Route("/solves", every),
    Route("/solves/{id}", cancel, methods=["DELETE"]),
    Route("/solves/{id}", one),
    Route("/solves/{id}/events", events),
]
