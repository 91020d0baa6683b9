"""Positions that are the same game turned or mirrored make classes here, by those symmetries that a variant has.

A symmetry that leaves the start as it is takes what can be reached from there to what can be reached from there. So of
each *class*, the positions that such symmetries make of one another, the solver and the database keep one, the least
tuple, and everybody else still sees all of them.
"""

import os
from collections import namedtuple
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from gamesman.model.random_play import random_positions
from gamesman.turning import MOST_LOOKED_UP, lesser_by, lesser_in, mirror_of, pairs

if TYPE_CHECKING:
    from gamesman.model.variant import Position, Variant

# Set to "off" every position is kept, as for a game without symmetries: for tests and measurements.
SYMMETRY_VARIABLE = "GAMESMAN_SYMMETRY"

PROBED_POSITIONS = 200  # positions at which symmetries that are alike at all of them are taken to be the same
MOST_IMAGES = 62
# Fields of the rules as the solver has them.
KEPT_FIELD = "kept_symmetries"  # bit i is set where the i-th image counts
PAIRS_FIELD = "turned_pairs"  # those that count, in a table, where a position begins with two masks of a layout


class Symmetry(NamedTuple):
    """Holds the symmetries of a variant that leave its start, or another position, as it is."""

    variant: "Variant"
    kept: int  # bit i: the i-th image that the game yields counts

    @property
    def order(self) -> int:
        """Return how many positions a class has at most."""
        return self.kept.bit_count() + 1

    @property
    def rules(self) -> Any:
        """Return the rules with what the compiled `least` and `size` of gamesman.compiler.quotient need beside them."""
        rules = self.variant.rules
        if cells_turned(self.variant.game.functions["symmetries"]) is None:
            return rules_class(type(rules), [KEPT_FIELD])(*rules, self.kept)
        turned = [row for i, row in enumerate(rules.turned) if self.kept >> i & 1]
        return rules_class(type(rules), [KEPT_FIELD, PAIRS_FIELD])(*rules, self.kept, pairs(turned))

    def images(self, position: "Position") -> "Iterator[Position]":
        """Yield what the symmetries make of a position, one after the other."""
        every = self.variant.game.functions["symmetries"](self.variant.rules, position)
        images = islice(every, self.kept.bit_length())  # none is made beyond the last that counts
        return (image for i, image in enumerate(images) if self.kept >> i & 1)

    def least(self, position: "Position") -> "Position":
        """Return the position that stands for the class."""
        return min(position, *self.images(position))

    def finder(self) -> "Callable[[Position], Position]":
        """Return the same function for many positions: it makes no more images than count.

        What is on no board is returned as it is, if the images are those of a declared layout.
        """
        symmetries, rules = self.variant.game.functions["symmetries"], self.variant.rules
        cells = cells_turned(symmetries)
        if cells is None:
            return self.least
        kept = tuple(row for i, row in enumerate(rules.turned) if self.kept >> i & 1)
        if len(kept) == 1 and not cells and max(kept[0]).bit_length() <= MOST_LOOKED_UP:
            return lesser_in(kept[0])
        if mirror := mirror_of(kept):
            return lesser_by(mirror, len(self.variant.start()), *cells)
        rules, size = rules._replace(turned=kept), max(kept[0]).bit_length()

        def least(position: "Position") -> "Position":
            if not (position[0] | position[1]) >> size and all(-1 <= position[word] < size for word in cells):
                return min(tuple(position), *symmetries(rules, position))
            return position

        return least

    def orbit(self, position: "Position") -> "list[Position]":
        """Return all positions of the class, in order."""
        return sorted({position, *self.images(position)})


def find(variant: "Variant", fixed: "Position | None" = None) -> Symmetry | None:
    """Find the symmetries of a variant that leave a position, its start, as it is. Returns None if there are none.

    >>> from gamesman.model.variant import variant
    >>> symmetry = find(variant("tictactoe"))
    >>> symmetry.order, symmetry.orbit((1, 0))
    (8, [(1, 0), (4, 0), (64, 0), (256, 0)])
    >>> find(variant("ten_to_zero")) is None
    True
    """
    if not variant.has("symmetries"):
        return None
    fixed = variant.start() if fixed is None else fixed
    symmetries, rules = variant.game.functions["symmetries"], variant.rules

    def all_images(position: "Position") -> "list[Position]":
        return list(islice(symmetries(rules, position), MOST_IMAGES))  # of a game not checked yet there may be no end

    fixing = [i for i, image in enumerate(all_images(fixed)) if image == fixed]
    kept: list[int] = []
    seen: list[tuple[Position, list[Position]]] = []
    for position in random_positions(variant, PROBED_POSITIONS):
        seen.append((position, all_images(position)))
        kept = []
        for i in fixing:
            alike = [*(all(found[i] == found[j] for _, found in seen) for j in kept)]
            if not any(alike) and any(found[i] != at for at, found in seen):
                kept.append(i)
        if len(kept) == len(fixing):
            break
    return Symmetry(variant, sum(1 << i for i in kept)) if kept else None


def in_use(variant: "Variant") -> Symmetry | None:
    """Return the symmetries up to which the variant is to be solved, or None if all positions are kept."""
    return None if os.environ.get(SYMMETRY_VARIABLE) == "off" else variant.symmetry


def cells_turned(symmetries: Any) -> list[int] | None:
    """Return which words of a position are cells, if it begins with two masks and nothing else is turned.

    None where this function is not that of a declared layout, by the rows of `rules.turned`.
    """
    found: list[int] | None = getattr(symmetries, "cells_turned", None)
    return found


def rules_class(plain: Any, more: list[str]) -> Any:
    """Return the class of a game's rules with more fields at the end, always the same one for the same rules.

    What is compiled is kept on disk under the names of classes, so it must be found by its name in a module.
    """
    name = f"{plain.__module__}.{plain.__qualname__}".replace(".", "_")
    known = globals().get(name)
    if known is None or known._fields != (*plain._fields, *more):
        known = globals()[name] = namedtuple(name, [*plain._fields, *more], module=__name__)
    return known
