"""`gamesman solve VARIANT...` solves variants and stores them."""

from functools import partial
from typing import TYPE_CHECKING

import click

from gamesman.cli.arguments import (
    cluster_option,
    crew_of,
    reference_option,
    variants_argument,
    workers_option,
    working_options,
)
from gamesman.cli.main import Command
from gamesman.errors import GamesmanError, NoAnswer, OptionError
from gamesman.machine import signals
from gamesman.model.progress import watched

if TYPE_CHECKING:
    from gamesman.app.crews import Answers
    from gamesman.model.summary import Summary
    from gamesman.model.variant import Variant


@click.command(
    "solve",
    cls=Command,
    examples=[
        "gamesman solve konane",
        "gamesman solve 'konane:rows=3..4,misere=*' --threads 2 --memory 2G",
        "gamesman solve konane:rows=4 --reference --json",
        "gamesman solve 'konane:rows=3..4,misere=*' --workers 2",
        "gamesman solve konane:rows=4 --estimate",
        "gamesman solve ctf --up-to 3",
    ],
)
@variants_argument
@click.option(
    "--up-to",
    "up_to",
    metavar="TIER",
    help="Of a board too large to solve: all positions of its low tiers, up to this one, by its number or its name.",
)
@click.option("--restart", "is_restart", is_flag=True, help="Solve again what is solved, or half solved, already.")
@click.option("--wait", "is_waiting", is_flag=True, help="Wait where another process is solving the same variant.")
@click.option("--no-verify", "is_trusted", is_flag=True, help="Do not verify what a file of your own has yielded.")
@click.option(
    "--work", metavar="FOLDER", help="For files of what does not fit --memory [default: beside the database]."
)
@click.option("--estimate", "is_estimated", is_flag=True, help="Say what it will need, and solve nothing.")
@workers_option
@cluster_option
@reference_option
@working_options
@click.pass_context
def command(
    ctx: click.Context,
    variants: list["Variant"],
    up_to: str | None,
    is_restart: bool,
    is_waiting: bool,
    is_trusted: bool,
    work: str | None,
    workers: int | None,
    cluster: str | None,
    is_estimated: bool,
    is_reference: bool,
    db: str | None,
    threads: int | None,
    memory: int | None,
    is_json: bool,
    is_quiet: bool,
) -> None:
    """Solve variants: the value and remoteness of every position that can be reached.

    What does not fit --memory goes on in files in a folder, as far as the disk allows: slower, with the same result to
    the byte. The folder is removed at the end.

    If a solve is interrupted, the same command goes on where it stopped. Options may be ranges (rows=3..5), lists
    (cols=4|5) or all there are (misere=*): all combinations are solved.

    With --workers or --cluster several variants are solved side by side, each by one process; a single one is divided
    among all of them, in files in the folder --work, which all have to see. A process that is killed is replaced, and
    what it had finished is not done again. That needs pip install 'gamesman[cluster]'.

    With --up-to the endgames of a variant are solved instead: all positions of its low tiers, whether they can be
    reached or not. They are stored beside it as VARIANT:up_to=TIER, and search, play and query use them. A wrong TIER
    is answered with the tiers there are, and how many positions there are up to each.

    What a game file of your own has yielded is verified at once, as gamesman verify does: that finds functions that do
    not agree with each other at the one position in a million that no sample meets, and what cannot be read again of
    the texts that it writes.

    With --estimate nothing is solved: positions are counted for some 20 seconds, and those that are left are estimated
    from games at random. It says how many there are, and the memory, disk and time of the solve that --memory allows.
    JSON: {"variant", "positions", "memory", "disk", "cpu_seconds", "in_files"}: bytes and seconds, each a number or
    {"low", "high"}.

    JSON, an object a variant: {"variant", "status": "solved" or "already solved", "position", "value", "remoteness",
    "positions", "counts", "primitives", "moves", "max_remoteness", "tiers", "seconds", "cpu_seconds", "peak_memory",
    "database_bytes"}. Where several variants are solved, one that cannot be is {"variant", "error"}, the others are
    solved all the same, and the exit code is 1.
    """
    # lazy: start-up time
    import json

    from gamesman import app
    from gamesman.cli.display import summary_page

    if up_to is not None:
        # lazy: start-up time
        from gamesman.model.endgames import endgames

        variants = [endgames(variant, up_to) for variant in variants]
    others = is_reference, is_estimated, workers is not None, cluster is not None
    if any(variant.is_partial for variant in variants) and any(others):
        raise OptionError("endgames are solved here: leave out --reference, --estimate, --workers and --cluster")
    if is_estimated and is_reference:
        raise OptionError("expected --estimate or --reference, got both")
    if is_estimated or is_reference:
        storing = {
            "--restart": is_restart,
            "--wait": is_waiting,
            "--work": work,
            "--workers": workers,
            "--cluster": cluster,
        }
        for name in (name for name, given in storing.items() if given):
            raise OptionError(f"{'--estimate' if is_estimated else '--reference'} stores nothing; leave out {name}")
    if is_estimated:
        _show_needs(variants, db=db, threads=threads, memory=memory, is_json=is_json, is_quiet=is_quiet)
        return
    crew = crew_of(workers, cluster)
    found: Answers
    if is_reference:
        found = ((each, _reference(each, memory)) for each in variants)
    else:
        found = app.solve_each(
            variants,
            crew,
            db=db,
            threads=threads,
            memory=memory,
            is_restart=is_restart,
            is_waiting=is_waiting,
            is_verified=not is_trusted,
            progress=partial(watched, is_quiet),
            work=work,
            tell=str if is_quiet else partial(click.echo, err=True),
        )
    has_failed = False
    for variant, answer in found:
        if isinstance(answer, GamesmanError):
            if len(variants) == 1 or (crew is None and not isinstance(answer, NoAnswer)):
                raise answer
            failed = {"variant": variant.name, "error": str(answer)}
            click.echo(json.dumps(failed) if is_json else str(answer), err=not is_json)
            has_failed = True
            continue
        status, summary = answer
        click.echo(json.dumps(summary.as_json(status)) if is_json else summary_page(variant, summary, status))
    if has_failed:
        ctx.exit(1)


def _show_needs(
    variants: list["Variant"],
    *,
    db: str | None,
    threads: int | None,
    memory: int | None,
    is_json: bool,
    is_quiet: bool,
) -> None:
    """Print what each variant will need, as soon as it is known."""
    # lazy: start-up time
    import json

    from gamesman import app
    from gamesman.cli.views.needed import needs_page
    from gamesman.machine.memory import Allowance

    allowed = Allowance(memory).limit
    for number, variant in enumerate(variants):
        found = app.needs(variant, db=db, threads=threads, memory=memory, progress=watched(is_quiet))
        page = json.dumps(found.as_json(allowed)) if is_json else needs_page(found, allowed)
        click.echo(page if is_json or not number else f"\n{page}")


def _reference(variant: "Variant", memory: int | None) -> "tuple[str, Summary] | GamesmanError":
    """Solve a variant in plain Python; return what `solve` would, or the error."""
    # lazy: start-up time
    from gamesman import app

    try:
        with signals.task(f"solving {variant.name}", str):
            return "solved", app.reference(variant, memory=memory).summary
    except GamesmanError as error:
        return error
