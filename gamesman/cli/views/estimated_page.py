"""An estimated comparison is written here as one HTML file, which says of every number that it is estimated.

How the page looks is written in estimated.html beside this file.
"""

from math import inf
from typing import TYPE_CHECKING

import click

from gamesman import __version__
from gamesman.analysis.comparison import FEW, letters
from gamesman.analysis.estimating import COMPARED, JUDGED, NOTE, NUMBERS, EstimatedComparison
from gamesman.cli.views import boards, estimated, pictures
from gamesman.cli.views.curves import NARROW
from gamesman.cli.views.page import MOST_COLUMNS, described, drawn_twice, template
from gamesman.model.wording import count

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
    measures = estimated.measure_rows(comparison)
    is_listed = comparison.is_from_baseline or len(found) <= FEW
    played, searched = found[0].asked.playouts, found[0].asked.searched
    return template("estimated.html").render(
        title=f"{' and '.join(games)}: {len(found)} variants compared by estimate",
        version=__version__,
        said=f"{count(played, 'game')} of each were played at random, and {searched} of each kind with searches",
        games=[described(variant, variants) for variant in games.values()],
        starts=[
            (
                letters(i),
                each.variant.name,
                each.variant.show(each.variant.start()),
                boards.drawn(each.variant, each.variant.start()),
                click.unstyle(estimated.start_value(each)),
            )
            for i, each in enumerate(found)
        ],
        measures=[list(row) for row in zip(*measures, strict=True)] if len(found) > MOST_COLUMNS else measures,
        meaning=estimated.MEANING,
        drawn=drawn_twice(
            lambda figure, width: draw_intervals(figure, comparison, width),
            lambda width: _height(comparison, width),
            "A point and a line for each variant and measure: the estimate and its interval, as in the table",
        ),
        cut=[
            estimated.cut_off(each.kinds["random"], letters(i))
            for i, each in enumerate(found)
            if each.kinds["random"].cut
        ],
        effects=estimated.effect_rows(comparison),
        differences=estimated.difference_rows(comparison) if is_listed else [],
        note=NOTE,
        kinds=[
            (f"{letters(i)} {each.variant.name}", [estimated.kind_rows(each), estimated.error_rows(each)])
            for i, each in enumerate(found)
        ],
        erring=estimated.erring(found[0]),
    )


def _shown(comparison: EstimatedComparison) -> list[str]:
    """Return the measures that are drawn: those that there are of every variant, and are not 0 throughout."""
    found = []
    for name in COMPARED:
        each = [variant.at_random(name) for variant in comparison.variants]
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
            found = variant.at_random(name)
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
