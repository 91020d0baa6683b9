"""An estimated comparison is written here as one HTML file, which says of every number that it is estimated.

How the page looks is written in estimated.html beside this file.
"""

from functools import partial
from math import inf
from typing import TYPE_CHECKING

import click

from gamesman import __version__
from gamesman.analysis.comparison import FEW, letters
from gamesman.analysis.estimating import COMPARED, JUDGED, NOTE, NUMBERS, EstimatedComparison
from gamesman.cli.views import boards, estimated, pictures, skill
from gamesman.cli.views.curves import NARROW
from gamesman.cli.views.page import MOST_COLUMNS, described, drawn_twice, template

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure


def write_page(comparison: EstimatedComparison, file: str) -> None:
    """Write an estimated comparison into a file as a page. Raises CallError, MissingExtra."""
    pictures.write(file, as_html(comparison).encode())


def as_html(comparison: EstimatedComparison) -> str:
    """Return the whole page as HTML. Raises MissingExtra."""
    found = comparison.variants
    variants = [each.variant for each in found]
    games = {variant.game.name: variant for variant in variants}
    traces = [skill.estimated(each) for each in found]
    is_listed = comparison.is_from_baseline or len(found) <= FEW
    together = [estimated.measure_rows(comparison, players) for players in estimated.SHOWN]
    if len(found) > MOST_COLUMNS:
        together = [[list(row) for row in zip(*rows, strict=True)] for rows in together]
    effects = [estimated.effect_rows(comparison, players) for players in estimated.SHOWN]
    differences = [estimated.difference_rows(comparison, players) for players in estimated.SHOWN if is_listed]
    return template("estimated.html").render(
        title=f"{' and '.join(games)}: {len(found)} variants compared by estimate",
        version=__version__,
        games=[described(variant, variants) for variant in games.values()],
        starts=[
            (
                letters(i),
                each.variant.name,
                each.variant.show(each.variant.start()),
                boards.drawn(each.variant, each.variant.start()),
                click.unstyle(estimated.start_value(each)),
                estimated.played(each),
            )
            for i, each in enumerate(found)
        ],
        random=together[0],
        searching=together[1],
        meaning=estimated.MEANING,
        players=estimated.players_said(found[0]),
        drawn=drawn_twice(
            lambda figure, width: draw_intervals(figure, comparison, width),
            lambda width: _height(comparison, width),
            "A point and a line for each variant and measure: the estimate and its interval, as in the table",
        ),
        traces=drawn_twice(
            lambda figure, width: skill.draw_traces(figure, traces, width, skill.by_search(found[0])),
            partial(skill.traces_height, traces),
            "A small picture for each variant: the shares of games by how often both players err, with their intervals",
        ),
        cut=estimated.all_cuts(comparison),
        effects=[rows for rows in effects if rows],
        differences=[rows for rows in differences if rows],
        note=NOTE,
        kinds=[
            (letters(i), each.variant.name, [estimated.kind_rows(each), estimated.error_rows(each)])
            for i, each in enumerate(found)
        ],
        meaning_of_searches=estimated.searching(found[0]),
    )


def _shown(comparison: EstimatedComparison) -> list[str]:
    """Return the measures that are drawn: those that there are of every variant, and are not 0 throughout."""
    found = []
    for name in COMPARED:
        each = [variant.number(name) for variant in comparison.variants]
        if name != "length_sd" and any(one is not None and one.estimate for one in each):
            found.append(name)
    return found


def _columns(comparison: EstimatedComparison, width: float) -> int:
    return min(len(_shown(comparison)), 4 if width > NARROW else 2)


def _height(comparison: EstimatedComparison, width: float) -> float:
    """Return how high, in inches, the picture of the intervals must be."""
    rows = -(-len(_shown(comparison)) // _columns(comparison, width))
    return 0.5 + rows * (0.8 + 0.22 * len(comparison.variants))


def draw_intervals(figure: "Figure | SubFigure", comparison: EstimatedComparison, width: float) -> None:
    """Draw a small picture for each measure, in which each variant has a point and the line of its interval."""
    names, columns = _shown(comparison), _columns(comparison, width)
    rows = -(-len(names) // columns)
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    figure.suptitle("Games at random: estimates and their intervals of 95 %", x=0.01, ha="left")
    for ax, name in zip(axes, names, strict=False):
        scale = 1 if name in NUMBERS else 100
        for i, variant in enumerate(comparison.variants):
            found = variant.number(name)
            if found is None:
                continue
            at, high = scale * found.estimate, scale * (found.high if found.high < inf else 1.5 * found.estimate)
            ax.plot([scale * found.low, high], [i, i], color="#555555", linewidth=1.5)
            if found.error is not None or name not in JUDGED:  # else searches leave open where in between
                ax.plot([at], [i], color="#000000", marker="o", markersize=4, linestyle="")
            if high < scale * found.high:  # which has no end
                ax.plot([high], [i], color="#555555", marker=">", markersize=4, linestyle="")
        ax.set_title(estimated.TITLES[name] + ("" if name in NUMBERS else ", %"))
        ax.set_yticks(range(len(comparison.variants)), [letters(i) for i in range(len(comparison.variants))])
        ax.set_ylim(len(comparison.variants) - 0.4, -0.6)
        ax.margins(x=0.1)
    for ax in axes[len(names) :]:
        ax.set_axis_off()
