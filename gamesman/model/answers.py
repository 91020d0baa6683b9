"""Questions are answered here from any source of solved positions: what is one worth, which moves win, what comes then.

>>> from gamesman.solver.reference import solve
>>> from gamesman.model.variant import variant
>>> v = variant("konane:rows=4,misere")
>>> answer = query(v, solve(v), v.parse('(b "" bw-- w--b ---w -b--)'))
>>> answer.value, answer.remoteness
('win', 2)
>>> [(move.name, move.value, move.remoteness, move.delta) for move in answer.moves]
[('a4-a2', 'win', 1, 0), ('a4-c4', 'win', 2, 1), ('d3-d1', 'lose', 0, None)]
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from gamesman.errors import BrokenGame
from gamesman.model.variant import Position, Variant
from gamesman.values import LOSE, NAMES, REMOTENESS_BITS, UNDECIDED, WIN, negate

Worth = tuple[int, int | None]  # what a position is worth: a value and its remoteness, None for a draw
# A move: its place in the order, name and number, the position it leads to, the value to its player, the remoteness.
Weighed = tuple[int, str, int, Position, int, int | None]

OPPOSITE = [negate(value) for value in range(WIN + 1)]


class Source(Protocol):
    """Looks solved positions up: the reference solver's solution does, and a stored database."""

    def probe(self, position: Position) -> Worth:
        """Return the value and remoteness of a position. Raises NotReachable, saying how to solve from there."""

    def probe_many(self, positions: Sequence[Position]) -> Iterable[Worth]:
        """Return those of several positions, in their order. Raises NotReachable if any is not there."""


class MoveAnswer(NamedTuple):
    """Says what a move is worth to the player who makes it, and which position it leads to."""

    name: str
    move: int
    position: Position
    text: str
    turn: str
    value: str
    remoteness: int | None  # of the position it leads to
    # How many moves it gives away against the best one: a win or tie so much later, a loss so much sooner. None where
    # it is worth less than the best.
    delta: int | None
    # Whether the value stands after all that has been in a game: see gamesman.play.standing.
    is_sure: bool = True

    def as_json(self) -> dict[str, Any]:
        return {
            "move": self.name,
            "position": self.text,
            "turn": self.turn,
            "value": self.value,
            "remoteness": self.remoteness,
        }


@dataclass(frozen=True, slots=True)
class PositionAnswer:
    """Says what a position is worth, and its moves, best first."""

    position: Position
    text: str
    turn: str
    value: str
    remoteness: int | None
    moves: list[MoveAnswer]

    def as_json(self, is_winning: bool = False) -> dict[str, Any]:
        """Return the fields of `query --json`; with `is_winning` only the moves that keep the best value."""
        moves = self.keeping_moves() if is_winning else self.moves
        return {
            "position": self.text,
            "turn": self.turn,
            "value": self.value,
            "remoteness": self.remoteness,
            "moves": [move.as_json() for move in moves],
        }

    def keeping_moves(self) -> list[MoveAnswer]:
        """Return the moves that are worth as much as the position itself."""
        return [move for move in self.moves if move.delta is not None]


@dataclass(frozen=True, slots=True)
class LineAnswer:
    """Holds best play from a position, to the end or until it would come back to a position it has been at."""

    start: PositionAnswer
    moves: list[MoveAnswer]
    repeats: MoveAnswer | None  # the move that would repeat

    def as_json(self) -> dict[str, Any]:
        """Return the fields of `line --json`."""
        fields = self.start.as_json()
        fields["moves"] = [move.as_json() for move in self.moves]
        fields["repeats"] = self.repeats.as_json() if self.repeats else None
        return fields


def query(variant: Variant, source: Source, position: Position) -> PositionAnswer:
    """Look up a position and its moves. Returns their values; the moves that win soonest first, equal ones by name.

    Raises NotReachable, saying how to solve from there.
    """
    value, remoteness = source.probe(position)
    moves = ranked(variant, source, position)
    return PositionAnswer(position, variant.show(position), variant.letter(position), NAMES[value], remoteness, moves)


def ranked(variant: Variant, source: Source, position: Position) -> list[MoveAnswer]:
    """Return the moves of a position, best first; none where the game is over."""
    found = weighed(variant, source, position)
    show, letter, best = variant.show, variant.letter, found[:1]
    return [
        MoveAnswer(name, move, child, show(child), letter(child), NAMES[own], remoteness, delta(order, own, *best))
        for order, name, move, child, own, remoteness in found
    ]


def weighed(variant: Variant, source: Source, position: Position) -> list[Weighed]:
    """Return the moves of a position in their order, and nothing yet as text but their names; none at the end."""
    if variant.primitive(position) != UNDECIDED:
        return []
    turn_of, do_move, name_of = variant.turn, variant.do_move, variant.move_name
    name_of_move: Callable[[int], str] | None = getattr(name_of, "of_move", None)
    turn = turn_of(position)
    moves = [*variant.generate_moves(position)]
    children = [do_move(position, move) for move in moves]
    found: list[Weighed] = []
    for move, child, (value, remoteness) in zip(moves, children, source.probe_many(children), strict=True):
        own = value if turn_of(child) == turn else OPPOSITE[value]
        # The best first; values are further apart than any two remotenesses.
        order = -(own << REMOTENESS_BITS + 1)
        if remoteness is not None:
            order += -remoteness if own == LOSE else remoteness
        name = name_of_move(move) if name_of_move else name_of(position, move)
        found.append((order, name, move, child, own, remoteness))
    if not found:
        raise BrokenGame(
            f"{variant.game.name}: primitive leaves {variant.show(position)} undecided, but it has no move"
        )
    found.sort()
    return found


def delta(order: int, own: int, best: Weighed) -> int | None:
    """Return how many moves a move gives away against the best one, None where it is worth less."""
    return order - best[0] if own == best[4] else None


def line(variant: Variant, source: Source, position: Position) -> LineAnswer:
    """Follow best play from a position, always by the first of the best moves. Returns the moves made."""
    start = query(variant, source, position)
    seen = {position}
    moves: list[MoveAnswer] = []
    ahead = start.moves
    while ahead:
        best = ahead[0]
        if best.position in seen:
            return LineAnswer(start, moves, best)
        moves.append(best)
        seen.add(best.position)
        ahead = ranked(variant, source, best.position)
    return LineAnswer(start, moves, None)
