"""A game that is played is kept here, from its first position to its last; it can be saved and loaded.

>>> from gamesman.model.variant import variant
>>> game = GameRecord(variant("konane"))
>>> for text in ("b2-d2", "d1-b1", "a1-c1"):
...     game.play(game.read_move(text))
>>> game.variant.show(game.position)
'(b "" wbwb b--w --w-)'
>>> game.end is None
True

Here the rules hold that a single position does not know of. Where a game is one without repetition (`no_repetition`), a
position that has been may not come back, and who is left without a move by that has lost. In any other game a position
that is there for the third time ends it as a draw: nobody has made anything of it twice.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gamesman.errors import CallError, GamesmanError, MoveError, shorten
from gamesman.machine.files import at_once, check_writable, write_text
from gamesman.model.advice import command
from gamesman.model.variant import Position, Variant, variant
from gamesman.play.clock import Clock
from gamesman.search.deepening import legal_moves
from gamesman.search.returns import REPETITIONS
from gamesman.values import TIE, UNDECIDED, WIN

FORMAT = 1
MOST_LETTERS = 1 << 24  # of a saved game that is read: a device never ends


@dataclass(frozen=True, slots=True)
class End:
    """Says how a game has ended: which player has won, 0 or 1, or None, and why."""

    winner: int | None
    reason: str


class GameRecord:
    """Keeps a game from a position on. `been` are positions that have been before that, the newest last."""

    def __init__(self, variant: Variant, start: Position | None = None, been: list[Position] | None = None):
        self.variant = variant
        self.positions = [variant.start() if start is None else start]
        self.been = list(been or [])
        self.moves: list[int] = []
        self.resigned: int | None = None
        self.late: int | None = None  # who has run out of time
        self.programs: dict[int, str] | None = None  # how strong who is no person plays, once that has been settled
        self.clock = Clock()

    @property
    def position(self) -> Position:
        return self.positions[-1]

    @property
    def past(self) -> list[Position]:
        """Return all positions that have been, the one that is there now included."""
        return [*self.been, *self.positions]

    @property
    def turn(self) -> int:
        return self.variant.turn(self.position)

    @property
    def end(self) -> End | None:
        """Tell how the game has ended, or return None if it goes on."""
        names, does = list(self.variant.game.players.values()), self.variant.game.does
        if self.resigned is not None:
            return End(1 - self.resigned, f"{names[self.resigned]} {does(self.resigned, 'has')} resigned")
        if self.late is not None:
            return End(1 - self.late, f"{names[self.late]} {does(self.late, 'has')} run out of time")
        value = self.variant.primitive(self.position)
        if value == TIE:
            return End(None, "a tie")
        if value != UNDECIDED:
            winner = self.turn if value == WIN else 1 - self.turn
            return End(winner, f"{names[winner]} {does(winner, 'has')} won")
        if not self.legal_moves():
            stuck = f"{names[self.turn]} {does(self.turn, 'has')} no move left"
            return End(1 - self.turn, f"{stuck} that does not bring back a board: lost")
        if not self.forbids_repetition and self.past.count(self.position) >= REPETITIONS:
            return End(None, f"a draw: the position is there for the {_ordinal(REPETITIONS)} time")
        return None

    @property
    def forbids_repetition(self) -> bool:
        return self.variant.game.no_repetition

    def legal_moves(self) -> list[int]:
        """Return the moves that may be played now; none if the game is over by its rules."""
        if self.variant.primitive(self.position) != UNDECIDED:
            return []
        return legal_moves(self.variant, self.position, self.past)

    def read_move(self, text: str) -> int:
        """Return the legal move that a text names. Raises MoveError, which says why it names none."""
        move = self.variant.parse_move(self.position, text)
        if self.forbids_repetition:
            self._check_repetition(move)
        return move

    def _check_repetition(self, move: int) -> None:
        child = self.variant.do_move(self.position, move)
        if child in self.past:
            name = self.variant.move_name(self.position, move)
            number = self.past.index(child) - len(self.been)
            when = (
                "before this game was taken up" if number < 0 else f"after move {number}" if number else "at the start"
            )
            raise MoveError(f"{name} would bring back the board that was there {when}: no board may come back")

    def play(self, move: int) -> None:
        """Make a legal move."""
        child = self.variant.do_move(self.position, move)
        self.moves.append(move)
        self.positions.append(child)

    def undo(self) -> int:
        """Take back the last move or a resignation; return whose turn it is then. Raises MoveError if there is none."""
        if self.resigned is not None:
            self.resigned = None
            return self.turn
        if not self.moves:
            raise MoveError("there is no move to take back")
        self.positions.pop()
        self.moves.pop()
        return self.turn

    def names(self) -> list[str]:
        """Return the names of the moves played."""
        return [self.variant.move_name(*step) for step in zip(self.positions, self.moves, strict=False)]

    def save(self) -> str:
        """Return the game as text that `load` reads."""
        show = self.variant.show
        fields: dict[str, Any] = {"gamesman": FORMAT, "variant": self.variant.name, "start": show(self.positions[0])}
        if self.been:
            fields["been"] = [show(position) for position in self.been]
        fields["moves"] = self.names()
        if self.resigned is not None:
            fields["resigned"] = list(self.variant.game.players)[self.resigned]
        if self.clock.limit is not None:
            fields["clock"] = {"limit": self.clock.limit, "used": self.clock.used}
        if self.late is not None:
            fields["late"] = list(self.variant.game.players)[self.late]
        if self.programs is not None:
            letters = list(self.variant.game.players)
            fields["programs"] = {letters[player]: strength for player, strength in self.programs.items()}
        return json.dumps(fields, indent=1) + "\n"


def load(text: str, name: str = "the game", of: Variant | None = None) -> GameRecord:
    """Read a saved game and check every move of it; return it. Raises CallError, at once if it is none of `of`'s game.

    >>> from gamesman.model.variant import variant
    >>> load(GameRecord(variant("konane")).save()).variant.name
    'konane'
    """
    try:
        fields = json.loads(text)
        if fields["gamesman"] != FORMAT:
            raise CallError(f"it is of format {shorten(repr(fields['gamesman']))}, expected {FORMAT}")
        if of is not None and _game_of(fields["variant"]) != _game_of(of.name):
            # It may name a Python file, which would be run to find out.
            raise CallError(f"it is a game of {shorten(fields['variant'])}, expected one of {of.name}")
        return _replayed(fields)
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise CallError(
            f"{name} is no saved game; expected a file that `save` or --save of play has written"
        ) from error
    except GamesmanError as error:
        raise CallError(f"{name} cannot be taken up: {error}") from None


def read_variant(file: str) -> Variant:
    """Return the variant of the game that is saved in a file. Raises CallError."""
    return load(_read(file), shorten(file)).variant


def read_game(of: Variant, file: str) -> GameRecord:
    """Read a game of a variant from the file it was saved in; return it. Raises CallError."""
    game = load(_read(file), shorten(file), of)
    if game.variant.name != of.name:
        name = game.variant.name
        raise CallError(f"{shorten(file)} is a game of {name}; run: {command('play', name)}")
    return game


def _read(file: str) -> str:
    try:
        with open(file, encoding="utf-8", opener=at_once) as saved:
            return saved.read(MOST_LETTERS)
    except (OSError, ValueError) as error:  # no text, or a zero byte in its name
        raise CallError(
            f"{shorten(file)} cannot be read: {getattr(error, 'strerror', None) or 'it is no text'}"
        ) from None


def write_game(game: GameRecord, file: str) -> None:
    """Save a game in a file. A file that is there stays whole until the new one is. Raises CallError."""
    try:
        write_text(Path(file), game.save())
    except (OSError, ValueError) as error:
        raise CallError(f"{shorten(file)} cannot be written: {getattr(error, 'strerror', error)}") from None


def check_place(file: str) -> None:
    """Try whether a game can be saved in a file, before it is begun. Raises CallError."""
    try:
        check_writable(Path(file))
    except (OSError, ValueError) as error:
        raise CallError(f"{shorten(file)} cannot be written: {getattr(error, 'strerror', error)}") from None


def _game_of(name: str) -> str:
    return name.partition(":")[0]


def _replayed(fields: dict[str, Any]) -> GameRecord:
    played = variant(fields["variant"])
    been = [played.parse(position) for position in fields.get("been", [])]
    game = GameRecord(played, played.parse(fields["start"]), been)
    for number, text in enumerate(fields["moves"], 1):
        if game.end is not None:
            raise CallError(f"move {number}, {shorten(text)}: the game is over")
        try:
            game.play(game.read_move(text))
        except MoveError as error:
            raise CallError(f"move {number}: {error}") from None
    if "resigned" in fields:
        game.resigned = list(played.game.players).index(fields["resigned"])
    if "clock" in fields:
        limit, used = float(fields["clock"]["limit"]), [float(seconds) for seconds in fields["clock"]["used"]]
        if not 0 < limit < math.inf or len(used) != 2 or not all(0 <= seconds < math.inf for seconds in used):
            raise ValueError("no clock goes like that")
        game.clock = Clock(limit, (used[0], used[1]))
    if "late" in fields:
        game.late = list(played.game.players).index(fields["late"])
    if "programs" in fields:
        letters = list(played.game.players)
        game.programs = {letters.index(letter): str(strength) for letter, strength in fields["programs"].items()}
    return game


def _ordinal(number: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(number, f"{number}th")
