"""Games are played at random, the same ones every time, for positions on which a game's functions are tried."""

import random
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from gamesman.values import UNDECIDED

if TYPE_CHECKING:
    from gamesman.model.variant import Position, Variant

MOST_MOVES = 10_000  # to choose from: a game that is not checked yet may yield them without end


def random_positions(variant: "Variant", count: int) -> "Iterator[Position]":
    """Yield so many positions, move after move; a game that is over begins again at the start.

    >>> from gamesman.model.variant import variant
    >>> list(random_positions(variant("ten_to_zero"), 3))[0] == variant("ten_to_zero").start()
    True
    """
    dice = random.Random(1)
    position = variant.start()
    for _ in range(count):
        yield position
        legal = () if variant.primitive(position) != UNDECIDED else variant.generate_moves(position)
        moves = list(islice(legal, MOST_MOVES))
        position = variant.do_move(position, dice.choice(moves)) if moves else variant.start()
