"""`gamesman puzzles VARIANT` draws problems from a solved variant, with their solutions."""

from typing import TYPE_CHECKING

import click

from gamesman.cli.arguments import WholeNumber, db_option, json_option, quiet_option, variant_argument
from gamesman.cli.main import Command

if TYPE_CHECKING:
    from gamesman.model.variant import Variant


@click.command(
    "puzzles",
    cls=Command,
    examples=[
        "gamesman puzzles konane:rows=4 --win 3",
        "gamesman puzzles konane:rows=4 --win 5 --only-move -n 12 --seed 7",
        "gamesman puzzles tictactoe --win 3 -n 6 --html problems.html",
    ],
)
@variant_argument
@click.option("--win", type=WholeNumber(), help="Positions that are won in so many moves [default: 3].")
@click.option("--tie", type=WholeNumber(), help="Positions that are tied in so many moves, instead.")
@click.option(
    "--only-move", "is_only_move", is_flag=True, help="Those alone in which just one move, of several, keeps the value."
)
@click.option("-n", "--number", "number", type=WholeNumber(), default=6, help="How many at most [default: 6].")
@click.option(
    "--seed", type=WholeNumber(low=0), default=1, help="The same number draws the same problems [default: 1]."
)
@click.option("--html", "html", metavar="FILE", help="Write them as a page to print, solutions apart.")
@db_option
@json_option
@quiet_option
def command(
    variant: "Variant",
    win: int | None,
    tie: int | None,
    is_only_move: bool,
    number: int,
    seed: int,
    html: str | None,
    db: str | None,
    is_json: bool,
    is_quiet: bool,
) -> None:
    """Draw problems from a solved variant, with their solutions.

    They are drawn at random from all its positions of the kind asked for, and no two are the same turned or mirrored.
    The solution is best play: the other side holds out as long as it can. Where several moves are as good, the first
    by name stands for them.

    JSON, an object a problem: {"position", "turn", "value", "remoteness", "solution": ["a1-a3", ...], "only_moves"}:
    how many moves in the solution, of who is to move first, are the only ones that keep the value.
    """
    # lazy: start-up time
    import json
    from pathlib import Path

    from gamesman import app
    from gamesman.cli.views.problems import problems_html, problems_page
    from gamesman.errors import CallError, OptionError
    from gamesman.values import TIE, WIN

    if win is not None and tie is not None:
        raise OptionError(f"expected --win or --tie, got both: --win {win} --tie {tie}")
    if html is not None and (not html.lower().endswith((".html", ".htm")) or not Path(html).parent.is_dir()):
        raise OptionError(f"--html must be a file that ends in .html, in a folder that there is, got {html}")
    kind = (WIN, win or 3) if tie is None else (TIE, tie)
    found = app.puzzles(variant, *kind, number, seed, is_only_move=is_only_move, db=db)
    if html is not None:
        try:
            Path(html).write_text(problems_html(variant, found), "utf-8")
        except OSError as error:
            raise CallError(f"{html} cannot be written: {error.strerror}") from None
        if not is_quiet:
            click.echo(f"written: {html}", err=True)
    if is_json:
        for puzzle in found:
            click.echo(json.dumps(puzzle.as_json()))
    elif html is None:
        click.echo(problems_page(variant, found))
    if len(found) < number and not is_quiet:
        click.echo(f"no more than {len(found)} found of {number} asked for", err=True)
