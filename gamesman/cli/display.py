"""Answers are put here into the form that a person reads: words, boards, tables of moves, numbers with their units."""

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from gamesman.machine.sizes import size_text
from gamesman.model.answers import LineAnswer, MoveAnswer, PositionAnswer
from gamesman.model.endgames import Endgames
from gamesman.model.summary import Summary
from gamesman.model.variant import Position, Variant
from gamesman.model.wording import NOUNS, VERBS, count
from gamesman.values import NAMES, WIN

COLOURS = {"win": "green", "lose": "red", "tie": "yellow", "draw": "cyan"}


def colour(value: str, text: str) -> str:
    """Return text in the colour of a value; click takes the colour out where it does not go to a terminal."""
    return click.style(text, fg=COLOURS[value])


def duration(seconds: float) -> str:
    """Say how long something took.

    >>> duration(0.123), duration(75), duration(7325)
    ('0.12 s', '1 min 15 s', '2 h 2 min')
    """
    if seconds < 60:
        return f"{seconds:.2f} s"
    if seconds < 3600:
        return f"{int(seconds) // 60} min {int(seconds) % 60} s"
    return f"{int(seconds) // 3600} h {int(seconds) // 60 % 60} min"


def worth(variant: Variant, position: Position, value: str, remoteness: int | None) -> str:
    """Say in words what a position is worth to the player to move: White to move loses in 7, White has lost."""
    player, does = variant.player(position), partial(variant.game.does, variant.turn(position))
    if value == "draw":
        return colour(value, f"{player} to move {does('draws')}: neither side can force an end")
    if remoteness is None:
        return colour(value, f"{player} to move {does(VERBS[value])}")
    if remoteness:
        return colour(value, f"{player} to move {does(VERBS[value])} in {remoteness}")
    if value == "tie":
        return colour(value, "The game is over: a tie")
    return colour(value, f"{player} {does('has')} {'won' if value == NAMES[WIN] else 'lost'}")


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Lay out rows in columns as wide as they need to be; those named in `right` end at their right edge.

    >>> print(table([["move", "in"], ["a1-a2", "7"]], right=[1]))
    move   in
    a1-a2   7
    """
    widths = [max(len(click.unstyle(cell)) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for i, cell in enumerate(row):
            blank = " " * (widths[i] - len(click.unstyle(cell)))
            cells.append(blank + cell if i in right else cell + blank)
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def width() -> int | None:
    """Return how many letters a line may have: those of the terminal; None for what goes elsewhere."""
    if "COLUMNS" in os.environ or (sys.stdout is not None and sys.stdout.isatty()):
        return max(20, shutil.get_terminal_size().columns)
    return None


def wrapped(text: str, indent: str = "") -> str:
    """Break a text between its words where the terminal ends; what follows is indented."""
    limit = width()
    if limit is None or len(click.unstyle(text)) <= limit:
        return text
    lines = textwrap.wrap(text, limit, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


def listed(names: Sequence[str], before: str = "") -> str:
    """List names of moves behind some words, each whole in one line of the terminal: one may be of two words."""
    return wrapped(before + ", ".join(name.replace(" ", "\0") for name in names)).replace("\0", " ")


def filled(text: str) -> str:
    """Break the long lines of a text where the terminal ends, each paragraph anew, and leave what fits as it is."""
    limit, longest = width(), max(map(len, text.splitlines()), default=0)
    if limit is None or longest <= limit:
        return text
    return "\n\n".join(_filled(paragraph, limit, longest) for paragraph in text.split("\n\n"))


def _filled(paragraph: str, limit: int, longest: int) -> str:
    """Fill a paragraph; a line is joined to the one before that ends where no other word had room."""
    lines = paragraph.split("\n")
    if max(map(len, lines)) <= limit:
        return paragraph
    whole: list[tuple[str, int]] = []  # lines as if there were no limit, and how far what follows is indented
    before = ""
    for line in lines:
        match = re.match(r"( *)((?:\S+ {2,})?)(\S*)", line)
        assert match is not None
        indent, item, word = map(len, match.groups())
        if whole and indent == whole[-1][1] and len(before) + 1 + item + word > longest:
            whole[-1] = f"{whole[-1][0]} {line.strip()}", indent
        else:
            whole.append((line, indent + item))
        before = line
    return "\n".join(
        textwrap.fill(line, limit, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False)
        for line, hang in whole
    )


def columns(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Lay out rows like `table`, as several tables where the terminal is too narrow: each begins with the first column.

    Where the last column is one of sentences these are wrapped instead.
    """
    limit = width()
    text = table(rows, right)
    if limit is None or not rows or len(rows[0]) < 2 or max(map(len, click.unstyle(text).splitlines())) <= limit:
        return text
    widths = [max(len(click.unstyle(cell)) for cell in column) for column in zip(*rows, strict=True)]
    last = len(widths) - 1
    before = sum(widths[:last]) + 2 * last
    if last not in right and " " in max((row[last] for row in rows), key=len) and limit - before >= 20:
        broken: list[list[str]] = []
        for row in rows:
            for i, line in enumerate(_lines(row[last], limit - before)):
                broken.append([*(row[:last] if i == 0 else [""] * last), line])
        return table(broken, right)
    parts, taken = [], [0]
    for i in range(1, len(widths)):
        if len(taken) > 1 and sum(widths[k] + 2 for k in [*taken, i]) - 2 > limit:
            parts.append(taken)
            taken = [0]
        taken.append(i)
    parts.append(taken)
    tables = (
        table([[row[i] for i in part] for row in rows], [k for k, i in enumerate(part) if i in right]) for part in parts
    )
    return "\n\n".join(tables)


def _lines(text: str, limit: int) -> list[str]:
    """Break a text between words; the longest are left whole."""
    return textwrap.wrap(text, limit, break_long_words=False, break_on_hyphens=False) or [""]


def position_page(variant: Variant, answer: PositionAnswer, is_winning: bool = False, is_named: bool = False) -> str:
    """Show a position: its text, its board, its value, its moves."""
    parts = [answer.text]
    if variant.has("draw"):
        parts.append(variant.draw(answer.position, is_named))
    parts.append(worth(variant, answer.position, answer.value, answer.remoteness))
    moves = answer.keeping_moves() if is_winning else answer.moves
    if moves:
        parts.append(move_table(moves, answer.value))
    return "\n\n".join(parts)


def move_table(moves: Sequence[MoveAnswer], best: str) -> str:
    """Show moves with what each is worth to the player who makes it, best first."""
    rows = [["move", "value", "remoteness", "delta", "leads to"]]
    for move in moves:
        remoteness = "-" if move.remoteness is None else str(move.remoteness)
        rows.append([move.name, colour(move.value, move.value), remoteness, _delta(move, best), move.text])
    return table(rows, right=[2])


def _delta(move: MoveAnswer, best: str) -> str:
    if not move.is_sure:
        return "may not stand"
    if move.delta is None:
        return f"gives up the {NOUNS[best][0]}"
    if move.delta == 0:
        return "best"
    return f"{move.delta} {'sooner' if move.value == 'lose' else 'later'}"


def line_page(variant: Variant, answer: LineAnswer, is_drawn: bool = False) -> str:
    """Show a line of best play: a row a move, or a board a move if the game has any."""
    start = answer.start
    is_drawn = is_drawn and variant.has("draw")
    parts = [f"{start.text}\n\n{variant.draw(start.position)}" if is_drawn else start.text]
    parts.append(worth(variant, start.position, start.value, start.remoteness))
    before = start.position
    rows = []
    for number, move in enumerate(answer.moves, 1):
        if is_drawn:
            parts.append(
                f"{number}. {variant.player(before)}: {move.name}   {move.text}\n\n{variant.draw(move.position)}"
            )
        rows.append([f"{number}.", variant.player(before), move.name, move.text])
        before = move.position
    if rows and not is_drawn:
        parts.append(table(rows, right=[0]))
    if answer.repeats is not None:
        parts.append(f"{answer.repeats.name} would now repeat {answer.repeats.text}: this goes on for ever")
    elif answer.moves:
        parts.append(worth(variant, before, NAMES[variant.primitive(before)], 0))
    return "\n\n".join(parts)


def _longest(fields: dict[str, Any]) -> str:
    """Say how many moves best play takes at most, and how many positions never end.

    >>> [_longest({"max_remoteness": 7, "counts": {"draw": draws}}) for draws in (0, 1200)]
    ['7 moves', '7 moves, of those that end; 1,200 never do']
    """
    draws = fields["counts"]["draw"]
    if fields["max_remoteness"] is None:
        return "none ends"
    return count(fields["max_remoteness"], "move") + (f", of those that end; {draws:,} never do" if draws else "")


def summary_page(variant: Variant, summary: Summary, status: str = "solved") -> str:
    """Show what solving a variant has yielded."""
    fields = summary.as_json(status)
    value, remoteness = fields["value"], fields["remoteness"]
    shares = ", ".join(count(fields["counts"][v], *NOUNS[v]) for v in fields["counts"])
    rows = [
        ["positions", f"{fields['positions']:,}: {shares}"],
        ["primitive", f"{fields['primitives']:,}"],
        ["moves", f"{fields['moves']:,}"],
        ["longest", _longest(fields)],
        ["tiers", f"{fields['tiers']:,}"],
        [
            "took",
            f"{duration(summary.seconds)}, {duration(summary.cpu_seconds)} of CPU, {size_text(summary.peak_memory)}",
        ],
    ]
    if summary.database_bytes is not None:
        rows.append(["stored", size_text(summary.database_bytes)])
    already = " is already solved" if status == "already solved" else ""
    if isinstance(variant, Endgames):
        said = f"endgames alone, all positions up to tier {variant.tier_name(variant.up_to)}, reachable or not"
    else:
        said = worth(variant, variant.start(), value, remoteness)
    head = f"{summary.variant}{already}: {said}"
    body = columns([["  " + name, text] for name, text in rows])
    return f"{head}\n{body}"
