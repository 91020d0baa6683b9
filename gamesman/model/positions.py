"""Positions are read here as people type them: in quotes for the shell, with the empty word as "" or ''."""

from gamesman.errors import PositionError
from gamesman.model.variant import Position, Variant


def read_position(variant: Variant, text: str) -> Position:
    """Read a position from the command line. Raises PositionError, which says so if the shell has taken a word out.

    >>> from gamesman.model.variant import variant
    >>> konane = variant("konane")
    >>> read_position(konane, "(w '' wbwb bwb- w-wb)") == konane.start()
    True
    >>> read_position(konane, "(w  wbwb bwb- w-wb)")
    Traceback (most recent call last):
    ...
    gamesman.errors.PositionError: the shell has taken "" out of (w wbwb bwb- w-wb);
    put the position in single quotes: '(w "" wbwb bwb- w-wb)'
    """
    try:
        return variant.parse(text.replace("''", '""'))
    except PositionError:
        whole = _with_empty_word(variant, text)
        if whole is None:
            raise
        lost = " ".join(text.split())
        message = f"""the shell has taken "" out of {lost}; put the position in single quotes: '{whole}'"""
    raise PositionError(message)


def _with_empty_word(variant: Variant, text: str) -> str | None:
    """Return the position meant, if a "" after the first word makes it one: a shell takes that out of double quotes."""
    words = text.split()
    try:
        return variant.show(variant.parse(" ".join([*words[:1], '""', *words[1:]])))
    except PositionError:
        return None
