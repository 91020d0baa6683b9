"""Where solved variants are: a folder with one SQLite file a variant, one SQLite file with several, or a server.

solved/                                   a folder, the default
sqlite:////home/me/solved.db              one file
postgresql+psycopg://me@server/solved     a server
"""

import hashlib
import os
import re
import shlex
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from gamesman.errors import AddressError, shorten

SUFFIX = ".gamesman"
LONGEST_NAME = 100
SECRET = "pass|pwd|secret|token"  # in the name of what a URL gives a server and nobody else is to read


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
        raise AddressError(f"expected a folder or a database URL, got {_shown(text)}: no name has a zero byte")
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


def hide_password(text: str) -> str:
    """A URL, well formed or not, or a text with one in it, without the passwords in it.

    >>> hide_password("postgresql://me:a@b@server/x?sslmode=require&password=c")
    'postgresql://me:***@server/x?sslmode=require&password=***'
    """
    text = re.sub(r"(://[^/:@?]*):.*@", r"\1:***@", text)
    return re.sub(rf"([?&;][^=&;]*(?:{SECRET})[^=&;]*=)[^&\s]*", r"\1***", text, flags=re.IGNORECASE)


def secrets(url: URL) -> tuple[str, ...]:
    """The passwords in a URL, as they are sent to the server."""
    found = [str(url.password)] if url.password else []
    for key, values in url.query.items():
        if re.search(SECRET, key, re.IGNORECASE):
            found += [values] if isinstance(values, str) else values
    return tuple(filter(None, found))


def _shown(text: str) -> str:
    return shorten(hide_password(text))


def file_name(variant: str) -> str:
    """The name of a variant's file: readable, safe on every system, and another one for every variant.

    >>> file_name("konane:rows=4,cols=5")
    'konane.rows=4,cols=5.gamesman'
    >>> file_name('konane:start=(w "" wb)')
    'konane.start=_w_wb_-c37af46806ed.gamesman'
    """
    plain = variant.replace(":", ".", 1)
    if re.fullmatch(r"[a-z0-9_]+(\.[a-z0-9_=,]+)?", plain) and len(plain) <= LONGEST_NAME:
        return plain + SUFFIX
    digest = hashlib.sha256(variant.encode(errors="surrogateescape")).hexdigest()[:12]
    safe = re.sub(r"[^A-Za-z0-9_=.,]+", "_", plain).lstrip("._")
    return f"{safe[: LONGEST_NAME - 13]}-{digest}{SUFFIX}"


def solve_command(variant: str, options: str = "") -> str:
    """What to type to have a variant solved.

    >>> solve_command("konane:rows=4"), solve_command("konane:removed=b1,(c 1)", "--restart")
    ('gamesman solve konane:rows=4', "gamesman solve --restart 'konane:removed=b1,(c 1)'")
    """
    return " ".join(filter(None, ["gamesman solve", options, shlex.quote(variant)]))
