"""How soon positions end is drawn here: the share of all that end within so many moves, which what never ends is not.

Of a few variants all curves are in one picture. Of more, each has a small one of its own, with the others' in grey.
"""

from collections.abc import Sequence
from math import ceil
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from gamesman.analysis.comparison import Comparison, letters
from gamesman.analysis.profile import Profile
from gamesman.cli.views.text import percent
from gamesman.errors import shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

MOST_TOGETHER = 3  # curves in one picture
NARROW = 5.0  # inches: pictures that are not wider are for a phone
PANEL_HEIGHT = 1.9

COLOURS = ("#000000", "#c2452d", "#1f6fb4", "#2c8a4b", "#8a4fa3", "#b57f00", "#4d4d4d", "#d0669a")
DASHES: tuple[Any, ...] = ("-", (0, (6, 2)), (0, (2, 1.5)), (0, (6, 2, 1, 2)), (0, (10, 3)))
MARKERS = "osD^vPX*"

SAID = "share of all reachable positions that end within so many moves, %"


def curves_height(comparison: Comparison, width: float) -> float:
    """Return how high, in inches, the picture of the curves must be."""
    count = len(comparison.profiles)
    if count <= MOST_TOGETHER:
        return 3.6 if width > NARROW else 3.2 + 0.75 * count
    return 0.5 + PANEL_HEIGHT * ceil(count / _panels(width))


def draw_curves(figure: "Figure | SubFigure", comparison: Comparison, width: float, *, is_log: bool = False) -> None:
    """Draw how soon the positions of each variant end."""
    profiles = comparison.profiles
    curves = [ended(profile) for profile in profiles]
    most = max(map(len, curves)) - 1
    if len(profiles) <= MOST_TOGETHER:
        ax = figure.subplots()
        for i, curve in enumerate(curves):
            _draw_line(ax, i, curve, most, _label(comparison, i))
        _finish(ax, most, is_log=is_log)
        ax.set_title("How soon positions end")
        ax.set_ylabel("\n".join(wrap(SAID, 40)))
        if width > NARROW:
            ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False, borderaxespad=0, handlelength=4)
        else:
            ax.legend(loc="upper left", bbox_to_anchor=(-0.1, -0.22), frameon=False, borderaxespad=0, handlelength=3)
        return
    columns = _panels(width)
    said = wrap(f"How soon positions end: {SAID}", 110 if width > NARROW else 50)
    figure.suptitle("\n".join(said), x=0.01, ha="left")
    axes = list(figure.subplots(ceil(len(profiles) / columns), columns, squeeze=False).flat)
    for i, ax in enumerate(axes):
        if i >= len(profiles):
            ax.set_axis_off()
            continue
        for curve in curves:
            ax.plot(*_steps(curve, most), color="#c4c4c4", lw=0.5, drawstyle="steps-post")
        ax.plot(*_steps(curves[i], most), color="black", lw=1.8, drawstyle="steps-post")
        _finish(ax, most, is_log=is_log)
        panel_title(ax, i, comparison.name(i), _never(profiles[i]))
        ax.tick_params(labelsize=7)
        ax.set_xlabel("moves", fontsize=7)


def ended(profile: Profile) -> list[float]:
    """Return the percentage of all positions that end within 0, 1, 2 … moves."""
    found, total, curve = profile.remoteness, 0, []
    for remoteness in range(max(found, default=0) + 1):
        total += found[remoteness]
        curve.append(100 * total / profile.positions)
    return curve


def panel_title(ax: "Axes", number: int, name: str, further: Sequence[str] = ()) -> None:
    """Write which variant a small picture is of."""
    ax.set_title("\n".join([*name_lines(f"{letters(number)}  {shorten(name, 60)}", 30), *further]), fontsize=7)


def name_lines(name: str, width: int) -> list[str]:
    """Break the name of a variant into lines, after commas where it has any.

    >>> name_lines("abalone:rows=3,captures=1,misere", 26)
    ['abalone:rows=3,captures=1,', 'misere']
    """
    lines = wrap(name.replace(",", ", "), width + 1, break_on_hyphens=False)
    return [line.replace(", ", ",") for line in lines]


def _panels(width: float) -> int:
    return 4 if width > NARROW else 2


def _steps(curve: list[float], most: int) -> tuple[list[int], list[float]]:
    """Return the points of a curve, which goes on as it ends to the right edge."""
    last = max(most, 1)
    return [*range(len(curve)), *([last] if len(curve) <= last else [])], [*curve, *curve[-1:] * (len(curve) <= last)]


def _draw_line(ax: "Axes", number: int, curve: list[float], most: int, label: str) -> None:
    ax.plot(
        *_steps(curve, most),
        color=COLOURS[number % len(COLOURS)],
        linestyle=DASHES[number % len(DASHES)],
        marker=MARKERS[number % len(MARKERS)],
        markersize=3.5,
        markevery=max(1, len(curve) // 20),
        drawstyle="steps-post",
        lw=1.4,
        label=label,
    )


def _finish(ax: "Axes", most: int, *, is_log: bool) -> None:
    ax.set_ylim(0, 103)
    if is_log:
        ax.set_xscale("symlog", linthresh=1)
        ticks = [n for n in (0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10000) if n <= max(1, most)]
        ax.set_xticks(ticks, [f"{n}" for n in ticks])
        ax.minorticks_off()
        ax.set_xlim(0, max(1, most))
    else:
        ax.set_xlim(-0.2, max(1, most) + 0.2)
        ax.locator_params(axis="x", integer=True, nbins=5)
    ax.set_xlabel("remoteness: moves to the end with best play")
    ax.grid(axis="y", lw=0.4, color="#cccccc")


def _label(comparison: Comparison, number: int) -> str:
    name = name_lines(shorten(comparison.name(number), 64), 32)
    return "\n     ".join([f"{letters(number)}  {name[0]}", *name[1:], *_never(comparison.profiles[number])])


def _never(profile: Profile) -> list[str]:
    return [f"{percent(profile.shares['draw'])} never end"] if profile.never_end else []
