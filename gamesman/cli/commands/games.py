"""`gamesman games` lists the games there are, one line each."""

import click

from gamesman.cli.arguments import json_option
from gamesman.cli.main import Command


@click.command("games", cls=Command, is_brief=True, examples=["gamesman games", "gamesman games --json"])
@json_option
def command(is_json: bool) -> None:
    """List the games there are.

    JSON: {"name", "title"}, or {"name", "error"} where an installed game cannot be used.
    """
    # lazy: start-up time
    import json

    from gamesman.cli.display import wrapped
    from gamesman.model.description import titled
    from gamesman.model.game import known

    found = {name: titled(name) for name in known()}
    width = max(map(len, found), default=0)
    for name, fields in found.items():
        said = fields.get("title") or click.style(f"cannot be used: {fields['error']}", fg="red")
        line = wrapped(f"{name:{width}}  {said}", indent=" " * (width + 2))
        click.echo(json.dumps({"name": name} | fields) if is_json else line)
