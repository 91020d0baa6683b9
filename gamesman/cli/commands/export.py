"""`gamesman export VARIANT FILE` writes all positions to a file."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from gamesman.cli.arguments import OneVariant, WholeNumber, db_option, json_option, quiet_option
from gamesman.cli.main import Command
from gamesman.errors import CallError, shorten
from gamesman.model.progress import watched

if TYPE_CHECKING:
    from gamesman.model.variant import Variant


@click.command(
    "export",
    cls=Command,
    examples=["gamesman export konane konane.csv", "gamesman export konane:rows=4 konane.parquet --no-position"],
)
@click.argument("variant", type=OneVariant(may_be_partial=True), metavar="VARIANT")
@click.argument("file", metavar="FILE")
@click.option("--no-position", "is_without", is_flag=True, help="Leave out the positions' texts, which take longest.")
@click.option("--classes", "is_classes", is_flag=True, help="One position of each class up to symmetry, not all.")
@db_option
@click.option(
    "--threads", type=WholeNumber(), help="Processes that write the positions' texts [default: all processors]."
)
@json_option
@quiet_option
def command(
    variant: "Variant",
    file: str,
    is_without: bool,
    is_classes: bool,
    db: str | None,
    threads: int | None,
    is_json: bool,
    is_quiet: bool,
) -> None:
    """Write all positions of a solved variant to FILE, which ends in .parquet or .csv.

    The columns are key, position, value (win, lose, tie, draw), remoteness (nothing for a draw) and tier; the rows go
    from the lowest tier to the highest, in each from the lowest key to the highest. Positions that are the same game
    turned or mirrored are a class; with --classes there is a row for each of these.

    JSON, one object: {"variant", "file", "positions", "bytes"}.
    """
    # lazy: start-up time
    import json

    from gamesman import app
    from gamesman.machine.sizes import size_text
    from gamesman.model.wording import count

    if not file.endswith((".csv", ".parquet")):
        raise CallError(f"expected a file ending in .parquet or .csv, got {shorten(file) or 'nothing'}")
    positions = app.export(
        variant,
        Path(file),
        db=db,
        threads=threads,
        has_positions=not is_without,
        is_classes=is_classes,
        progress=watched(is_quiet),
    )
    written = Path(file).stat().st_size
    if is_json:
        fields = {"variant": variant.name, "file": file, "positions": positions, "bytes": written}
        click.echo(json.dumps(fields))
    elif not is_quiet:
        click.echo(f"{variant.name}: {count(positions, 'position')} in {file}, {size_text(written)}", err=True)
