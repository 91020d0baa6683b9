"""A comparison as one HTML file that needs nothing else: tables, pictures and what they say, to hand out."""

from base64 import b64encode
from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from gamesman import __version__
from gamesman.analysis import pictures, tables
from gamesman.analysis.comparison import LETTERS, Comparison, Pair
from gamesman.analysis.statistics import MEASURES, NO_P_VALUES, WORDS

STYLE = """
body { font: 16px/1.5 Georgia, serif; color: #111; background: #fff; max-width: 62em; margin: 2em auto; padding: 0 1em }
h1, h2, h3 { font-family: Helvetica, Arial, sans-serif; line-height: 1.2 }
h2 { margin-top: 2em; border-bottom: 1px solid #999 }
.wide { overflow-x: auto }
table { border-collapse: collapse; font: 14px/1.4 Helvetica, Arial, sans-serif; margin: 1em 0 }
th, td { padding: .25em .8em; text-align: right; white-space: nowrap; border-bottom: 1px solid #ddd }
th:first-child, td:first-child { text-align: left }
th.text, td.text { text-align: left; white-space: normal }
thead th { border-bottom: 2px solid #333 }
img { max-width: 100%; height: auto; display: block; margin: 1em 0 }
code { font-size: 14px; overflow-wrap: anywhere }
.pair { break-inside: avoid }
.pair img { width: 20em }
footer { margin-top: 3em; color: #555; font-size: 14px }
@media print { body { margin: 0; max-width: none } }
"""

HOW_TO_READ = """
<p>Each of these variants has been solved: for every position that can arise, the <b>value</b> is known that it has for
the player to move if nobody errs. That is a win, a loss, a tie, or a draw, in which neither side can force an end and
play goes on for ever. The <b>remoteness</b> is the number of moves to the end if the winner hurries and the loser
delays.</p>
"""


def check_page(file: str) -> None:
    """Refuse a file that could not be written, before the work that it takes. Raises CallError."""
    pictures.check_file(file, "--html", (".html", ".htm"))


def write_page(comparison: Comparison, file: str) -> None:
    pictures.write(file, as_html(comparison).encode())


def as_html(comparison: Comparison) -> str:
    games = " and ".join(dict.fromkeys(profile.variant.game.name for profile in comparison.profiles))
    title = f"{escape(games)}: {len(comparison.profiles)} variants compared"
    body = [f"<h1>{title}</h1>", HOW_TO_READ, *_variants(comparison), *_effects(comparison), *_changes(comparison)]
    body.append(f"<footer>Made by gamesman {__version__}.</footer>")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>{STYLE}</style>
</head>
<body>
{chr(10).join(body)}
</body>
</html>
"""


def _variants(comparison: Comparison) -> list[str]:
    starts = [
        [LETTERS[i], f"<code>{escape(p.variant.name)}</code>", f"<code>{escape(p.summary.position)}</code>"]
        for i, p in enumerate(comparison.profiles)
    ]
    rows = tables.measure_rows(comparison)
    said = [line.split("  ", 1) for line in tables.MEANINGS if line[:12].strip() in {row[0] for row in rows}]
    return [
        "<h2>The variants</h2>",
        _table(["", "variant", "start"], starts, texts=(1, 2)),
        _table(rows[0], [[escape(cell) for cell in row] for row in rows[1:]]),
        "<p>" + ".<br>".join(f"<b>{name}</b>: {escape(meaning.strip())}" for name, meaning in said) + ".</p>",
        _picture(
            lambda figure: pictures.draw_shares(figure.subplots(), comparison),
            pictures.shares_height(comparison),
            "A bar for each variant: the shares of wins, losses, ties and draws, as in the table",
        ),
        _picture(
            lambda figure: pictures.draw_remoteness(figure.subplots(), comparison),
            pictures.remoteness_height(comparison),
            "A line for each variant: the share of the positions that have each remoteness",
        ),
    ]


def _effects(comparison: Comparison) -> list[str]:
    rows = tables.effect_rows(comparison)
    limits = [[escape(m.title), *(f"from {limit:g}" for limit in m.limits), escape(m.meaning)] for m in MEASURES]
    return [
        "<h2>How far they differ</h2>",
        _table([escape(cell) for cell in rows[0]], [[escape(cell) for cell in row] for row in rows[1:]]),
        f"<p>{escape(NO_P_VALUES)}</p>",
        "<p>What the words mean, and the numbers. The first two measures compare values, the others remoteness: "
        f"{escape(tables.reading_deltas())}</p>",
        _table(["", *WORDS[1:], ""], limits, texts=(4,)),
    ]


def _changes(comparison: Comparison) -> list[str]:
    parts = ["<h2>The positions they share</h2>"]
    parts += [part for pair in comparison.pairs if pair.shared.positions for part in _pair(comparison, pair)]
    for reason, pairs in tables.apart(comparison).items():
        parts.append(f"<p>No positions are shared by {escape(', '.join(pairs))}: {escape(reason)}.</p>")
    return parts


def _pair(comparison: Comparison, pair: Pair) -> list[str]:
    one, other = escape(comparison.name(pair.first)), escape(comparison.name(pair.second))
    shared = pair.shared
    said = f"{shared.positions:,} positions can be reached in both: {tables.kept(shared)}."
    sentences = [f"<li>{escape(sentence)}</li>" for sentence in tables.examples(pair)]
    return [
        f'<section class="pair"><h3>{escape(tables.title(pair))}</h3>',
        f"<p>From <code>{one}</code> to <code>{other}</code>. {said}</p>",
        _picture(
            lambda figure: pictures.draw_changes(figure.subplots(), pair),
            2.9,
            f"How many positions of each value in {LETTERS[pair.first]} have each value in {LETTERS[pair.second]}",
            width=3.3,
        ),
        f"<ul>{''.join(sentences)}</ul>" if sentences else "",
        "</section>",
    ]


def _picture(draw: Callable[[Any], None], height: float, said: str, width: float = pictures.WIDTH) -> str:
    data = b64encode(pictures.as_svg(draw, width, height)).decode()
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(said)}">'


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], texts: Sequence[int] = ()) -> str:
    """A table of cells that are HTML; the columns in `texts` are prose and may wrap."""

    def line(cells: Sequence[str], tag: str) -> str:
        kinds = [f'<{tag} class="text">' if i in texts else f"<{tag}>" for i in range(len(cells))]
        return f"<tr>{''.join(f'{kind}{cell}</{tag}>' for kind, cell in zip(kinds, cells, strict=True))}</tr>"

    body = "\n".join(line(row, "td") for row in rows)
    return f'<div class="wide"><table><thead>{line(head, "th")}</thead><tbody>\n{body}\n</tbody></table></div>'
