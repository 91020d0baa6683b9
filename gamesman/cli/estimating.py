"""What `stats` and `compare` do with `--estimate` is here: variants are estimated from games instead of looked up."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from gamesman.cli.arguments import Seconds, WholeNumber, in_order
from gamesman.errors import Interrupted, OptionError
from gamesman.model.progress import watched

if TYPE_CHECKING:
    from gamesman.analysis.estimating import Asked, Estimated
    from gamesman.model.variant import Variant

estimate_options = in_order(
    click.option(
        "--estimate",
        "is_estimated",
        is_flag=True,
        help="Estimate from games, solved or not: for variants too large to solve. Numbers have intervals of 95 %.",
    ),
    click.option("--playouts", type=WholeNumber(), help="With --estimate: so many games at random [default: 10000]."),
    click.option(
        "--depth", type=WholeNumber(), help="With --estimate: searches look so many moves ahead [default: 2]."
    ),
    click.option(
        "--time",
        "seconds",
        type=Seconds(),
        help="With --estimate: searches of a variant take S seconds at most, for which fewer games are played.",
    ),
    click.option(
        "--seed", type=WholeNumber(), help="With --estimate: the same number plays the same games [default: 1]."
    ),
)


def asked(
    *,
    is_estimated: bool,
    playouts: int | None,
    depth: int | None,
    seconds: float | None,
    seed: int | None,
    others: Mapping[str, object],
) -> "Asked | None":
    """Return how to estimate, None where that is not asked for.

    `others` are the options that have no meaning then. Raises OptionError.
    """
    given = {"playouts": playouts, "depth": depth, "time": seconds, "seed": seed}
    given = {name: number for name, number in given.items() if number is not None}
    if not is_estimated:
        for name in given:
            raise OptionError(f"--{name} says how variants are estimated; add --estimate")
        return None
    for name, value in others.items():
        if value:
            raise OptionError(f"{name} needs solved variants; leave it out, or --estimate")
    # lazy: start-up time
    from gamesman.analysis.estimating import Asked

    given["seconds"] = given.pop("time", None)
    found = Asked(**given)  # type: ignore[arg-type]
    found.check()
    return found


def show_stats(
    variants: "list[Variant]", asked: "Asked", *, plot: str | None, memory: int | None, is_json: bool, is_quiet: bool
) -> None:
    """Estimate variants, print each as soon as it is done, and draw it. Raises Interrupted."""
    # lazy: start-up time
    from gamesman import app
    from gamesman.cli.views.estimated import estimated_page

    found: list[Estimated] = []
    for each in app.estimates(variants, asked, memory=memory, progress=watched(is_quiet, " games")):
        text = json.dumps(each.as_json()) if is_json else estimated_page(each)
        click.echo(text if is_json or not found else f"\n\n{text}")
        found.append(each)
        if plot is not None:
            _draw([each], plot, is_quiet=is_quiet)
    _check_whole(found, variants)


def _draw(found: "list[Estimated]", file: str, *, is_quiet: bool) -> None:
    """Draw into a file how much skill decides in each variant. Raises CallError."""
    # lazy: start-up time
    from gamesman.cli.views import pictures, skill

    traces, width = [skill.estimated(each) for each in found], pictures.WIDTH
    others = skill.by_search(found[0])
    height = skill.traces_height(traces, width)
    pictures.save(lambda figure: skill.draw_traces(figure, traces, width, others), width, height, file)
    _tell(file, is_quiet=is_quiet)


def _tell(file: str, *, is_quiet: bool) -> None:
    if not is_quiet:
        click.echo(f"written: {file}", err=True)


def _check_whole(found: "list[Estimated]", variants: "list[Variant]") -> None:
    """Raise Interrupted where what has been shown is not all that was asked for, because of Ctrl-C."""
    if found[-1].is_interrupted:
        last = found[-1]
        games = f"{last.searched:,} of {last.asked.searched:,} games of each kind with searches"
        raise Interrupted(
            f"interrupted: {games} were played of {last.variant.name}, variant {len(found)} of {len(variants)}"
        )


def show_comparison(
    variants: "list[Variant]",
    asked: "Asked",
    *,
    is_from_baseline: bool,
    is_every_pair: bool,
    html: str | None,
    plot: str | None,
    memory: int | None,
    is_json: bool,
    is_quiet: bool,
) -> None:
    """Estimate several variants; print how they differ, write it into a page and draw it. Raises Interrupted."""
    # lazy: start-up time
    from gamesman import app
    from gamesman.analysis.comparison import Question
    from gamesman.analysis.estimating import EstimatedComparison
    from gamesman.cli.views.estimated import comparison_page

    Question().check(variants)
    if plot is not None:
        # lazy: start-up time
        from gamesman.cli.views.pictures import check_file

        check_file(plot)
    if html is not None:
        # lazy: start-up time
        from gamesman.cli.views.estimated_page import write_page
        from gamesman.cli.views.page import check_page

        check_page(html)
    estimates = list(app.estimates(variants, asked, memory=memory, progress=watched(is_quiet, " games")))
    if len(estimates) == 1:
        raise Interrupted(f"interrupted: only {estimates[0].variant.name} was played, and nothing to compare it with")
    found = EstimatedComparison(estimates, is_from_baseline)
    if is_json:
        click.echo(json.dumps(found.as_json()))
    else:
        click.echo(comparison_page(found, is_every_pair=is_every_pair))
    if html is not None:
        write_page(found, html)
        _tell(html, is_quiet=is_quiet)
    if plot is not None:
        _draw(estimates, plot, is_quiet=is_quiet)
    _check_whole(estimates, variants)
