"""A comparison is written here as one HTML file that needs nothing else: tables, pictures and what they say.

How the page looks is written in page.html beside this file; here is gathered what it shows.
"""

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gamesman import __version__
from gamesman.analysis.comparison import Comparison, Pair, letters
from gamesman.analysis.statistics import MEASURES, NO_P_VALUES, WORDS
from gamesman.cli.views import pictures, rows, text
from gamesman.errors import MissingExtra

if TYPE_CHECKING:
    from jinja2 import Template


class Picture(NamedTuple):
    """Holds a picture of the page: an SVG in base64, and what it shows in words."""

    data: str
    said: str


class Changes(NamedTuple):
    """Holds what the page says of two variants that share positions."""

    title: str
    one: str
    other: str
    said: str
    changes: Picture
    examples: list[str]


def check_page(file: str) -> None:
    """Refuse a file that could not be written, before the work that it takes. Raises CallError."""
    pictures.check_file(file, "--html", (".html", ".htm"))
    template()


def write_page(comparison: Comparison, file: str) -> None:
    """Write a comparison into a file as a page. Raises CallError, MissingExtra."""
    pictures.write(file, as_html(comparison).encode())


def as_html(comparison: Comparison) -> str:
    """Return the whole page as HTML. Raises MissingExtra."""
    games = " and ".join(dict.fromkeys(profile.variant.game.name for profile in comparison.profiles))
    return template().render(
        title=f"{games}: {len(comparison.profiles)} variants compared",
        version=__version__,
        **_variants(comparison),
        **_effects(comparison),
        pairs=[_changes(comparison, pair) for pair in comparison.pairs if pair.shared and pair.shared.positions],
        apart=[(reason, ", ".join(pairs)) for reason, pairs in rows.apart(comparison).items()],
    )


def template() -> "Template":
    """Return the page's template, which escapes whatever is put into it. Raises MissingExtra without Jinja2."""
    try:
        # lazy: an extra
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
    except ImportError:
        raise MissingExtra("a page needs Jinja2, which is not installed; run: pip install 'gamesman[plot]'") from None
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.html")


def _variants(comparison: Comparison) -> dict[str, Any]:
    measures = rows.measure_rows(comparison)
    return {
        "starts": [(letters(i), p.variant.name, p.summary.position) for i, p in enumerate(comparison.profiles)],
        "measures": measures,
        "meanings": rows.meanings(measures),
        "tiers": [(letters(i), text.tier_rows(p)) for i, p in enumerate(comparison.profiles)],
        "shares": _picture(
            lambda figure: pictures.draw_shares(figure.subplots(), comparison),
            pictures.shares_height(comparison),
            "A bar for each variant: the shares of wins, losses, ties and draws, as in the table",
        ),
        "remoteness": _picture(
            lambda figure: pictures.draw_remoteness(figure.subplots(), comparison),
            pictures.remoteness_height(comparison),
            "A line for each variant: the share of all its positions that have each remoteness, or never end",
        ),
    }


def _effects(comparison: Comparison) -> dict[str, Any]:
    limits = [[m.title, *(f"from {limit:g}" for limit in m.limits), m.explanation] for m in MEASURES]
    return {
        "effects": rows.effect_rows(comparison),
        "no_p_values": NO_P_VALUES,
        "deltas": rows.reading_deltas(),
        "limits": [["", *WORDS[1:], ""], *limits],
    }


def _changes(comparison: Comparison, pair: Pair) -> Changes:
    shared, first, second = pair.shared, letters(pair.first), letters(pair.second)
    assert shared is not None
    return Changes(
        title=rows.title(pair),
        one=comparison.name(pair.first),
        other=comparison.name(pair.second),
        said=f"{shared.positions:,} positions can be reached in both: {rows.kept(shared)}.",
        changes=_picture(
            lambda figure: pictures.draw_changes(figure.subplots(), pair),
            2.9,
            f"How many positions of each value in {first} have each value in {second}",
            width=3.3,
        ),
        examples=list(rows.examples(pair)),
    )


def _picture(draw: Callable[[Any], None], height: float, said: str, width: float = pictures.WIDTH) -> Picture:
    return Picture(b64encode(pictures.as_svg(draw, width, height)).decode(), said)
