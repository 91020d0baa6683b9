"""The texts of many positions are written at a time, as rows of bytes, where the game has them from its layout.

A row has a byte for every letter, and 0 where a shorter text has none: without these it is the text. A board is written
a few cells at a time: their bits in all masks together are a number, and a table says what is written for it.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from gamesman.boards import Board
from gamesman.layout import Cell, Count, Layout, Pieces
from gamesman.model.variant import Variant

TABLE_BITS = 12


class _Chunk(NamedTuple):
    """Holds cells that are written one after the other: what is written for the bits they have in all masks."""

    shifts: list[tuple[int, int, int]]  # of a mask: how far down, the bits that remain, and how far up again
    table: np.ndarray  # a row of bytes for each number


class Writer:
    """Writes positions of one variant; `writer` says whether it can."""

    def __init__(self, variant: Variant, layout: Layout):
        self._variant, self._layout = variant, layout
        self._board: Board = layout.board(variant.rules)
        self._players = list(getattr(variant.game.module, "players", "12"))
        self._masks = [i for i, field in enumerate(layout.fields) if isinstance(field, Pieces)]
        self._others = [i for i, field in enumerate(layout.fields) if isinstance(field, Cell | Count)]
        self._letters = np.array([*map(ord, _letters(layout.pieces))], np.uint8)
        self._chunks = list(self._make_chunks())

    def _make_chunks(self) -> Iterator[_Chunk]:
        """Yield the chunks of the board; the blank between two rows belongs to the chunk before it."""
        most = max(1, TABLE_BITS // max(1, len(self._masks)))
        rows = self._board.rows
        for number, row in enumerate(rows):
            cells = list(row)
            while cells:
                run = 1
                while run < min(most, len(cells)) and cells[run] == cells[0] + run:
                    run += 1
                masks = enumerate(self._masks)
                shifts = [(cells[0], (1 << run) - 1, at * run) for at, _ in masks]
                is_last = run == len(cells) and number < len(rows) - 1
                yield _Chunk(shifts, self._table(run, is_last))
                cells = cells[run:]

    def _table(self, run: int, has_blank: bool) -> np.ndarray:
        numbers = np.arange(1 << run * len(self._masks))
        table = np.full((len(numbers), run + has_blank), ord(" "), np.uint8)
        for cell in range(run):
            which = np.zeros(len(numbers), np.int64)
            for at in range(len(self._masks)):
                which |= (numbers >> (at * run + cell) & 1) << at
            table[:, cell] = self._letters[which]
        return table

    def rows(self, words: np.ndarray, turns: np.ndarray, *, is_csv: bool = False) -> np.ndarray:
        """Return the texts of positions, given by their numbers and who is to move; for CSV in quotes where need be."""
        heads, which = self._heads(words, turns)
        if is_csv:
            board = self._letters.tobytes().decode("latin-1")
            quoted = [_quoted(head, board) for head in heads]
            tail, heads = [end for end, _ in quoted], [head for _, head in quoted]
        else:
            tail = [")"] * len(heads)
        head, end = _table_of(heads), _table_of(tail)
        width = sum(chunk.table.shape[1] for chunk in self._chunks)
        found = np.empty((len(words), head.shape[1] + width + end.shape[1]), np.uint8)
        found[:, : head.shape[1]] = head[which]
        found[:, head.shape[1] + width :] = end[which]
        at = head.shape[1]
        for chunk in self._chunks:
            number = np.zeros(len(words), np.int64)
            for mask, (down, bits, up) in zip(self._masks, chunk.shifts, strict=True):
                number |= (words[:, mask] >> down & bits) << up
            found[:, at : at + chunk.table.shape[1]] = chunk.table[number]
            at += chunk.table.shape[1]
        return found

    def _heads(self, words: np.ndarray, turns: np.ndarray) -> tuple[list[str], np.ndarray]:
        """Return what stands before the boards, and the number of it for each position."""
        if not self._others:
            return [f"({letter} " for letter in self._players], turns
        columns = np.column_stack([turns.astype(np.int64), words[:, self._others]])
        kinds, which = np.unique(columns, axis=0, return_inverse=True)
        heads = []
        for who, *others in kinds.tolist():
            texts = [self._layout.text_of(self._board, i, n) for i, n in zip(self._others, others, strict=True)]
            heads.append(f"({self._players[who]} {''.join(f'{text} ' for text in texts)}")
        return heads, which.ravel()

    def cells(self, words: np.ndarray) -> np.ndarray:
        """Return the letter on each cell, by the numbers of cells, a row a position; - where a cell is empty."""
        which = np.zeros((len(words), len(self._board)), np.int64)
        numbers = np.arange(len(self._board))
        for at, mask in enumerate(self._masks):
            which |= (words[:, mask, None] >> numbers & 1) << at
        found: np.ndarray = self._letters[which].view("S1").astype("U1")
        return found


def writer(variant: Variant) -> Writer | None:
    """Return what writes positions of a variant, or None where the game writes them itself.

    >>> from gamesman.model.variant import variant
    >>> v = variant("tictactoe")
    >>> rows = writer(v).rows(np.array([[1, 0], [0b11, 0b100]]), np.array([1, 0]))
    >>> [row.tobytes().decode() for row in rows], v.show((1, 0))
    (['(o --- --- x--)', '(x --- --- xxo)'], '(o --- --- x--)')
    >>> writer(variant("ten_to_zero")) is None
    True
    """
    layout = getattr(variant.game.functions["show"], "of_layout", None)
    if layout is None or len(layout.pieces) > TABLE_BITS or not layout.pieces.isascii() or '"' in layout.pieces:
        return None
    if any(not letter.isascii() for letter in getattr(variant.game.module, "players", "12")):
        return None
    if len(layout.board(variant.rules)) > 63:  # a mask fits no machine word
        return None
    return Writer(variant, layout)


def joined(rows: np.ndarray) -> tuple[bytes, np.ndarray]:
    """Return the texts of rows one after the other, and how long each is.

    >>> joined(np.frombuffer(b"a\\0bcd\\0", np.uint8).reshape(2, 3))
    (b'abcd', array([2, 2]))
    """
    there = rows != 0
    return rows[there].tobytes(), there.sum(axis=1)


def _letters(pieces: str) -> Iterator[str]:
    """Yield the letter of a cell for the bits that it has in all masks, the first of them lowest."""
    for bits in range(1 << len(pieces)):
        found = [piece for i, piece in enumerate(pieces) if bits >> i & 1]
        yield found[0] if found else "-"


def _quoted(head: str, board: str) -> tuple[str, str]:
    """Return the end and the head of a text as CSV has them."""
    if any(letter in head + board for letter in '",\r\n'):
        return ')"', '"' + head.replace('"', '""')
    return ")", head


def _table_of(texts: list[str]) -> np.ndarray:
    """Return texts as rows of bytes, 0 where one is shorter than another."""
    array = np.array([text.encode("ascii") for text in texts])
    found: np.ndarray = array.view(np.uint8).reshape(len(texts), array.dtype.itemsize)
    return found
