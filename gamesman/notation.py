"""What games on a grid have in common is read and written here: cells like b3, positions like (b bbb- b--w), boards."""

import re
from collections.abc import Sequence

from gamesman.errors import MoveError, PositionError, shorten

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def cell_name(row: int, col: int) -> str:
    """Return the name of a cell; row 0 is the bottom one.

    >>> cell_name(2, 1)
    'b3'
    """
    return f"{LETTERS[col]}{row + 1}"


def read_cell(text: str, rows: int, cols: int) -> tuple[int, int]:
    """Read the row and column of a cell like b3, each counted from 0. Raises PositionError.

    >>> read_cell("b3", 4, 4)
    (2, 1)
    >>> read_cell("e1", 4, 4)
    Traceback (most recent call last):
    ...
    gamesman.errors.PositionError: expected a cell from a1 to d4, got e1
    """
    match = re.fullmatch(r"([a-z])([1-9][0-9]{0,6})", text)
    if match:
        row, col = int(match[2]) - 1, LETTERS.index(match[1])
        if row < rows and col < cols:
            return row, col
    raise PositionError(f"expected a cell from a1 to {cell_name(rows - 1, cols - 1)}, got {shorten(text) or 'nothing'}")


def read_step(text: str, rows: int, cols: int, example: str = "a1-a2") -> tuple[tuple[int, int], tuple[int, int]]:
    """Read the two cells of a move like a2-b3. Raises MoveError, which shows the example.

    >>> read_step("a2-b3", 4, 4)
    ((1, 0), (2, 1))
    """
    ends = text.strip().split("-")
    if len(ends) != 2:
        raise MoveError(f"expected a move like {example}, got {shorten(text) or 'nothing'}")
    try:
        return read_cell(ends[0], rows, cols), read_cell(ends[1], rows, cols)
    except PositionError as error:
        raise MoveError(f"{error} in {shorten(text)}") from None


def read_fields(text: str, example: str) -> list[str]:
    """Read the words inside the parentheses of a position. Raises PositionError, which shows the example.

    >>> read_fields('(w "" wb -w)', "")
    ['w', '""', 'wb', '-w']
    """
    match = re.fullmatch(r"\s*\(([^()]*)\)\s*", text)
    fields = match[1].split() if match else []
    if not fields:
        raise PositionError(f"expected a position like {example}, got {shorten(text) or 'nothing'}")
    return fields


def read_turn(field: str, players: Sequence[str], text: str) -> int:
    """Read whose turn it is: the index of the player's letter. Raises PositionError."""
    if field not in players:
        raise PositionError(f"expected {' or '.join(players)} to move, got {shorten(field)}: {shorten(text)}")
    return list(players).index(field)


def read_rows(found: Sequence[str], lengths: Sequence[int], letters: str, text: str) -> None:
    """Check that rows of a board have the lengths and the letters they should. Raises PositionError.

    >>> read_rows(["bbb-", "b--w"], [4, 4, 4], "bw-", "(b bbb- b--w)")
    Traceback (most recent call last):
    ...
    gamesman.errors.PositionError: expected 3 rows of 4 cells of b, w or -, got 2 rows: (b bbb- b--w)
    """
    if len(set(lengths)) == 1:
        wanted = f"{len(lengths)} row{'s' * (len(lengths) != 1)} of {lengths[0]} cells"
    else:
        wanted = f"{len(lengths)} rows of {', '.join(map(str, lengths))} cells"
    wanted = f"expected {wanted} of {', '.join(letters[:-1])} or {letters[-1]}"
    if len(found) != len(lengths):
        raise PositionError(f"{wanted}, got {len(found)} row{'s' * (len(found) != 1)}: {shorten(text)}")
    for number, (row, length) in enumerate(zip(found, lengths, strict=True), 1):
        if len(row) != length:
            raise PositionError(f"{wanted}, got {len(row)} cells in row {number}: {shorten(text)}")
        wrong = set(row) - set(letters)
        if wrong:
            raise PositionError(f"{wanted}, got {shorten(min(wrong)) or 'a blank'}: {shorten(text)}")


def draw_grid(rows: Sequence[str]) -> str:
    """Draw a board with its coordinates, given its rows from the top.

    >>> print(draw_grid(["wb", "-w"]))
    2  w b
    1  - w
    <BLANKLINE>
       a b
    """
    width = len(str(len(rows)))
    lines = [f"{len(rows) - i:>{width}}  {' '.join(row)}" for i, row in enumerate(rows)]
    return "\n".join([*lines, "", " " * (width + 2) + " ".join(LETTERS[: len(rows[0])])])
