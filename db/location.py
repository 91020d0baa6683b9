"""Where solved variants are: a folder with one SQLite file a variant, one SQLite file with several, or a server.

solved/                                   a folder, the default
sqlite:////home/me/solved.db              one file
postgresql+psycopg://me@server/solved     a server
"""

import hashlib
import os
import re
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from gamesman.errors import AddressError, shorten
from gamesman.model.advice import SECRET, command, hide_password
from gamesman.model.game import shown_path, split_file

SUFFIX = ".gamesman"
LONGEST_NAME = 100
# What the name of a row begins with that is to replace another (see gamesman.db.again); no variant's name begins
# with a space.
PREFIX = " again: "


def read_place(text: str | None) -> Path | URL:
    """The folder or the URL a text stands for; without one $GAMESMAN_DB, else a folder of the user's data.

    >>> read_place("postgresql://me@server/solved").drivername
    'postgresql+psycopg'
    >>> read_place("mysql://server/solved")
    Traceback (most recent call last):
    ...
    gamesman.errors.AddressError: expected a folder, sqlite:///FILE or postgresql+psycopg://HOST/NAME, got mysql://server/solved
    """
    text = text if text is not None else os.environ.get("GAMESMAN_DB") or None
    if text is None:
        from platformdirs import user_data_path

        return user_data_path("gamesman", appauthor=False)
    if not text.strip():
        raise AddressError("expected a folder or a database URL, got nothing")
    if "\0" in text:
        raise AddressError(f"expected a folder or a database URL, got one with a zero byte: {_shown(text)}")
    if "://" not in text:
        try:
            folder = Path(text).expanduser()
            is_file = folder.exists() and not folder.is_dir()
        except (OSError, RuntimeError, ValueError) as error:  # too long a name, no such user's home, a zero byte
            why = getattr(error, "strerror", None) or str(error).rstrip(".")
            raise AddressError(f"expected a folder or a database URL, got {_shown(text)}: {why}") from None
        if is_file:
            raise AddressError(f"expected a folder, got a file; for one file give sqlite:///{shorten(text)}")
        return folder
    wanted = "expected a folder, sqlite:///FILE or postgresql+psycopg://HOST/NAME, got"
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        raise AddressError(f"{wanted} {_shown(text)}") from None
    kind, _, driver = url.drivername.partition("+")
    if kind == "sqlite" and driver in ("", "pysqlite"):
        if not url.database or url.database == ":memory:" or url.query:
            raise AddressError(f"{wanted} {_shown(text)}")
        return url
    if kind == "postgresql":
        return url if driver else url.set(drivername="postgresql+psycopg")
    raise AddressError(f"{wanted} {_shown(text)}")


def secrets(url: URL) -> tuple[str, ...]:
    """The passwords in a URL, as they are sent to the server."""
    found = [str(url.password)] if url.password else []
    for key, values in url.query.items():
        if re.search(SECRET, key, re.IGNORECASE):
            found += [values] if isinstance(values, str) else values
    return tuple(filter(None, found))


def _shown(text: str) -> str:
    return shorten(hide_password(text))


def stored_name(variant: str) -> str:
    """The name that a variant is stored under: with the whole path of a game that is a file, however it is written.

    >>> stored_name("konane:rows=4")
    'konane:rows=4'
    >>> stored_name("./mygame.py:size=4") == stored_name("../" + Path.cwd().name + "/mygame.py:size=4")
    True
    """
    game, options = split_file(variant)
    return f"{Path(game).resolve().as_posix()}{options}" if game else variant


def plain_name(row: str) -> str:
    """The stored name of the variant that a row is about.

    >>> plain_name(" again: konane"), plain_name("konane")
    ('konane', 'konane')
    """
    return row.removeprefix(PREFIX)


def shown_name(row: str) -> str:
    """The name of a variant's row as it is shown: a game that is a file in this folder, or below it, from here on.

    >>> shown_name(stored_name("mygame.py:size=4")), shown_name(" again: konane")
    ('./mygame.py:size=4', 'konane')
    """
    stored = plain_name(row)
    game, options = split_file(stored)
    return f"{shown_path(Path(game))}{options}" if game and os.path.isabs(game) else stored


def file_name(variant: str) -> str:
    """The name of a variant's file: readable, safe on every system, and another one for every variant.

    >>> file_name("konane:rows=4,cols=5")
    'konane.rows=4,cols=5.gamesman'
    >>> file_name('konane:start=(w "" wb)')
    'konane.start=_w_wb_-c37af46806ed.gamesman'
    """
    stored = stored_name(variant)
    game, options = split_file(stored)
    return _file_name(stored, f"{Path(game).name}{options}" if game else stored)


def earlier_file_name(variant: str) -> str:
    """The name that the file of a variant had when games that are files were known by what was typed."""
    return _file_name(variant, variant)


def _file_name(variant: str, readable: str) -> str:
    plain = readable.replace(":", ".", 1)
    if readable == variant and re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_=,]+)?", plain) and len(plain) <= LONGEST_NAME:
        return plain + SUFFIX
    digest = hashlib.sha256(variant.encode(errors="surrogateescape")).hexdigest()[:12]
    safe = re.sub(r"[^A-Za-z0-9_=.,]+", "_", plain).lstrip("._")
    return f"{safe[: LONGEST_NAME - 13]}-{digest}{SUFFIX}"


def solve_command(variant: str, options: str = "") -> str:
    """What to type to have a variant solved.

    >>> solve_command("konane:rows=4"), solve_command("konane:removed=b1,(c 1)", "--restart")
    ('gamesman solve konane:rows=4', "gamesman solve --restart 'konane:removed=b1,(c 1)'")
    """
    return command("solve", variant, options=options.split())
