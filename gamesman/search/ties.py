"""Here the shortest way to the end of a tie is looked for, once it is certain that neither player can win.

Both players like a tie better than a draw, and both like it soon (see gamesman.values): a position is one if moves lead
to its end, and nobody could win instead on the way. Its remoteness is the length of the shortest such line. Alpha-beta
has no use for a value that both sides want alike, so the line is looked for by itself, one move longer each time. Where
there is none the position may be a draw. Where there would be a shorter one if more were known, the remoteness is open.

A depth of the remoteness itself is seldom enough to a search: that a player cannot win has to be seen in every line he
could try instead, up to its end or till a position is back, and he may move about for longer than the tie takes. A
shelter (gamesman.search.shelter) shows it without a depth.
"""

from collections.abc import Callable

from gamesman.model.variant import Position, Variant
from gamesman.values import TIE, UNDECIDED

# Whether a player does not lose a position, searched to a depth, after others that have been.
Holds = Callable[[Position, int, frozenset[Position], int], bool]


def shortest_tie(
    variant: Variant,
    holds: Holds,
    position: Position,
    depth: int,
    been: frozenset[Position],
    barred: frozenset[int],
    most: int,
    least: int = 0,
) -> list[int] | None:
    """Return the moves of the shortest tie, no more than `most`, or None; none is shorter than `least`.

    By a search to the depth neither player wins the position, and by `holds` none wins those that follow.
    """
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
                # The other player does not lose either, whatever is moved here.
                held[there] = holds(child, left - 1, ahead, who)
            if held[there]:
                rest = way(child, left - 1, moves - 1, ahead)
                if rest is not None:
                    return [move, *rest]
        hopeless[here] = moves
        return None

    root = position
    for moves in range(least, most + 1):
        found = way(root, depth, moves, been)
        if found is not None:
            return found
    return None
