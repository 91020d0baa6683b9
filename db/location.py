"""Solved variants are kept in a folder with a SQLite file for each, in one SQLite file, or on a server.

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
from gamesman.model.paths import shown_path, split_file, whole_name

SUFFIX = ".gamesman"
LONGEST_NAME = 100
# The beginning of the name of a row that is to replace another (see gamesman.db.again); no variant's name begins with
# a space.
AGAIN_PREFIX = " again: "


def read_location(text: str | None) -> Path | URL:
    """Return the folder or the URL that a text names; without a text what $GAMESMAN_DB names, or the user's folder.

    >>> read_location("postgresql://me@server/solved").drivername
    'postgresql+psycopg'
    >>> read_location("mysql://server/solved")
    Traceback (most recent call last):
    ...
    gamesman.errors.AddressError: expected a folder, sqlite:///FILE or postgresql+psycopg://HOST/NAME, got mysql://server/solved
    """
    text = text if text is not None else os.environ.get("GAMESMAN_DB") or None
    if text is None:
        # lazy: start-up time
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
    """Return the passwords in a URL, as they are sent to the server."""
    found = [str(url.password)] if url.password else []
    for key, values in url.query.items():
        if re.search(SECRET, key, re.IGNORECASE):
            found += [values] if isinstance(values, str) else values
    return tuple(filter(None, found))


def _shown(text: str) -> str:
    """Return a text that may be an address, short and without passwords, to be shown."""
    return shorten(hide_password(text))


def plain_name(row: str) -> str:
    """Return the stored name of a variant, from the name of its row.

    >>> plain_name(" again: konane"), plain_name("konane")
    ('konane', 'konane')
    """
    return row.removeprefix(AGAIN_PREFIX)


def shown_name(row: str) -> str:
    """Return the name of a variant to be shown, from the name of its row: files below this folder have short paths.

    >>> shown_name(whole_name("mygame.py:size=4")), shown_name(" again: konane")
    ('./mygame.py:size=4', 'konane')
    """
    stored = plain_name(row)
    game, options = split_file(stored)
    return f"{shown_path(Path(game))}{options}" if game and os.path.isabs(game) else stored


def file_name(variant: str) -> str:
    """Return the name of a variant's file: readable, safe on every system, and different for every variant.

    >>> file_name("konane:rows=4,cols=5")
    'konane.rows=4,cols=5.gamesman'
    >>> file_name('konane:start=(w "" wb)')
    'konane.start=_w_wb_-c37af46806ed.gamesman'
    """
    stored = whole_name(variant)
    game, options = split_file(stored)
    return _file_name(stored, f"{Path(game).name}{options}" if game else stored)


def earlier_file_name(variant: str) -> str:
    """Return the name that a variant's file had when a game that is a file was stored as it was typed."""
    return _file_name(variant, variant)


def _file_name(variant: str, readable: str) -> str:
    """Return the text to be read as the name of a file, with a digest of the variant's name where they differ."""
    plain = readable.replace(":", ".", 1)
    if readable == variant and re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_=,]+)?", plain) and len(plain) <= LONGEST_NAME:
        return plain + SUFFIX
    digest = hashlib.sha256(variant.encode(errors="surrogateescape")).hexdigest()[:12]
    safe = re.sub(r"[^A-Za-z0-9_=.,]+", "_", plain).lstrip("._")
    return f"{safe[: LONGEST_NAME - 13]}-{digest}{SUFFIX}"


def solve_command(variant: str, options: str = "") -> str:
    """Return what to type to have a variant solved.

    >>> solve_command("konane:rows=4"), solve_command("konane:removed=b1,(c 1)", "--restart")
    ('gamesman solve konane:rows=4', "gamesman solve --restart 'konane:removed=b1,(c 1)'")
    """
    return command("solve", variant, options=options.split())


def restart_advice(variant: str) -> str:
    """Return the advice to solve a variant again, as the end of a line; nothing where it is not known which one."""
    return f"; run: {solve_command(variant, '--restart')}" if variant else ""
