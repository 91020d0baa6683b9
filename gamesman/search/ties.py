"""Here the shortest way to the end of a tie is looked for, once the tie is certain.

Both players hold a tie that is certain, and both like it soon (see gamesman.values): its remoteness is the length of
the shortest line of moves each of which keeps it certain. Alpha-beta has no use for a value that both sides want alike,
so the line is looked for by itself, one move longer each time, along moves that keep the tie.
"""

from collections.abc import Callable

from gamesman.model.variant import Position, Variant
from gamesman.values import TIE, UNDECIDED

# Whether a player is sure of a tie in a position, searched to a depth, after others that have been.
CanHold = Callable[[Position, int, frozenset[Position], int], bool]


def shortest_tie(
    variant: Variant,
    can_hold: CanHold,
    position: Position,
    depth: int,
    been: frozenset[Position],
    barred: frozenset[int],
) -> list[int]:
    """Return the moves of the shortest tie, from a position that a search to the depth has shown to be one."""
    held: dict[tuple[Position, int, frozenset[Position]], bool] = {}
    hopeless: dict[tuple[Position, int, frozenset[Position]], int] = {}
    remembers = variant.game.no_repetition

    def way(position: Position, left: int, moves: int, been: frozenset[Position]) -> list[int] | None:
        """Return the moves of a tie that is over in at most so many, or None where there is none."""
        value = variant.primitive(position)
        if value != UNDECIDED:
            return [] if value == TIE else None
        here = (position, left, been)
        if moves <= hopeless.get(here, 0):
            return None
        who = variant.turn(position)
        ahead = been | {position} if remembers else been
        for move in variant.generate_moves(position):
            child = variant.do_move(position, move)
            if child in ahead or (position is root and move in barred):
                continue
            there = (child, left - 1, ahead)
            if there not in held:
                # The other player holds it in every position that the move of a tie leads to.
                held[there] = can_hold(child, left - 1, ahead, who)
            if held[there]:
                rest = way(child, left - 1, moves - 1, ahead)
                if rest is not None:
                    return [move, *rest]
        hopeless[here] = moves
        return None

    root = position
    for moves in range(depth + 1):
        found = way(root, depth, moves, been)
        if found is not None:
            return found
    raise AssertionError(f"no tie within {depth} moves of {variant.show(position)}")
