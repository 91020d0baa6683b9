"""`gamesman check GAME` tests a game's functions against each other."""

from functools import partial
from typing import TYPE_CHECKING

import click

from gamesman.cli.arguments import WholeNumber, json_option, quiet_option, variant_argument
from gamesman.cli.main import Command
from gamesman.machine import signals
from gamesman.model.progress import watched

if TYPE_CHECKING:
    from gamesman.model.variant import Variant


@click.command("check", cls=Command, examples=["gamesman check konane", "gamesman check konane:rows=4 --json"])
@variant_argument
@click.option("--positions", type=WholeNumber(), default=200_000, show_default=True, help="Positions to try at most.")
@json_option
@quiet_option
@click.pass_context
def command(ctx: click.Context, variant: "Variant", positions: int, is_json: bool, is_quiet: bool) -> None:
    """Test a game's functions against each other, longer than before it is solved: for somebody at work on it.

    Some positions are tried in plain Python, and as many as there may be by the compiled functions, which test every
    index of a table. What is wrong is told with the function and the position.

    JSON: {"game", "positions", "ok", "problems"}; the exit code is 1 where there are problems.
    """
    # lazy: start-up time
    import json

    from gamesman import app
    from gamesman.model.wording import count

    with signals.task(f"checking {variant.name}", str, app.seeking(variant)):
        tell = partial(click.echo, err=True)
        tried, problems = app.check(variant, positions, progress=watched(is_quiet), tell=tell)
    if is_json:
        fields = {"game": variant.name, "positions": tried, "ok": not problems, "problems": problems}
        click.echo(json.dumps(fields))
    elif problems:
        click.echo("\n".join(problems))
    else:
        click.echo(f"{variant.name}: no mistake found at {count(tried, 'position')}")
    if problems:
        ctx.exit(1)
