"""How hard the hostile tests try: a minute in all by default, and as long as one asks for.

    GAMESMAN_HOSTILE_ROUNDS=20 GAMESMAN_HOSTILE_SEED=7 scripts/test tests/hostile

A failing test names the seed of its round, so that the same round can be run alone.
"""

import os
import random


def rounds(usual: int) -> int:
    """Return how often a test tries something that it tries `usual` times in an ordinary run."""
    return max(1, round(usual * float(os.environ.get("GAMESMAN_HOSTILE_ROUNDS", "1"))))


def chance(*what: object) -> random.Random:
    """Return a source of random numbers for a test or a round of it, the same in every run with the same seed."""
    return random.Random(repr((os.environ.get("GAMESMAN_HOSTILE_SEED", "0"), *what)))
