"""A game's functions are asked here one at a time, and what is wrong with an answer by itself is told."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, NoReturn

from gamesman.errors import BrokenGame, GamesmanError, shorten
from gamesman.model.made import giving, got, unfit_to_show
from gamesman.model.place import raised
from gamesman.model.variant import Position, Variant

# A generator that yields more than this from one position is taken to have no end.
MOST_MOVES = 100_000


class Asking:
    """Asks the functions of one variant, and raises BrokenGame with the function and the position."""

    def __init__(self, variant: Variant):
        self.variant = variant
        self.width = 0  # numbers of a position
        self.led = ""  # by which move one has come to the position at hand

    def ask(self, function: str, position: Position | None, *arguments: Any, position_given: bool = True) -> Any:
        """Return what a function of the game returns; whatever it raises is a fault of the game."""
        given = (position, *arguments) if position is not None and position_given else arguments
        try:
            return self.variant.game.functions[function](self.variant.rules, *given)
        except KeyboardInterrupt as error:
            self.note(error, function, position)
            raise
        except GamesmanError as error:
            self.fail(function, position, f"must not fail, got: {shorten(str(error), 200)}")
        except (Exception, SystemExit) as error:
            self.fail(function, position, f"must not fail, got {raised(error, self.variant.game.module)}")

    def note(self, error: BaseException, function: str, position: Position | None) -> None:
        """Note on an interruption at which position the function was: it may be one that does not return."""
        if position is not None:
            shown = shorten(repr(position), 120) if function == "show" else self.show(position)
            error.add_note(f"at {shown}{self.led}")

    def every(self, function: str, position: Position) -> list[Any]:
        found = self.ask(function, position)
        if not isinstance(found, Iterator):
            self.fail(function, position, f"must yield, not return, got {got(found)}")
        try:
            every = list(islice(found, MOST_MOVES))
        except KeyboardInterrupt as error:
            self.note(error, function, position)
            raise
        except (Exception, SystemExit) as error:
            self.fail(function, position, f"must not fail, got {raised(error, self.variant.game.module)}")
        if len(every) == MOST_MOVES:
            self.fail(function, position, f"must come to an end, got {MOST_MOVES:,} moves and more")
        return every

    def text(self, function: str, position: Position, *arguments: Any, position_given: bool = True) -> str:
        text = self.ask(function, position, *arguments, position_given=position_given)
        if not isinstance(text, str) or not text.strip() or len(text.splitlines()) != 1:
            self.fail(function, position, f"must return one line of text, got {got(text)}")
        self.can_show(function, position, text)
        return text

    def can_show(self, function: str, position: Position, text: str) -> None:
        if fault := unfit_to_show(text):
            self.fail(function, position, fault)

    def is_int(self, function: str, position: Position | None, number: Any) -> None:
        if type(number) is not int:
            self.fail(function, position, f"must {giving(function)} an int, got {got(number)}")

    def is_position(self, function: str, position: Position | None, found: Any) -> None:
        if not isinstance(found, tuple) or len(found) != self.width or any(type(n) is not int for n in found):
            ints = f"{self.width} int{'s' * (self.width != 1)}"
            self.fail(function, position, f"must {giving(function)} a position, a tuple of {ints}, got {got(found)}")

    def is_placed(self, function: str, position: Position) -> None:
        """Check that pieces are where they can be, if the game has a layout."""
        layout: Any = getattr(self.variant.game.module, "layout", None)
        try:
            fault = layout.fault(layout.board(self.variant.rules), position) if hasattr(layout, "fault") else ""
        except Exception as error:
            self.fail("layout", None, f"must have a board, got {raised(error, self.variant.game.module)}")
        if fault:
            self.fail(function, position, f"must put each piece on a cell of its own, got {fault}")

    def show(self, position: Position) -> str:
        """Write a position into a message as the game writes it, or as a tuple where the game cannot."""
        try:
            text = self.variant.show(position)
            return shorten(text, 120) if isinstance(text, str) and text.strip() else repr(position)
        except KeyboardInterrupt as error:
            error.add_note(f"at {shorten(repr(position), 120)}")
            raise
        except Exception:
            return shorten(repr(position), 120)

    def leads(self, position: Position, move: int) -> str:
        """Say by which move one has come to a position, for a message."""
        try:
            name = shorten(str(self.variant.move_name(position, move)))
        except Exception:
            name = str(move)
        return f", where move {name} leads from {self.show(position)}"

    def fail(self, function: str, position: Position | None, fault: str) -> NoReturn:
        at = "" if position is None else f", at {self.show(position)}{self.led}"
        raise BrokenGame(f"{self.variant.name}: {function} {fault}{at}") from None
