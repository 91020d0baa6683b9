"""`gamesman stats VARIANT...` counts the positions of solved variants."""

from typing import TYPE_CHECKING

import click

from gamesman.cli.arguments import reading_options, variants_argument
from gamesman.cli.estimating import asked, estimate_options, show_stats
from gamesman.cli.main import Command
from gamesman.errors import OptionError
from gamesman.model.progress import watched

if TYPE_CHECKING:
    from gamesman.model.variant import Variant


@click.command(
    "stats",
    cls=Command,
    examples=[
        "gamesman stats konane",
        "gamesman stats 'konane:rows=3..4,misere=*' --json",
        "gamesman stats konane --plot konane.png",
        "gamesman stats konane:rows=4 --play",
        "gamesman stats konane:rows=8,cols=8 --estimate --playouts 200",
    ],
)
@variants_argument
@click.option("--plot", metavar="FILE", help="Draw it too, into a .png, .svg or .pdf; of one variant.")
@click.option(
    "--quick",
    "is_quick",
    is_flag=True,
    help="Without what needs a walk over all positions: the fields from only_moves on are null.",
)
@click.option(
    "--play",
    "is_played",
    is_flag=True,
    help="Follow play from the start however large the variant is; up to a million positions that is done anyway.",
)
@estimate_options
@reading_options
def command(
    variants: list["Variant"],
    plot: str | None,
    is_quick: bool,
    is_played: bool,
    is_estimated: bool,
    playouts: int | None,
    depth: int | None,
    seed: int | None,
    db: str | None,
    memory: int | None,
    is_json: bool,
    is_quiet: bool,
) -> None:
    """Count a solved variant's positions by value, by remoteness and by tier.

    Also how many moves a position has, in how many positions one move alone keeps the value, how often each player
    wins where he has to move, and the longest wins with an example each. Means are of the positions that end; a draw,
    which never ends, is later than every number where a median is taken.

    And what games are like, followed exactly from the start: chances, length and blunders where both players move at
    random, where one of them is perfect, and where both err at a rate from 0 to 1.

    With --estimate nothing need be solved: all is from games, at random and with one player who searches, and each
    number has the interval that holds the exact one with 95 % confidence.

    JSON, an object a variant: the fields of solve, then {"by_remoteness": {"win": {"1": N, ...}, ...}, "by_tier":
    [{"tier", "name", "positions", "counts"}], "classes", "branching_factor", "never_end", "mean_remoteness",
    "median_remoteness" (null: the middle position never ends), "decisiveness",
    "only_moves", "only_move_share", "only_moves_by_value", "single_moves", "first_player": {"positions", "wins",
    "share"}, "second_player", "longest_wins": [{"remoteness", "positions", "position"}]}.
    With --estimate "status" is "estimated", what only a solved variant has is null, and numbers are in "estimated":
    {"confidence", "seed", "depth", "random": {"games", "cut_off", "most_moves", "first", "second", "tie", "unfinished",
    "length", "length_sd", "choices", "branching"}, "first_searching", "second_searching", "blunders_per_move"}, from
    "first" on each as {"estimate", "low", "high"}; an end that there is not is null.
    """
    # lazy: start-up time
    import json

    from gamesman import app
    from gamesman.cli.views.played import further_page, play_page
    from gamesman.cli.views.text import stats_page

    how = asked(
        is_estimated=is_estimated,
        playouts=playouts,
        depth=depth,
        seed=seed,
        others={"--plot": plot, "--quick": is_quick, "--play": is_played},
    )
    if how is not None:
        show_stats(variants, how, memory=memory, is_json=is_json, is_quiet=is_quiet)
        return
    if plot is not None:
        # lazy: start-up time
        from gamesman.cli.views.pictures import check_file, draw_profile

        if len(variants) > 1:
            raise OptionError(f"--plot draws one variant, got {len(variants)}; to draw several run: gamesman compare")
        check_file(plot)
    if is_quick and is_played:
        raise OptionError("expected --quick or --play, got both: --play walks over all positions; leave out --quick")
    settings = {"db": db, "memory": memory, "is_walked": not is_quick, "is_played": is_played}
    profiles = app.profiles(variants, progress=lambda: watched(is_quiet), **settings)  # type: ignore[arg-type]
    for number, found in enumerate(profiles):
        if is_json:
            click.echo(json.dumps(found.stats_json()))
        else:
            played = "" if found.play is None else f"\n\n{further_page(found.play)}\n\n{play_page(found.play)}"
            click.echo(("\n\n" if number else "") + stats_page(found) + played)
        if plot is not None:
            draw_profile(found, plot)
            if not is_quiet:
                click.echo(f"written: {plot}", err=True)
