"""What to type next is written here: commands that errors name, quoted for the shell, with the database asked.

>>> command("solve", "konane:removed=b1,(c 1)", options=["--restart"])
"gamesman solve --restart 'konane:removed=b1,(c 1)'"
>>> with asking("solved here/"):
...     command("solve", "konane")
"gamesman solve konane --db 'solved here/'"
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from gamesman.errors import GamesmanError, shorten

if TYPE_CHECKING:
    from gamesman.model.variant import Position, Variant

SECRET = "pass|pwd|secret|token"  # in the name of what a URL gives a server and nobody else is to read

_asked: ContextVar[str | None] = ContextVar("the database that was asked", default=None)


@contextmanager
def asking(db: str | None) -> Iterator[None]:
    """Give the commands named inside `--db` with what the caller gave for it; None stands for the default place."""
    token = _asked.set(db)
    try:
        yield
    finally:
        _asked.reset(token)


def asked() -> str | None:
    """Return what was given for `--db`, or None."""
    return _asked.get()


def command(verb: str, *words: str, options: Sequence[str] = (), db: str | None = None) -> str:
    """Write a command to type: gamesman, the verb, options, words, and `--db` as given here or else by the caller.

    A password in a URL is not shown.

    >>> command("query", "./it's.py", db="postgresql://me:secret@server/solved")
    'gamesman query \\'./it\\'"\\'"\\'s.py\\' --db \\'postgresql://me:***@server/solved\\''
    """
    # lazy: start-up time
    from shlex import quote

    db = asked() if db is None else db
    place = [] if db is None else ["--db", hide_password(db) if "://" in db else db]
    if any(word.startswith("-") for word in words):  # else it would be taken for an option
        parts = [*options, *place, "--", *words]
    else:
        parts = [*options, *words, *place]
    return " ".join(["gamesman", verb, *map(quote, parts)])


def hide_password(text: str) -> str:
    """Return a text, which may be or have in it a URL that is not even well formed, without the passwords in it.

    >>> hide_password("postgresql://me:a@b@server/x?sslmode=require&password=c")
    'postgresql://me:***@server/x?sslmode=require&password=***'
    """
    text = re.sub(r"(://[^/:@?]*):.*@", r"\1:***@", text)
    return re.sub(rf"([?&;][^=&;]*(?:{SECRET})[^=&;]*=)[^&\s]*", r"\1***", text, flags=re.IGNORECASE)


def unreachable(variant: "Variant", position: "Position", db: str | None = None) -> str:
    """Say that a position cannot be reached from the start, and how to solve, or else to search, from there.

    >>> from gamesman.model.variant import variant
    >>> v = variant("ten_to_zero")
    >>> print(unreachable(v, v.parse("(2 10)")))  # doctest: +NORMALIZE_WHITESPACE
    (2 10) cannot be reached from the start of ten_to_zero;
    to look ahead from there: gamesman search ten_to_zero '(2 10)'
    """
    try:
        text = variant.show(position)
        is_position = variant.parse(text) == position
    except Exception:  # from Python anything may be asked for
        text, is_position = shorten(repr(position)), False
    said = f"{text} cannot be reached from the start of {variant.name}"
    if not is_position:
        return said
    there = _from_there(variant, position, text)
    if there is not None:
        return f"{said}; to solve from there: {command('solve', there.name, db=db)}"
    return f"{said}; to look ahead from there: {command('search', variant.name, text, db=db)}"


def _from_there(variant: "Variant", position: "Position", text: str) -> "Variant | None":
    """Return the variant that begins at a position and is otherwise the same, or None if no option can say that."""
    # lazy: start-up time
    from gamesman.model.variant import build
    from gamesman.options import Switch, Text

    kinds = {kind.name: kind for kind in variant.game.options}
    if not isinstance(kinds.get("start"), Text):
        return None
    given = {}
    for name, kind in kinds.items():
        value = getattr(variant.options, name)
        if variant.options.is_given(name) and not isinstance(kind, Text):
            given[name] = ("yes" if value else "no") if isinstance(kind, Switch) else str(value)
    board = "".join(text.strip("()").split()[1:])
    for options in ({"start": text}, {"start": board, "first": variant.letter(position)}):
        try:
            there = build(variant.game, given | options)
            if there.start() == position:
                return there
        except GamesmanError:
            continue
    return None
