"""Boards are written straight from their masks here: a text is a number, a byte a letter, and pieces are added to it.

An empty board is a number. A piece adds to it how far its letter is beyond the one of an empty cell, at the place where
its cell is written. Eight cells of a mask at a time, a table says where these places are:

    squares(2, 2), x on a1         "-- --"     0x2d2d202d2d
    what is added                              0x000000xx00     xx = ord("x") - ord("-")
"""

from collections.abc import Sequence
from itertools import count

from gamesman.boards import Board

EMPTY = "-"
MOST_CELLS = 64  # the tables of larger boards would be large, too


class Writer:
    """Writes positions on one board, whose pieces have these letters.

    >>> from gamesman.boards import squares
    >>> Writer(squares(2, 2), "xo").write([0b0001, 0b1000])
    '-o x-'
    """

    def __init__(self, board: Board, pieces: str):
        text = board.write(EMPTY * len(board))
        self._letters = len(text)
        self._empty = int.from_bytes(text.encode("ascii"), "big")
        self._beyond = ~board.full
        self._added = [ord(letter) - ord(EMPTY) for letter in pieces]
        place = dict[int, int]()
        end = count(len(text) - 1, -1)
        for row in board.rows:
            place |= {cell: 1 << 8 * next(end) for cell in row}
            next(end)  # the blank between rows
        self._places = [_sums([place[cell] for cell in range(low, min(low + 8, len(board)))]) for low in _bytes(board)]

    def write(self, masks: Sequence[int]) -> str | None:
        """Return the rows of a board with these pieces; None where two are on one cell, or one is on none."""
        text, taken = self._empty, self._beyond
        for mask, added in zip(masks, self._added, strict=True):
            if mask & taken:
                return None
            taken |= mask
            places = 0
            for sums in self._places:
                places |= sums[mask & 255]
                mask >>= 8
            text += places * added
        return text.to_bytes(self._letters, "big").decode("ascii")


def can_write(board: Board, pieces: str) -> bool:
    """Tell whether a board is small enough for tables, and all letters are a byte."""
    return 0 < len(board) <= MOST_CELLS and pieces.isascii()


def _bytes(board: Board) -> range:
    return range(0, len(board), 8)


def _sums(places: Sequence[int]) -> list[int]:
    """Return the sum of the places of each set of cells, in the order of the sets' masks."""
    found = [0]
    for place in places:
        found += [place | each for each in found]
    return found
