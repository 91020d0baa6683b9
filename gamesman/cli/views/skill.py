"""How much skill decides is drawn here, of variants that are estimated: what comes of games by how often players err.

Each share has a line, and around it the band of its intervals. Each variant has a small picture of its own.
"""

from math import ceil
from typing import TYPE_CHECKING

from gamesman.analysis.comparison import letters
from gamesman.analysis.estimating import SHARES, Estimated, Played
from gamesman.cli.views import pictures
from gamesman.cli.views.curves import COLOURS, DASHES, MARKERS, NARROW, name_lines
from gamesman.errors import shorten
from gamesman.model.wording import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

LABELS = {"first": "first player wins", "second": "second player wins", "tie": "tie", "unfinished": "never ends"}
PANEL_HEIGHT = 2.3


def save_traces(found: list[Estimated], file: str) -> None:
    """Draw into a file how much skill decides in each variant. Raises CallError."""
    width = pictures.WIDTH
    pictures.save(lambda figure: draw_traces(figure, found, width), width, traces_height(found, width), file)


def traces_height(found: list[Estimated], width: float) -> float:
    """Return how high, in inches, the picture must be."""
    return (1.2 if width > NARROW else 1.6) + PANEL_HEIGHT * ceil(len(found) / _panels(found, width))


def draw_traces(figure: "Figure | SubFigure", found: list[Estimated], width: float) -> None:
    """Draw the shares of games by the rate at which both players err, else searching."""
    columns = _panels(found, width)
    axes = list(figure.subplots(ceil(len(found) / columns), columns, squeeze=False, sharex=True, sharey=True).flat)
    shown = [name for name in SHARES if any(_is_there(each, name) for each in found)]
    for i, (ax, each) in enumerate(zip(axes, found, strict=False)):
        _draw_trace(ax, each, shown)
        name = shorten(each.variant.name, 60)
        ax.set_title("\n".join(name_lines(f"{letters(i)}  {name}" if len(found) > 1 else name, 90 // columns)))
        if i + columns >= len(found):  # the lowest of its column
            # Not the figure's own label, which the legend would be written upon.
            ax.set_xlabel("moves made at random, %")
            ax.tick_params(labelbottom=True)
    for ax in axes[len(found) :]:
        ax.set_axis_off()
    depth = count(found[0].asked.depth, "move")
    lines = [f"How much skill decides (estimated); all other moves by a search {depth} ahead"]
    if width <= NARROW:
        lines = lines[0].replace("; ", ";\n").split("\n")
    figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=10)
    figure.supylabel("share of games, %", fontsize=9)
    handles, labels = axes[0].get_legend_handles_labels()
    columns = 4 if width > NARROW else 2
    figure.legend(handles, labels, loc="outside lower left", ncols=columns, frameon=False, handlelength=4)


def _panels(found: list[Estimated], width: float) -> int:
    """Return how many pictures stand side by side."""
    most = (4 if len(found) > 3 else 3) if width > NARROW else 2 if len(found) > 3 else 1
    return min(len(found), most)


def _is_there(found: Estimated, name: str) -> bool:
    return name in ("first", "second") or any(_share(played, name)[1] for _, played in found.errors)


def _share(played: Played, name: str) -> tuple[float, float, float]:
    share = played.found[name]
    assert share is not None  # as every share is
    return 100 * share.low, 100 * share.estimate, 100 * share.high


def _draw_trace(ax: "Axes", found: Estimated, shown: list[str]) -> None:
    rates = [100 * rate for rate, _ in found.errors]
    for i, name in enumerate(SHARES):
        if name not in shown:
            continue
        low, middle, high = zip(*(_share(played, name) for _, played in found.errors), strict=True)
        ax.fill_between(rates, low, high, color=COLOURS[i], alpha=0.15, linewidth=0)
        ax.plot(
            rates, middle, color=COLOURS[i], linestyle=DASHES[i], marker=MARKERS[i], markersize=3.5, label=LABELS[name]
        )
    ax.set_xlim(0, 100)
    ax.set_ylim(0, 102)
    ax.grid(axis="y", lw=0.4, color="#cccccc")
