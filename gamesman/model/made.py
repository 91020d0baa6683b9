"""What a game has made is told apart here for messages: tables, texts to show, and how it is written."""

import unicodedata
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from gamesman.errors import shorten
from gamesman.model.game import YIELDING
from gamesman.turning import turn_mask

# Letters of a position, of a move's name, or of a drawing: a board of 26 columns and 1,000 rows has 26,000 cells.
MOST_LETTERS = 1 << 17
MOST_TURNED = 64  # cells of a board that can be turned: a larger one has an empty table

# What no terminal shows but obeys: letters of these categories (control, half a letter, separators of lines), and
# those that turn the direction of what follows.
OBEYED = "Cc", "Cs", "Zl", "Zp"
TURNING = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


def is_table(value: Any) -> bool:
    """Tell whether a value is an int, a table (a tuple of ints or of equally long tables), or named fields of these."""
    if not isinstance(value, tuple):
        return isinstance(value, int)
    if not all(map(is_table, value)):
        return False
    if hasattr(value, "_fields"):
        return True
    return len({len(row) if isinstance(row, tuple) else -1 for row in value}) <= 1


def unfit_rules(rules: Any, module: ModuleType) -> Iterator[str]:
    """Yield what is wrong with the rules that `setup` of a game has made."""
    for field, value in zip(rules._fields, rules, strict=True):
        if not is_table(value):
            rows = ", whose rows are equally long" if isinstance(value, tuple) else ""
            yield f"must make {field} an int or a table of ints{rows}, got {got(value)}"
    if hasattr(module, "layout") and getattr(rules, "turned", None) == () and rules.cells <= MOST_TURNED:
        yield "must make turned a row or more, as board.turned() does, or have no such field, got ()"
    for row in _unfit_rows(rules, getattr(module, "layout", None)):
        yield f"must make turned of the layout's board, as its turned() does, got {got(row)} in it"


def _unfit_rows(rules: Any, layout: Any) -> list[Any]:
    """Return the first of the rows of `turned` that is no symmetry of so many cells as the layout's board has."""
    turned = getattr(rules, "turned", ())
    try:
        cells = len(layout.board(rules)) if layout is not None and turned and is_table(turned) else 0
    except Exception:  # is told where pieces are put on it
        return []
    size, full = 256 * -(-cells // 8), (1 << cells) - 1
    fit = (isinstance(row, tuple) and len(row) == size and turn_mask(row, full) == full for row in turned)
    return [row for row, is_fit in zip(turned, fit, strict=True) if cells and not is_fit][:1]


def giving(function: str) -> str:
    return "yield" if function in YIELDING else "return"


def times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def got(thing: Any) -> str:
    """Write what a game returned into a message, with its type where its text alone does not tell it."""
    if type(thing) is int and thing.bit_length() > 200:
        return f"a number of {thing.bit_length()} bits"
    text = shorten(repr(thing), 80)
    return text if type(thing) in (int, tuple, str, bool, type(None)) else f"{text} ({type(thing).__name__})"


def is_obeyed(letter: str) -> bool:
    r"""Tell whether a letter does something to a terminal; a tab is as good as spaces.

    >>> [is_obeyed(letter) for letter in "\x1b\u202e\t\u3000"]
    [True, True, False, False]
    """
    return (unicodedata.category(letter) in OBEYED or letter in TURNING) and letter != "\t"


def unfit_to_show(text: str) -> str:
    r"""Say what is wrong with a text that is to be shown as it is, or return nothing where nothing is.

    >>> unfit_to_show("(b b2)"), unfit_to_show("\x1b[2J")  # which wipes the screen of a terminal
    ('', "must return letters that can be printed, got '\\x1b'")
    """
    if len(text) > MOST_LETTERS:
        return f"must return {MOST_LETTERS:,} letters at most, got {len(text):,}"
    for letter in text if not text.isprintable() else "":
        if is_obeyed(letter):
            return f"must return letters that can be printed, got {letter!a}"
    return ""
