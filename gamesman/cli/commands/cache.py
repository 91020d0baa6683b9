"""`gamesman cache` shows what is compiled and kept; `gamesman cache clear` removes it."""

from datetime import UTC, datetime

import click

from gamesman.cli.arguments import json_option
from gamesman.cli.main import Command
from gamesman.errors import CallError, shorten


@click.command(
    "cache", cls=Command, is_brief=True, examples=["gamesman cache", "gamesman cache --json", "gamesman cache clear"]
)
@click.argument("action", required=False, metavar="[clear]")
@json_option
def command(action: str | None, is_json: bool) -> None:
    """Show what is compiled and kept: of which games, where, how large.

    It is kept in $GAMESMAN_CACHE, else in the user's cache folder. With `clear` it is removed; games are compiled again
    when they are needed. Earlier versions of games are removed by themselves.

    JSON, an object a game: {"game", "folder", "functions", "bytes", "used"}, and with `clear`: {..., "status":
    "removed"}.
    """
    # lazy: start-up time
    import json

    from gamesman.cli.display import table
    from gamesman.compiler.cache import cache_folder, clear, kept
    from gamesman.machine.sizes import size_text
    from gamesman.model.wording import count

    if action not in (None, "clear"):
        raise CallError(f"expected clear or nothing after cache, got {shorten(action) or 'an empty word'}")
    found = clear() if action else kept()
    total = f"{count(sum(one.functions for one in found), 'function')}, {size_text(sum(one.bytes for one in found))}"
    rows = [["game", "functions", "size", "used", "folder"]]
    for one in found:
        used = datetime.fromtimestamp(one.used, UTC).isoformat(timespec="seconds")
        fields = {
            "game": one.game,
            "folder": str(one.folder),
            "functions": one.functions,
            "bytes": one.bytes,
            "used": used,
        }
        if is_json:
            click.echo(json.dumps({**fields, "status": "removed"} if action else fields))
        rows.append(
            [one.game, f"{one.functions:,}", size_text(one.bytes), used[:16].replace("T", " "), one.folder.name]
        )
    if is_json:
        return
    if not found:
        click.echo(f"nothing is kept in {cache_folder()}", err=True)
    elif action:
        click.echo(f"removed from {cache_folder()}: {total}")
    else:
        click.echo(table(rows, right=[1, 2]))
        click.echo(f"\n{total} in {cache_folder()}")
