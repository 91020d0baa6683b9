"""`gamesman play VARIANT` lets a person play against the program, or the program against itself."""

from functools import partial
from typing import TYPE_CHECKING

import click

from gamesman.cli.arguments import OneVariant, Seconds, WholeNumber, db_option, names_option
from gamesman.cli.main import Command
from gamesman.errors import CallError, OptionError

if TYPE_CHECKING:
    from gamesman.model.variant import Variant


@click.command(
    "play",
    cls=Command,
    examples=[
        "gamesman play hex_abalone --side 1 --strength depth=4",
        "gamesman play ctf:size=4 --side none --strength time=0.1 --other random --seed 1",
        "printf '1\\nA6 B6\\nquit\\n' | gamesman play hex_abalone --strength depth=2",
    ],
)
@click.argument("variant", type=OneVariant(), required=False, metavar="VARIANT")
@click.argument("position", required=False, metavar="[POSITION]")
@click.option("--side", metavar="SIDE", help="Who you are: 1 (who moves first), 2, a player's letter, both or none.")
@click.option(
    "--strength",
    metavar="HOW",
    help="How the program plays: perfect, depth=N, time=S, mistakes=RATE or random [default: perfect, else time=1].",
)
@click.option("--other", metavar="HOW", help="With --side none: how player 2 plays [default: as player 1].")
@click.option("--history", metavar="FILE-or-boards", help="What has been in the game before, the newest first.")
@click.option("--load", "load_from", metavar="FILE", help="Take up a saved game.")
@click.option("--save", "save_to", metavar="FILE", help="Save the game there after every move.")
@click.option("--resume", "is_resumed", is_flag=True, help="Take up the game that was left last, of VARIANT or of all.")
@click.option(
    "--clock", type=Seconds("minutes"), metavar="MINUTES", help="Each player's time; who has run out of it has lost."
)
@click.option("--seed", type=WholeNumber(low=0), help="Makes random play the same each time.")
@names_option
@db_option
def command(
    variant: "Variant | None",
    position: str | None,
    side: str | None,
    strength: str | None,
    other: str | None,
    history: str | None,
    load_from: str | None,
    save_to: str | None,
    is_resumed: bool,
    clock: float | None,
    seed: int | None,
    is_named: bool,
    db: str | None,
) -> None:
    """Play a game in the terminal, or from a pipe: a command or a move a line.

    Without --side you are asked. help lists what can be typed beside moves: undo, hint, values, history, save and more.
    A variant that is solved is played perfectly, and at the end you are told who went wrong where. Where only endgames
    are solved (solve --up-to), a program that searches plays these without a fault. Ctrl-C interrupts
    what goes on, a second one or quit ends; a game that is left at a terminal is kept, and --resume goes on with it.
    """
    # lazy: start-up time
    from gamesman import app
    from gamesman.cli.session import Session
    from gamesman.model.advice import command as advised
    from gamesman.play.clock import Clock
    from gamesman.play.record import GameRecord, read_game, read_variant
    from gamesman.search.history import read_history

    if other is not None and side is not None and side != "none":
        raise OptionError("--other says how player 2 plays where you are none of both; add --side none")
    if variant is None:
        if not is_resumed:
            context = click.get_current_context()
            raise click.MissingParameter(ctx=context, param=context.command.params[0])
        last = app.kept_last(db)
        if last is None:
            raise CallError("no game is kept; begin one: gamesman play VARIANT")
        variant = read_variant(str(last))
    kept = app.kept_game(variant.name, db)
    taken_up = str(kept) if is_resumed else load_from
    if is_resumed and (load_from is not None or not kept.exists()):
        said = "expected --load or --resume, got both" if load_from else f"no game of {variant.name} is kept"
        raise CallError(f"{said}; begin another: {advised('play', variant.name)}")
    if taken_up is not None:
        if position is not None or history is not None:
            what = "--resume" if is_resumed else "--load"
            raise CallError(f"{what} takes up a saved game: expected no POSITION and no --history with it")
        game = read_game(variant, taken_up)
    else:
        been, root = read_history(variant, history, position)
        game = GameRecord(variant, root, [earlier for earlier in reversed(been) if earlier != root])
    if clock is not None:
        game.clock = Clock(60 * clock)
    app.check_foreign(variant)
    with (
        app.stored_or_none(variant, db=db, warn=partial(click.echo, err=True)) as stored,
        app.tables_or_none(None if stored is not None else variant, db=db) as tables,
    ):
        session = Session(game, stored, strength, other, seed, save_to, kept, is_named, tables)
        session.play(side, is_resumed)
