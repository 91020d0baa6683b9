"""What has been in a game is read here as people write it: as boards or positions, the newest first."""

import os
import re

from gamesman.errors import CallError, PositionError, shorten
from gamesman.model.positions import read_position
from gamesman.model.variant import Position, Variant


def read_history(variant: Variant, history: str | None, position: str | None) -> tuple[list[Position], Position]:
    """Read what has been; return its positions, and the one to play from: `position`, else the newest, else the start.

    A bare board does not say who was to move and stands for both, since it may not come back with either.

    >>> from gamesman.model.variant import variant
    >>> v = variant("ctf:size=2")
    >>> past, root = read_history(v, "-WwwBb-b wW-b", None)
    Traceback (most recent call last):
    ...
    gamesman.errors.PositionError: expected a position like (w wW Bb) or a board like wWBb, got -WwwBb-b
    >>> past, root = read_history(v, '["-WBb", "wWBb"]', None)
    >>> v.show(root), len(past)
    ('(b -W Bb)', 4)
    """
    texts = _entries(history) if history is not None else []
    past = [found for text in texts for found in read_entry(variant, text)]
    if position is not None:
        return past, read_position(variant, position)
    if not texts:
        return past, variant.start()
    newest = read_entry(variant, texts[0])
    if len(newest) == 1:
        return past, newest[0]
    # Players take turns where a board says all, so the number of boards tells whose turn it is.
    who = (variant.turn(variant.start()) + len(texts) - 1) % 2
    return past, newest[who]


def read_entry(variant: Variant, text: str) -> list[Position]:
    """Read a position or a board; return the one, or the two that the board stands for, in the order of the players.

    A board alone is refused where a position says more than its rows, as Konane's does. Raises PositionError.
    """
    if text.startswith("("):
        return [read_position(variant, text)]
    start = variant.show(variant.start())
    rows = start.strip("()").split()[1:]
    if set("".join(rows)) & set('"0123456789'):
        raise PositionError(f"expected a position like {start}, got {shorten(text)}")
    if len(text) != sum(map(len, rows)):
        raise PositionError(f"expected a position like {start} or a board like {''.join(rows)}, got {shorten(text)}")
    board, cells = [], iter(text)
    for row in rows:
        board.append("".join(next(cells) for _ in row))
    found = []
    for letter in variant.game.players:
        try:
            found.append(variant.parse(f"({letter} {' '.join(board)})"))
        except PositionError as error:
            wrong = error
    if not found:
        raise wrong
    return found


def _entries(history: str) -> list[str]:
    """Return the boards and positions in a file of that name, or in the text itself. Raises CallError."""
    text = history
    if os.path.isfile(history):
        try:
            with open(history, encoding="utf-8", errors="replace") as file:
                text = file.read()
        except OSError as error:
            raise CallError(f"{shorten(history)} cannot be read: {error.strerror}") from None
    # Brackets and quotes are those of a list, as it is written in a program.
    entries = re.findall(r"\([^()]*\)?|[^\s,()\[\]\"']+", text)
    if not entries:
        raise CallError(f"expected a file or boards, the newest first, got {shorten(history) or 'nothing'}")
    return entries
