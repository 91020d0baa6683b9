"""Minimax as it is in every book, without any cut or table: what search must agree with exactly."""

from collections.abc import Callable

from gamesman.model.variant import Position, Variant
from gamesman.search.scores import CERTAIN, MATE
from gamesman.values import LOSE, TIE, UNDECIDED, WIN


def is_without_repetition(variant: Variant) -> bool:
    return variant.game.no_repetition


def children(variant: Variant, position: Position, been: frozenset[Position]) -> list[tuple[int, Position]]:
    moves = [(move, variant.do_move(position, move)) for move in variant.generate_moves(position)]
    if is_without_repetition(variant):
        return [(move, child) for move, child in moves if child not in been]
    return moves


def over(variant: Variant, position: Position, been: frozenset[Position]) -> int:
    """Return the value of a position that is over, or UNDECIDED; no move that is allowed is a loss."""
    value = variant.primitive(position)
    if value == UNDECIDED and is_without_repetition(variant) and not children(variant, position, been):
        return LOSE
    return value


def minimax(variant: Variant, position: Position, depth: int, been: frozenset[Position] = frozenset()) -> int:
    """Return the score of a position; `been` are the positions that have occurred.

    One that comes back is a draw, unless the game forbids it.
    """
    return _minimax(variant, position, depth, 0, been - {position})


def _minimax(variant: Variant, position: Position, depth: int, ply: int, been: frozenset[Position]) -> int:
    value = over(variant, position, been | {position})
    if value != UNDECIDED:
        return {WIN: MATE - ply, LOSE: ply - MATE, TIE: 0}[value]
    if position in been:
        return 0
    if ply == depth:
        return variant.game.functions["evaluate"](variant.rules, position) if variant.has("evaluate") else 0
    scores, been = [], been | {position}
    for _, child in children(variant, position, been):
        score = _minimax(variant, child, depth, ply + 1, been)
        scores.append(score if variant.turn(child) == variant.turn(position) else -score)
    return max(scores)


def nodes(variant: Variant, position: Position, depth: int) -> int:
    """Return the positions that minimax looks at, the root included."""
    if depth == 0 or variant.primitive(position) != UNDECIDED:
        return 1
    return 1 + sum(nodes(variant, child, depth - 1) for _, child in children(variant, position, frozenset()))


def proof(variant: Variant, position: Position, depth: int) -> tuple[bool, int | None]:
    """Tell whether the moves to a depth prove that a position is a tie, and its remoteness if they prove that, too."""
    who = variant.turn(position)
    if variant.primitive(position) != UNDECIDED:
        return variant.primitive(position) == TIE, 0
    if not all(_holds(variant, position, depth, player, frozenset()) for player in (who, 1 - who)):
        return False, None
    certain = _shortest(
        variant, position, depth, lambda child, left, who: _holds(variant, child, left, who, frozenset())
    )
    possible = _shortest(variant, position, depth, lambda child, left, who: not _loses(variant, child, left, who))
    return certain is not None, certain if certain == possible else None


def _holds(variant: Variant, position: Position, depth: int, who: int, been: frozenset[Position]) -> bool:
    """Tell whether a player does not lose even if all beyond the depth is lost; who is back where he was never does."""
    value = variant.primitive(position)
    if value != UNDECIDED:
        return value == TIE or (value == WIN) == (variant.turn(position) == who)
    if position in been or depth == 0:
        return position in been
    after = [child for _, child in children(variant, position, frozenset())]
    choose = any if variant.turn(position) == who else all
    return choose(_holds(variant, child, depth - 1, who, been | {position}) for child in after)


def _loses(variant: Variant, position: Position, depth: int, who: int) -> bool:
    score = minimax(variant, position, depth)
    return (score if variant.turn(position) == who else -score) < -CERTAIN


def _shortest(
    variant: Variant, position: Position, depth: int, holds: Callable[[Position, int, int], bool]
) -> int | None:
    """Return the least number of moves to a tie on which each position is held by who has moved there."""
    if variant.primitive(position) != UNDECIDED or depth == 0:
        return 0 if variant.primitive(position) == TIE else None
    who, found = variant.turn(position), []
    for _, child in children(variant, position, frozenset()):
        if holds(child, depth - 1, who):
            found.append(_shortest(variant, child, depth - 1, holds))
    return min((length + 1 for length in found if length is not None), default=None)
