"""What a game has made is told apart here for messages: tables, texts to show, and how it is written."""

from typing import Any

from gamesman.errors import shorten

# Letters of a position, of a move's name, or of a drawing: a board of 26 columns and 1,000 rows has 26,000 cells.
MOST_LETTERS = 1 << 17


def is_table(value: Any) -> bool:
    """Tell whether a value is an int, a table (a tuple of ints or of equally long tables), or named fields of these."""
    if not isinstance(value, tuple):
        return isinstance(value, int)
    if not all(map(is_table, value)):
        return False
    if hasattr(value, "_fields"):
        return True
    return len({len(row) if isinstance(row, tuple) else -1 for row in value}) <= 1


def times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def got(thing: Any) -> str:
    """Write what a game returned into a message, with its type where its text alone does not tell it."""
    if type(thing) is int and thing.bit_length() > 200:
        return f"a number of {thing.bit_length()} bits"
    text = shorten(repr(thing), 80)
    return text if type(thing) in (int, tuple, str, bool, type(None)) else f"{text} ({type(thing).__name__})"


def unfit_to_show(text: str) -> str:
    r"""Say what is wrong with a text that is to be shown as it is, or return nothing where nothing is.

    >>> unfit_to_show("(b b2)"), unfit_to_show("\x1b[2J")  # which wipes the screen of a terminal
    ('', "must return letters that can be printed, got '\\x1b'")
    """
    if len(text) > MOST_LETTERS:
        return f"must return {MOST_LETTERS:,} letters at most, got {len(text):,}"
    for letter in text if not text.isprintable() else "":
        if not letter.isprintable():
            return f"must return letters that can be printed, got {letter!a}"
    return ""
