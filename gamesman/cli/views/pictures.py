"""Profiles and comparisons are drawn here as pictures, with matplotlib.

They are to be read in grey as well: values differ in lightness and in hatching, variants in the dashes of their lines.
"""

import io
from collections.abc import Callable, Sequence
from math import ceil
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from gamesman.analysis.comparison import FEW, Comparison, Pair, letters
from gamesman.analysis.profile import Profile
from gamesman.cli.views.curves import NARROW, curves_height, draw_curves, name_lines
from gamesman.cli.views.rows import changing, distances, title
from gamesman.cli.views.skill import BEST, compared, draw_errors, draw_traces, traces_height
from gamesman.cli.views.text import percent
from gamesman.errors import CallError, MissingExtra, OptionError, shorten
from gamesman.machine.files import write_bytes
from gamesman.model.summary import SHOWN_VALUES
from gamesman.model.wording import NOUNS
from gamesman.values import DRAW, LOSE, NAMES, TIE, WIN

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg", ".pdf")

# Face, hatching, and the colour of text upon it.
LOOKS = {
    WIN: ("#1d6b45", "", "white"),
    LOSE: ("#f2b5a7", "////", "black"),
    TIE: ("#fff3c4", "....", "black"),
    DRAW: ("#7793b5", "xx", "black"),
}

SETTINGS: dict[Any, Any] = {
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.5,
    "hatch.color": "#555555",
    "svg.hashsalt": "gamesman",
}
WIDTH = 9.0
MAPS_IN_A_ROW = 3
MAP_HEIGHT = 3.0


def check_file(file: str, option: str = "--plot", formats: Sequence[str] = FORMATS) -> None:
    """Refuse a file that could not be written, before the work that it takes. Raises CallError."""
    load()
    path = Path(file)
    if path.suffix.lower() not in formats:
        wanted = formats[0] if len(formats) == 1 else f"{', '.join(formats[:-1])} or {formats[-1]}"
        raise OptionError(f"{option} must be a file that ends in {wanted}, got {shorten(file) or 'nothing'}")
    if not path.parent.is_dir():
        raise OptionError(f"{option} must be a file in a folder that there is, got {shorten(file)}")


def load() -> None:
    """Import matplotlib. Raises MissingExtra where it is not installed."""
    try:
        # lazy: an extra
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtra(
            "pictures need matplotlib, which is not installed; run: pip install 'gamesman[plot]'"
        ) from None


def draw_profile(profile: Profile, file: str) -> None:
    """Draw the remoteness of a variant's positions, and the values of each tier, into a file."""

    tiers, play = len(profile.summary.tiers) > 1, profile.play
    rows = 1 + tiers + (play is not None)

    def draw(figure: "Figure") -> None:
        axes = figure.subplots(rows, 1, squeeze=False)[:, 0]
        figure.suptitle(_wrapped(profile.variant.name, 90), x=0.01, ha="left", fontsize=11)
        draw_histogram(axes[0], profile)
        if tiers:
            draw_tiers(axes[1], profile)
        if play is not None:
            draw_errors(axes[-1], play)

    save(draw, WIDTH, 1.0 + 3.0 * rows, file)


def draw_comparison(comparison: Comparison, file: str, *, is_log: bool = False) -> None:
    """Draw everything there is to see of a comparison into a file."""
    pairs = [pair for pair in comparison.pairs if pair.shared and pair.shared.positions]
    heights = [shares_height(comparison), curves_height(comparison, WIDTH)]
    traces = compared(comparison)
    rows = ceil(len(pairs) / MAPS_IN_A_ROW)
    if rows:
        heights.append(rows * MAP_HEIGHT)
    elif len(comparison.profiles) > FEW and comparison.pairs:
        heights.append(distances_height(comparison))
    others = len(heights)
    if traces:
        heights.append(traces_height(traces, WIDTH))

    def draw(figure: "Figure") -> None:
        parts = figure.subfigures(len(heights), 1, squeeze=False, height_ratios=heights)[:, 0]
        draw_shares(parts[0].subplots(), comparison)
        draw_curves(parts[1], comparison, WIDTH, is_log=is_log)
        if rows:
            axes = list(parts[2].subplots(rows, MAPS_IN_A_ROW, squeeze=False).flat)
            for pair, ax in zip(pairs, axes, strict=False):
                draw_changes(ax, pair)
            for ax in axes[len(pairs) :]:
                ax.set_axis_off()
        elif others > 2:
            draw_distances(parts[2].subplots(), comparison)
        if traces:
            draw_traces(parts[-1], traces, WIDTH, BEST)

    save(draw, WIDTH, sum(heights), file)


def shares_height(comparison: Comparison, width: float = WIDTH) -> float:
    """Return how high, in inches, the picture of the shares must be for its bars."""
    return 1.3 + (0.42 if width > NARROW else 0.6) * len(comparison.profiles)


def draw_shares(ax: "Axes", comparison: Comparison, width: float = WIDTH) -> None:
    """Draw a bar for each variant, divided into the shares of the values."""
    profiles, is_wide = comparison.profiles, width > NARROW
    there = [value for value in SHOWN_VALUES if any(p.values[value] for p in profiles)]
    left = [0.0] * len(profiles)
    for value in there:
        face, hatch, ink = LOOKS[value]
        widths = [100 * p.shares[NAMES[value]] for p in profiles]
        ax.barh(
            range(len(profiles)), widths, 0.72 if is_wide else 0.5, left, color=face, hatch=hatch, edgecolor="#333333",
            lw=0.6, label=NOUNS[NAMES[value]][1],
        )  # fmt: skip
        for i, share in enumerate(widths):
            if share >= (7 if is_wide else 15):
                box = {"facecolor": face, "edgecolor": "none", "pad": 1.2}
                ax.text(left[i] + share / 2, i, f"{share:.1f} %", ha="center", va="center", color=ink, bbox=box)
            left[i] += share
    if is_wide:
        ax.set_yticks(range(len(profiles)), [label(comparison, i) for i in range(len(profiles))])
        ax.set_ylim(-0.75, len(profiles) - 0.25)
    else:  # the names stand above the bars
        ax.set_yticks([])
        for i in range(len(profiles)):
            ax.text(0.6, i - 0.28, f"{letters(i)}  {shorten(comparison.name(i), 52)}", fontsize=7, va="bottom")
        ax.set_ylim(-0.75, len(profiles) - 0.6)
    ax.invert_yaxis()
    ax.set_xlim(0, 100)
    ax.set_xlabel(_wrapped("share of the reachable positions, for the player to move, %", 110 if is_wide else 45))
    _name_values(ax, "What positions are worth", 4 if is_wide else 2)


def distances_height(comparison: Comparison) -> float:
    """Return how high, in inches, the picture of the distances must be."""
    return 1.2 + max(2.2, 0.3 * len(comparison.profiles))


def draw_distances(ax: "Axes", comparison: Comparison) -> None:
    """Draw how far every two variants are apart, by their values and by when their positions end."""
    numbers = distances(comparison)
    count = len(numbers)
    ax.imshow(numbers, cmap="Greys", vmin=0, vmax=1.7, aspect="auto")
    if count <= 16:
        for i, row in enumerate(numbers):
            for j, number in enumerate(row):
                if i != j:
                    ax.text(j, i, f"{number:.2f}".lstrip("0") or "0", ha="center", va="center", fontsize=7)
    ax.set_xticks(range(count), [*map(letters, range(count))], fontsize=7)
    ax.set_yticks(range(count), [letters(i) for i in range(count)], fontsize=7)
    ax.tick_params(length=0)
    ax.set_xlabel(
        "below the diagonal: total variation distance of the values of all positions; white is 0, dark grey 1"
    )
    ax.set_title("How far every two are apart; above the diagonal: of when positions end (Kolmogorov–Smirnov)")


def draw_changes(ax: "Axes", pair: Pair) -> None:
    """Draw how the values of shared positions change: how many do, and how large a share of their row."""
    one, other, shared = letters(pair.first), letters(pair.second), pair.shared
    assert shared is not None
    values = changing(shared)
    rows = [[int(shared.changes[v, w]) for w in values] for v in values]
    shares = [[n / max(1, sum(row)) for n in row] for row in rows]
    # Up to 1.7, which there is not, so that black can be read on every cell.
    ax.imshow(shares, cmap="Greys", vmin=0, vmax=1.7, aspect="auto")
    for i, row in enumerate(rows):
        for j, n in enumerate(row):
            text = f"{_short(n)}\n{percent(shares[i][j])}" if n else "–"
            ax.text(j, i, text, ha="center", va="center", fontsize=8)
    names = [NOUNS[NAMES[v]][1] for v in values]
    ax.set_xticks(range(len(values)), names)
    ax.set_yticks(range(len(values)), names)
    ax.tick_params(length=0)
    ax.set_xlabel(f"in {other}; in %: of a row")
    ax.set_ylabel(f"in {one}")
    ax.set_title(f"{title(pair)} share {_short(shared.positions)} position{'s' * (shared.positions != 1)}")


def draw_histogram(ax: "Axes", profile: Profile) -> None:
    """Draw how many positions of each value have each remoteness, as bars upon each other."""
    histogram = profile.summary.histogram
    shown = [v for v in SHOWN_VALUES if v != DRAW and histogram[v]]
    last = max((max(histogram[v]) for v in shown), default=0)
    below = [0] * (last + 1)
    for value in shown:
        face, hatch, _ = LOOKS[value]
        heights = [histogram[value][r] for r in range(last + 1)]
        name = NOUNS[NAMES[value]][1]
        ax.bar(range(last + 1), heights, 0.85, below, color=face, hatch=hatch, edgecolor="#333333", lw=0.5, label=name)
        below = [a + b for a, b in zip(below, heights, strict=True)]
    draws = profile.values[DRAW]
    _name_values(ax, f"How far the end is{f', without the {draws:,} draws' if draws else ''}")
    ax.set_xlabel("remoteness: moves to the end with best play")
    ax.set_xlim(-0.7, max(1, last) + 0.7)
    ax.locator_params(axis="x", integer=True)
    _count_positions(ax)


def draw_tiers(ax: "Axes", profile: Profile) -> None:
    """Draw the positions of each tier by value, from the start of the game to its end."""
    tiers = profile.summary.tiers
    below = [0] * len(tiers)
    for value in (v for v in SHOWN_VALUES if profile.values[v]):
        face, hatch, _ = LOOKS[value]
        heights = [tier.counts[NAMES[value]] for tier in tiers]
        name = NOUNS[NAMES[value]][1]
        ax.bar(
            range(len(tiers)), heights, 0.85, below, color=face, hatch=hatch, edgecolor="#333333", lw=0.5, label=name
        )
        below = [a + b for a, b in zip(below, heights, strict=True)]
    names = [shorten(profile.variant.tier_name(tier.number), 44) for tier in tiers]
    there = [f" ({name})" if profile.variant.has("tier_name") else "" for name in names]
    if len(tiers) * (3 + max(map(len, names))) > 110:
        names = [str(tier.number) for tier in tiers]
    step = ceil(len(tiers) * (1 + max(map(len, names))) / 110)
    ax.set_xticks(range(0, len(tiers), step), names[::step])
    ax.set_xlabel(_wrapped(f"tier, from the start of the game{there[0]} to its end{there[-1]}", 110))
    _count_positions(ax)
    _name_values(ax, "What positions are worth")


def _count_positions(ax: "Axes") -> None:
    """Count positions upwards, in whole numbers even where there are few."""
    ax.set_ylabel("positions")
    ax.locator_params(axis="y", integer=True)
    ax.yaxis.set_major_formatter(lambda n, _: f"{n:,.0f}")


def _name_values(ax: "Axes", name: str, columns: int = 4) -> None:
    """Write a title, and between it and the picture, where nothing else is, what stands for which value."""
    lines = -(-len(ax.containers) // columns)
    ax.set_title(name, pad=10 + 14 * lines if lines else 6)
    if ax.containers:
        place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
        ax.legend(ncols=columns, frameon=False, handlelength=2.5, **place)


def label(comparison: Comparison, number: int) -> str:
    """Return a variant's letter and name, not wider than a picture has room for."""
    lines = "\n".join(name_lines(shorten(comparison.name(number), 64), 32))
    return f"{letters(number)}  {lines}"


def as_svg(draw: Callable[["Figure"], None], width: float, height: float) -> bytes:
    """Return a picture as the bytes of an SVG file; the same picture is the same bytes."""
    return _bytes(draw, width, height, "svg")


def _wrapped(text: str, width: int) -> str:
    return "\n".join(wrap(text, width, break_on_hyphens=False)) or text


def _short(n: int) -> str:
    """Write a count so that it fits a cell.

    >>> _short(12345), _short(12345678)
    ('12,345', '12.3 M')
    """
    for size, unit in ((1e9, "G"), (1e6, "M")):
        if n >= size:
            return f"{n / size:.1f} {unit}"
    return f"{n:,}"


def _bytes(draw: Callable[["Figure"], None], width: float, height: float, kind: str) -> bytes:
    load()
    # lazy: an extra
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({**matplotlib.rcParamsDefault, **SETTINGS}):
        figure = Figure((width, height), layout="constrained")
        draw(figure)
        out = io.BytesIO()
        metadata = {} if kind == "png" else {"Date": None} if kind == "svg" else {"CreationDate": None}
        figure.savefig(out, format=kind, dpi=150, metadata=metadata)
    return out.getvalue()


def save(draw: Callable[["Figure"], None], width: float, height: float, file: str) -> None:
    """Draw a picture into a file, whose name says of which kind. Raises CallError."""
    write(file, _bytes(draw, width, height, Path(file).suffix.lower()[1:]))


def write(file: str, content: bytes) -> None:
    """Write bytes into a file. Raises CallError where it cannot be written."""
    try:
        write_bytes(Path(file), content)
    except (OSError, ValueError) as error:
        raise CallError(f"{shorten(file)} cannot be written: {getattr(error, 'strerror', error)}") from None
