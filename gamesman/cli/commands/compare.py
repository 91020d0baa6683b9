"""`gamesman compare VARIANT VARIANT...` shows solved variants side by side."""

from typing import TYPE_CHECKING

import click

from gamesman.cli.arguments import cluster_option, crew_of, variants_argument, workers_option, working_options
from gamesman.cli.estimating import asked, estimate_options, show_comparison
from gamesman.cli.main import Command
from gamesman.errors import OptionError
from gamesman.model.progress import watched
from gamesman.model.variant import variant as read_variant

if TYPE_CHECKING:
    from gamesman.model.variant import Variant


@click.command(
    "compare",
    cls=Command,
    examples=[
        "gamesman compare konane konane:misere --solve",
        "gamesman compare 'konane:rows=3..4,misere=*' --solve --html konane.html",
        "gamesman compare 'konane:rows=3..4,misere=*,any_piece=*' --solve --measure wins --measure draws",
        "gamesman compare 'konane:any_piece=*' --solve --csv",
        "gamesman compare 'konane:rows=8,cols=8,misere=*' --estimate --html konane.html",
    ],
)
@variants_argument
@click.option("--solve", "is_solving", is_flag=True, help="Solve and store first what is not solved yet.")
@click.option("--plot", metavar="FILE", help="Draw the shares, the remoteness and the changes: .png, .svg or .pdf.")
@click.option("--html", metavar="FILE", help="Write one page with the tables and the pictures, to hand out.")
@click.option("--log", "is_log", is_flag=True, help="Draw the moves to the end on a logarithmic axis.")
@click.option("--csv", "is_csv", is_flag=True, help="Answer in CSV, a row a variant.")
@click.option("--remoteness", "is_long", is_flag=True, help="With --csv: a row a variant, value and remoteness.")
@click.option("--measure", "measures", multiple=True, metavar="NAME", help="Only this row of the table; repeatable.")
@click.option("--sort", metavar="MEASURE", help="Order the variants by a row of the table, the largest number first.")
@click.option("--baseline", metavar="VARIANT", help="Compare all others with this one, instead of every two.")
@click.option("--all-pairs", "is_every_pair", is_flag=True, help="Every two side by side, of more than 4, too.")
@click.option("--quick", "is_quick", is_flag=True, help="Without only moves and the players' shares of wins.")
@workers_option
@cluster_option
@estimate_options
@working_options
def command(
    variants: list["Variant"],
    is_solving: bool,
    plot: str | None,
    html: str | None,
    is_log: bool,
    is_csv: bool,
    is_long: bool,
    measures: tuple[str, ...],
    sort: str | None,
    baseline: str | None,
    is_every_pair: bool,
    is_quick: bool,
    workers: int | None,
    cluster: str | None,
    is_estimated: bool,
    playouts: int | None,
    depth: int | None,
    seconds: float | None,
    seed: int | None,
    db: str | None,
    threads: int | None,
    memory: int | None,
    is_json: bool,
    is_quiet: bool,
) -> None:
    """Compare solved variants: their numbers, how far they differ, and what the positions they share are worth.

    Differences of the distributions are effect sizes with their names and in plain words. There are no p-values: a
    database holds every position, not a sample of them. Positions are the same if their texts are. A draw never ends:
    it is later than every number where remotenesses are put in order, and means leave it out.

    Where the variants are all combinations of some options' values, it is said what each option does to a measure, and
    what two of them do together. Of more than 4 variants a table of distances stands for the pairs.

    With --estimate nothing need be solved: games are compared, at random and of two players who search, with intervals
    of 95 % confidence, and here there are p-values, since games are a sample. --time and Ctrl-C end them early.

    JSON, one object: {"variants": [{"variant", "position", "value", "remoteness", "positions", "counts",
    "primitives", "moves", "shares", "max_remoteness", "branching_factor", "never_end", "mean_remoteness",
    "median_remoteness", "decisiveness", "only_moves", "only_move_share", "only_moves_by_value", "single_moves",
    "first_player", "second_player", "by_remoteness", "by_tier"}], "pairs": [{"first", "second", "effects": {NAME:
    {"value", "size"}}, "shared": {"positions", "same_value", "same_value_and_remoteness", "kappa", "end_in_both",
    "mean_change", "best_moves": {"moves", "stay", "share"}, "opening": {"moves", "position", "value", "remoteness",
    "best"}, "changes": {FROM: {TO: N}}, "examples": [{"from", "to", "positions", "position", "remoteness"}]}}],
    "effects": [{"measure", "options": [{"option", "from", "to", "effect", "share", "means": [[VALUE, MEAN], ...]}],
    "interactions": [{"options", "effect", "share"}], "rest"}], or null where the variants form no full grid, "note"}.
    Where no positions can be shared, "shared" is {"positions": 0, "reason"}.
    With --estimate: {"status": "estimated", "confidence", "variants" as of stats --estimate, "differences": [{"first",
    "second", "random": {MEASURE: {"difference", "low", "high", "p"}}, "first_searching", "second_searching",
    "searching"}], "effects": [{"measure", "players", "options": [{"option",
    "from", "to", "effect", "low", "high", "p"}], "interactions": [{"options", "effect", "low", "high", "p"}]}],
    "note"}.
    """
    # lazy: start-up time
    import json

    from gamesman import app
    from gamesman.analysis.comparison import FEW, Question
    from gamesman.cli.views.compared import compare_page
    from gamesman.cli.views.sheets import as_csv, as_remoteness_csv

    base = None if baseline is None else read_variant(baseline)
    if base is not None and base.name not in [each.name for each in variants]:
        variants = [base, *variants]
    if base is not None and is_every_pair:
        raise OptionError("expected --baseline or --all-pairs, got both")
    solved_only: dict[str, object] = {"--solve": is_solving, "--log": is_log, "--csv": is_csv}
    solved_only |= {"--remoteness": is_long, "--measure": measures, "--sort": sort, "--quick": is_quick}
    how = asked(
        is_estimated=is_estimated, playouts=playouts, depth=depth, seconds=seconds, seed=seed, others=solved_only
    )
    if how is not None:
        if base is not None:
            variants = [base, *(each for each in variants if each.name != base.name)]
        show_comparison(
            variants,
            how,
            is_from_baseline=base is not None,
            is_every_pair=is_every_pair,
            html=html,
            plot=plot,
            memory=memory,
            is_json=is_json,
            is_quiet=is_quiet,
        )
        return
    is_listed = is_every_pair or base is not None or len(variants) <= FEW
    question = Question(
        measures,
        sort,
        None if base is None else base.name,
        is_walked=not is_quick,
        is_sharing=not is_csv and (is_json or is_listed),
        is_played=not is_quick and (html is not None or plot is not None),
    )
    question.check(variants)
    if is_log and plot is None and html is None:
        raise OptionError("--log says how pictures are drawn; add --plot FILE or --html FILE")
    if is_csv and is_json:
        raise OptionError("expected --csv or --json, got both")
    if is_long and not is_csv:
        raise OptionError("--remoteness says what --csv gives; add --csv")
    if plot is not None or html is not None:
        # lazy: start-up time
        from gamesman.cli.views.pictures import check_file, draw_comparison

        if plot is not None:
            check_file(plot)
    if html is not None:
        # lazy: start-up time
        from gamesman.cli.views.page import check_page, write_page

        check_page(html)
    crew = crew_of(workers, cluster)
    if crew is not None and not is_solving:
        raise OptionError("--workers and --cluster solve what is not solved yet; add --solve")
    if is_solving:
        app.solve_missing(
            variants,
            crew,
            db=db,
            threads=threads,
            memory=memory,
            progress=lambda: watched(is_quiet),
            tell=lambda line: None if is_quiet else click.echo(line, err=True),
        )
    found = app.compare(variants, db=db, memory=memory, progress=watched(is_quiet), question=question)
    if is_json:
        click.echo(json.dumps(found.as_json()))
    elif is_csv:
        click.echo(as_remoteness_csv(found) if is_long else as_csv(found))
    else:
        click.echo(compare_page(found, is_every_pair=is_every_pair))
    if plot is not None:
        draw_comparison(found, plot, is_log=is_log)
    if html is not None:
        write_page(found, html, is_log=is_log)
    if not is_quiet:
        for file in filter(None, (plot, html)):
            click.echo(f"written: {file}", err=True)
