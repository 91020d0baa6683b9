"""`gamesman list` shows what is stored."""

import click

from gamesman.cli.arguments import db_option, json_option
from gamesman.cli.main import Command
from gamesman.errors import shorten
from gamesman.model import advice

MOST = 1000  # letters of a name from a file that anybody may have written


@click.command("list", cls=Command, is_brief=True, examples=["gamesman list", "gamesman list --db solved/ --json"])
@db_option
@json_option
def command(db: str | None, is_json: bool) -> None:
    """Show what is stored: variant, positions, size, when it was solved, how long that took.

    JSON, an object a variant: {"variant", "status": "solved", "endgames", "unfinished", "being solved" or "unusable",
    "positions", "tiers", "database_bytes", "finished", "seconds", "detail"}; of an unfinished one, positions and tiers
    are those that are finished; detail says who is at work or what is wrong, and of endgames (solve --up-to) that they
    are no solution of the variant.
    """
    # lazy: start-up time
    import json
    from dataclasses import asdict

    from gamesman import app
    from gamesman.cli.display import columns, duration
    from gamesman.machine.sizes import size_text

    entries = list(app.list(db=db))
    if is_json:
        for entry in entries:
            fields = asdict(entry)
            fields["database_bytes"] = fields.pop("bytes")
            click.echo(json.dumps(fields))
        return
    if not entries:
        click.echo(f"nothing is stored; run: {advice.command('solve', 'VARIANT')}", err=True)
        return
    rows = [["variant", "status", "positions", "size", "finished", "took"]]
    for entry in entries:
        rows.append(
            [
                shorten(entry.variant, MOST),
                entry.status,
                "-" if entry.positions is None else f"{entry.positions:,}",
                "-" if entry.bytes is None else size_text(entry.bytes),
                "-" if entry.finished is None else entry.finished[:16].replace("T", " "),
                "-" if entry.seconds is None else duration(entry.seconds),
            ]
        )
    click.echo(columns(rows, right=[2, 3, 5]))
    for entry in entries:
        if entry.detail and entry.status == "unusable":
            click.echo(shorten(entry.detail, MOST), err=True)
        elif entry.detail:
            click.echo(shorten(f"{entry.variant}: {entry.detail}", MOST), err=True)
