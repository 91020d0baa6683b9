"""`gamesman verify` proves what is stored, or checks a certificate."""

import os
from typing import TYPE_CHECKING, Any

import click

from gamesman.cli.arguments import working_options
from gamesman.cli.main import Command
from gamesman.errors import GamesmanError, NotVerified
from gamesman.model.progress import watched

if TYPE_CHECKING:
    from gamesman.model.variant import Variant


@click.command(
    "verify",
    cls=Command,
    examples=["gamesman verify konane", "gamesman verify konane:rows=4 --json", "gamesman verify konane66.proof"],
)
@click.argument("what", metavar="VARIANT-or-FILE")
@working_options
def command(what: str, db: str | None, threads: int | None, memory: int | None, is_json: bool, is_quiet: bool) -> None:
    """Prove a solved variant without the solver: every stored position against its own moves.

    Every position is expanded again from the start on. Its value and remoteness must follow from those of the positions
    its moves lead to; all of these must be stored, and nothing else; all counts must be right. That proves wins, losses
    and ties by induction over the remoteness, and draws because they are what is left.

    Tiers for which there is no room in --memory are kept in a temporary file.

    Given a certificate, a file that prove --certificate has written, check it: the strategy in it must lead to the end
    that it claims, whatever the other player does. Nothing of the search that found it is used.

    JSON: {"variant", "status": "verified" or "failed", "positions", "moves", "tiers", "seconds", "cpu_seconds",
    "peak_memory"}; after a failure the numbers are those up to there, and {"error"} says what is wrong. Of a
    certificate: {"variant", "status", "position", "turn", "value", "move", "depth", "positions", "moves", "seconds",
    "cpu_seconds", "peak_memory"}.
    """
    # lazy: start-up time
    from gamesman.model.variant import variant

    if os.path.isfile(what) and not what.endswith(".py"):
        _verify_certificate(what, is_json, is_quiet)
    else:
        _verify_stored(variant(what), is_json, db=db, threads=threads, memory=memory, progress=watched(is_quiet))


def _verify_stored(variant: "Variant", is_json: bool, **settings: Any) -> None:
    # lazy: start-up time
    import json

    from gamesman import app
    from gamesman.cli.display import duration
    from gamesman.model.wording import count

    try:
        fields = app.verify(variant, **settings)
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


def _verify_certificate(path: str, is_json: bool, is_quiet: bool) -> None:
    # lazy: start-up time
    import json

    from gamesman.cli.display import duration
    from gamesman.machine import signals
    from gamesman.model.wording import count
    from gamesman.prover.certificate import check

    try:
        with signals.task(f"verifying {path}", lambda: "nothing was changed"):
            found = check(path, watched(is_quiet))
    except GamesmanError as error:
        if is_json:
            click.echo(json.dumps({"status": "failed", "error": str(error)}))
        raise
    fields = found.as_json()
    if is_json:
        click.echo(json.dumps(fields))
        return
    said = {"win": "wins", "lose": "loses", "tie": "ties", "not win": "does not win"}[fields["value"]]
    by = f" by {fields['move']}" if fields["move"] else ""
    counted = f"{count(fields['positions'], 'position')} and {count(fields['moves'], 'move')}"
    took = f"took {duration(fields['seconds'])}, {duration(fields['cpu_seconds'])} of CPU"
    player = found.variant.player(found.position)
    click.echo(f"verified: {player} {said}{by}, from {fields['position']} of {fields['variant']}")
    click.echo(f"{counted}, every reply to every move of the strategy; {took}")
