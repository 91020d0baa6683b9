"""Tiers that moves lead to are numbered here in the order in which they are met."""

from numba import njit

NO_ROOM, WRONG = -1, -2

_FLAGS = {"_nrt": False, "error_model": "numpy", "forceinline": True}


@njit(**_FLAGS)
def number_of(tiers, tier, highest):
    """Return the number of a tier among those met, to which a new one is added if there is room, or NO_ROOM.

    `tiers` holds how many were met and then the tiers. Returns WRONG for a new one below 0 or above `highest`.
    """
    known = tiers[0]
    for number in range(known):
        if tiers[number + 1] == tier:
            return number
    if tier > highest or tier < 0:
        return WRONG
    if known == tiers.shape[0] - 1:
        return NO_ROOM
    tiers[0] = known + 1
    tiers[known + 1] = tier
    return known
