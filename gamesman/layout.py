"""A game declares here what a position is made of; its number, its notation and the names of moves follow from it.

    layout = Layout(board, Pieces("x"), Pieces("o"), Turn())

says that a position is the cells of x, the cells of o and whose turn it is, on the board that the game's own function
`board(rules)` returns. The functions that follow from it are listed in `Layout.functions`; what a game writes itself,
wins. Of the rules it reads the fields `cells`, how many there are; `numbering`, if positions are numbered by counts of
pieces (see gamesman/numbering.py); and `turned`, if the board can be turned (see gamesman/turning.py).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from types import ModuleType
from typing import Any

from gamesman.boards import Board
from gamesman.errors import PositionError, shorten
from gamesman.layout_source import generated
from gamesman.moves import ends
from gamesman.naming import move_name, move_reader
from gamesman.notation import read_fields, read_rows, read_turn
from gamesman.numbering import check_pieces, place_counts
from gamesman.writing import Pattern, can_write, shower

Position = tuple[int, ...]
Functions = dict[str, Callable[..., Any]]


@dataclass(frozen=True)
class Pieces:
    """Holds the cells of one kind of piece, as a mask; texts have its letter."""

    letter: str


@dataclass(frozen=True)
class Turn:
    """Says whose turn it is, 0 or 1; where it follows from the pieces, leave it out and write `turn`."""


@dataclass(frozen=True)
class Cell:
    """Holds a cell, or -1 for none, which is written "" in texts; it comes after the player to move."""


@dataclass(frozen=True)
class Count:
    """Holds a number from 0 to a field of the rules; in texts it comes after the player to move."""

    most: str


class Layout:
    """Declares the fields of a position, on a board."""

    def __init__(self, board: Callable[[Any], Board], *fields: Pieces | Turn | Cell | Count):
        _check(board, fields)
        self.board = board
        self.fields = fields
        self.pieces = "".join(field.letter for field in fields if isinstance(field, Pieces))
        self._masks = [i for i, field in enumerate(fields) if isinstance(field, Pieces)]
        self._turn = next((i for i, field in enumerate(fields) if isinstance(field, Turn)), -1)
        self._others = [i for i, field in enumerate(fields) if isinstance(field, Cell | Count)]
        self._letters = _letters(self.pieces)
        self._only = [str.maketrans(letter + others, "1" + "0" * len(others)) for letter, others in self._each_piece()]
        lower = self.pieces.lower()  # the large letters beside the small ones in what is said to be expected
        self._alphabet = "".join(sorted(self.pieces, key=lambda letter: lower.index(letter.lower()))) + "-"

    def functions(self, module: ModuleType) -> Functions:
        """Make the functions of a game that follow from its layout and that it has not written.

        hash unhash key_bound turn; tier tier_keys tier_name where there is a numbering; symmetries where the board can
        be turned; show parse draw; and of moves as in gamesman/moves.py ends move_name parse_move.
        """
        fields = getattr(getattr(module, "Rules", None), "_fields", ())
        found: Functions = generated(self.fields, fields, module.__name__)
        self.is_apart = found.pop("is_apart")
        players = list(getattr(module, "players", "12"))

        def show(rules: Any, position: Position) -> str:
            return self.write(self.board(rules), players, position, module.turn(rules, position))

        show.of_layout = self  # type: ignore[attr-defined]  # for gamesman.model.texts, which writes many at a time
        # For gamesman.model.variant, which writes many of one variant.
        is_declared = not callable(getattr(module, "turn", None))  # whose turn it is, and not worked out by the game

        def shower_of(rules: Any) -> Callable[[Position], str]:
            turn = self._turn if is_declared else -1
            return self._shower(self.board(rules), players, turn, partial(module.turn, rules), partial(show, rules))

        show.of_rules = shower_of  # type: ignore[attr-defined]

        def parse(rules: Any, text: str) -> Position:
            example = module.show(rules, module.start(rules))
            position, who = self.read(self.board(rules), players, text, example, rules)
            self._check(module, rules, players, position, who, text)
            return position

        def draw(rules: Any, position: Position) -> str:
            return self.board(rules).draw(self.letters(self.board(rules), position))

        found |= {"show": show, "parse": parse, "draw": draw}
        found |= {
            "ends": lambda rules, position, move: ends(move),
            "move_name": lambda rules, position, move: move_name(self.board(rules), module.ends(rules, position, move)),
            "parse_move": move_reader(module, self.board),
        }
        found["move_name"].of_layout = self  # type: ignore[attr-defined]  # for gamesman.model.variant, which keeps it
        if "numbering" in fields and not callable(getattr(module, "tier", None)):
            names = getattr(module, "players", {})
            found["tier_name"] = lambda rules, tier: self._tier_name(rules, tier, names)
        return {name: function for name, function in found.items() if not callable(getattr(module, name, None))}

    def fault(self, board: Board, position: Position) -> str:
        """Say which piece is off the board, or which two are on one cell; return "" where all is well.

        >>> from gamesman.boards import squares
        >>> layout = Layout(lambda rules: squares(2, 2), Pieces("x"), Pieces("o"))
        >>> layout.fault(squares(2, 2), (6, 3)), layout.fault(squares(2, 2), (16, 3))
        ('x and o both on b1', 'x on cell 4 of a board of cells 0 to 3')
        """
        kinds = [(letter, position[i]) for letter, i in zip(self.pieces, self._masks, strict=True)]
        for letter, mask in kinds:
            if mask >> len(board):
                on = f"on cell {mask.bit_length() - 1}" if mask > 0 else f"as {mask}, which is no mask,"
                return f"{letter} {on} of a board of cells 0 to {len(board) - 1}"
        for (letter, mask), (other, its) in combinations(kinds, 2):
            if both := mask & its:
                return f"{letter} and {other} both on {board.names[(both & -both).bit_length() - 1]}"
        return ""

    def letters(self, board: Board, position: Position) -> str:
        """Return the letter of the piece on each cell, - where it is empty."""
        cells = len(board)
        masks = [f"{position[i]:0{cells}b}"[::-1] for i in self._masks]
        return "".join(map(self._letters.__getitem__, zip(*masks, strict=True)))

    def write(self, board: Board, players: Sequence[str], position: Position, who: int) -> str:
        """Write a position in which a player is to move."""
        others = "".join([f"{self.text_of(board, i, position[i])} " for i in self._others]) if self._others else ""
        return f"({players[who]} {others}{board.write(self.letters(board, position))})"

    def _shower(
        self,
        board: Board,
        players: Sequence[str],
        turn: int,
        turn_of: Callable[[Position], int],
        slow: Callable[[Position], str],
    ) -> Callable[[Position], str]:
        """Return what writes positions on one board as `write` does, in less time."""
        if not can_write(board, self.pieces):
            return slow
        names = (*board.names, '""')  # no cell is -1, the last of them
        words = {i: names if isinstance(self.fields[i], Cell) else None for i in self._others}
        pattern = Pattern(board, self.pieces, self._masks, players, turn, words)
        return shower(pattern, len(self.fields), turn_of, slow)

    def _each_piece(self) -> list[tuple[str, str]]:
        """Return each letter of a piece, and all others that may be on a cell."""
        return [(letter, self.pieces.replace(letter, "") + "-") for letter in self.pieces]

    def text_of(self, board: Board, i: int, value: int) -> str:
        """Write the i-th field of a position, which is a cell or a count."""
        if isinstance(self.fields[i], Count):
            return str(value)
        return board.names[value] if value >= 0 else '""'

    def read(
        self, board: Board, players: Sequence[str], text: str, example: str, rules: Any = None
    ) -> tuple[Position, int]:
        """Read a position, and who is to move; whether it can arise is not asked. Raises PositionError."""
        found = read_fields(text, example)
        who = read_turn(found[0], players, text)
        rows = 1 + len(self._others)
        if len(found) < rows:
            wanted = "a number" if isinstance(self.fields[self._others[len(found) - 1]], Count) else 'a cell or ""'
            raise PositionError(f"expected {wanted} after the player to move, got nothing: {shorten(text)}")
        read_rows(found[rows:], [len(row) for row in board.rows], self._alphabet, text)
        letters = board.read(found[rows:])[::-1]
        position = [0] * len(self.fields)
        for i, only in zip(self._masks, self._only, strict=True):
            position[i] = int(letters.translate(only), 2)
        for i, word in zip(self._others, found[1:rows], strict=True):
            field = self.fields[i]
            if isinstance(field, Count):
                position[i] = _number(word, getattr(rules, field.most), text)
            else:
                position[i] = -1 if word == '""' else board.cell(word)
        if self._turn >= 0:
            position[self._turn] = who
        return tuple(position), who

    def _check(
        self, module: ModuleType, rules: Any, players: Sequence[str], position: Position, who: int, text: str
    ) -> None:
        """Refuse what cannot arise: by the game's own word, by numbers of pieces, by a number that is another's.

        A game that can be begun from any position, by an option `start`, has none of which the last may be said.
        """
        if hasattr(module, "problem") and (problem := module.problem(rules, position)):
            raise PositionError(f"{problem}: {shorten(text)}")
        if hasattr(rules, "numbering"):
            first, second = (*(position[i] for i in self._masks), 0)[:2]
            check_pieces(rules.numbering, self.pieces, (first, second, who), text)
        if (moves := module.turn(rules, position)) != who:
            wanted = f"expected {players[moves]} to move" if moves in (0, 1) else "expected other numbers of pieces"
            raise PositionError(f"{wanted}, got {players[who]} with these pieces: {shorten(text)}")
        if any(option.name == "start" for option in getattr(module, "options", ())):
            return
        if module.unhash(rules, module.hash(rules, position)) != position:
            raise PositionError(f"expected a position that can arise in the game, got {shorten(text)}")

    def _tier_name(self, rules: Any, tier: int, players: dict[str, str]) -> str:
        """Count the pieces of a tier, each by the name of the player whose letter it has: 5 black, 4 white."""
        counts = zip(place_counts(rules.numbering, tier), self.pieces, strict=False)
        return ", ".join(f"{count} {players.get(letter, letter).lower()}" for count, letter in counts)


def _check(board: Any, fields: Sequence[Any]) -> None:
    """Raise a TypeError or a ValueError for a declaration that means nothing."""
    if not callable(board):
        raise TypeError(f"a layout's board must be a function of the rules, got {shorten(repr(board))}")
    for field in fields:
        if not isinstance(field, Pieces | Turn | Cell | Count):
            hint = f": write {field.__name__}()" if field in (Turn, Cell) else ""
            raise TypeError(f"a layout's fields must be Pieces, Turn, Cell and Count, got {shorten(repr(field))}{hint}")
    letters = [field.letter for field in fields if isinstance(field, Pieces)]
    for letter in letters:
        if not isinstance(letter, str) or len(letter) != 1 or letter in '-() "' or letters.count(letter) > 1:
            raise ValueError(f"Pieces must have a letter of their own, which is not -, got {shorten(repr(letter))}")
    if sum(isinstance(field, Turn) for field in fields) > 1:
        raise ValueError("a layout must have one Turn at most")


def _number(word: str, most: int, text: str) -> int:
    if word not in map(str, range(most + 1)):
        raise PositionError(f"expected a number from 0 to {most}, got {shorten(word)}: {shorten(text)}")
    return int(word)


def _letters(pieces: str) -> dict[tuple[str, ...], str]:
    """Return the letter of a cell, by the bits of all masks there."""
    found = {("0",) * len(pieces): "-"}
    for i, letter in enumerate(pieces):
        found[tuple("1" if j == i else "0" for j in range(len(pieces)))] = letter
    return found
