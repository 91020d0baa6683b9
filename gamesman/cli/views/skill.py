"""How much skill decides is drawn here: what comes of games by how often players err, of variants solved or estimated.

Each share has a line, and where it is estimated around it the band of its intervals. Each variant has a small picture
of its own.
"""

from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from gamesman.analysis.comparison import Comparison, letters
from gamesman.cli.views.curves import COLOURS, DASHES, MARKERS, NARROW, name_lines, panel_title
from gamesman.errors import shorten
from gamesman.model.wording import count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

    from gamesman.analysis.estimating import Estimated
    from gamesman.analysis.play import Play

LABELS = {"first": "first player wins", "second": "second player wins", "tie": "tie", "unfinished": "never ends"}
ALWAYS = ("first", "second")  # are drawn even where they are 0
FEW = 3  # pictures that can be large
PANEL_HEIGHT = 2.3
BEST = "; all other moves are best ones"

Shares = dict[str, tuple[float, float, float]]  # in %: the lower end of the interval, the share, the upper end


class Trace(NamedTuple):
    """Holds the shares of a variant's games for each rate at which both players err."""

    name: str
    shares: list[tuple[float, Shares]]


def estimated(found: "Estimated") -> Trace:
    """Return the trace of a variant that is estimated."""
    shares = []
    for rate, played in found.errors:
        numbers = {name: played.found[name] for name in LABELS}
        # Every share has a number.
        shares.append((rate, {n: (100 * s.low, 100 * s.estimate, 100 * s.high) for n, s in numbers.items() if s}))
    return Trace(found.variant.name, shares)


def exact(name: str, play: "Play") -> Trace:
    """Return the trace of a solved variant, whose intervals are points."""
    return Trace(name, [(rate, {n: (100 * getattr(of, n),) * 3 for n in LABELS}) for rate, of in play.errors])


def compared(comparison: Comparison) -> list[Trace]:
    """Return the traces of all variants that are compared; none where play was not followed."""
    found = [exact(each.variant.name, each.play) for each in comparison.profiles if each.play is not None]
    return found if len(found) == len(comparison.profiles) else []


def by_search(found: "Estimated") -> str:
    """Say what moves that are no errors are in games that are estimated."""
    return f" (estimated); all other moves by a search {count(found.asked.depth, 'move')} ahead"


def traces_height(traces: Sequence[Trace], width: float) -> float:
    """Return how high, in inches, the picture must be."""
    return (1.2 if width > NARROW else 1.6) + PANEL_HEIGHT * ceil(len(traces) / _panels(traces, width))


def draw_traces(figure: "Figure | SubFigure", traces: Sequence[Trace], width: float, others: str) -> None:
    """Draw the shares of games by the rate at which both players err; `others` says what their other moves are."""
    columns = _panels(traces, width)
    axes = list(figure.subplots(ceil(len(traces) / columns), columns, squeeze=False, sharex=True, sharey=True).flat)
    shown = [name for name in LABELS if any(_is_there(each, name) for each in traces)]
    for i, (ax, each) in enumerate(zip(axes, traces, strict=False)):
        draw_trace(ax, each, shown)
        if len(traces) > FEW:
            panel_title(ax, i, each.name)
        else:
            name = shorten(each.name, 60)
            letters_wide = 90 // columns if width > NARROW else 45
            lines = name_lines(f"{letters(i)}  {name}" if len(traces) > 1 else name, letters_wide)
            ax.set_title("\n".join(lines))
        if i + columns >= len(traces):  # the lowest of its column
            # Not the figure's own label, which the legend would be written upon.
            ax.set_xlabel("moves made at random, %")
            ax.tick_params(labelbottom=True)
    for ax in axes[len(traces) :]:
        ax.set_axis_off()
    lines = [f"How much skill decides{others}"]
    if width <= NARROW:
        lines = lines[0].replace("; ", ";\n").split("\n")
    figure.suptitle("\n".join(lines), x=0.01, ha="left", fontsize=10)
    figure.supylabel("share of games, %", fontsize=9)
    handles, labels = axes[0].get_legend_handles_labels()
    columns = 4 if width > NARROW else 2
    figure.legend(handles, labels, loc="outside lower left", ncols=columns, frameon=False, handlelength=4)


def draw_errors(ax: "Axes", play: "Play") -> None:
    """Draw the same of one solved variant into a picture of more."""
    trace = exact("", play)
    draw_trace(ax, trace, [name for name in LABELS if name == "tie" or _is_there(trace, name)])
    ax.set_xlabel("moves made at random, by both players, %; all others are best moves")
    ax.set_ylabel("share of games from the start, %")
    ax.set_title("How much skill decides", pad=24)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=4, frameon=False, borderaxespad=0.2, handlelength=4)


def draw_trace(ax: "Axes", trace: Trace, shown: Sequence[str]) -> None:
    """Draw a line for each share that is shown, and the band of its intervals."""
    rates = [100 * rate for rate, _ in trace.shares]
    for i, name in enumerate(LABELS):
        if name not in shown:
            continue
        low, middle, high = zip(*(shares[name] for _, shares in trace.shares), strict=True)
        if low != high:
            ax.fill_between(rates, low, high, color=COLOURS[i], alpha=0.15, linewidth=0)
        ax.plot(
            rates, middle, color=COLOURS[i], linestyle=DASHES[i], marker=MARKERS[i], markersize=3.5, label=LABELS[name]
        )
    ax.set_xlim(0, 100)
    ax.set_ylim(0, 102)
    ax.grid(axis="y", lw=0.4, color="#cccccc")


def _panels(traces: Sequence[Trace], width: float) -> int:
    """Return how many pictures stand side by side."""
    most = (4 if len(traces) > FEW else FEW) if width > NARROW else 2 if len(traces) > FEW else 1
    return min(len(traces), most)


def _is_there(trace: Trace, name: str) -> bool:
    return name in ALWAYS or any(shares[name][1] for _, shares in trace.shares)
