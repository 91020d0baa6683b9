"""The HTTP API, /api/v1/: what the command line answers with --json, to programs and to our own pages."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gamesman.errors import GamesmanError, shorten
from gamesman.model.game import load
from gamesman.web.requests import PASSING, REVALIDATED, json_response, optional, required, site_of, tagged


async def games(request: Request) -> Response:
    """List the games there are."""
    site = site_of(request)
    return json_response([_game(site.catalogue.own(name), name) for name in site.catalogue.names])


def _game(own: str, name: str) -> dict[str, Any]:
    try:
        return {"name": name, "title": load(own).title}
    except GamesmanError as error:
        return {"name": name, "error": str(error)}
    except (Exception, SystemExit) as error:  # somebody else's
        return {"name": name, "error": f"{type(error).__name__}: {shorten(str(error))}"}


async def variants(request: Request) -> Response:
    """List what is stored; with game=GAME, of one game."""
    site = site_of(request)
    game = optional(request, "game")
    if game is not None:
        site.catalogue.own(game)
    found = json.loads(await site.ask("variants"))
    return json_response([each for each in found if game in (None, each["variant"].partition(":")[0])])


async def info(request: Request) -> Response:
    """Describe a variant: rules, options, notation, start, and whether it is solved."""
    name = required(request, "variant", "konane:rows=4")
    return json_response(await site_of(request).ask("info", variant=name))


async def positions(request: Request) -> Response:
    """Tell what a position and its moves are worth."""
    name = required(request, "variant", "konane:rows=4")
    answer = await site_of(request).answer(name, optional(request, "p"))
    return tagged(request, answer.body, answer.etag, REVALIDATED)


async def moves(request: Request) -> Response:
    """Tell the moves of a position by the rules alone, of any variant."""
    name = required(request, "variant", "konane:rows=4")
    answer = await site_of(request).ask("moves", variant=name, p=optional(request, "p"))
    return json_response(answer, PASSING)


ROUTES = [
    Route("/positions", positions),
    Route("/games", games),
    Route("/variants", variants),
    Route("/info", info),
    Route("/moves", moves),
]
