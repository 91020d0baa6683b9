"""`gamesman search VARIANT [POSITION]` looks ahead for the best move."""

from functools import partial
from typing import TYPE_CHECKING

import click

from gamesman.cli.arguments import (
    Seconds,
    Size,
    WholeNumber,
    db_option,
    json_option,
    memory_option,
    names_option,
    quiet_option,
    threads_option,
    variant_argument,
)
from gamesman.cli.main import Command
from gamesman.model.progress import watched

if TYPE_CHECKING:
    from gamesman.model.variant import Position, Variant
    from gamesman.search.found import Found

SECONDS = 5.0
LEAST_TABLE = 1 << 16  # bytes


@click.command(
    "search",
    cls=Command,
    examples=[
        "gamesman search hex_abalone --depth 6",
        "gamesman search abalone '(w bbb- b--w b--w -www)' --time 2 --json",
        "gamesman search ctf --history '-wWw--w-w---w---bbb--bBb- -wWw--www-------bbb--bBb-' --depth 4",
    ],
)
@variant_argument
@click.argument("position", required=False, metavar="[POSITION]")
@click.option("--depth", type=WholeNumber(), help="Look so many moves ahead, no further.")
@click.option("--time", "seconds", type=Seconds(), metavar="S", help=f"Look for S seconds [default: {SECONDS:g}].")
@click.option(
    "--history",
    metavar="FILE-or-boards",
    help="What has been in the game, the newest first, in a file or here: boards or positions, one a line or with "
    "blanks between: what comes back is forbidden or a draw. Without a POSITION the newest is searched.",
)
@click.option(
    "--table", type=Size(), help="Memory for what has been searched, like 32M [default: 64M, as far as that fits]."
)
@click.option("--no-db", "is_without_db", is_flag=True, help="Search even where the answer is stored; without tables.")
@names_option
@db_option
@threads_option
@memory_option
@json_option
@quiet_option
def command(
    variant: "Variant",
    position: str | None,
    depth: int | None,
    seconds: float | None,
    history: str | None,
    table: int | None,
    is_without_db: bool,
    is_named: bool,
    db: str | None,
    threads: int | None,
    memory: int | None,
    is_json: bool,
    is_quiet: bool,
) -> None:
    """Search for the best move of a position, the start without one.

    Where a database has the position it is asked instead. A value that is certain is said with the moves to the end; a
    score is an estimate: what the game's own `evaluate` says of the position at the end of the line. With --depth and
    --time, what comes first ends the search. With --depth the score is that of plain minimax to exactly that depth, on
    one thread; with --time alone the depth is that of the first moves, and late ones are looked at less deep. A
    position that comes back, in the search or from --history, is a draw
    unless that is forbidden.

    Tables of endgames (solve --up-to) are asked at every position, as many of the low tiers as fit --memory, or by
    default a gigabyte. What they say is certain, whatever the depth: a win, or a loss, in so many moves at most.

    JSON, one object: {"variant", "position", "turn", "move", "leads_to", "value", "remoteness", "score", "depth",
    "line", "nodes", "seconds", "nodes_per_second", "source", "compiled", "note"}. value is null where it is not
    certain. A certain win in N moves has the score 2000000 - N, a loss the negative of it; 1000000 is a win seen
    but not certain yet. source is "search", "database", "tables", or "rules" where the game is over.
    """
    # lazy: start-up time
    import json

    from gamesman import app
    from gamesman.machine.memory import COMPILING, Allowance
    from gamesman.machine.workers import cores
    from gamesman.search.history import read_history
    from gamesman.search.searcher import TABLE_BYTES, TABLES_BYTES, Searcher

    past, root = read_history(variant, history, position)
    app.check_foreign(variant)
    if depth is None and seconds is None:
        seconds = SECONDS
    warn = partial(click.echo, err=True)
    with (
        app.stored_or_none(variant, db=db, is_without_db=is_without_db, warn=warn) as stored,
        app.tables_or_none(None if is_without_db or stored is not None else variant, db=db) as tables,
    ):
        allowance = Allowance(memory)
        code = COMPILING if stored is None else 0  # nothing is compiled for what is stored
        if memory is not None:
            allowance.begin(code, f"searching {variant.name}")
        room = allowance.left - code
        if table is not None:
            allowance.reserve(code + table, "a search with a table of that size", advice="give a smaller --table")
        else:
            table = TABLE_BYTES if memory is None else min(TABLE_BYTES, max(LEAST_TABLE, room // 2))
        room = TABLES_BYTES if memory is None else room - table
        cpus = min(threads or cores(), cores())
        searcher = Searcher(variant, stored, table, threads=cpus, tables=tables, tables_bytes=room)
        searcher.progress = watched(is_quiet)
        found = searcher.search(root, depth, seconds, past)
    click.echo(json.dumps(found.as_json(variant)) if is_json else page(variant, found, is_named))


def page(variant: "Variant", found: "Found", is_named: bool = False) -> str:
    """Show what a search has found."""
    # lazy: start-up time
    from gamesman.cli.display import columns, duration, worth, wrapped
    from gamesman.model.wording import count
    from gamesman.values import NAMES

    parts = [variant.show(found.position)]
    if variant.has("draw"):
        parts.append(variant.draw(found.position, is_named))
    player = variant.player(found.position)
    if found.value is None:
        parts.append(f"{player} to move: {found.estimate} by estimate, {count(found.depth, 'move')} ahead")
    elif found.remoteness is None and found.line:
        parts.append(f"{player} to move: a {NAMES[found.value]}")
    else:
        parts.append(worth(variant, found.position, NAMES[found.value], found.remoteness))
    if found.line:
        names = found.line_names(variant)
        rows = [["best move", names[0]], ["line", _line(names)]]
        if found.source == "search":
            speed = f"{found.nodes_per_second:,} a second" + ("" if found.is_compiled else ", interpreted")
            rows.append(["searched", f"{count(found.nodes, 'position')} in {duration(found.seconds)}, {speed}"])
        else:
            rows.append(["from", "the database" if found.source == "database" else "the tables of endgames"])
        parts.append(columns(rows).replace("\0", " "))
    if found.note:
        parts.append(wrapped(found.note))
    if found.value is None:
        parts.append(f"to prove who wins: {proving(variant, found.position)}")
    return "\n\n".join(parts)


def proving(variant: "Variant", position: "Position") -> str:
    """Write the command that proves what a position is worth."""
    # lazy: start-up time
    from gamesman.model.advice import command

    words = [] if position == variant.start() else [variant.show(position)]
    return command("prove", variant.name, *words)


def _line(names: list[str]) -> str:
    """List the first moves of a line; one of two words stays whole."""
    shown = [name.replace(" ", "\0") for name in names[:20]]
    return ", ".join(shown + [f"... ({len(names)} moves)"] * (len(names) > 20))
