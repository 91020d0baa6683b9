"""The play page is told of a position here: its value, what stands where, its moves with clicks and values."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from gamesman.errors import NotReachable, OptionError, PositionError, shorten
from gamesman.model.answers import MoveAnswer, Source, Worth
from gamesman.model.variant import Position, Variant
from gamesman.play.record import GameRecord
from gamesman.play.review import review
from gamesman.play.standing import ranked_legal
from gamesman.search.searcher import Searcher
from gamesman.values import NAMES, UNDECIDED, negate
from gamesman.web.boards import board_of, clicks
from gamesman.web.picture import placed

# More moves than this in the address of a page are no game that a person has played, nor can they be chosen from.
MOST_MOVES = 2000
# A position that is not solved is estimated so many moves ahead, as far as the time reaches.
ESTIMATE_DEPTH = 6


def read_record(
    variant: Variant,
    position: str | None = None,
    start: str | None = None,
    moves: Sequence[str] = (),
    been: Sequence[str] = (),
) -> GameRecord:
    """Return the game that an address tells of: a position, and how it was come to if that is told.

    >>> from gamesman.model.variant import variant
    >>> record = read_record(variant("konane"), '(b "" wbwb b--w w-wb)', None, ["b2-d2"])
    >>> record.names(), record.positions[0] == record.variant.start()
    (['b2-d2'], True)

    Raises PositionError or MoveError where it cannot be read, or where the moves lead elsewhere.
    """
    if len(moves) + len(been) > MOST_MOVES:
        raise PositionError(f"expected at most {MOST_MOVES} moves, got {len(moves) + len(been)}")
    wanted = variant.parse(position) if position else None
    before = [variant.parse(text) for text in been]
    if not moves and start is None:
        return GameRecord(variant, wanted, before)
    record = GameRecord(variant, variant.parse(start) if start else None, before)
    for move in moves:
        record.play(record.read_move(move))
    if wanted is not None and wanted != record.position:
        got = variant.show(record.position)
        raise PositionError(f"expected moves that lead to {shorten(position or '')}, got some that lead to {got}")
    return record


def node(record: GameRecord, stored: Source | None) -> dict[str, Any]:
    """Return what there is to know of the position of a game; no values without a database, or where it is not reached.

    >>> from gamesman.model.variant import variant
    >>> from gamesman.solver.reference import solve
    >>> konane = variant("konane")
    >>> found = node(GameRecord(konane), solve(konane))
    >>> found["turn"], found["value"], found["remoteness"], found["source"]
    (0, 'lose', 7, 'solved')
    >>> [(move["move"], move["clicks"], move["value"], move["delta"]) for move in found["moves"]]
    [('b2-d2', [5, 7], 'lose', 0)]
    """
    variant, position = record.variant, record.position
    end = record.end
    moves: list[MoveAnswer] | None = None
    worth: Worth | None = None
    if stored is not None:
        with suppress(NotReachable):
            worth = stored.probe(position)
            moves = ranked_legal(variant, stored, position, record.past)
    source = "solved" if worth is not None else "unreachable" if stored is not None else "unsolved"
    if end is not None and worth is None and variant.primitive(position) != UNDECIDED:
        worth = variant.primitive(position), 0
    return {
        "position": variant.show(position),
        "turn": variant.turn(position),
        "value": None if worth is None else NAMES[worth[0]],
        "remoteness": None if worth is None else worth[1],
        "source": source,
        "end": None if end is None else {"winner": end.winner, "reason": end.reason},
        "moves": _answered(variant, position, moves) if moves is not None else _unanswered(record),
        "barred": _barred(record),
        **placed(variant, position),
    }


def run(record: GameRecord, stored: Source | None) -> list[dict[str, Any]]:
    """Return the positions of a game from its beginning, each with whose turn it is and its value where it is known."""
    variant, found = record.variant, []
    for position in record.positions:
        worth: Worth | None = None
        if stored is not None:
            with suppress(NotReachable):
                worth = stored.probe(position)
        value, remoteness = (None, None) if worth is None else (NAMES[worth[0]], worth[1])
        fields = {"position": variant.show(position), "turn": variant.turn(position)}
        found.append(fields | {"value": value, "remoteness": remoteness})
    return found


def _answered(variant: Variant, position: Position, moves: Sequence[MoveAnswer]) -> list[dict[str, Any]]:
    return [
        _move(variant, position, answer.move)
        | {"value": answer.value, "remoteness": answer.remoteness, "delta": answer.delta, "sure": answer.is_sure}
        for answer in moves
    ]


def _unanswered(record: GameRecord) -> list[dict[str, Any]]:
    nothing = {"value": None, "remoteness": None, "delta": None, "sure": True}
    legal = record.legal_moves()
    if len(legal) > MOST_MOVES:
        raise OptionError(
            f"expected at most {MOST_MOVES} moves in a position, got {len(legal):,}; give a smaller board"
        )
    moves = [_move(record.variant, record.position, move) | nothing for move in legal]
    return sorted(moves, key=lambda move: str(move["move"]))


def _move(variant: Variant, position: Position, move: int) -> dict[str, Any]:
    child = variant.do_move(position, move)
    return {
        "move": variant.move_name(position, move),
        "position": variant.show(child),
        "turn": variant.turn(child),
        "clicks": clicks(variant, position, move),
        **placed(variant, child),
    }


def _barred(record: GameRecord) -> list[str]:
    """Return the moves that would bring back a position, where the game forbids that."""
    variant, position = record.variant, record.position
    if not record.forbids_repetition or variant.primitive(position) != UNDECIDED:
        return []
    legal = set(record.legal_moves())
    moves = (move for move in variant.generate_moves(position) if move not in legal)
    return sorted(variant.move_name(position, move) for move in moves)


def estimates(record: GameRecord, seconds: float, searcher: Searcher | None = None) -> list[dict[str, Any]]:
    """Search every move of a position that is not solved, for so many seconds in all; return what is found, best first.

    A value is certain where there is one; else the score says what the search thinks of it.

    >>> from gamesman.model.variant import variant
    >>> game = variant("ten_to_zero:total=4")
    >>> estimates(GameRecord(game), 1, Searcher(game, compiled=False))[0]
    {'move': '1', 'score': 1999998, 'value': 'win', 'remoteness': 2}
    """
    variant, legal = record.variant, record.legal_moves()
    searcher = searcher or Searcher(variant)
    found = []
    for move in legal:
        child = variant.do_move(record.position, move)
        seen = searcher.search(child, ESTIMATE_DEPTH, seconds / len(legal), record.past)
        is_same = variant.turn(child) == record.turn
        value = seen.value if seen.value is None or is_same else negate(seen.value)
        found.append(
            {
                "move": variant.move_name(record.position, move),
                "score": seen.score if is_same else -seen.score,
                "value": None if value is None else NAMES[value],
                "remoteness": seen.remoteness,
            }
        )
    return sorted(found, key=lambda move: (-move["score"], move["move"]))


def scorecard(record: GameRecord, stored: Source) -> list[dict[str, Any]]:
    """Return what every move of a game was worth, and what it gave away. Raises NotReachable."""
    turns = map(record.variant.turn, record.positions)
    return [
        {
            "number": step.number,
            "player": turn,
            "move": step.name,
            "value": step.value,
            "remoteness": step.remoteness,
            "comment": step.comment,
        }
        for turn, step in zip(turns, review(record, stored), strict=False)
    ]


def set_up(variant: Variant, letters: str, turn: str, fields: Sequence[str]) -> str:
    """Return the text of a position that was put together by hand. Raises PositionError where it cannot be.

    >>> from gamesman.model.variant import variant
    >>> set_up(variant("konane"), "w-wbbwb-wbwb", "w", [""])
    '(w "" wbwb bwb- w-wb)'
    """
    board = board_of(variant)
    if board is None:
        raise PositionError(f"{variant.game.name} has no board to set up; give the position as text")
    alphabet = {*variant.game.module.layout.pieces, "-"}
    if len(letters) != len(board) or {*letters} - alphabet:
        raise PositionError(f"expected {len(board)} cells of {' '.join(sorted(alphabet))}, got {shorten(letters)}")
    others = [field.strip() or '""' for field in fields]
    return variant.show(variant.parse(f"({' '.join([turn, *others, board.write(letters)])})"))
