"""A comparison is written here as one HTML file that needs nothing else: tables, pictures and what they say.

How the page looks is written in page.html beside this file; here is gathered what it shows.
"""

from base64 import b64encode
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from gamesman import __version__
from gamesman.analysis.comparison import FEW, Comparison, Pair, letters
from gamesman.analysis.statistics import MEASURES, NO_P_VALUES, WORDS
from gamesman.cli.views import boards, curves, pictures, rows, skill, text
from gamesman.errors import MissingExtra
from gamesman.model.variant import Variant
from gamesman.model.wording import VERBS, count

if TYPE_CHECKING:
    from jinja2 import Template

PHONE = 4.4  # inches of a picture that is read on a phone
MOST_COLUMNS = 6  # variants side by side in a table; more are its rows


class Picture(NamedTuple):
    """Holds a picture of the page: SVGs in base64, for a screen and for a phone, and what it shows in words."""

    data: str
    narrow: str
    said: str


class Example(NamedTuple):
    """Holds a position where two variants differ: what is said of it, its board as HTML, and its text."""

    said: str
    board: str
    text: str


class Changes(NamedTuple):
    """Holds what the page says of two variants that share positions."""

    title: str
    one: str
    other: str
    said: str
    carried: list[str]
    changes: Picture
    examples: list[Example]


class Explained(NamedTuple):
    """Holds what an option is, in words, and which values it has on the page."""

    name: str
    help: str
    values: str


def check_page(file: str) -> None:
    """Refuse a file that could not be written, before the work that it takes. Raises CallError."""
    pictures.check_file(file, "--html", (".html", ".htm"))
    template()


def write_page(comparison: Comparison, file: str, *, is_log: bool = False) -> None:
    """Write a comparison into a file as a page. Raises CallError, MissingExtra."""
    pictures.write(file, as_html(comparison, is_log=is_log).encode())


def as_html(comparison: Comparison, *, is_log: bool = False) -> str:
    """Return the whole page as HTML. Raises MissingExtra."""
    games = {profile.variant.game.name: profile.variant for profile in comparison.profiles}
    return template().render(
        title=f"{' and '.join(games)}: {len(comparison.profiles)} variants compared",
        version=__version__,
        games=[described(variant, [p.variant for p in comparison.profiles]) for variant in games.values()],
        short=in_short(comparison),
        **_variants(comparison, is_log=is_log),
        **_effects(comparison),
        pairs=[_changes(comparison, pair) for pair in comparison.pairs if pair.shared and pair.shared.positions],
        apart=[(reason, ", ".join(pairs)) for reason, pairs in rows.apart(comparison).items()],
    )


def in_short(comparison: Comparison) -> list[str]:
    """Say of two variants in plain words how they differ; of more nothing."""
    if len(comparison.profiles) != 2:
        return []
    one, other = comparison.profiles
    wins = [text.percent(each.shares["win"]) for each in (one, other)]
    said = [f"Of A's positions {wins[0]} are won for the player to move, of B's {wins[1]}."]
    if one.mean_remoteness is not None and other.mean_remoteness is not None:
        means = f"{one.mean_remoteness:.1f} moves before its end on average, one of B's {other.mean_remoteness:.1f}"
        never = " Draws, which never end, are left out." if one.never_end or other.never_end else ""
        said.append(f"If nobody errs, a position of A's is {means}.{never}")
    shared = comparison.pairs[0].shared
    if shared is not None and shared.positions:
        same = text.percent(shared.kept / shared.positions)
        said.append(f"Both have {count(shared.positions, 'position')} in common; {same} of them are worth the same.")
        if shared.learnt is not None and shared.learnt.moves:
            right = text.percent(shared.learnt.stay / shared.learnt.moves)
            said.append(f"Of the best moves that one has learnt in A, {right} are best in B, too.")
    return said


def template(name: str = "page.html") -> "Template":
    """Return a page's template, which escapes whatever is put into it. Raises MissingExtra without Jinja2."""
    try:
        # lazy: start-up time; only a page needs it
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
    return environment.get_template(name)


def described(variant: Variant, variants: Sequence[Variant]) -> dict[str, Any]:
    """Say what game it is: its rules, its board, and the options that those of the variants differ in."""
    return {
        "name": variant.game.name,
        "title": variant.game.title,
        "rules": variant.game.rules_text,
        "board": boards.drawn(variant, variant.start()),
        "start": variant.show(variant.start()),
        "options": list(_explained(variant, variants)),
    }


def _explained(variant: Variant, variants: Sequence[Variant]) -> Iterator[Explained]:
    own = [each for each in variants if each.game.name == variant.game.name]
    for kind in variant.game.options:
        values = {getattr(each.options, kind.name): None for each in own}
        is_named = any(f"{kind.name}" in each.name.partition(":")[2] for each in own)
        if len(values) > 1 and is_named:
            said = [("no", "yes")[value] if isinstance(value, bool) else str(value) for value in values]
            if len(own) == len(variants) == 2:
                said = [f"{value} in {letters(i)}" for i, value in enumerate(said)]
            yield Explained(kind.name, kind.help, " and ".join(said) if len(said) < 3 else ", ".join(said))


def _variants(comparison: Comparison, *, is_log: bool) -> dict[str, Any]:
    measures = rows.measure_rows(comparison)
    traces = skill.compared(comparison)
    is_turned = len(comparison.profiles) > MOST_COLUMNS
    return {
        "starts": [
            (
                letters(i),
                p.variant.name,
                p.summary.position,
                boards.drawn(p.variant, p.variant.start()),
                _outcome(comparison, i),
            )
            for i, p in enumerate(comparison.profiles)
        ],
        "measures": [list(row) for row in zip(*measures, strict=True)] if is_turned else measures,
        "meanings": rows.meanings(measures),
        "tiers": [(letters(i), text.tier_rows(p)) for i, p in enumerate(comparison.profiles)],
        "shares": drawn_twice(
            lambda figure, width: pictures.draw_shares(figure.subplots(), comparison, width),
            partial(pictures.shares_height, comparison),
            "A bar for each variant: the shares of wins, losses, ties and draws, as in the table",
        ),
        "remoteness": drawn_twice(
            lambda figure, width: curves.draw_curves(figure, comparison, width, is_log=is_log),
            partial(curves.curves_height, comparison),
            "A curve for each variant: the share of all positions that end within so many moves; the rest never end",
        ),
        "traces": traces
        and drawn_twice(
            lambda figure, width: skill.draw_traces(figure, traces, width, skill.BEST),
            partial(skill.traces_height, traces),
            "A small picture for each variant: the shares of games from the start by how often both players err",
        ),
    }


def _outcome(comparison: Comparison, number: int) -> str:
    """Say who wins from the start.

    It is the first line that a pupil reads: White, who begins, wins in 7 moves.
    """
    profile = comparison.profiles[number]
    fields = profile.summary.as_json()
    start = profile.variant.start()
    player, does = profile.variant.player(start), partial(profile.variant.game.does, profile.variant.turn(start))
    ended = f"{player} {does('has')} {'won' if fields['value'] == 'win' else 'lost'}"
    if fields["remoteness"] == 0:
        return f"{player} would begin, but the game is over: {'a tie' if fields['value'] == 'tie' else ended}"
    if fields["value"] == "draw":
        return f"{player} {does('begins')}, and neither side can force an end"
    ends = "" if fields["remoteness"] is None else f" in {count(fields['remoteness'], 'move')}"
    return f"{player} {does('begins')} and {does(VERBS[fields['value']])}{ends}, if nobody errs"


def _effects(comparison: Comparison) -> dict[str, Any]:
    limits = [[m.title, *(f"from {limit:g}" for limit in m.limits), m.explanation] for m in MEASURES]
    is_listed = comparison.is_from_baseline or len(comparison.profiles) <= FEW
    is_listed = is_listed or any(pair.shared for pair in comparison.pairs)
    return {
        "effects": rows.effect_rows(comparison) if is_listed else [],
        "grid": rows.grid_rows(comparison),
        "grid_meaning": rows.GRID_MEANING,
        "distances": [] if is_listed and len(comparison.profiles) <= FEW else _shaded(comparison),
        "distance_meaning": rows.DISTANCE_MEANING,
        "no_p_values": NO_P_VALUES,
        "deltas": rows.reading_deltas(),
        "limits": [["", *WORDS[1:], ""], *limits],
    }


def _shaded(comparison: Comparison) -> list[tuple[str, list[tuple[str, int]]]]:
    """Return the rows of the distances: the letter, and each number with how dark its cell is, 0 to 100."""
    if comparison.is_from_baseline:
        return []
    found = []
    for i, row in enumerate(rows.distances(comparison)):
        cells = [("·" if i == j else f"{number:.2f}", round(100 * number)) for j, number in enumerate(row)]
        found.append((letters(i), cells))
    return found


def _changes(comparison: Comparison, pair: Pair) -> Changes:
    shared, first, second = pair.shared, letters(pair.first), letters(pair.second)
    assert shared is not None
    variant = comparison.profiles[pair.first].variant
    texts = [found["position"] for found in shared.examples]
    if shared.opening is not None:
        texts.insert(0, shared.opening.position)
    return Changes(
        title=rows.title(pair),
        one=comparison.name(pair.first),
        other=comparison.name(pair.second),
        said=f"{shared.positions:,} positions can be reached in both: {rows.kept(shared)}.",
        carried=rows.carried(pair),
        changes=drawn_twice(
            lambda figure, _: pictures.draw_changes(figure.subplots(), pair),
            lambda _: 2.9,
            f"How many positions of each value in {first} have each value in {second}",
            widths=(3.3, 3.3),
        ),
        examples=[
            Example(beside_board(said, position, variant), boards.drawn(variant, variant.parse(position)), position)
            for said, position in zip([*rows.parting(pair), *rows.examples(pair)], texts, strict=True)
        ],
    )


def beside_board(said: str, text: str, variant: Variant) -> str:
    """Return what is said of a position beside its board, on which it is not seen whose turn it is.

    >>> from gamesman.model.variant import variant
    >>> beside_board("C is a win: (o x-- --- ---) wins", "(o x-- --- ---)", variant("tictactoe"))
    'C is a win: this position, O to move, wins'
    """
    here = f"this position, {variant.player(variant.parse(text))} to move"
    return said.replace(f"{text}:", f"{here}:").replace(text, f"{here},")


def drawn_twice(
    draw: Callable[[Any, float], None],
    height: Callable[[float], float],
    said: str,
    widths: tuple[float, float] = (pictures.WIDTH, PHONE),
) -> Picture:
    """Draw a picture in both widths, which may be one."""
    found = []
    for width in dict.fromkeys(widths):
        svg = pictures.as_svg(partial(_with_width, draw, width), width, height(width))
        found.append(b64encode(svg).decode())
    return Picture(found[0], found[-1] if len(found) > 1 else "", said)


def _with_width(draw: Callable[[Any, float], None], width: float, figure: Any) -> None:
    draw(figure, width)
