"""`gamesman games` lists the games there are, one line each."""

import click

from gamesman.cli.arguments import json_option
from gamesman.cli.main import Command
from gamesman.errors import GamesmanError, shorten


@click.command("games", cls=Command, is_brief=True, examples=["gamesman games", "gamesman games --json"])
@json_option
def command(is_json: bool) -> None:
    """List the games there are.

    JSON: {"name", "title"}, or {"name", "error"} where an installed game cannot be used.
    """
    # lazy: start-up time
    import json

    from gamesman.cli.display import wrapped
    from gamesman.model.game import known

    found = {name: _described(name) for name in known()}
    width = max(map(len, found), default=0)
    for name, fields in found.items():
        said = fields.get("title") or click.style(f"cannot be used: {fields['error']}", fg="red")
        line = wrapped(f"{name:{width}}  {said}", indent=" " * (width + 2))
        click.echo(json.dumps({"name": name} | fields) if is_json else line)


def _described(name: str) -> dict[str, str]:
    """Return the game's title, or what is wrong with it: one that somebody else installed must not end the list."""
    # lazy: start-up time
    from gamesman.model.game import load

    try:
        return {"title": load(name).title}
    except GamesmanError as error:
        return {"error": str(error)}
    except (Exception, SystemExit) as error:
        return {"error": f"{type(error).__name__}: {shorten(str(error))}"}
