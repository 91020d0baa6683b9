"""A review says of every move of a game what it was worth, and so who went wrong where.

>>> from gamesman.play.record import GameRecord
>>> from gamesman.solver.reference import solve
>>> from gamesman.model.variant import variant
>>> game = GameRecord(variant("konane:rows=4,misere"))
>>> for text in ("b4-b2", "c4-c2", "c1-c3", "b1-b3"):
...     game.play(game.read_move(text))
>>> for step in review(game, solve(game.variant)):
...     print(step.number, step.player, step.name, step.value, step.remoteness, step.comment)
1 White b4-b2 lose 10
2 Black c4-c2 win 9
3 White c1-c3 lose 8
4 Black b1-b3 lose 1 gives up the win: a2-c2 wins in 7
"""

from dataclasses import dataclass

from gamesman.model.answers import MoveAnswer, Source
from gamesman.model.wording import NOUNS, VERBS
from gamesman.play.record import GameRecord
from gamesman.play.standing import ranked_legal


@dataclass(frozen=True, slots=True)
class ReviewedMove:
    """Holds a move of a game, with what it was worth to the player who made it."""

    number: int
    player: str
    name: str
    value: str
    remoteness: int | None  # moves to the end from before the move; None too where the value may not stand
    comment: str  # what it gave away, or nothing


def review(game: GameRecord, source: Source) -> list[ReviewedMove]:
    """Hold every move of a game against those that were legal then; return them with what they were worth.

    Raises NotReachable at a position that the solved variant does not have.
    """
    moves = []
    for number, (position, move) in enumerate(zip(game.positions, game.moves, strict=False), 1):
        past = [*game.been, *game.positions[: number - 1]]
        answers = ranked_legal(game.variant, source, position, past)
        made = next(answer for answer in answers if answer.move == move)
        ahead = None if made.remoteness is None else made.remoteness + 1
        moves.append(
            ReviewedMove(number, game.variant.player(position), made.name, made.value, ahead, comment(made, answers[0]))
        )
    return moves


def comment(made: MoveAnswer, best: MoveAnswer) -> str:
    """Say what a move gave away against the best one; return "" where it is not sure that it did."""
    if not made.is_sure or not best.is_sure:
        return ""
    if made.delta is None:
        return f"gives up the {NOUNS[best.value][0]}: {best.name} {spoken(best)}"
    if made.delta:
        late = "sooner" if made.value == "lose" else "later"
        return f"{made.delta} {late} than {best.name}"
    return ""


def spoken(answer: MoveAnswer) -> str:
    """Say in words what a move is worth: wins in 7."""
    if answer.remoteness is None:
        return VERBS[answer.value]
    return f"{VERBS[answer.value]} in {answer.remoteness + 1}"
