"""All that can go wrong is in one tree here. Each error is one line: what was expected, what came, what to do next.

    GamesmanError
    ├── CallError              the call is wrong                          exit code 2
    │   ├── UnknownGame            no such game
    │   ├── BrokenGame             a game file that cannot be used: says the function and the position at fault
    │   ├── OptionError            an option unknown, malformed or out of range
    │   ├── PositionError          a position that cannot be read, or that the rules do not allow
    │   ├── MoveError              a move that cannot be read, or that the rules do not allow: says why
    │   ├── AddressError           a place for databases that is neither a folder nor a URL of a database we can use
    │   └── MissingExtra           an optional dependency is not installed: says how to install it
    └── NoAnswer               the question is right but has no answer    exit code 1
        ├── NotSolved              the variant is not in the database
        ├── NotReachable           the position cannot arise from the start
        ├── TooLarge               more positions than can be numbered or than fit memory: says both numbers
        ├── NotProved              nothing was proved in the time given
        ├── Interrupted            Ctrl-C
        ├── ClusterFailed          a Dask scheduler does not answer, or a worker of its cannot take part: says which
        └── DatabaseError          the database cannot be used
            ├── Damaged                bytes changed or lost
            ├── NotVerified            a position contradicts its moves, or cannot arise: says which
            ├── NoDatabase             a file of something else
            ├── OtherFormat            written by a newer or an older program
            ├── OtherVariant           a file that holds another variant than its name says
            ├── OtherRules             solved under other rules than the game has now
            ├── InUse                  another process is solving the variant: says which
            └── StorageFailed          the disk is full, the file may not be written, the server does not answer

`exit_code` is what the command line returns.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any


class GamesmanError(Exception):
    """Is the root of the tree that is drawn above, where each error is explained."""

    exit_code = 1


class CallError(GamesmanError):
    exit_code = 2


class UnknownGame(CallError):
    pass


class BrokenGame(CallError):
    pass


class OptionError(CallError):
    pass


class PositionError(CallError):
    pass


class MoveError(CallError):
    pass


class AddressError(CallError):
    pass


class MissingExtra(CallError):
    pass


class NoAnswer(GamesmanError):
    pass


class NotSolved(NoAnswer):
    pass


class NotReachable(NoAnswer):
    pass


class TooLarge(NoAnswer):
    def __init__(
        self, said: str, needed: int = 0, positions: tuple[float, float] | None = None, key_bytes: float | None = None
    ):
        super().__init__(said)
        self.needed = needed  # bytes, where it is memory that is too little
        self.key_bytes = key_bytes  # of a position in a file, where some have been found
        self.positions = positions  # how many there are at least, and most likely, where that has been looked for


class NotProved(NoAnswer):
    pass


class Interrupted(NoAnswer):
    pass


class ClusterFailed(NoAnswer):
    pass


class DatabaseError(NoAnswer):
    pass


class Damaged(DatabaseError):
    pass


class NotVerified(DatabaseError):
    """Says what is wrong of what is stored; `counted` has the fields of `verify --json` up to there.

    `fault` says which function of the game is to blame and where, if one is.
    """

    counted: Mapping[str, Any] = MappingProxyType({})
    fault = ""


class NoDatabase(DatabaseError):
    pass


class OtherFormat(DatabaseError):
    pass


class OtherVariant(DatabaseError):
    pass


class OtherRules(DatabaseError):
    pass


class InUse(DatabaseError):
    pass


class StorageFailed(DatabaseError):
    pass


@contextmanager
def about(variant: str) -> Iterator[None]:
    """Let an error inside say which variant it is about, where several are at work, if it does not say so itself.

    >>> with about("konane"):
    ...     raise Damaged("solved/konane.gamesman is damaged")
    Traceback (most recent call last):
    ...
    gamesman.errors.Damaged: konane: solved/konane.gamesman is damaged
    """
    try:
        yield
    except GamesmanError as error:
        if not is_named(variant, str(error)):
            error.args = (f"{variant}: {error}",)
        raise


def is_named(variant: str, text: str) -> bool:
    """Tell whether a text has a variant's name, and not only as the beginning of another's or in a path or a command.

    >>> is_named("konane", "konane is not solved"), is_named("konane", "konane:rows=4 is not solved")
    (True, False)
    """
    said = text.partition("; run: ")[0]
    return bool(re.search(rf"(^| ){re.escape(variant)}($|[ ;]|: )", said))


def did_you_mean(name: str, known: Iterable[str], before: str = "") -> str:
    """Return a hint to append to an error, or nothing; `before` is written before the name that is meant.

    >>> did_you_mean("konan", ["abalone", "konane"])
    ' (did you mean konane?)'
    >>> did_you_mean("chess", ["abalone", "konane"])
    ''
    """
    # lazy: start-up time, only errors need it
    import difflib

    close = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean {before}{close[0]}?)" if close else ""


def shorten(text: str, width: int = 60) -> str:
    """Make text from a user fit for a one-line message: without line breaks, and not endless.

    >>> shorten("a\\nb")
    'a b'
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= width else line[: width - 1] + "…"
