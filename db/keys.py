"""The tier and the key that a position is stored under are found here, if they are its own and no other position's.

A key need hold no more than tells positions that can be reached from each other, so that one that cannot be may have
the key of one that can: every look-up of a position goes through here.
"""

from collections.abc import Callable
from operator import index

from gamesman.model.symmetry import Symmetry, cells_turned
from gamesman.model.variant import Position, Variant
from gamesman.placing import finder as placement_finder
from gamesman.values import KEY_LIMIT

Place = tuple[int, int]  # a tier, and a key in it
Find = Callable[[Position], Place | None]
Least = Callable[[Position], Position]  # of the positions that are the same game turned or mirrored


def finder(variant: Variant, symmetry: Symmetry | None) -> Find:
    """Return what finds the place of a position, None where its key is another's or none.

    Where the images are those of a declared layout, each is the image of one position alone. So the least one is made
    first, and no more is asked of any other.
    """
    least = None if symmetry is None else symmetry.finder()
    if least is not None and cells_turned(variant.game.functions["symmetries"]) is None:
        return _checked_before(variant, least)
    return _counted(variant, least) or _checked(variant, least)


def _counted(variant: Variant, least: Least | None) -> Find | None:
    """Return what counts pieces once for all, where a layout alone numbers positions by such counts; else None."""
    functions, rules = variant.game.functions, variant.rules
    if not all(hasattr(functions.get(name), "is_counted") for name in ("hash", "unhash", "tier")):
        return None
    if not rules.numbering.dense:
        return None
    place = placement_finder(rules.numbering)

    def find(position: Position) -> Place | None:
        try:
            return place(*(position if least is None else least(position)))
        except Exception:  # whatever it is, it is no position
            return None

    return find


def _checked(variant: Variant, least: Least | None = None) -> Find:
    """Return what turns a key back into a position, to see whose it is."""
    hash, unhash, tier = variant.hash, variant.unhash, variant.tier

    def find(position: Position) -> Place | None:
        try:
            if least is not None:
                position = least(position)
            key = hash(position)
            if type(key) is not int:
                key = index(key)
            # This is asked first because unhash may never return from a number that is no key.
            if not 0 <= key < KEY_LIMIT:
                return None
            own = unhash(key)
            if own != position and tuple(own) != tuple(position):
                return None
            return tier(own), key
        except Exception:  # a game's functions may fail in any way on a position that cannot be reached
            return None

    return find


def _checked_before(variant: Variant, least: Least) -> Find:
    """Return what does so before a game's own symmetries are asked, which may mean anything there."""
    find, hash, tier = _checked(variant), variant.hash, variant.tier

    def of_class(position: Position) -> Place | None:
        own = find(position)
        if own is None:
            return None
        try:
            found = least(tuple(position))
            return own if found == tuple(position) else (tier(found), hash(found))
        except Exception:
            return None

    return of_class
