"""`gamesman delete VARIANT...` removes what is stored of variants."""

import sys

import click

from gamesman.cli.arguments import db_option, json_option
from gamesman.cli.main import Command
from gamesman.errors import CallError


@click.command(
    "delete",
    cls=Command,
    is_brief=True,
    examples=["gamesman delete konane --yes", "gamesman delete konane:rows=4 konane:misere --db solved/ --yes"],
)
@click.argument("names", nargs=-1, required=True, metavar="VARIANT...")
@click.option("--yes", "is_sure", is_flag=True, help="Do not ask.")
@db_option
@json_option
def command(names: tuple[str, ...], is_sure: bool, db: str | None, is_json: bool) -> None:
    """Remove what is stored of variants, solved or not.

    On a terminal it asks first; elsewhere it wants --yes.

    JSON, an object a variant: {"variant", "status": "deleted"}.
    """
    # lazy: start-up time
    import json

    from gamesman import app

    stored = [app.stored_name(name, db=db) for name in names]
    for name in stored:
        if not is_sure and app.is_stored(name, db=db):  # else there is nothing to ask about, and it is told
            if not is_terminal():
                raise CallError(f"{name} is deleted only with --yes where nobody can be asked")
            if not click.confirm(f"Delete {name}?", err=True):
                click.echo(f"{name} is kept", err=True)
                continue
        app.delete(name, db=db)
        click.echo(json.dumps({"variant": name, "status": "deleted"}) if is_json else f"{name} is deleted")


def is_terminal() -> bool:
    """Tell whether there is somebody to ask."""
    return sys.stdin.isatty()
