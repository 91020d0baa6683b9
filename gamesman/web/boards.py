"""A program is told here what it draws a position from and reads clicks by: cells, what stands on them, moves.

It follows from the layout that a game declares; a game without one has its text and the names of its moves alone.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gamesman.boards import Board
    from gamesman.model.variant import Position, Variant


def board_of(variant: "Variant") -> "Board | None":
    """Return the board that a variant is played on, or None where the game tells of none."""
    layout = getattr(variant.game.module, "layout", None)
    if layout is None or not hasattr(layout, "letters"):
        return None
    board: Board = layout.board(variant.rules)
    return board


def board_json(variant: "Variant") -> dict[str, Any] | None:
    """Return what does not change during a game: the names of the cells, and where each is, right and up."""
    board = board_of(variant)
    return None if board is None else {"names": board.names, "at": board.at}


def cells(variant: "Variant", position: "Position") -> str | None:
    """Return the letter of what stands on each cell, - where it is empty, or None where there is no board."""
    board = board_of(variant)
    return None if board is None else str(variant.game.module.layout.letters(board, position))


def clicks(variant: "Variant", position: "Position", move: int) -> list[int] | None:
    """Return the cells to click for a move, in order: from and to, or the one cell; none of a pass, None where unknown.

    >>> from gamesman.model.variant import variant
    >>> konane = variant("konane")
    >>> [clicks(konane, konane.start(), move) for move in konane.generate_moves(konane.start())]
    [[5, 7]]
    """
    if variant.ends is None or (board := board_of(variant)) is None:
        return None
    found = list(variant.ends(position, move))
    return found if not found or 0 <= min(found) <= max(found) < len(board) else None
