"""The HTTP API, /api/v1/, answers programs and our own pages what the command line answers with --json."""

import asyncio
import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gamesman.errors import CallError, GamesmanError, OptionError, PositionError
from gamesman.web import openapi
from gamesman.web.problems import Refused
from gamesman.web.requests import (
    IMMUTABLE,
    PASSING,
    REVALIDATED,
    json_response,
    number,
    optional,
    read_json,
    required,
    site_of,
    tagged,
)
from gamesman.web.settings import (
    DEEPEST,
    LONGEST_LINE,
    LONGEST_POSITION,
    LONGEST_VARIANT,
    MOST_COMPARED,
    MOST_IN_BATCH,
    MOST_SECONDS,
)

EXAMPLE = "konane:rows=4"
LOADING_SECONDS = 10.0  # for all games at once, the first time
SEARCH_SECONDS = 2.0
COMPILING_SECONDS = 60.0  # that a search or statistics may wait for machine code, the first time
WALKING_SECONDS = 120.0
MOST_PAST = 1000  # positions that have been in a game


async def games(request: Request) -> Response:
    """List the games there are."""
    return json_response(await site_of(request).ask("games", LOADING_SECONDS))


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
    name = required(request, "variant", EXAMPLE)
    return json_response(await site_of(request).ask("info", variant=name))


async def positions(request: Request) -> Response:
    """Tell what a position and its moves are worth; what is asked for with its fingerprint never changes."""
    site = site_of(request)
    name = required(request, "variant", EXAMPLE)
    opened = await site.opened(name)
    wanted = optional(request, "fingerprint")
    if wanted not in (None, opened.fingerprint):
        raise Refused(404, f"{opened.shown} has another fingerprint now: {opened.fingerprint}")
    answer = await site.answer(opened, optional(request, "p"))
    return tagged(request, answer.body, answer.etag, IMMUTABLE if wanted else REVALIDATED)


async def several(request: Request) -> Response:
    """Tell what several positions are worth; one that cannot be answered has an error instead."""
    site = site_of(request)
    posted = await read_json(request)
    if not isinstance(posted, dict) or not isinstance(posted.get("variant"), str):
        raise CallError('expected {"variant": VARIANT, "positions": [POSITION, ...]}, got no variant')
    texts = _texts(posted.get("positions"), "positions", MOST_IN_BATCH)
    opened = await site.opened(posted["variant"])
    found = []
    for text in texts:
        try:
            found.append((await site.answer(opened, text)).body)
        except GamesmanError as error:
            failed = {"position": text, "error": site.catalogue.told(str(error))}
            found.append(json.dumps(failed, separators=(",", ":")).encode())
        await asyncio.sleep(0)  # others want answers, too
    return json_response(b"[" + b",".join(found) + b"]")


def _texts(found: Any, name: str, most: int) -> list[str]:
    """Return what is posted under a name, which must be a list of so many texts at most. Raises CallError."""
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise CallError(f"{name} must be a list of texts")
    if len(found) > most:
        raise CallError(f"expected at most {most} {name}, got {len(found)}")
    if any(len(text) > LONGEST_POSITION for text in found):
        raise PositionError(f"expected positions in at most {LONGEST_POSITION} letters")
    return found


async def moves(request: Request) -> Response:
    """Tell the moves of a position by the rules alone, of any variant."""
    name = required(request, "variant", EXAMPLE)
    return json_response(await site_of(request).ask("moves", variant=name, p=optional(request, "p")))


async def line(request: Request) -> Response:
    """Tell one line of best play."""
    name, position = required(request, "variant", EXAMPLE), optional(request, "p")
    length = int(number(optional(request, "length"), "length", LONGEST_LINE, 1, LONGEST_LINE))
    return json_response(await site_of(request).ask("line", 10, variant=name, p=position, length=length))


async def search(request: Request) -> Response:
    """Look ahead for the best move; posted, also with what has been in the game."""
    asked: dict[str, Any] = {"history": []}
    if request.method == "POST":
        posted = await read_json(request)
        if not isinstance(posted, dict):
            raise CallError('expected {"variant": VARIANT, "p": POSITION, "time": SECONDS, "history": [POSITION, ...]}')
        asked["history"] = _texts(posted.get("history", []), "history", MOST_PAST)
        given = {name: posted.get(name) for name in ("variant", "p", "depth", "time")}
        asked |= {name: _as_text(name, each) for name, each in given.items()}
    else:
        asked |= {name: optional(request, name) for name in ("variant", "p", "depth", "time")}
    if asked["variant"] is None:
        raise CallError(f"expected variant={EXAMPLE}, got nothing")
    depth, seconds = asked["depth"], number(asked["time"], "time", SEARCH_SECONDS, 0.01, MOST_SECONDS)
    asked["depth"] = None if depth is None else int(number(depth, "depth", 1, 1, DEEPEST))
    asked["time"] = seconds
    return json_response(await site_of(request).ask("search", seconds + COMPILING_SECONDS, **asked), PASSING)


def _as_text(name: str, found: Any) -> str | None:
    if found is None or isinstance(found, str):
        return found
    if isinstance(found, int | float) and name in ("depth", "time"):
        return str(found)
    raise CallError(f"{name} must be a text, got something else")


async def stats(request: Request) -> Response:
    """Count the positions of a solved variant."""
    site = site_of(request)
    name = required(request, "variant", EXAMPLE)
    opened = await site.opened(name)
    answer = site.store.ready(opened, ("stats",))
    if answer is None:
        answer = site.store.keep(opened, ("stats",), await site.ask("stats", WALKING_SECONDS, variant=name))
    return tagged(request, answer.body, answer.etag, REVALIDATED)


async def compare(request: Request) -> Response:
    """Put solved variants side by side."""
    site = site_of(request)
    asked = request.query_params.getlist("v")
    if not asked or len(asked) > MOST_COMPARED or any(len(name) > LONGEST_VARIANT for name in asked):
        raise OptionError(f"expected v=VARIANT&v=VARIANT, at most {MOST_COMPARED}, got {len(asked)}")
    names = json.loads(await site.ask("named", variants=asked))
    opened = await site.opened(names[0])
    key = ("compare", *names)
    answer = site.store.ready(opened, key)
    if answer is None:
        answer = site.store.keep(opened, key, await site.ask("compare", WALKING_SECONDS, variants=names))
    return tagged(request, answer.body, answer.etag, REVALIDATED)


async def document(request: Request) -> Response:
    """Describe this API: OpenAPI 3.1."""
    return json_response(openapi.document(site_of(request).settings.root_path), "public, max-age=3600")


ROUTES = [
    Route("/positions", positions),
    Route("/positions", several, methods=["POST"]),
    Route("/games", games),
    Route("/variants", variants),
    Route("/info", info),
    Route("/moves", moves),
    Route("/line", line),
    Route("/search", search, methods=["GET", "POST"]),
    Route("/stats", stats),
    Route("/compare", compare),
    Route("/openapi.json", document),
]
