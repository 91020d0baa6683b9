"""What a game has made is told apart here for messages: whether it is a table, and how it is written."""

from typing import Any

from gamesman.errors import shorten


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
