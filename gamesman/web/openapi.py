"""The API described to programs: the OpenAPI document, made of one table of what can be asked."""

from typing import Any, NamedTuple

from gamesman import __version__
from gamesman.web.settings import DEEPEST, LONGEST_LINE, MOST_COMPARED, MOST_IN_BATCH, MOST_SECONDS


class Parameter(NamedTuple):
    """Describes what a question can be given."""

    name: str
    what: str
    example: Any = None
    is_required: bool = False
    place: str = "query"
    schema: dict[str, Any] = {"type": "string"}


class Operation(NamedTuple):
    """Describes a question and its answer."""

    method: str
    path: str
    title: str
    what: str
    parameters: tuple[Parameter, ...] = ()
    body: dict[str, Any] | None = None  # an example of what is posted
    answer: Any = None  # its fields, by an example
    problems: tuple[int, ...] = ()
    kind: str = "application/json"
    status: int = 200


VARIANT = Parameter(
    "variant", "GAME[:OPTION=VALUE,...], as on the command line; a game file by its name", "konane:rows=4", True
)
POSITION = Parameter("p", "a position as text; without it the start", '(w "" bwbw wbwb b--w wbwb)')
NUMBER = {"type": "number"}
MOVE = {"move": "b4-b2", "position": '(b "" b-bw ...)', "turn": "b", "value": "win", "remoteness": 8}
ANSWER = {"position": '(w "" ...)', "turn": "w", "value": "win", "remoteness": 9, "moves": [MOVE]}
PROBLEM = {
    "type": "urn:gamesman:problem:not-solved",
    "title": "Not solved",
    "status": 409,
    "detail": "konane:rows=5 is not solved; run: gamesman solve konane:rows=5",
    "command": "gamesman solve konane:rows=5",
}
DRAWN = {"delta": 0, "clicks": [13, 5]}
ID = Parameter("id", "of a solve", "kGz0vVYk7oXd", True, "path")

OPERATIONS = [
    Operation(
        "get", "/games", "The games there are", "Each by its name, with its title.", (), None, [{"name": "konane"}]
    ),
    Operation(
        "get",
        "/variants",
        "What is stored",
        "Variants that are solved, or partly, as in `gamesman list`.",
        (Parameter("game", "of one game alone", "konane"),),
        None,
        [{"variant": "konane", "status": "solved", "positions": 17}],
        (404,),
    ),
    Operation(
        "get",
        "/info",
        "A variant described",
        "Rules, options with their ranges, notation, the start, as in `gamesman info`; `is_solved`; and `cells`, "
        "where the cells of its board are (right and up), or null.",
        (VARIANT,),
        None,
        {"name": "konane", "variant": "konane:rows=4", "is_solved": True, "cells": {"names": ["a1"], "at": [[0, 0]]}},
        (400, 404, 422),
    ),
    Operation(
        "get",
        "/positions",
        "What a position and its moves are worth",
        "The fields of `gamesman query`: a move's value is for the player who makes it, its remoteness is that of the "
        "position it leads to; best first. Besides: each move's `delta`, how many moves it gives away (null where it "
        "gives up the value), and its `clicks`, the cells it goes from and to; `cells`, what stands on "
        "each; and the `fingerprint` of the solution. Asked for with that it never changes and may be kept for ever.",
        (VARIANT, POSITION, Parameter("fingerprint", "of the solution that is meant")),
        None,
        {**ANSWER, "moves": [{**MOVE, **DRAWN}], "cells": "wbwb...", "fingerprint": "1977..."},
        (400, 404, 409, 422, 500),
    ),
    Operation(
        "post",
        "/positions",
        "Several positions",
        f"At most {MOST_IN_BATCH}. One that cannot be answered is {{position, error}}.",
        (),
        {"variant": "konane", "positions": ['(w "" wbwb bwb- w-wb)']},
        [ANSWER],
        (400, 404, 409, 413, 422, 500),
    ),
    Operation(
        "get",
        "/moves",
        "The moves of a position",
        "By the rules alone: of any variant, solved or not, and any position. Values are null.",
        (VARIANT, POSITION),
        None,
        {**ANSWER, "value": None, "remoteness": None},
        (400, 404, 422, 503),
    ),
    Operation(
        "get",
        "/line",
        "A line of best play",
        "The fields of `gamesman line`; `is_cut` where there are more moves than asked for.",
        (VARIANT, POSITION, Parameter("length", f"moves at most, {LONGEST_LINE} or less", 20, schema=NUMBER)),
        None,
        {**ANSWER, "repeats": None, "is_cut": False},
        (400, 404, 409, 422, 500, 503),
    ),
    Operation(
        "get",
        "/search",
        "The best move by search",
        "The fields of `gamesman search`: for what is not solved. A value of null is not certain: the score is an "
        "estimate. Posted, also with `history`, what has been in the game, the newest first.",
        (
            VARIANT,
            POSITION,
            Parameter("time", f"seconds, {MOST_SECONDS:g} at most", 2, schema=NUMBER),
            Parameter("depth", f"moves ahead, {DEEPEST} at most", 6, schema=NUMBER),
        ),
        None,
        {"variant": "ctf", "move": "b4-b3", "value": None, "score": 12, "depth": 9, "line": ["b4-b3"]},
        (400, 404, 422, 503),
    ),
    Operation(
        "get",
        "/stats",
        "A solved variant counted",
        "The fields of `gamesman stats`. Of large variants only what solving has counted: the rest is null.",
        (VARIANT,),
        None,
        {"variant": "konane", "positions": 17, "counts": {"win": 8, "lose": 9, "tie": 0, "draw": 0}},
        (400, 404, 409, 422, 500, 503),
    ),
    Operation(
        "get",
        "/compare",
        "Solved variants side by side",
        f"The fields of `gamesman compare`; at most {MOST_COMPARED}, named one by one or with ranges, lists and stars.",
        (Parameter("v", "a variant, or several: konane:misere=*; may be repeated", "konane:misere=*", True),),
        None,
        {"variants": [{"variant": "konane"}], "pairs": []},
        (400, 404, 409, 422, 500, 503),
    ),
    Operation(
        "post",
        "/solves",
        "Solve a variant",
        "Where the server allows it. The answer comes at once; what becomes of it is told under its id.",
        (),
        {"variant": "konane:rows=4"},
        {"id": "kGz0vVYk7oXd", "variant": "konane:rows=4", "status": "queued", "progress": None},
        (400, 403, 404, 422, 503),
        status=202,
    ),
    Operation("get", "/solves", "All solves", "Since the server was started.", (), None, [], ()),
    Operation("get", "/solves/{id}", "A solve", "As it is now.", (ID,), None, {"status": "running"}, (404,)),
    Operation(
        "get",
        "/solves/{id}/events",
        "A solve, as it goes on",
        "Server-sent events, named by its status, up to the last: solved, failed or cancelled. `progress`: the phase, "
        "the steps done, how many there will be (or null), a note and the seconds.",
        (ID,),
        None,
        'event: running\ndata: {"status": "running", "progress": {"phase": "...", "done": 5, "total": 9}}\n\n',
        (404,),
        "text/event-stream",
    ),
    Operation(
        "delete",
        "/solves/{id}",
        "Cancel a solve",
        "What is stored of it stays: asked for again it goes on there.",
        (ID,),
        None,
        {"status": "running"},
        (403, 404),
    ),
]

SAID = {
    400: "cannot be read",
    403: "not allowed here",
    404: "unknown: no such game, or a position that cannot arise",
    409: "not solved; `command` solves it",
    413: "too much",
    422: "the game's file is broken, with the function and the line",
    500: "the database is damaged: the server's log says more",
    503: "took too long, too many ask, or the database does not answer",
}


def document(root_path: str) -> dict[str, Any]:
    """Return the OpenAPI document of an API that is served under a prefix."""
    paths: dict[str, dict[str, Any]] = {}
    for each in OPERATIONS:
        paths.setdefault(each.path, {})[each.method] = _operation(each)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "gamesman",
            "version": __version__,
            "description": "Solved games, as the command line has them.",
        },
        "servers": [{"url": f"{root_path}/api/v1"}],
        "paths": paths,
        "components": {
            "schemas": {"Problem": {"type": "object", "example": PROBLEM, "description": "RFC 9457"}},
        },
    }


def _operation(each: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {"summary": each.title, "description": each.what, "responses": {}}
    found["operationId"] = f"{each.method}{each.path.replace('{id}', 'one').title().replace('/', '')}"
    if each.parameters:
        found["parameters"] = [_parameter(one) for one in each.parameters]
    if each.body is not None:
        found["requestBody"] = {"required": True, "content": {"application/json": {"example": each.body}}}
    content = {each.kind: {"example": each.answer}}
    found["responses"][str(each.status)] = {"description": each.title, "content": content}
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for status in each.problems:
        found["responses"][str(status)] = {"description": SAID[status], "content": problem}
    return found


def _parameter(one: Parameter) -> dict[str, Any]:
    found = {"name": one.name, "in": one.place, "required": one.is_required, "description": one.what}
    found["schema"] = one.schema
    if one.example is not None:
        found["example"] = one.example
    return found
