"""`gamesman verify` proves what is stored, or checks a certificate."""

import os
from typing import TYPE_CHECKING, Any

import click

from gamesman.cli.arguments import cluster_option, crew_of, workers_option, working_options
from gamesman.cli.main import Command
from gamesman.errors import CallError, GamesmanError, NotVerified, is_named, shorten
from gamesman.model.progress import watched

if TYPE_CHECKING:
    from collections.abc import Iterable

    from gamesman.model.variant import Variant


@click.command(
    "verify",
    cls=Command,
    examples=["gamesman verify konane", "gamesman verify konane:rows=4 --json", "gamesman verify konane66.proof"],
)
@click.argument("whats", metavar="VARIANT-or-FILE...", nargs=-1, required=True)
@workers_option
@cluster_option
@working_options
@click.pass_context
def command(
    ctx: click.Context,
    whats: tuple[str, ...],
    workers: int | None,
    cluster: str | None,
    db: str | None,
    threads: int | None,
    memory: int | None,
    is_json: bool,
    is_quiet: bool,
) -> None:
    """Prove a solved variant without the solver: every stored position against its own moves.

    Every position is expanded again from the start on. Its value and remoteness must follow from those of the positions
    its moves lead to; all of these must be stored, and nothing else; all counts must be right. That proves wins, losses
    and ties by induction over the remoteness, and draws because they are what is left.

    With --workers or --cluster several variants are verified side by side, each by one process. Of several, one that
    fails stops no other.

    Tiers for which there is no room in --memory are kept in a temporary file.

    Given a certificate, a file that prove --certificate has written, check it: the strategy in it must lead to the end
    that it claims, whatever the other player does. Nothing of the search that found it is used.

    What a game file of your own writes of its positions is read again as well, of all of them or of those that there is
    time for, drawn at random: texts, boards and the names of moves. Before that its un-moves are compared with moves,
    at images of positions, too.

    JSON: {"variant", "status": "verified" or "failed", "positions", "moves", "tiers", "seconds", "cpu_seconds",
    "peak_memory"}, and for a file of your own {"texts"}, positions whose texts were read, and where it has un-moves
    {"undone"}, positions where these were compared; after a failure the numbers are those up to there, and {"error"}
    says what is wrong. Of a certificate: {"variant", "status", "position", "turn",
    "value", "move", "depth", "positions", "moves", "seconds", "cpu_seconds", "peak_memory"}.
    """
    # lazy: start-up time
    from gamesman import app
    from gamesman.model.variant import variants

    crew, settings = crew_of(workers, cluster), {"db": db, "threads": threads, "memory": memory}
    for what in whats:
        _refuse_missing(what)
    files = [what for what in whats if os.path.isfile(what) and not what.endswith(".py")]
    for path in files:
        _verify_certificate(path, is_json, is_quiet)
    several = list({each.name: each for what in whats if what not in files for each in variants(what)}.values())
    if crew is None:
        answers = ((each, _answer(each, **settings, progress=watched(is_quiet))) for each in several)
        _show_all(ctx, len(several), answers, is_json)
        return
    with crew() as its_crew:
        settings = {"db": app.absolute(db), "threads": threads or 1, "memory": memory}
        found = app.in_order(its_crew, "verify", _verify_here, several, settings, watched(is_quiet))
        _show_all(ctx, len(several), zip(several, found, strict=True), is_json)


def _refuse_missing(what: str) -> None:
    """Say of what can only be a file that it is not there. Raises CallError."""
    name = what.partition(":")[0]
    if ("." in name or os.sep in name) and not name.endswith(".py") and not os.path.exists(name):
        raise CallError(
            f"no such file: {shorten(what)}; expected a variant, or what gamesman prove --certificate writes"
        )


def _answer(variant: "Variant", **settings: Any) -> dict[str, Any] | GamesmanError:
    # lazy: start-up time
    from gamesman import app

    try:
        return app.verify(variant, **settings)
    except GamesmanError as error:
        return error


def _verify_here(name: str, settings: dict[str, Any]) -> dict[str, Any] | GamesmanError:
    """Verify a variant in this process, a worker; return the fields, or the error."""
    # lazy: start-up time
    from gamesman.machine.crew import memory_of_worker
    from gamesman.model.variant import variant

    return _answer(variant(name), **{**settings, "memory": memory_of_worker(settings["memory"])})


def _show_all(
    ctx: click.Context,
    count: int,
    answers: "Iterable[tuple[Variant, dict[str, Any] | GamesmanError]]",
    is_json: bool,
) -> None:
    """Print what was found of each variant; of several, a failure stops no other."""
    has_failed = False
    for variant, answer in answers:
        if isinstance(answer, GamesmanError):
            _show_failure(variant, answer, is_json, is_single=count == 1)
            has_failed = True
        else:
            _show(variant, answer, is_json)
    if has_failed:
        ctx.exit(1)


def _show_failure(variant: "Variant", error: GamesmanError, is_json: bool, *, is_single: bool) -> None:
    # lazy: start-up time
    import json

    counted = error.counted if isinstance(error, NotVerified) else {"variant": variant.name, "status": "failed"}
    if is_json and (isinstance(error, NotVerified) or not is_single):
        click.echo(json.dumps({**counted, "error": str(error)}))
    if is_single:
        raise error
    if not is_json:
        said = str(error)
        click.echo(said if is_named(variant.name, said) else f"{variant.name}: {said}", err=True)


def _show(variant: "Variant", fields: dict[str, Any], is_json: bool) -> None:
    # lazy: start-up time
    import json

    from gamesman.cli.display import duration
    from gamesman.model.wording import count, tried_as_well

    if is_json:
        click.echo(json.dumps(fields))
        return
    counted = f"{count(fields['positions'], 'position')} and {count(fields['moves'], 'move')}"
    read = f"{tried_as_well(fields)}; " if "texts" in fields else ""
    took = f"took {duration(fields['seconds'])}, {duration(fields['cpu_seconds'])} of CPU"
    click.echo(f"{variant.name} is verified: {counted}, each value follows from its moves; {read}{took}")


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
    verb = {"win": "wins", "lose": "loses", "tie": "ties", "not win": "does not win"}[fields["value"]]
    said = found.variant.game.does(found.variant.turn(found.position), verb)
    by = f" by {fields['move']}" if fields["move"] else ""
    counted = f"{count(fields['positions'], 'position')} and {count(fields['moves'], 'move')}"
    took = f"took {duration(fields['seconds'])}, {duration(fields['cpu_seconds'])} of CPU"
    player = found.variant.player(found.position)
    click.echo(f"verified: {player} {said}{by}, from {fields['position']} of {fields['variant']}")
    click.echo(f"{counted}, every reply to every move of the strategy; {took}")
