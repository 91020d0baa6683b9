"""`capture` of Capture the Flag is done here: the call is checked, the best move searched, and its board returned."""

from collections.abc import Sequence

from gamesman.errors import CallError, NoAnswer, PositionError, shorten
from gamesman.games.ctf import Position, board_text, do_move, players, primitive, read_board
from gamesman.model.variant import variant
from gamesman.search.searcher import Searcher
from gamesman.values import UNDECIDED

Pieces = tuple[int, int, int, int]


def best_board(history: Sequence[str], player: str, depth: int) -> str:
    """Return the board after the player's best move; see gamesman.games.ctf.capture."""
    boards = _read_history(history)
    if not isinstance(player, str) or player not in players:
        raise CallError(f"expected the player to move, w or b, got {shorten(repr(player))}")
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
        raise CallError(f"expected a depth of 1 or more, got {shorten(repr(depth))}")
    played = variant(f"ctf:start={history[0]},first={player}")
    root: Position = (*boards[0], list(players).index(player))
    been = [(*pieces, who) for pieces in boards for who in (0, 1)]
    move = Searcher(played).search(root, depth=depth, past=been).move
    if move is None:
        is_over = primitive(played.rules, root) != UNDECIDED
        reason = "the game is over" if is_over else "each would bring back a board that has been"
        raise NoAnswer(f"{players[player]} has no move left in {history[0]}: {reason}")
    return board_text(played.rules.size, do_move(played.rules, root, move))


def _read_history(history: Sequence[str]) -> list[Pieces]:
    if isinstance(history, str) or not isinstance(history, Sequence) or not all(isinstance(b, str) for b in history):
        raise CallError(f"expected a list of boards, the newest first, got {shorten(repr(history))}")
    if not history:
        raise CallError("expected a list of boards, the newest first, got an empty one")
    read = [read_board(board) for board in history]
    for (size, _), board in zip(read, history, strict=True):
        if size != read[0][0]:
            wanted = f"expected boards of {len(history[0])} cells like the newest"
            raise PositionError(f"{wanted}, got {len(board)}: {shorten(board)}")
    return [pieces for _, pieces in read]
