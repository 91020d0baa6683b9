"""An error becomes an HTTP status and a problem+json (RFC 9457) here alone, as cli/main.py makes exit codes.

400   cannot be read: the option, the position, the move, the number
403   not allowed here: solving without --solve
404   unknown: no such game, page or file; a position that cannot arise
405   another method
409   not solved, with the command that does; solved under other rules; being solved
413   more than is read
422   a game file is broken, with the function and the line: its author can help, and not whoever runs the server
500   the database is damaged, or we are broken
503   took longer than it may, or too many ask: try again
"""

import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gamesman import errors
from gamesman.errors import GamesmanError


class Refused(GamesmanError):
    """Is an error of the server itself, with its own status."""

    def __init__(self, status: int, said: str):
        super().__init__(said)
        self.status = status


@dataclass(frozen=True)
class Problem:
    """Tells what went wrong: the fields of problem+json."""

    status: int
    kind: str  # for programs: not-solved, position, ...
    title: str
    detail: str
    more: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the fields of a problem+json."""
        type_ = f"urn:gamesman:problem:{self.kind}"
        return {"type": type_, "title": self.title, "status": self.status, "detail": self.detail, **self.more}


TITLES = {
    400: "Cannot be read",
    403: "Not allowed here",
    404: "Unknown",
    405: "Not this method",
    409: "Not solved",
    413: "Too much",
    422: "The game is broken",
    500: "Something is broken",
    503: "Not now",
}
# The first that fits, so the more special ones come first.
STATUSES: list[tuple[type[GamesmanError], int]] = [
    (errors.UnknownGame, 404),
    (errors.BrokenGame, 422),
    (errors.MissingExtra, 500),
    (errors.AddressError, 500),
    (errors.CallError, 400),
    (errors.NotSolved, 409),
    (errors.NotReachable, 404),
    (errors.TooLarge, 409),
    (errors.OtherRules, 409),
    (errors.OtherFormat, 409),
    (errors.InUse, 409),
    (errors.StorageFailed, 503),
    (errors.Interrupted, 503),
    (errors.DatabaseError, 500),
    (errors.NoAnswer, 404),
    (GamesmanError, 500),
]

# In what a game file raises: absolute paths but for the file's name.
FOLDERS = re.compile(r"(?<=['\"])/[^'\"]*/|(?<![\w.)'\"])/(?:[^\s/'\"]+/)+")


def problem_of(error: BaseException, *, is_local: bool = False, told: Callable[[str], str] = str) -> Problem:
    """Return what an error is to the network.

    What is damaged is told whole on this machine alone, for it may name files: elsewhere it stands in the log. What is
    wrong with a game is told everywhere, its files without their folders. `told` is how all other errors are told.

    >>> problem_of(errors.NotSolved("konane is not solved; run: gamesman solve konane; or wait")).as_json()["command"]
    'gamesman solve konane'
    """
    if isinstance(error, Refused):
        return Problem(error.status, "refused", _title(error.status), str(error))
    if not isinstance(error, GamesmanError):
        log(error)
        return Problem(500, "bug", TITLES[500], "this is a bug in gamesman; the server's log says more")
    return named_problem(type(error).__name__, told(str(error)), is_local=is_local)


def named_problem(name: str, said: str, *, is_local: bool = False) -> Problem:
    """Return the problem of an error by the name of its class, as a worker tells it."""
    found = getattr(errors, name, GamesmanError)
    status = next(status for kind, status in STATUSES if issubclass(found, kind))
    kind = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower().removesuffix("-error")
    more = {}
    is_inside = status == 500 or issubclass(found, errors.StorageFailed)
    if is_inside or issubclass(found, errors.BrokenGame):
        print(f"gamesman: {said}", file=sys.stderr, flush=True)
    if issubclass(found, errors.BrokenGame) and not is_local:
        said = FOLDERS.sub("", said)
    if is_inside:
        if not is_local:
            said = f"it cannot be answered{' now' if status == 503 else ''}; the server's log says why"
    elif status == 409 and "; run: " in said:
        more["command"] = said.partition("; run: ")[2].partition("; ")[0]
    return Problem(status, kind, _title(status), said, more)


def _title(status: int) -> str:
    return TITLES.get(status, TITLES[400 if status < 500 else 500])


def log(error: BaseException) -> None:
    """Write an unexpected error with its traceback to the log: it never leaves the server."""
    # lazy: start-up time
    import traceback  # lazy: start-up time

    print("".join(traceback.format_exception(error)).rstrip(), file=sys.stderr, flush=True)
