"""GamesmanUni's contract, /universal/v1/, is kept here: five questions that its unmodified client asks.

    /universal/v1/                                    the games
    /universal/v1/GAME/                               a game's variants: its default one, and those that are solved
    /universal/v1/GAME/VARIANT/                       a variant: where it starts, how it is drawn
    /universal/v1/GAME/VARIANT/positions/?p=POSITION  what a position and its moves are worth
    /universal/v1/GAME/VARIANT/instructions/          the rules

>>> game_id("konane"), game_id("tictactoe"), variant_id("konane"), variant_id("konane:rows=4,misere")
('konane', 'tictactoe-game', 'regular', 'rows-4_misere')
"""

import json
import re
from collections import OrderedDict
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from gamesman.errors import PositionError, UnknownGame, shorten
from gamesman.web.autogui import RESERVED, Art, answer_json, read_position_id
from gamesman.web.pool import Asked
from gamesman.web.requests import json_response, required, site_of
from gamesman.web.settings import LONGEST_POSITION
from gamesman.web.site import Site
from gamesman.web.stored import Opened

REGULAR = "regular"
DRAWING_SECONDS = 10.0  # of the processor, to find out how all games are drawn
MOST_KNOWN = 1000


def game_id(name: str) -> str:
    """Return how the client names a game."""
    return f"{name}-game" if name in RESERVED else name


def variant_id(name: str) -> str:
    """Return how the client names a variant."""
    options = name.partition(":")[2]
    return re.sub(r"[^A-Za-z0-9_.-]", "~", options.replace("=", "-").replace(",", "_")) if options else REGULAR


class Known:
    """Remembers what the client's names stand for, and how variants are drawn."""

    def __init__(self) -> None:
        self.names: OrderedDict[tuple[str, str], str] = OrderedDict()
        self.drawn: OrderedDict[str, tuple[bytes, Art | None]] = OrderedDict()
        self.games: bytes | None = None

    def keep(self, kept: "OrderedDict[Any, Any]", key: Any, found: Any) -> None:
        """Keep something, and let the oldest go where there are too many."""
        kept[key] = found
        if len(kept) > MOST_KNOWN:
            kept.popitem(last=False)


def _known(request: Request) -> Known:
    found: Known = request.app.state.universal
    return found


def _game(site: Site, id: str) -> str:
    found = next((name for name in site.catalogue.names if game_id(name) == id), None)
    if found is None:
        raise UnknownGame(f"no such game: {shorten(id)}")
    return found


async def _solved(site: Site, game: str) -> list[str]:
    entries = json.loads(await site.ask("variants"))
    return [
        each["variant"]
        for each in entries
        if each["status"] == "solved" and each["variant"].partition(":")[0] == game and ":" in each["variant"]
    ]


async def _variant(request: Request) -> str:
    """Return the variant that the client means. Raises UnknownGame."""
    site, known = site_of(request), _known(request)
    id = request.path_params["variant"]
    game = _game(site, request.path_params["game"])
    if id == REGULAR:
        return game
    if (game, id) not in known.names:
        for name in await _solved(site, game):
            known.keep(known.names, (game, variant_id(name)), name)
    if (game, id) not in known.names:
        raise UnknownGame(f"no such variant of {game}: {shorten(id)}")
    return known.names[game, id]


async def _drawn(request: Request, name: str) -> tuple[bytes, Art | None]:
    """Return what the client is told of a variant, and how it is drawn."""
    known = _known(request)
    if name not in known.drawn:
        found = json.loads(await site_of(request).ask("universal_variant", DRAWING_SECONDS, variant=name))
        art = Art(*found["art"]) if found["art"] else None
        told = {"id": variant_id(name), "name": variant_name(name), **found["told"]}
        known.keep(known.drawn, name, (json.dumps(told).encode(), art))
    drawn: tuple[bytes, Art | None] = known.drawn[name]
    return drawn


def variant_name(name: str) -> str:
    """Return what a person reads of a variant: its options.

    >>> variant_name("konane"), variant_name("konane:rows=4,misere")
    ('Regular', 'rows 4, misere')
    """
    options = name.partition(":")[2]
    return options.replace("=", " ").replace(",", ", ") if options else "Regular"


async def games(request: Request) -> Response:
    """List the games."""
    return json_response(await _games(request))


async def _games(request: Request) -> bytes:
    site, known = site_of(request), _known(request)
    if known.games is None:
        found = json.loads(await site.ask("universal_games", DRAWING_SECONDS))
        known.games = json.dumps([{**each, "id": game_id(each["id"]), "type": "twoPlayer"} for each in found]).encode()
    return known.games


async def game(request: Request) -> Response:
    """List a game's variants."""
    site = site_of(request)
    name = _game(site, request.path_params["game"])
    listed = json.loads(await _games(request))
    fields = next(each for each in listed if each["id"] == game_id(name))
    variants = [name, *await _solved(site, name)]
    gui = fields["gui"]
    return json_response(
        {
            "id": game_id(name),
            "name": fields["name"],
            "allowCustomVariantCreation": False,
            "supportsWinBy": False,
            "variants": [{"id": variant_id(each), "name": variant_name(each), "gui": gui} for each in variants],
        }
    )


async def variant(request: Request) -> Response:
    """Tell where a variant starts and how it is drawn."""
    told, _ = await _drawn(request, await _variant(request))
    return json_response(told)


async def position(request: Request) -> Response:
    """Tell what a position and its moves are worth."""
    site = site_of(request)
    name = await _variant(request)
    _, art = await _drawn(request, name)
    asked = required(request, "p", "1_...")
    if len(asked) > LONGEST_POSITION:
        raise PositionError(f"expected a position in at most {LONGEST_POSITION} letters, got {len(asked)}")
    text = read_position_id(asked)
    try:
        opened = await site.opened(name)
    except Asked as error:
        if error.problem.status != 409:
            raise
        return json_response(await site.ask("universal_position", variant=name, p=text, has_art=art is not None))

    def answer(opened: Opened) -> bytes:
        key = ("universal", text)
        ready = site.store.ready(opened, key)
        fresh = ready or site.store.keep(opened, key, answer_json(opened.variant, art, opened.query(text)))
        return fresh.body

    return json_response(await site.read(answer, opened))


async def instructions(request: Request) -> Response:
    """Tell the rules."""
    found = json.loads(await site_of(request).ask("info", variant=await _variant(request)))
    return json_response({"instructions": found["rules"]})


def _both(path: str, endpoint: Any) -> list[BaseRoute]:
    """Return the route with the slash that the client ends it with, and the one without."""
    return [Route(path, endpoint), *([Route(path.rstrip("/"), endpoint)] if path != "/" else [])]


ROUTES = [
    *_both("/", games),
    *_both("/{game}/", game),
    *_both("/{game}/{variant}/", variant),
    *_both("/{game}/{variant}/positions/", position),
    *_both("/{game}/{variant}/instructions/", instructions),
]
