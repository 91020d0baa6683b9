"""The answer to a position is written as JSON here, as `json.dumps` would write it, in a fifth of the time.

The fields are those of `query --json`, and what a page draws besides: `delta` and `clicks` of each move, `cells`.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from json.encoder import encode_basestring_ascii
from typing import TYPE_CHECKING

from gamesman.model.answers import Weighed, delta
from gamesman.values import NAMES
from gamesman.web.boards import board_of

if TYPE_CHECKING:
    from gamesman.model.variant import Position, Variant

MOST_CLICKS = 4096  # of different moves, whose text is kept


class PositionWriter:
    """Writes the answers to positions of one variant."""

    def __init__(self, variant: "Variant", fingerprint: str):
        self._variant, self._fingerprint = variant, _quoted(fingerprint)
        self._board = board_of(variant)
        self._cells = 0 if self._board is None else len(self._board)
        self._players = [*variant.game.players]
        self._worths: dict[tuple[int, int, int | None, int | None], str] = {}
        self._clicked: Callable[[tuple[int, ...]], str] = lru_cache(MOST_CLICKS)(self._clicks)
        self._of_move = lru_cache(MOST_CLICKS)(self._about) if self._is_by_move() else None

    def write(self, position: "Position", value: int, remoteness: int | None, moves: list[Weighed]) -> bytes:
        """Write what a position is worth, and its moves.

        >>> from gamesman.model.answers import weighed
        >>> from gamesman.model.variant import variant
        >>> from gamesman.solver.reference import solve
        >>> v = variant("ten_to_zero:total=1")
        >>> PositionWriter(v, "f").write((1, 0), 3, 1, weighed(v, solve(v), (1, 0)))[:80].decode()
        '{"position":"(1 1)","turn":"1","value":"win","remoteness":1,"moves":[{"move":"1"'
        """
        try:
            return self._write(position, value, remoteness, moves, encode_basestring_ascii).encode()
        except TypeError:  # a game of somebody's that writes other than texts
            return self._write(position, value, remoteness, moves, _quoted).encode()

    def _write(
        self,
        position: "Position",
        value: int,
        remoteness: int | None,
        moves: list[Weighed],
        quoted: Callable[[str], str],
    ) -> str:
        of, board, worths, clicked, of_move = self._variant, self._board, self._worths, self._clicked, self._of_move
        show, turn, ends = of.show, of.turn, None if board is None else of.ends
        clicks, best, texts = "null", moves[:1], []
        for order, name, move, child, own, then in moves:
            worth = turn(child), own, then, delta(order, own, *best)
            told = worths.get(worth) or self._told(worth)
            if of_move is not None:
                named, clicks = of_move(move)
            else:
                named = f'{{"move":{quoted(name)},"position":'
                if ends is not None:
                    clicks = clicked(tuple(ends(position, move)))
            texts.append(f"{named}{quoted(show(child))}{told}{clicks}}}")
        there = "null" if board is None else quoted(str(of.game.module.layout.letters(board, position)))
        return (
            f'{{"position":{quoted(show(position))},"turn":{_quoted(of.letter(position))},"value":"{NAMES[value]}",'
            f'"remoteness":{_number(remoteness)},"moves":[{",".join(texts)}],'
            f'"cells":{there},"fingerprint":{self._fingerprint}}}'
        )

    def _is_by_move(self) -> bool:
        """Tell whether a move's name and its clicks are the same in all positions."""
        ends = None if self._board is None else self._variant.ends
        return hasattr(self._variant.move_name, "of_move") and hasattr(ends, "of_move")

    def _about(self, move: int) -> tuple[str, str]:
        """Write how what is said of such a move begins and ends."""
        name, ends = self._variant.move_name((), move), self._variant.ends
        assert ends is not None
        return f'{{"move":{_quoted(name)},"position":', self._clicks(tuple(ends((), move)))

    def _told(self, worth: tuple[int, int, int | None, int | None]) -> str:
        """Write who moves after a move and what it is worth, and keep it."""
        turn, own, remoteness, given_away = worth
        found = self._worths[worth] = (
            f',"turn":{_quoted(self._players[turn])},"value":"{NAMES[own]}","remoteness":{_number(remoteness)},'
            f'"delta":{_number(given_away)},"clicks":'
        )
        return found

    def _clicks(self, found: tuple[int, ...]) -> str:
        """Write the cells to click for a move, as gamesman.web.boards tells them."""
        return json.dumps([*found] if all(0 <= cell < self._cells for cell in found) else None, separators=(",", ":"))


def _number(number: int | None) -> str:
    return "null" if number is None else str(number)


def _quoted(text: str) -> str:
    return encode_basestring_ascii(text) if type(text) is str else json.dumps(text, separators=(",", ":"))
