"""The answer to a position is written as JSON here, as `json.dumps` would write it, in a fifth of the time.

The fields are those of `query --json`, and what a page draws besides: `delta` and `clicks` of each move, `cells`.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING

from gamesman.model.answers import MoveAnswer, PositionAnswer
from gamesman.web.boards import board_of, cells

if TYPE_CHECKING:
    from gamesman.model.variant import Position, Variant

MOST_CLICKS = 4096  # of different moves, whose text is kept


class PositionWriter:
    """Writes the answers to positions of one variant."""

    def __init__(self, variant: "Variant", fingerprint: str):
        self._variant, self._fingerprint = variant, _quoted(fingerprint)
        board = board_of(variant)
        self._cells = 0 if board is None else len(board)
        self._clicked: Callable[[tuple[int, ...]], str] = lru_cache(MOST_CLICKS)(self._clicks)

    def write(self, answer: PositionAnswer) -> bytes:
        """Write what a position is worth, and its moves.

        >>> from gamesman.model.answers import query
        >>> from gamesman.model.variant import variant
        >>> from gamesman.solver.reference import solve
        >>> v = variant("ten_to_zero:total=1")
        >>> PositionWriter(v, "f").write(query(v, solve(v), (1, 0)))[:80].decode()
        '{"position":"(1 1)","turn":"1","value":"win","remoteness":1,"moves":[{"move":"1"'
        """
        position = answer.position
        moves = ",".join([self._move(position, move) for move in answer.moves])
        there = cells(self._variant, position)
        return (
            f'{{"position":{_quoted(answer.text)},"turn":{_quoted(answer.turn)},"value":"{answer.value}",'
            f'"remoteness":{_number(answer.remoteness)},"moves":[{moves}],'
            f'"cells":{"null" if there is None else _quoted(there)},"fingerprint":{self._fingerprint}}}'
        ).encode()

    def _move(self, position: "Position", move: MoveAnswer) -> str:
        ends = self._variant.ends
        clicked = "null" if ends is None or not self._cells else self._clicked(tuple(ends(position, move.move)))
        return (
            f'{{"move":{_quoted(move.name)},"position":{_quoted(move.text)},"turn":{_quoted(move.turn)},'
            f'"value":"{move.value}","remoteness":{_number(move.remoteness)},"delta":{_number(move.delta)},'
            f'"clicks":{clicked}}}'
        )

    def _clicks(self, found: tuple[int, ...]) -> str:
        """Write the cells to click for a move, as gamesman.web.boards tells them."""
        return json.dumps([*found] if all(0 <= cell < self._cells for cell in found) else None, separators=(",", ":"))


def _number(number: int | None) -> str:
    return "null" if number is None else str(number)


def _quoted(text: str) -> str:
    return encode_basestring_ascii(text) if type(text) is str else json.dumps(text, separators=(",", ":"))
