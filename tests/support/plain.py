"""Minimax as it is in every book, without any cut or table: what search must agree with exactly."""

from gamesman.model.variant import Position, Variant
from gamesman.search.scores import MATE
from gamesman.values import LOSE, TIE, UNDECIDED, WIN, negate


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


def proof(variant: Variant, position: Position, depth: int) -> tuple[int, int, int | None]:
    """Bound what a position can be worth by what its moves to a depth show, and return the remoteness of a tie."""
    value = variant.primitive(position)
    if value != UNDECIDED:
        return value, value, 0
    if depth == 0:
        return LOSE, WIN, None
    least, most, ties = LOSE, LOSE, []
    for _, child in children(variant, position, frozenset()):
        low, high, remoteness = proof(variant, child, depth - 1)
        if variant.turn(child) != variant.turn(position):
            low, high = negate(high), negate(low)
        least, most = max(least, low), max(most, high)
        if low == high == TIE:
            ties.append(remoteness + 1)
    return least, most, min(ties) if least == most == TIE else None
