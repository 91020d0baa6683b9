"""The page that shows the API to a person: /api/, made of the OpenAPI document."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gamesman import __version__
from gamesman.web.openapi import OPERATIONS, SAID
from gamesman.web.pages_frame import rendered


async def page(request: Request) -> Response:
    """Show the API."""
    shown: dict[str, Any] = {"operations": OPERATIONS, "said": SAID, "version": __version__}
    return rendered(request, "api.html.j2", variant=None, here="api", **shown)


ROUTES = [Route("/api/", page), Route("/api", page)]
