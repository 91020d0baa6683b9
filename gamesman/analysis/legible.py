"""What a game writes of its solved positions is read again here: their texts and boards, and the names of their moves.

What it says beside its rules is looked at as well: estimates, names of tiers, piles, cells of moves.

Neither solving nor proving asks for these, and no sample meets the one position in 20,000 at which they fail.
"""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from gamesman.model.check import Check
from gamesman.model.progress import Progress, Silent
from gamesman.values import UNDECIDED

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

SECONDS = 5.0  # of CPU that it takes, at least, where there are as many positions
MANY = 100_000  # positions that are too many to read all or most of them: then the share of the proof's time suffices
SHARE = 4
LEAST_SECONDS = 0.5
MOST_DRAWN = 1 << 20  # positions, or classes, that are drawn from


def seconds_for(positions: int, proof: float) -> float:
    """Return how long positions are read again, whose proof has taken so many seconds.

    >>> seconds_for(5_478, 1.0), seconds_for(2_400_087, 2.0)
    (5.0, 0.5)
    """
    return max(proof, SECONDS) if positions <= MANY else max(proof / SHARE, LEAST_SECONDS)


def read_again(stored: "SolvedPositions", seconds: float = SECONDS, progress: Progress | None = None) -> int:
    """Read again what is written of all solved positions, or of those that there is time for, drawn at random.

    Returns how many they were. Raises BrokenGame, naming the function and the position at fault.
    """
    variant, progress = stored.variant, progress or Silent()
    check = Check(variant)
    check.begin()
    progress.start(f"reading {variant.name} again", stored.summary.positions)
    began, count = time.process_time(), 0
    try:
        for key in _drawn(stored):
            if count and time.process_time() - began > seconds:
                break
            position = variant.unhash(key)
            of_class = [position] if stored.symmetry is None else stored.symmetry.orbit(position)
            for image in of_class:
                is_over = variant.primitive(image) != UNDECIDED
                check.texts(image, [] if is_over else [*variant.generate_moves(image)])
            count += len(of_class)
            progress.advance(len(of_class))
    finally:
        progress.finish()
    return count


def _drawn(stored: "SolvedPositions") -> Iterator[int]:
    """Yield the keys of all positions, or of some, one of each class, in a random order that is always the same."""
    dice = np.random.default_rng(0)
    share = MOST_DRAWN / max(1, sum(tier.classes for tier in stored.summary.tiers))
    keys = (part.keys for part in stored.positions(is_classes=True))
    drawn = [part if share >= 1 else part[dice.random(len(part)) < share] for part in keys]
    for key in dice.permutation(np.concatenate(drawn)):
        yield int(key)
