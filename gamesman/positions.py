"""Positions as people type them: in single quotes for the shell, with the empty word as "" or ''."""

from gamesman.errors import PositionError
from gamesman.variant import Position, Variant


def read_position(variant: Variant, text: str) -> Position:
    """The position a text from the command line stands for.

    >>> from gamesman.variant import variant
    >>> konane = variant("konane")
    >>> read_position(konane, "(w '' wbwb bwb- w-wb)") == konane.start()
    True
    >>> read_position(konane, "(w  wbwb bwb- w-wb)")
    Traceback (most recent call last):
    ...
    gamesman.errors.PositionError: expected a cell from a1 to d3, got wbwb; put the position in single quotes: '(w "" wbwb bwb- w-wb)'
    """
    try:
        return variant.parse(text.replace("''", '""'))
    except PositionError as error:
        example = variant.show(variant.start())
        if '""' in example and '"' not in text and "''" not in text:
            raise PositionError(f"{error}; put the position in single quotes: '{example}'") from None
        raise
