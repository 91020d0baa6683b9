"""`gamesman stats VARIANT...` counts the positions of solved variants."""

from typing import TYPE_CHECKING, Any

import click

from gamesman.cli.arguments import cluster_option, crew_of, reading_options, variants_argument, workers_option
from gamesman.cli.estimating import asked, estimate_options, show_stats
from gamesman.cli.main import Command
from gamesman.errors import GamesmanError, OptionError
from gamesman.model.progress import watched

if TYPE_CHECKING:
    from gamesman.analysis.profile import Profile
    from gamesman.machine.crew import Crew
    from gamesman.model.variant import Variant


@click.command(
    "stats",
    cls=Command,
    examples=[
        "gamesman stats konane",
        "gamesman stats 'konane:rows=3..4,misere=*' --json",
        "gamesman stats konane --plot konane.png",
        "gamesman stats konane:rows=4 --play",
        "gamesman stats konane:rows=8,cols=8 --estimate --depth 4 --time 20",
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
@workers_option
@cluster_option
@estimate_options
@reading_options
@click.pass_context
def command(
    ctx: click.Context,
    variants: list["Variant"],
    plot: str | None,
    is_quick: bool,
    is_played: bool,
    workers: int | None,
    cluster: str | None,
    is_estimated: bool,
    playouts: int | None,
    depth: int | None,
    seconds: float | None,
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

    With --workers or --cluster several variants are described side by side, each by one process.

    With --estimate nothing need be solved: all is from games, at random, with one player who searches so many moves
    ahead, and with two who search and err at a rate; each number has an interval of 95 % confidence. It is of these
    players: a search is not perfect play. --time ends games with searches early, as Ctrl-C does, which shows what has
    been played. --plot draws how much skill decides.

    JSON, an object a variant: the fields of solve, then {"by_remoteness": {"win": {"1": N, ...}, ...}, "by_tier":
    [{"tier", "name", "positions", "counts"}], "classes", "branching_factor", "never_end", "mean_remoteness",
    "median_remoteness" (null: the middle position never ends), "decisiveness",
    "only_moves", "only_move_share", "only_moves_by_value", "single_moves", "first_player": {"positions", "wins",
    "share"}, "second_player", "longest_wins": [{"remoteness", "positions", "position"}]}.
    With --estimate "status" is "estimated", what only a solved variant has is null, and numbers are in "estimated":
    {"confidence", "seed", "depth", "seconds", "interrupted", "random": {"games", "cut_off", "most_moves", "first",
    "second", "tie", "unfinished", "length", "length_sd", "choices", "branching"}, "first_searching",
    "second_searching", "errors": [{"rate", ...}], "blunders_per_move", "traps", "log10_games", "log10_tree"}, from
    "first" on each as {"estimate", "low", "high"}; an end that there is not is null. Counted, and exact, is
    "complexity": {"by_depth"}.
    """
    # lazy: start-up time
    from gamesman import app

    how = asked(
        is_estimated=is_estimated,
        playouts=playouts,
        depth=depth,
        seconds=seconds,
        seed=seed,
        others={"--quick": is_quick, "--play": is_played},
    )
    if plot is not None:
        # lazy: start-up time
        from gamesman.cli.views.pictures import check_file, draw_profile

        if len(variants) > 1:
            raise OptionError(f"--plot draws one variant, got {len(variants)}; to draw several run: gamesman compare")
        check_file(plot)
    if how is not None:
        show_stats(variants, how, plot=plot, memory=memory, is_json=is_json, is_quiet=is_quiet)
        return
    if is_quick and is_played:
        raise OptionError("expected --quick or --play, got both: --play walks over all positions; leave out --quick")
    settings = {"db": db, "memory": memory, "is_walked": not is_quick, "is_played": is_played}
    crew = crew_of(workers, cluster)
    if crew is not None:
        if plot is not None:
            raise OptionError("--plot draws one variant; leave out --workers and --cluster")
        with crew() as its_crew:
            _show_side_by_side(ctx, its_crew, variants, settings, is_json, is_quiet)
        return
    profiles = app.profiles(variants, progress=lambda: watched(is_quiet), **settings)  # type: ignore[arg-type]
    for number, found in enumerate(profiles):
        click.echo(("\n\n" if number and not is_json else "") + _page(found, is_json))
        if plot is not None:
            draw_profile(found, plot)
            if not is_quiet:
                click.echo(f"written: {plot}", err=True)


def _page(found: "Profile", is_json: bool) -> str:
    # lazy: start-up time
    import json

    from gamesman.cli.views.played import further_page, play_page
    from gamesman.cli.views.text import stats_page

    if is_json:
        return json.dumps(found.stats_json())
    played = "" if found.play is None else f"\n\n{further_page(found.play)}\n\n{play_page(found.play)}"
    return stats_page(found) + played


def _show_side_by_side(
    ctx: click.Context,
    crew: "Crew",
    variants: "list[Variant]",
    settings: dict[str, Any],
    is_json: bool,
    is_quiet: bool,
) -> None:
    """Have each variant described by a worker; print them in their order. One that cannot be stops no other."""
    # lazy: start-up time
    from gamesman import app

    given = {**settings, "db": app.absolute(settings["db"]), "is_json": is_json}
    errors = []
    for number, found in enumerate(app.in_order(crew, "describe", _describe_here, variants, given, watched(is_quiet))):
        if isinstance(found, GamesmanError):
            errors.append(found)
        else:
            click.echo(("\n\n" if number and not is_json else "") + found)
    for error in errors[len(variants) == 1 :]:
        click.echo(str(error), err=True)
    if errors and len(variants) == 1:
        raise errors[0]
    if errors:
        ctx.exit(1)


def _describe_here(name: str, settings: dict[str, Any]) -> str | GamesmanError:
    """Describe a variant in this process, a worker; return what is printed of it, or the error."""
    # lazy: start-up time
    from gamesman import app
    from gamesman.machine.crew import memory_of_worker
    from gamesman.model.variant import variant

    settings = {**settings, "memory": memory_of_worker(settings["memory"])}
    is_json = settings.pop("is_json")
    try:
        (found,) = app.profiles([variant(name)], **settings)
        return _page(found, is_json)
    except GamesmanError as error:
        return error
