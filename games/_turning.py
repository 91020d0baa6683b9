"""The turns and mirror images of a board, and what they make of masks: of this the symmetries of games are made.

The image of a mask is looked up for 8 cells at a time. A game gives only the turns that leave its start as it is: the
solver would find out by itself, but each image takes time for every move.
"""

from collections.abc import Iterable

Table = tuple[tuple[int, ...], ...]  # for every 8 cells, the images of the masks on them


def turned_cells(rows: int, cols: int) -> list[list[int]]:
    """For each turn and mirror image that fits the board, where each cell goes; cells count row by row from a1.

    >>> turned_cells(1, 3)
    [[2, 1, 0], [0, 1, 2], [2, 1, 0]]
    >>> len(turned_cells(3, 3))
    7
    """
    found = []
    for is_swapped in (False, True) if rows == cols else (False,):
        for is_upside_down in (False, True):
            for is_mirrored in (False, True):
                cells = []
                for cell in range(rows * cols):
                    row, col = divmod(cell, cols)
                    if is_swapped:
                        row, col = col, row
                    row = rows - 1 - row if is_upside_down else row
                    col = cols - 1 - col if is_mirrored else col
                    cells.append(row * cols + col)
                if is_swapped or is_upside_down or is_mirrored:
                    found.append(cells)
    return found


def keeping(turns: Iterable[list[int]], *masks: int) -> list[list[int]]:
    """Those of the turns that leave some masks as they are; if none does, one that leaves every cell where it is.

    >>> keeping(turned_cells(1, 3), 0b001), keeping(turned_cells(1, 3), 0b101)[0]
    ([[0, 1, 2]], [2, 1, 0])
    """
    every = list(turns)
    return [cells for cells in every if all(_moved(cells, mask) == mask for mask in masks)] or [
        list(range(len(every[0])))
    ]


def mask_table(cells: list[int]) -> Table:
    """The table with which `image` finds the images of masks.

    >>> image(mask_table([2, 1, 0]), 0b011)
    6
    """
    return tuple(
        tuple(_moved(cells[first : first + 8], mask) for mask in range(256)) for first in range(0, len(cells), 8)
    )


def _moved(cells: list[int], mask: int) -> int:
    return sum(1 << cell for i, cell in enumerate(cells) if mask >> i & 1)


def image(table: Table, mask: int) -> int:
    """What a turn makes of a mask."""
    found = 0
    for i in range(len(table)):
        found |= table[i][mask >> 8 * i & 255]
    return found
