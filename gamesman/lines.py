"""Masks are moved by a step here, and lines found in them, by functions that compile."""

from typing import Any


def shifted(mask: int, step: int) -> int:
    """Move every cell of a mask by a step; what could leave the board must have been taken out before.

    >>> bin(shifted(0b0110, 1)), bin(shifted(0b0110, -1))
    ('0b1100', '0b11')
    """
    return mask << step if step >= 0 else mask >> -step


def has_line(axes: Any, mask: int, length: int) -> bool:
    """Tell whether so many cells of a mask follow one another in a line; `axes` is what Board.axes returns.

    >>> has_line(((1, 0b011011), (3, 0b000111)), 0b000110, 2), has_line(((1, 0b011011), (3, 0b000111)), 0b001100, 2)
    (True, False)
    """
    for i in range(len(axes)):
        run = mask  # the cells that begin a line of 1, 2, ...
        for _ in range(length - 1):
            run = mask & axes[i][1] & run >> axes[i][0]
        if run:
            return True
    return False


def holds_one(lines: Any, mask: int) -> bool:
    """Tell whether a mask has all cells of one of some lines; on larger boards `has_line` is faster.

    >>> holds_one((0b011, 0b110), 0b111), holds_one((0b011, 0b110), 0b101)
    (True, False)
    """
    for line in lines:
        if mask & line == line:
            return True
    return False
