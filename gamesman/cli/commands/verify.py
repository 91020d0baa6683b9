"""`gamesman verify VARIANT` proves what is stored."""

from typing import TYPE_CHECKING

import click

from gamesman.cli.arguments import variant_argument, working_options
from gamesman.cli.main import Command
from gamesman.errors import NotVerified
from gamesman.model.progress import watched

if TYPE_CHECKING:
    from gamesman.model.variant import Variant


@click.command("verify", cls=Command, examples=["gamesman verify konane", "gamesman verify konane:rows=4 --json"])
@variant_argument
@working_options
def command(
    variant: "Variant", db: str | None, threads: int | None, memory: int | None, is_json: bool, is_quiet: bool
) -> None:
    """Prove a solved variant without the solver: every stored position against its own moves.

    Every position is expanded again from the start on. Its value and remoteness must follow from those of the positions
    its moves lead to; all of these must be stored, and nothing else; all counts must be right. That proves wins, losses
    and ties by induction over the remoteness, and draws because they are what is left.

    Tiers for which there is no room in --memory are kept in a temporary file.

    JSON: {"variant", "status": "verified" or "failed", "positions", "moves", "tiers", "seconds", "cpu_seconds",
    "peak_memory"}; after a failure the numbers are those up to there, and {"error"} says what is wrong.
    """
    # lazy: start-up time
    import json

    from gamesman import app
    from gamesman.cli.display import duration
    from gamesman.model.wording import count

    try:
        fields = app.verify(variant, db=db, threads=threads, memory=memory, progress=watched(is_quiet))
    except NotVerified as error:
        if is_json:
            click.echo(json.dumps({**error.counted, "error": str(error)}))
        raise
    if is_json:
        click.echo(json.dumps(fields))
        return
    counted = f"{count(fields['positions'], 'position')} and {count(fields['moves'], 'move')}"
    took = f"took {duration(fields['seconds'])}, {duration(fields['cpu_seconds'])} of CPU"
    click.echo(f"{variant.name} is verified: {counted}, each value follows from its moves; {took}")
