"""`capture` of Capture the Flag is done here: the call is checked, the best move searched, and its board returned."""

from collections.abc import Sequence

from gamesman.errors import CallError, NoAnswer, PositionError, shorten
from gamesman.games.ctf import ABSENT, Position, board_text, do_move, players, primitive, read_board
from gamesman.model.variant import variant
from gamesman.search.searcher import Searcher
from gamesman.values import UNDECIDED

Pieces = tuple[int, int, int, int]
Board = str | Sequence[str]  # a text, or its symbols one by one

SAMPLE = 'capture(["-wWw--www-------bbb--bBb-"], "w", 2)'


def best_board(history: Sequence[Board], player: str, depth: int) -> str | list[str]:
    """Return the board after the player's best move, in the form of the newest one; see gamesman.games.ctf."""
    given = {"history": history, "player": player, "depth": depth}
    if absent := [name for name, value in given.items() if value is ABSENT]:
        raise CallError(f"expected capture(history, player, depth), got no {' and no '.join(absent)}; like {SAMPLE}")
    texts = _texts(history)
    boards = _read_history(texts)
    if not isinstance(player, str) or player not in players:
        raise CallError(f"expected the player to move, w or b, got {shorten(repr(player))}")
    if not isinstance(depth, int) or isinstance(depth, bool) or depth < 1:
        raise CallError(f"expected a depth of 1 or more, got {shorten(repr(depth))}")
    played = variant(f"ctf:start={texts[0]},first={player}")
    root: Position = (*boards[0], list(players).index(player))
    been = [(*pieces, who) for pieces in boards for who in (0, 1)]
    move = Searcher(played).search(root, depth=depth, past=been).move
    if move is None:
        is_over = primitive(played.rules, root) != UNDECIDED
        reason = "the game is over" if is_over else "each would bring back a board that has been"
        raise NoAnswer(f"{players[player]} has no move left in {texts[0]}: {reason}")
    board = board_text(played.rules.size, do_move(played.rules, root, move))
    return board if isinstance(history[0], str) else list(board)


def _texts(history: Sequence[Board]) -> list[str]:
    """Return each board of a history as a text."""
    if isinstance(history, str) or not isinstance(history, Sequence) or not all(map(_is_board, history)):
        raise CallError(f"expected a list of boards, the newest first, got {shorten(repr(history))}; like {SAMPLE}")
    if not history:
        raise CallError("expected a list of boards, the newest first, got an empty one")
    return ["".join(board) for board in history]


def _is_board(board: object) -> bool:
    """Tell whether something is a text, or a list of symbols of one letter each."""
    if isinstance(board, str):
        return True
    return isinstance(board, Sequence) and all(isinstance(symbol, str) and len(symbol) == 1 for symbol in board)


def _read_history(history: Sequence[str]) -> list[Pieces]:
    read = [read_board(board) for board in history]
    for (size, _), board in zip(read, history, strict=True):
        if size != read[0][0]:
            wanted = f"expected boards of {len(history[0])} cells like the newest"
            raise PositionError(f"{wanted}, got {len(board)}: {shorten(board)}")
    return [pieces for _, pieces in read]
