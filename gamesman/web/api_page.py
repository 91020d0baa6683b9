"""The page that shows the API to a person: /api/, made of the OpenAPI document."""

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from gamesman import __version__
from gamesman.web.openapi import OPERATIONS, SAID
from gamesman.web.requests import site_of

if TYPE_CHECKING:
    from jinja2 import Template


@cache
def _template() -> "Template":
    # lazy: start-up time
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = Path(__file__).resolve().parent / "templates"
    environment = Environment(loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined)
    environment.filters["json"] = lambda found: found if isinstance(found, str) else json.dumps(found, indent=2)
    return environment.get_template("api.html")


async def page(request: Request) -> Response:
    """Show the API."""
    root = site_of(request).settings.root_path
    return HTMLResponse(_template().render(root=root, operations=OPERATIONS, said=SAID, version=__version__))


ROUTES = [Route("/api/", page), Route("/api", page)]
