"""The pages that people look at are answered here, and what the play page asks for under /play/."""

import json
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gamesman.errors import CallError
from gamesman.model.answers import Source
from gamesman.model.variant import Variant
from gamesman.play.players import Strength
from gamesman.web import pages_home
from gamesman.web.pages_frame import page_path, rendered
from gamesman.web.pages_node import node, read_record, run
from gamesman.web.pages_work import beginning
from gamesman.web.pool import Asked
from gamesman.web.problems import Problem
from gamesman.web.requests import PASSING, json_response, number, optional, read_json, required, site_of
from gamesman.web.settings import LONGEST_POSITION, MOST_IN_BATCH, MOST_SECONDS
from gamesman.web.site import Site

EXAMPLE = "konane:rows=4"
# What the likely next positions may add to a page, in letters of JSON.
MOST_AHEAD = 40_000
LIKELY = 6
NO_GAME: dict[str, Any] = {"start": None, "moves": [], "been": []}


def error_page(request: Request, problem: Problem) -> Response:
    """Return a problem as a page; to a page that asks for data, as problem+json."""
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    if path.startswith("/play/"):
        response = json_response(problem.as_json(), PASSING, problem.status)
        response.headers["content-type"] = "application/problem+json"
        return response
    return rendered(
        request,
        "error.html.j2",
        problem.status,
        problem=problem,
        variant=None,
        here="",
        solve=_solve_path(problem, path),
    )


def _solve_path(problem: Problem, path: str) -> str:
    """Return the page from which a variant is solved, where that is what a page of it is missing; else nothing."""
    page, _, variant = path.removeprefix("/").partition("/")
    return page_path(variant, "solve") if problem.kind == "not-solved" and page == "stats" else ""


def _told(request: Request) -> dict[str, Any]:
    """Return the game that an address tells of. Raises CallError."""
    query = request.query_params
    position, start, moves, been = optional(request, "p"), optional(request, "from"), *map(query.getlist, ("m", "been"))
    for text in (position or "", start or "", *moves, *been):
        if len(text) > LONGEST_POSITION:
            raise CallError(f"expected a position in at most {LONGEST_POSITION} letters, got {len(text)}")
    return {"p": position, "start": start, "moves": moves, "been": been}


def _how(text: str) -> str:
    """Return how a side is played: by a person, or by a program at a strength. Raises CallError."""
    return text if text == "person" else str(Strength.read(text))


async def _node(site: Site, name: str, told: dict[str, Any]) -> dict[str, Any]:
    """Return a position and the way there: of a solved variant at once, of any other from a worker."""
    try:
        opened = await site.opened(name)
    except Asked as answer:
        if answer.problem.status != 409:
            raise
        found: dict[str, Any] = json.loads(await site.ask("node", variant=name, **told))
        return found
    found = await site.read(solved_node, opened.variant, opened.reader, told)
    return found


def solved_node(variant: Variant, stored: Source, told: dict[str, Any]) -> dict[str, Any]:
    """Return a position of a solved variant and the way there."""
    record = read_record(variant, told["p"], told["start"], told["moves"], told["been"])
    return node(record, stored) | {"line": run(record, stored)}


async def game(request: Request) -> Response:
    """Show the play page of a variant, at the position that the address tells."""
    site, name, told = site_of(request), request.path_params["variant"], _told(request)
    try:
        opened = await site.opened(name)
        about = await site.read(beginning, opened.variant, opened.shown)
        is_solved = True
    except Asked as answer:
        if answer.problem.status != 409:
            raise
        about, is_solved = json.loads(await site.ask("begin", variant=name)), False
    here = await _node(site, name, told)
    query = request.query_params
    picture = about.pop("picture")
    data = about | {
        "picture": picture,
        "players": picture["players"],
        "source": "solved" if is_solved else "unsolved",
        "line": here.pop("line"),
        "moves": told["moves"],
        "been": told["been"],
        "node": here,
        "hows": [_how(query.get(side, "person")) for side in ("first", "second")],
        "values": query.get("values") != "hidden",
        "ahead": [] if about["noRepetition"] or not is_solved else await _ahead(site, name, here),
    }
    return rendered(request, "game.html.j2", data=data, variant=about["variant"], here="game")


async def _ahead(site: Site, name: str, here: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the positions that are likely to be asked for next, as many as a page has room for."""
    found, length = [], 0
    for move in here["moves"][:LIKELY]:
        one = await _node(site, name, NO_GAME | {"p": move["position"]})
        one.pop("line")
        length += len(json.dumps(one))
        if length > MOST_AHEAD:
            break
        found.append(one)
    return found


async def position(request: Request) -> Response:
    """Tell what the play page shows of a position."""
    name = required(request, "variant", EXAMPLE)
    return json_response(await _node(site_of(request), name, _told(request)))


async def positions(request: Request) -> Response:
    """Tell it of several positions, which the page may need soon."""
    site, name = site_of(request), required(request, "variant", EXAMPLE)
    texts = request.query_params.getlist("p")
    if not 1 <= len(texts) <= MOST_IN_BATCH:
        raise CallError(f"expected 1 to {MOST_IN_BATCH} positions, got {len(texts)}")
    if max(map(len, texts)) > LONGEST_POSITION:
        raise CallError(f"expected positions of at most {LONGEST_POSITION} letters")
    return json_response({"nodes": [await _node(site, name, NO_GAME | {"p": text}) for text in texts]})


async def choose(request: Request) -> Response:
    """Let a program move."""
    name, how = required(request, "variant", EXAMPLE), required(request, "how", "perfect")
    seconds = 2 * MOST_SECONDS
    return json_response(await site_of(request).ask("choose", seconds, variant=name, how=how, **_told(request)))


async def estimate(request: Request) -> Response:
    """Search the moves of a position that is not among the solved ones."""
    name = required(request, "variant", EXAMPLE)
    return json_response(await site_of(request).ask("estimate", MOST_SECONDS, variant=name, **_told(request)))


async def scorecard(request: Request) -> Response:
    """Tell what every move of a game was worth."""
    name = required(request, "variant", EXAMPLE)
    return json_response(await site_of(request).ask("scorecard", MOST_SECONDS, variant=name, **_told(request)))


async def setup(request: Request) -> Response:
    """Tell the position that was put together by hand."""
    asked: dict[str, Any] = {"variant": required(request, "variant", EXAMPLE), "turn": required(request, "turn", "w")}
    asked |= {"board": required(request, "board", "w-b"), "fields": request.query_params.getlist("field")}
    return json_response(await site_of(request).ask("setup", **asked))


async def random(request: Request) -> Response:
    """Tell any position of a value."""
    asked: dict[str, Any] = {
        "variant": required(request, "variant", EXAMPLE),
        "value": required(request, "value", "win"),
    }
    for name in ("remoteness", "tier"):
        if optional(request, name) is not None:
            asked[name] = int(number(optional(request, name), name, 0, -(2**53), 2**53))
    return json_response(await site_of(request).ask("random", MOST_SECONDS, **asked))


async def save(request: Request) -> Response:
    """Tell a game as `gamesman play` saves it."""
    name = required(request, "variant", EXAMPLE)
    return json_response(await site_of(request).ask("save", variant=name, **_told(request)))


async def load(request: Request) -> Response:
    """Read a game that was saved."""
    name, body = required(request, "variant", EXAMPLE), await read_json(request)
    if not isinstance(body, dict) or not isinstance(text := body.get("text"), str):
        raise CallError('expected {"text": "…"}, a game as it is saved')
    site = site_of(request)
    found = json.loads(await site.ask("load", MOST_SECONDS, variant=name, text=text))
    query = [("p", found["line"][-1]["position"]), ("from", found["line"][0]["position"])]
    query += [("m", move) for move in found["moves"]] + [("been", text) for text in found["been"]]
    root = site.settings.root_path.rstrip("/")
    found["address"] = f"{root}{page_path(found['variant'], 'game')}?{urlencode(query)}"
    return json_response(found)


ROUTES = [
    *pages_home.ROUTES,
    Route("/game/{variant:path}", game),
    Route("/play/position", position),
    Route("/play/positions", positions),
    Route("/play/choose", choose),
    Route("/play/estimate", estimate),
    Route("/play/scorecard", scorecard),
    Route("/play/setup", setup),
    Route("/play/random", random),
    Route("/play/save", save),
    Route("/play/load", load, methods=["POST"]),
]
