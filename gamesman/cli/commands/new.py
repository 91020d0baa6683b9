"""`gamesman new NAME` writes a file to begin a game with."""

from pathlib import Path

import click

from gamesman.cli.main import Command
from gamesman.errors import CallError, shorten
from gamesman.model.advice import command as to_type


@click.command("new", cls=Command, examples=["gamesman new mygame", "gamesman new mygame --board hex3"])
@click.argument("name", metavar="NAME")
@click.option(
    "--board", default="4x4", show_default=True, metavar="BOARD", help="Rows by columns like 4x4; or hex2, hex3."
)
def command(name: str, board: str) -> None:
    """Write NAME.py, a small game on a board that solves as it is, to be changed into one of your own.

    A file that is there already is not touched.
    """
    # lazy: start-up time
    from gamesman.model.beginning import first_file
    from gamesman.model.paths import shown_path

    path = Path(name if name.endswith(".py") else f"{name}.py")
    if not path.stem.isidentifier():
        raise CallError(f"a game must have a name like Python's, got {shorten(name) or 'nothing'}")
    text = first_file(path.stem, board)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise CallError(f"{shorten(str(path))} is there already; give another name") from None
    except (OSError, ValueError) as error:  # a ValueError where there is a NUL in the path
        raise CallError(
            f"{shorten(str(path))} cannot be written: {getattr(error, 'strerror', error)}; give another place"
        ) from None
    shown = shown_path(path)
    click.echo(f"{shown} is written; run: {to_type('check', shown)} and {to_type('solve', shown)}")
