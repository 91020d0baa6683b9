"""Whether positions can come back in a game is found out here: search then counts one that does as a draw.

A game in which the tier falls with every move has no such positions, nor has one that says so (`no_return`). Where
moves keep the tier they may: a game without repetition forbids them, and in any other game they are a draw in the end.
"""

from gamesman.model.random_play import random_positions
from gamesman.model.variant import Position, Variant
from gamesman.values import UNDECIDED

REPETITIONS = 3  # of a position end a game as a draw, where they are not forbidden
TRIED = 60  # positions of random games; where the tier can be kept it mostly can from the first move on


def can_come_back(variant: Variant) -> bool:
    """Tell whether positions may come back, by the moves of some random games.

    >>> from gamesman.model.variant import variant
    >>> [can_come_back(variant(name)) for name in ("hex_abalone", "abalone", "tictactoe", "konane", "ctf")]
    [True, True, False, False, False]
    """
    game = variant.game
    if game.no_repetition or game.no_return:
        return False
    return not variant.has("tier") or any(
        _keeps_tier(variant, position) for position in random_positions(variant, TRIED)
    )


def _keeps_tier(variant: Variant, position: Position) -> bool:
    """Tell whether a move from a position leads to one of the same tier."""
    if variant.primitive(position) != UNDECIDED:
        return False
    tier = variant.tier(position)
    return any(variant.tier(variant.do_move(position, move)) == tier for move in variant.generate_moves(position))
