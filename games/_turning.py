"""The turns and mirror images of a board of rows and columns: what the symmetries of several games are made of."""


def turned_cells(rows: int, cols: int) -> tuple[tuple[int, ...], ...]:
    """For each turn and mirror image that fits the board, where each cell goes; cells count row by row from a1.

    >>> turned_cells(1, 3)
    ((2, 1, 0), (0, 1, 2), (2, 1, 0))
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
                    found.append(tuple(cells))
    return tuple(found)


def turned_masks(rows: int, cols: int, width: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """For each of those, a row for every `width` cells, of the images of the masks on them: to be ORed together.

    >>> turned_masks(1, 3, 2)[0]
    ((0, 4, 2, 6), (0, 1, 0, 1))
    """
    return tuple(
        tuple(
            tuple(_image(cells[first : first + width], mask) for mask in range(1 << width))
            for first in range(0, rows * cols, width)
        )
        for cells in turned_cells(rows, cols)
    )


def _image(cells: tuple[int, ...], mask: int) -> int:
    return sum(1 << cell for i, cell in enumerate(cells) if mask >> i & 1)
