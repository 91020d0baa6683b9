"""Moves that are cells of a board have names here, and a text that names no legal one is told why."""

from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from gamesman.boards import Board
from gamesman.errors import MoveError, PositionError, shorten
from gamesman.values import UNDECIDED

WIDTH = 80  # letters of a list of moves, where it is part of a message


def move_name(board: Board, cells: Sequence[int]) -> str:
    """Return the name of a move with these cells: b2, a1-b2, or pass where there are none."""
    return board.joint.join(board.names[cell] for cell in cells) or "pass"


def move_reader(module: ModuleType, board_of: Callable[[Any], Board]) -> Callable[..., int]:
    """Make the `parse_move` of a game whose moves are named by their cells: it finds a legal move, or says why not."""

    latest: tuple[Any, Any, dict[str, int]] = None, None, {}

    def moves_of(rules: Any, position: Any) -> dict[str, int]:
        """Return the legal moves by their names; whoever reads one of them often reads the others, too."""
        nonlocal latest
        its_rules, its_position, moves = latest
        if its_rules is not rules or its_position != position:
            names = ((module.move_name(rules, position, move), move) for move in module.generate_moves(rules, position))
            moves = dict(names)
            latest = rules, position, moves
        return moves

    def parse_move(rules: Any, position: Any, text: str) -> int:
        board, name = board_of(rules), text.strip()
        said = shorten(name) or "nothing"
        if module.primitive(rules, position) != UNDECIDED:
            raise MoveError(f"{said}: the game is over")
        moves = moves_of(rules, position)
        if name in moves:
            return moves[name]
        legal = [tuple(module.ends(rules, position, move)) for move in moves.values()]
        some = _some(sorted(moves))
        if {move_name(board, cells) for cells in legal} != {*moves}:  # the game has names of its own
            raise MoveError(f"{said} is no move here; moves: {some}")
        if name == "pass":
            raise MoveError(f"pass is for where there is no other move, and there is: {some}")
        try:
            cells = tuple(map(board.cell, name.split(board.joint)))
        except PositionError as error:
            raise MoveError(str(error) if {*map(len, legal)} == {1} else f"{error}; moves: {some}") from None
        onward = sorted({board.names[ends[1]] for ends in legal if ends[:1] == cells[:1] and len(ends) > 1})
        if len(cells) == 2 and onward:
            raise MoveError(f"{said}: from {board.names[cells[0]]} a move goes to {_some(onward)}")
        layout = module.layout
        if len(cells) == 1 and layout.letters(board, position)[cells[0]] != "-" and {*map(len, legal)} == {1}:
            raise MoveError(f"{said} is taken")
        raise MoveError(f"{said} is no move here; moves: {some}")

    return parse_move


def _some(names: Sequence[str]) -> str:
    """List names, no more than fit a line.

    >>> _some(["a1-a2"] * 50)[-16:]
    ' a1-a2, a1-a2, …'
    """
    text = ", ".join(names)
    return text if len(text) <= WIDTH else f"{text[: WIDTH - 1].rpartition(', ')[0]}, …"
