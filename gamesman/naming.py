"""The names of moves that are cells of a board, and why a text names no legal one."""

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from gamesman.boards import Board
from gamesman.errors import MoveError, PositionError, shorten
from gamesman.values import UNDECIDED


def move_name(board: Board, cells: Sequence[int]) -> str:
    """The name of a move with these cells: b2, a1-b2, or pass where there are none."""
    return board.joint.join(board.names[cell] for cell in cells) or "pass"


def move_reader(module: ModuleType, board_of: Callable[[Any], Board]) -> Callable[..., int]:
    """The `parse_move` of a game whose moves are named by their cells: a legal move, or why it is none."""

    def parse_move(rules: Any, position: Any, text: str) -> int:
        board = board_of(rules)
        name = shorten(text)
        if module.primitive(rules, position) != UNDECIDED:
            raise MoveError(f"{name or 'nothing'}: the game is over")
        moves = {module.move_name(rules, position, move): move for move in module.generate_moves(rules, position)}
        if text.strip() in moves:
            return moves[text.strip()]
        legal = [tuple(module.ends(rules, position, move)) for move in moves.values()]
        try:
            cells = tuple(map(board.cell, (text.strip() or "nothing").split(board.joint)))
        except PositionError as error:
            if text.strip() == "pass":
                raise MoveError(f"pass: there are other moves, like {min(moves)}") from None
            raise MoveError(f"expected a move like {min(moves)}; {error}") from None
        onward = sorted({board.names[ends[1]] for ends in legal if ends[:1] == cells[:1] and len(ends) > 1})
        if len(cells) == 2 and onward:
            raise MoveError(f"{name}: from {board.names[cells[0]]} a move goes to {shorten(', '.join(onward))}")
        if all(len(ends) == 1 for ends in legal) and len(cells) == 1:
            raise MoveError(f"{name} is not free for a move; legal: {shorten(', '.join(moves), 120)}")
        raise MoveError(f"{name}: no move {'goes so' if len(cells) == 1 else 'begins there'}, one is {min(moves)}")

    return parse_move
