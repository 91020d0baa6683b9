"""`gamesman query VARIANT [POSITION...]` shows what positions are worth, and every move from them."""

import sys
from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

import click

from gamesman.cli.arguments import OneVariant, names_option, reading_options, reference_option
from gamesman.cli.main import Command
from gamesman.errors import GamesmanError, PositionError

if TYPE_CHECKING:
    from gamesman.model.variant import Variant


@click.command(
    "query",
    cls=Command,
    is_brief=True,
    examples=[
        "gamesman query konane",
        "gamesman query konane '(b d1 wbw- b--- --wb)' --winning",
        "echo '(b d1 wbw- b--- --wb)' | gamesman query konane - --json",
        "gamesman query konane:rows=4 --reference",
    ],
)
@click.argument("variant", type=OneVariant(may_be_partial=True), metavar="VARIANT")
@click.argument("positions", nargs=-1, metavar="[POSITION...]")
@click.option("--winning", "is_winning", is_flag=True, help="Only the moves that keep the best value.")
@names_option
@reference_option
@reading_options
@click.pass_context
def command(
    ctx: click.Context,
    variant: "Variant",
    positions: tuple[str, ...],
    is_winning: bool,
    is_named: bool,
    is_reference: bool,
    db: str | None,
    memory: int | None,
    is_json: bool,
    is_quiet: bool,
) -> None:
    """Show the value and remoteness of positions and of every move, best first.

    Without a POSITION it is the start. - reads positions from standard input, one a line. A position goes between
    single quotes. Where only endgames are solved (solve --up-to), positions of these are answered. A move's value is
    for the player who makes it, its remoteness is that of the position it leads to.

    JSON, an object a position: {"position", "turn", "value", "remoteness", "moves": [{"move", "position", "turn",
    "value", "remoteness"}]}. A position that cannot be answered among several is {"position", "error"}, the others are
    answered all the same, and the exit code is 1.
    """
    # lazy: start-up time
    import json

    from gamesman import app
    from gamesman.cli.display import position_page
    from gamesman.model.answers import query
    from gamesman.model.positions import read_position

    if variant.is_partial and not positions:
        raise PositionError(f"{variant.name} is endgames alone, without a start: expected a POSITION, got nothing")
    is_alone = len(positions) < 2 and "-" not in positions
    drawn = partial(position_page, variant, is_winning=is_winning, is_named=is_named)
    parsed = [read_position(variant, text) for text in positions] if is_alone else []
    has_failed = False
    with app.source(variant, is_reference=is_reference, db=db, memory=memory) as solved:
        if is_alone:
            answer = query(variant, solved, parsed[0] if parsed else variant.start())
            page = json.dumps(answer.as_json(is_winning)) if is_json else drawn(answer)
            click.echo(page)
            return
        for number, text in enumerate(_texts(positions)):
            try:
                answer = query(variant, solved, read_position(variant, text))
            except GamesmanError as error:
                has_failed = True
                failed = {"position": text, "error": str(error)}
                click.echo(json.dumps(failed) if is_json else str(error), err=not is_json)
                continue
            if is_json:
                click.echo(json.dumps(answer.as_json(is_winning)))
            else:
                click.echo(("\n" if number else "") + drawn(answer))
    if has_failed:
        ctx.exit(1)


def _texts(positions: Iterable[str]) -> Iterator[str]:
    """Yield the positions given, and in the place of - those on standard input, as they come."""
    for position in positions:
        if position != "-":
            yield position
            continue
        for line in sys.stdin or ():  # it may be closed
            if line.strip():
                yield line.strip()
