"""`gamesman solve VARIANT...` solves variants and stores them."""

from contextlib import nullcontext
from functools import partial
from typing import TYPE_CHECKING

import click

from gamesman.cli.arguments import reference_option, variants_argument, working_options
from gamesman.cli.main import Command
from gamesman.errors import NoAnswer, about
from gamesman.machine import signals
from gamesman.model.progress import watched

if TYPE_CHECKING:
    from gamesman.model.variant import Variant


@click.command(
    "solve",
    cls=Command,
    examples=[
        "gamesman solve konane",
        "gamesman solve 'konane:rows=3..4,misere=*' --threads 2 --memory 2G",
        "gamesman solve konane:rows=4 --reference --json",
    ],
)
@variants_argument
@click.option("--restart", "is_restart", is_flag=True, help="Solve again what is solved, or half solved, already.")
@click.option("--wait", "is_waiting", is_flag=True, help="Wait where another process is solving the same variant.")
@click.option("--no-verify", "is_trusted", is_flag=True, help="Do not verify what a file of your own has yielded.")
@click.option(
    "--work", metavar="FOLDER", help="For files of what does not fit --memory [default: beside the database]."
)
@reference_option
@working_options
@click.pass_context
def command(
    ctx: click.Context,
    variants: list["Variant"],
    is_restart: bool,
    is_waiting: bool,
    is_trusted: bool,
    work: str | None,
    is_reference: bool,
    db: str | None,
    threads: int | None,
    memory: int | None,
    is_json: bool,
    is_quiet: bool,
) -> None:
    """Solve variants: the value and remoteness of every position that can be reached.

    What does not fit --memory goes on in files in a folder, as far as the game and the disk allow: slower, and the same
    to the byte. The folder is removed at the end.

    An interrupted solve goes on where it stopped when it is called again. Options may be ranges (rows=3..5), lists
    (cols=4|5) or all there are (misere=*): all combinations are solved.

    What a game file of your own has yielded is verified at once, as gamesman verify does: that finds functions that do
    not agree with each other at the one position in a million that no sample meets.

    JSON, an object a variant: {"variant", "status": "solved" or "already solved", "position", "value", "remoteness",
    "positions", "counts", "primitives", "moves", "max_remoteness", "tiers", "seconds", "cpu_seconds", "peak_memory",
    "database_bytes"}. Where several variants are solved, one that cannot be is {"variant", "error"}, the others are
    solved all the same, and the exit code is 1.
    """
    # lazy: start-up time
    import json

    from gamesman import app
    from gamesman.cli.display import summary_page

    has_failed = False
    for variant in variants:
        try:
            with about(variant.name) if len(variants) > 1 else nullcontext():
                if is_reference:
                    with signals.task(f"solving {variant.name}", str):
                        status, summary = "solved", app.reference(variant, memory=memory).summary
                else:
                    status, summary = app.solve(
                        variant,
                        db=db,
                        threads=threads,
                        memory=memory,
                        is_restart=is_restart,
                        is_waiting=is_waiting,
                        is_verified=not is_trusted,
                        progress=watched(is_quiet),
                        work=work,
                        tell=str if is_quiet else partial(click.echo, err=True),
                    )
        except NoAnswer as error:
            if len(variants) == 1:
                raise
            failed = {"variant": variant.name, "error": str(error)}
            click.echo(json.dumps(failed) if is_json else str(error), err=not is_json)
            has_failed = True
            continue
        click.echo(json.dumps(summary.as_json(status)) if is_json else summary_page(variant, summary, status))
    if has_failed:
        ctx.exit(1)
