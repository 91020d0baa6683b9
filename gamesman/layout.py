"""What a position is made of, declared; from which follow its number, its notation and the names of its moves.

    layout = Layout(board, Pieces("x"), Pieces("o"), Turn())

says that a position is the cells of x, the cells of o and whose turn it is, on the board that the game's own function
`board(rules)` returns. The functions that follow from it are listed in `Layout.functions`; what a game writes itself,
wins. Of the rules it reads the fields `cells`, how many there are; `numbering`, if positions are numbered by counts of
pieces (see gamesman/numbering.py); and `turned`, if the board can be turned (see gamesman/symmetry.py).
"""

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from gamesman.boards import Board
from gamesman.errors import PositionError, shorten
from gamesman.layout_source import generated
from gamesman.moves import ends
from gamesman.naming import move_name, move_reader
from gamesman.notation import read_fields, read_rows, read_turn
from gamesman.numbering import check_pieces, place_counts

Position = tuple[int, ...]
Functions = dict[str, Callable[..., Any]]


@dataclass(frozen=True)
class Pieces:
    """The cells of one kind of piece, as a mask; in texts, its letter."""

    letter: str


@dataclass(frozen=True)
class Turn:
    """Whose turn it is, 0 or 1; where it follows from the pieces, leave it out and write `turn`."""


@dataclass(frozen=True)
class Cell:
    """A cell, or -1 for none, which is written "" in texts; it comes after the player to move."""


@dataclass(frozen=True)
class Count:
    """A number from 0 to a field of the rules; in texts it comes after the player to move."""

    most: str


class Layout:
    """The fields of a position, on a board."""

    def __init__(self, board: Callable[[Any], Board], *fields: Pieces | Turn | Cell | Count):
        self.board = board
        self.fields = fields
        self.pieces = "".join(field.letter for field in fields if isinstance(field, Pieces))
        self._masks = [i for i, field in enumerate(fields) if isinstance(field, Pieces)]
        self._turn = next((i for i, field in enumerate(fields) if isinstance(field, Turn)), -1)
        self._others = [i for i, field in enumerate(fields) if isinstance(field, Cell | Count)]
        self._letters = _letters(self.pieces)

    def functions(self, module: ModuleType) -> Functions:
        """The functions of a game that follow from its layout and that it has not written.

        hash unhash key_bound turn; tier tier_keys tier_name where there is a numbering; symmetries where the board can
        be turned; show parse draw; and of moves as in gamesman/moves.py ends move_name parse_move.
        """
        fields = getattr(getattr(module, "Rules", None), "_fields", ())
        found: Functions = generated(self.fields, fields, module.__name__)
        players = list(getattr(module, "players", "12"))

        def show(rules: Any, position: Position) -> str:
            others = "".join(f"{self._text(rules, i, position[i])} " for i in self._others)
            who = position[self._turn] if self._turn >= 0 else module.turn(rules, position)
            return f"({players[who]} {others}{self.board(rules).write(self.letters(rules, position))})"

        def parse(rules: Any, text: str) -> Position:
            return self._parse(module, rules, players, text)

        def draw(rules: Any, position: Position) -> str:
            return self.board(rules).draw(self.letters(rules, position))

        found |= {"show": show, "parse": parse, "draw": draw}
        found |= {
            "ends": lambda rules, position, move: ends(move),
            "move_name": lambda rules, position, move: move_name(self.board(rules), module.ends(rules, position, move)),
            "parse_move": move_reader(module, self.board),
        }
        if "numbering" in fields:
            found["tier_name"] = self._tier_name
        return {name: function for name, function in found.items() if not callable(getattr(module, name, None))}

    def letters(self, rules: Any, position: Position) -> str:
        """What stands on each cell: one letter a cell, - where it is empty."""
        cells = len(self.board(rules))
        masks = [f"{position[i]:0{cells}b}"[::-1] for i in self._masks]
        return "".join(map(self._letters.__getitem__, zip(*masks, strict=True)))

    def _text(self, rules: Any, i: int, value: int) -> str:
        if isinstance(self.fields[i], Count):
            return str(value)
        return self.board(rules).names[value] if value >= 0 else '""'

    def _read(self, rules: Any, i: int, text: str, whole: str) -> int:
        field = self.fields[i]
        if isinstance(field, Count):
            if text not in map(str, range(getattr(rules, field.most) + 1)):
                most = getattr(rules, field.most)
                raise PositionError(f"expected a number from 0 to {most}, got {shorten(text)}: {shorten(whole)}")
            return int(text)
        return -1 if text == '""' else self.board(rules).cell(text)

    def _parse(self, module: ModuleType, rules: Any, players: list[str], text: str) -> Position:
        board = self.board(rules)
        found = read_fields(text, module.show(rules, module.start(rules)))
        who = read_turn(found[0], players, text)
        rows = 1 + len(self._others)
        if len(found) < rows:
            wanted = "a number" if isinstance(self.fields[self._others[len(found) - 1]], Count) else 'a cell or ""'
            raise PositionError(f"expected {wanted} after the player to move, got nothing: {shorten(text)}")
        read_rows(found[rows:], [len(row) for row in board.rows], self.pieces + "-", text)
        letters = board.read(found[rows:])[::-1]
        position = [0] * len(self.fields)
        for i, letter in zip(self._masks, self.pieces, strict=True):
            others = self.pieces.replace(letter, "") + "-"
            position[i] = int(letters.translate(str.maketrans(letter + others, "1" + "0" * len(others))), 2)
        for i, word in zip(self._others, found[1:], strict=False):
            position[i] = self._read(rules, i, word, text)
        if self._turn >= 0:
            position[self._turn] = who
        self._check(module, rules, tuple(position), who, text)
        return tuple(position)

    def _check(self, module: ModuleType, rules: Any, position: Position, who: int, text: str) -> None:
        """Refuse what cannot arise: by the game's own word, by numbers of pieces, by a number that is another's."""
        if hasattr(module, "problem") and (problem := module.problem(rules, position)):
            raise PositionError(f"{problem}: {shorten(text)}")
        if hasattr(rules, "numbering"):
            first, second = (*(position[i] for i in self._masks), 0)[:2]
            check_pieces(rules.numbering, self.pieces, (first, second, who), text)
        if module.turn(rules, position) != who:
            raise PositionError(f"expected the other player to move with these pieces: {shorten(text)}")
        if module.unhash(rules, module.hash(rules, position)) != position:
            raise PositionError(f"expected a position that can arise in the game, got {shorten(text)}")

    def _tier_name(self, rules: Any, tier: int) -> str:
        counts = place_counts(rules.numbering, tier)
        return ", ".join(f"{count} {letter}" for count, letter in zip(counts, self.pieces, strict=False))


def _letters(pieces: str) -> dict[tuple[str, ...], str]:
    """The letter of a cell, by the bits of all masks there."""
    found = {("0",) * len(pieces): "-"}
    for i, letter in enumerate(pieces):
        found[tuple("1" if j == i else "0" for j in range(len(pieces)))] = letter
    return found
