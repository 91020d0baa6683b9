"""Moves are ranked here for games in which no position may come back, which stored values leave out.

A win stands where its owner can follow it and meets no position that has been. On his way each move lowers the
remoteness, whoever makes it, and every position is a win of his. So it stands if no position that has been is a win of
his with a lower remoteness: then none of those on the way has been, and the rule takes no move from him that he needs.
It can take moves from the other player only, which makes the win no later. A tie may be anything once the rule takes
moves away, and a draw says no more than that neither side can force an end without the rule.

A position of a higher tier than another cannot come back after it, and one that cannot be reached from the start
cannot come back at all: these do not count.
"""

from collections.abc import Iterable

from gamesman.errors import NotReachable
from gamesman.model.answers import MoveAnswer, Source, ranked
from gamesman.model.variant import Position, Variant
from gamesman.values import DRAW, LOSE, NAMES, WIN, preference


def ranked_legal(variant: Variant, source: Source, position: Position, past: Iterable[Position]) -> list[MoveAnswer]:
    """Return the moves that a game allows after what has been, best first; none where it is over.

    In a game without repetition, a move whose value may not stand is not sure and has no remoteness; it comes after
    those of the same value that stand, and before them where they lose. Raises NotReachable.

    >>> from gamesman.solver.reference import solve
    >>> from gamesman.model.variant import variant
    >>> v = variant("ctf:size=3")
    >>> position, been = v.parse("(b w-w -W- bBb)"), v.parse("(w w-w bW- -Bb)")
    >>> [(move.name, move.value, move.remoteness) for move in ranked_legal(v, solve(v), position, [])]
    [('a1-a2', 'lose', 3), ('c1-c2', 'lose', 3)]
    >>> [(move.name, move.value, move.remoteness) for move in ranked_legal(v, solve(v), position, [been])]
    [('c1-c2', 'lose', 3)]
    """
    moves = ranked(variant, source, position)
    if not variant.game.no_repetition or not moves:
        return moves
    been = {*past, position}
    here = variant.tier(position)
    wins = list(_wins(variant, source, (earlier for earlier in been if variant.tier(earlier) <= here)))
    turn = variant.turn(position)
    found = []
    for move in moves:
        if move.position in been:
            continue
        value, tier, remoteness = NAMES.index(move.value), variant.tier(move.position), move.remoteness or 0
        winner = {WIN: turn, LOSE: 1 - turn}.get(value)
        is_sure = value == DRAW or (
            winner is not None and not any(who == winner and of <= tier and to < remoteness for of, who, to in wins)
        )
        found.append(move if is_sure else move._replace(remoteness=None, is_sure=False))
    found.sort(key=_liking, reverse=True)
    return [move._replace(delta=_delta(move, found[0])) for move in found]


def _wins(variant: Variant, source: Source, positions: Iterable[Position]) -> Iterable[tuple[int, int, int]]:
    """Yield the tier, the winner and the remoteness of those positions that one of the players wins."""
    for position in positions:
        try:
            value, remoteness = source.probe(position)
        except NotReachable:
            continue
        if value in (WIN, LOSE):
            turn = variant.turn(position)
            yield variant.tier(position), turn if value == WIN else 1 - turn, remoteness or 0


def _liking(move: MoveAnswer) -> tuple[int, bool, int]:
    """Return a key to sort moves by, larger for what a player likes better."""
    value = NAMES.index(move.value)
    return value, move.is_sure == (value != LOSE), preference(value, move.remoteness or 0)[1]


def _delta(move: MoveAnswer, best: MoveAnswer) -> int | None:
    if move.value != best.value:
        return None
    if move.remoteness is None or best.remoteness is None:
        return 0
    value = NAMES.index(move.value)
    return preference(value, best.remoteness)[1] - preference(value, move.remoteness)[1]
