"""What searching and playing begin with: a game that can be trusted, and its database if there is one."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from gamesman.db.reader import Stored
    from gamesman.model.variant import Variant


@contextmanager
def stored_or_none(variant: "Variant", db: str | None, is_without_db: bool = False) -> Iterator["Stored | None"]:
    """The solved variant, or None where it is not solved or not wanted. A database that is damaged is an error.

    One solved under other rules is left out, and standard error says so.
    """
    from gamesman.errors import NotSolved, OtherRules

    stored = None
    if not is_without_db:
        from gamesman.db import open_store

        try:
            stored = open_store(db).open(variant)
        except NotSolved:
            pass
        except OtherRules as error:
            click.echo(f"without the database: {error}", err=True)
    try:
        yield stored
    finally:
        if stored is not None:
            stored.close()


def check_foreign(variant: "Variant") -> None:
    """Check a game that is not ours before it is played; ours are checked by our tests. Raises BrokenGame."""
    if not variant.game.module.__name__.startswith("gamesman.games."):
        from gamesman.model.check import check

        check(variant)
