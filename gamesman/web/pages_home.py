"""The pages around play are answered here: all games, one with its rules, statistics, comparison, solving, files."""

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from starlette.background import BackgroundTask
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from gamesman.web.pages_frame import rendered
from gamesman.web.pool import Asked
from gamesman.web.problems import Refused
from gamesman.web.requests import PASSING, json_response, required, site_of
from gamesman.web.settings import LONGEST_VARIANT, MOST_COMPARED, MOST_FILES, MOST_SENT, MOST_SOLVED
from gamesman.web.site import Site
from gamesman.web.solving import may_solve

TYPES = {"json": "application/json", "csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
LOADING_SECONDS = 60  # all games, or a walk over all positions


async def _solved(site: Site, game: str = "") -> list[dict[str, Any]]:
    """Return what is solved, perhaps of one game only."""
    found = json.loads(await site.ask("variants", LOADING_SECONDS))
    return [each for each in found if each["status"] == "solved" and game in ("", each["variant"].partition(":")[0])]


async def home(request: Request) -> Response:
    """Show all games, each with its board and how many variants are solved."""
    site, state = site_of(request), request.app.state
    if not hasattr(state, "games"):  # games do not change while the server runs
        state.games = json.loads(await site.ask("gallery", LOADING_SECONDS, names=site.catalogue.names))
    solved = await _solved(site)
    names = [each["variant"].partition(":")[0] for each in solved]
    games = [game | {"solved": names.count(game["name"])} for game in state.games]
    return rendered(request, "home.html.j2", data={"games": games}, solved=solved, variant=None, here="home")


async def games(request: Request) -> Response:
    """Show a game: its variants by options, those that are solved, its rules."""
    site, name = site_of(request), request.path_params["game"]
    about = json.loads(await site.ask("about", variant=name))
    solved = await _solved(site, about["game"])
    names = [each["variant"] for each in solved][:MOST_COMPARED]
    compare = f"{site.settings.root_path.rstrip('/')}/compare?{urlencode([('v', each) for each in names])}"
    shown = {"title": about["title"], "rules": about["rules"], "solved": solved, "compare": compare}
    data = {"game": about["game"], "options": about["options"]}
    return rendered(request, "games.html.j2", data=data, variant=None, here="", **shown)


async def about(request: Request) -> Response:
    """Tell of a variant what the page of its game shows."""
    return json_response(await site_of(request).ask("about", variant=required(request, "variant", "konane:rows=4")))


async def stats(request: Request) -> Response:
    """Show the statistics of a solved variant, estimated ones of one too large to solve. Raises Asked of any other."""
    site, name = site_of(request), request.path_params["variant"]
    try:
        opened = await site.opened(name)
    except Asked as answer:
        if answer.problem.kind != "not-solved" or json.loads(await site.ask("begin", variant=name))["isSolvable"]:
            raise
        found = json.loads(await site.ask("estimated", LOADING_SECONDS, variant=name))
        return rendered(request, "estimated.html.j2", found=found, variant=found["variant"], here="stats")
    data = {"variant": opened.shown, "most": MOST_SENT}
    return rendered(request, "stats.html.j2", data=data, variant=opened.shown, here="stats")


async def compare(request: Request) -> Response:
    """Show variants side by side, once some are chosen."""
    chosen = request.query_params.getlist("v")
    if len(chosen) > MOST_COMPARED or any(len(name) > LONGEST_VARIANT for name in chosen):
        raise Refused(400, f"expected at most {MOST_COMPARED} variants to compare, got {len(chosen)}")
    shown: dict[str, Any] = {
        "solved": await _solved(site_of(request)),
        "query": urlencode([("v", name) for name in chosen]),
    }
    return rendered(request, "compare.html.j2", data={"chosen": chosen}, variant=None, here="compare", **shown)


async def solve(request: Request) -> Response:
    """Show the page from which a variant is solved."""
    about = json.loads(await site_of(request).ask("about", variant=request.path_params["variant"]))
    data = {
        "variant": about["variant"],
        "isSolved": about["isSolved"],
        "maySolve": may_solve(request),
        "most": MOST_SOLVED,
    }
    return rendered(request, "solve.html.j2", data=data, variant=about["variant"], here="solve")


async def download(request: Request) -> Response:
    """Send statistics, a comparison, or all positions as a file."""
    what, kind = request.path_params["what"], request.path_params["format"]
    if what == "positions" and kind in ("csv", "parquet"):
        return await _positions(request, kind)
    if what not in ("stats", "compare") or kind not in TYPES:
        raise Refused(404, "there is nothing at this address")
    names = [required(request, "variant", "konane")] if what == "stats" else request.query_params.getlist("v")
    if not names or len(names) > MOST_COMPARED or any(len(name) > LONGEST_VARIANT for name in names):
        raise Refused(400, f"expected v=VARIANT&v=VARIANT, at most {MOST_COMPARED}, got {len(names)}")
    site = site_of(request)
    if what == "compare":
        names = json.loads(await site.ask("named", variants=names))
    if kind == "json":
        asked: dict[str, Any] = {"variant": names[0]} if what == "stats" else {"variants": names}
        body = await site.ask(what, LOADING_SECONDS, **asked)
    else:
        body = bytes.fromhex(json.loads(await site.ask("counted", LOADING_SECONDS, variants=names, kind=kind)))
    headers = {"cache-control": PASSING, "content-disposition": f'attachment; filename="{what}.{kind}"'}
    return Response(body, headers=headers, media_type=TYPES[kind])


async def _positions(request: Request, kind: str) -> Response:
    """Send all positions of a variant as a file, of which there are only so many at a time."""
    site, state = site_of(request), request.app.state
    name = required(request, "variant", "konane")
    if getattr(state, "files", 0) >= MOST_FILES:
        raise Refused(503, f"{MOST_FILES} files are being sent already; try again in a while")
    state.files = getattr(state, "files", 0) + 1
    folder = tempfile.mkdtemp(prefix="gamesman-")

    def forget() -> None:
        state.files -= 1
        shutil.rmtree(folder, ignore_errors=True)

    file = Path(folder) / f"positions.{kind}"
    try:
        await site.ask("exported", LOADING_SECONDS, variant=name, file=str(file))
    except BaseException:
        forget()
        raise
    sent = BackgroundTask(forget)
    headers = {"cache-control": PASSING}
    return FileResponse(file, headers=headers, media_type=TYPES[kind], filename=file.name, background=sent)


ROUTES = [
    Route("/", home),
    Route("/games/{game}", games),
    Route("/play/about", about),
    Route("/stats/{variant:path}", stats),
    Route("/compare", compare),
    Route("/solve/{variant:path}", solve),
    Route("/download/{what}.{format}", download),
]
