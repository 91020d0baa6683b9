"""`gamesman prove VARIANT [POSITION]` finds out for certain who wins, where solving is too large."""

from functools import partial
from typing import TYPE_CHECKING

import click

from gamesman.cli.arguments import Seconds, Size, db_option, json_option, quiet_option, threads_option, variant_argument
from gamesman.cli.main import Command

if TYPE_CHECKING:
    from gamesman.model.variant import Variant
    from gamesman.prover.proof import Proof


@click.command(
    "prove",
    cls=Command,
    examples=[
        "gamesman prove konane:rows=5,cols=6",
        "gamesman prove konane:rows=6,cols=6 --time 60 --certificate konane66.proof",
    ],
)
@variant_argument
@click.argument("position", required=False, metavar="[POSITION]")
@click.option("--time", "seconds", type=Seconds(), metavar="S", help="Give up after S seconds [default: never].")
@click.option("--table", type=Size(), help="Memory for what has been proved, like 256M [default].")
@click.option("--certificate", metavar="FILE", help="Write the winner's strategy there, for gamesman verify FILE.")
@click.option("--no-db", "is_without_db", is_flag=True, help="Ask the database neither for the answer nor on the way.")
@db_option
@threads_option
@json_option
@quiet_option
def command(
    variant: "Variant",
    position: str | None,
    seconds: float | None,
    table: int | None,
    certificate: str | None,
    is_without_db: bool,
    db: str | None,
    threads: int | None,
    is_json: bool,
    is_quiet: bool,
) -> None:
    """Prove who wins from a position, the start without one.

    A proof looks at as few positions as it can, so it reaches boards that are too large to solve; it tells the value
    and a move that keeps it, and not how soon. In games in which positions can come back only wins and losses are
    proved, those within a number of moves, and the answer says so. Where nothing is proved the exit code is 1.

    A certificate is a file with the winner's move for every position that his moves can lead to; for a tie, with
    those of both players. gamesman verify FILE checks it against every reply, without the search.

    JSON, one object: {"variant", "position", "turn", "value", "move", "nodes", "seconds", "proved", "depth",
    "source", "note", "certificate"}. value is "win", "lose", "tie", "not win" where there was no time to tell a tie
    from a loss, or null; depth is the number of moves within which the win is forced, where positions can come back;
    source is "search", "database", or "rules" where the game is over.
    """
    # lazy: start-up time
    import json

    from gamesman import app
    from gamesman.cli.display import duration
    from gamesman.errors import CallError, NotProved
    from gamesman.machine import signals
    from gamesman.machine.memory import Allowance
    from gamesman.machine.workers import cores
    from gamesman.model.positions import read_position
    from gamesman.model.progress import watched
    from gamesman.prover.certificate import prove as prove_with_certificate
    from gamesman.prover.prover import TABLE_BYTES, Prover

    if certificate == "":
        raise CallError("--certificate must be a file to write, got nothing")
    root = variant.start() if position is None else read_position(variant, position)
    app.check_foreign(variant)
    if table is not None:
        Allowance(None).reserve(table, "a table of that size", advice="give a smaller --table")
    warn = partial(click.echo, err=True)
    with (
        app.stored_or_none(variant, db=db, is_without_db=is_without_db, warn=warn) as stored,
        app.tables_or_none(None if is_without_db or certificate or stored else variant, db=db) as tables,
    ):
        known = tables.stored if tables is not None else stored
        prover = Prover(variant, known, table or TABLE_BYTES, min(threads or cores(), cores()))
        prover.progress = watched(is_quiet)
        with signals.task(f"proving {variant.name}", prover.told):
            if certificate is None:
                proof = prover.prove(root, seconds)
            else:
                proof = prove_with_certificate(prover, root, seconds, certificate)
    click.echo(json.dumps(proof.as_json(variant)) if is_json else page(variant, proof))
    if proof.value is None and proof.source == "database":
        raise NotProved(f"not proved: {proof.note}")
    if proof.value is None:
        raise NotProved(f"not proved within {duration(proof.seconds)}; give more --time, or a larger --table")


def page(variant: "Variant", proof: "Proof") -> str:
    """Show what has been proved."""
    # lazy: start-up time
    from gamesman.cli.display import columns, duration, wrapped
    from gamesman.model.wording import count

    parts = [variant.show(proof.position)]
    if variant.has("draw"):
        parts.append(variant.draw(proof.position))
    player, does = variant.player(proof.position), partial(variant.game.does, variant.turn(proof.position))
    said = {"win": "wins", "lose": "loses", "tie": "ties", "not win": "does not win"}
    if proof.value is None:
        parts.append(f"{player} to move: nothing is proved")
    else:
        within = f" within {count(proof.depth, 'move')}" if proof.depth else ""
        parts.append(f"proved: {player} {does(said[proof.value])}{within}")
    rows = []
    if proof.move is not None:
        rows.append(["winning move" if proof.value == "win" else "move", proof.move_name(variant) or ""])
    if proof.source == "search":
        speed = f"{proof.nodes_per_second:,} a second"
        rows.append(["searched", f"{count(proof.nodes, 'position')} in {duration(proof.seconds)}, {speed}"])
    else:
        rows.append(["from", {"database": "the database", "rules": "the rules: the game is over"}[proof.source]])
    if proof.certificate:
        size = f"{count(proof.covered, 'position')}, {proof.bytes:,} bytes"
        rows.append(["certificate", f"{proof.certificate}: {size}"])
    parts.append(columns(rows))
    if proof.note:
        parts.append(wrapped(proof.note))
    return "\n\n".join(parts)
