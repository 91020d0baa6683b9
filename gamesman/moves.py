"""Moves are ints here: a cell where a piece is put, a step from one cell to another, or a pass."""

PASS = -1
_TO = (1 << 20) - 1  # room for the cells of any board


def step(origin: int, target: int) -> int:
    """Return the move from a cell to another; a move that only puts something on a cell is the cell itself.

    >>> move = step(2, 7)
    >>> move_from(move), move_to(move), move_from(7), move_to(7)
    (2, 7, -1, 7)
    """
    return origin + 1 << 20 | target


def move_from(move: int) -> int:
    """Return the cell that a step begins at; -1 where the move is a cell."""
    return (move >> 20) - 1


def move_to(move: int) -> int:
    """Return the cell that a move ends at."""
    return move & _TO


def touched(move: int) -> int:
    """Return the mask of the cells of a move that is no pass: what it changes where a piece is put, or steps.

    >>> bin(touched(1)), bin(touched(step(0, 2)))
    ('0b10', '0b101')
    """
    return 1 << (move & _TO) | (1 << (move >> 20)) >> 1


def ends(move: int) -> tuple[int, ...]:
    """Return the cells of a move: none of a pass, one, or two.

    >>> ends(PASS), ends(7), ends(step(2, 7))
    ((), (7,), (2, 7))
    """
    if move < 0:
        return ()
    return (move_to(move),) if move_from(move) < 0 else (move_from(move), move_to(move))
