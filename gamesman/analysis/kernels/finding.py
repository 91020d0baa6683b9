"""Numbers of tiers and places of keys are found here, for kernels compiled or interpreted: they get what inlines these.

That is `inline` among a game's functions, see gamesman.analysis.walk.form_for.
"""

from typing import Any

import numpy as np


def number_met(tiers: np.ndarray, tier: int) -> Any:
    """Return the number of a tier among those met, to which it is added; -1 if it is new and there is no room.

    `tiers` holds how many were met and then the tiers; the last place is never taken.
    """
    known = int(tiers[0])
    for number in range(known):
        if tiers[number + 1] == tier:
            return number
    if known == tiers.shape[0] - 1:
        return -1
    tiers[0] = known + 1
    tiers[known + 1] = tier
    return known


def place_listed(keys: np.ndarray, directory: np.ndarray, shift: int, key: int) -> Any:
    """Return the place of a key among those listed in ascending order, or -1.

    Keys that agree in all but their `shift` lowest bits, counted from the first one, stand from directory[those bits]
    on.
    """
    group = (key - keys[0]) >> shift
    if group < 0 or group >= directory.shape[0] - 1:
        return -1
    low, high = directory[group], directory[group + 1]
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < keys.shape[0] and keys[low] == key else -1
