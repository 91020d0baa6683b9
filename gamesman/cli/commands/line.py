"""`gamesman line VARIANT [POSITION]` shows one line of best play."""

from typing import TYPE_CHECKING

import click

from gamesman.cli.arguments import reading_options, reference_option, variant_argument
from gamesman.cli.main import Command

if TYPE_CHECKING:
    from gamesman.model.variant import Variant


@click.command(
    "line",
    cls=Command,
    is_brief=True,
    examples=[
        "gamesman line konane",
        "gamesman line konane '(b d1 wbw- b--- --wb)' --boards",
        "gamesman line konane:rows=4 --json --reference",
    ],
)
@variant_argument
@click.argument("position", required=False, metavar="[POSITION]")
@click.option("--boards", "is_drawn", is_flag=True, help="Draw the board after every move.")
@reference_option
@reading_options
def command(
    variant: "Variant",
    position: str | None,
    is_drawn: bool,
    is_reference: bool,
    db: str | None,
    memory: int | None,
    is_json: bool,
    is_quiet: bool,
) -> None:
    """Show one line of best play: to the end, or until it would repeat a position.

    Without a POSITION it begins at the start. Of several best moves the first by name is played.

    JSON, one object: {"position", "turn", "value", "remoteness", "moves": [{"move", "position", "turn", "value",
    "remoteness"}], "repeats"}, with fields as in query; moves are those played, one after the other, and repeats is
    null, or the move that would lead back to a position that has been before.
    """
    # lazy: start-up time
    import json

    from gamesman import app
    from gamesman.cli.display import line_page
    from gamesman.model.answers import line
    from gamesman.model.positions import read_position

    begin = variant.start() if position is None else read_position(variant, position)
    with app.source(variant, is_reference=is_reference, db=db, memory=memory) as solved:
        answer = line(variant, solved, begin)
    click.echo(json.dumps(answer.as_json()) if is_json else line_page(variant, answer, is_drawn))
