"""What a game says beside its rules is checked here: an estimate, names of tiers, piles, and the cells of a move."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from gamesman.model.made import got

if TYPE_CHECKING:
    from gamesman.model.check import Check
    from gamesman.model.variant import Position

BOUND = 1_000_000
ESTIMATES = {"evaluate": f"well inside +-{BOUND:,}", "mobility": f"0 or more and well below {BOUND:,}"}


def check_beside(check: "Check", position: "Position", moves: Iterable[int]) -> None:
    """Check what is there for search, for pages and for people at a position, and of its moves. Raises BrokenGame."""
    variant = check.variant
    for name, wanted in ESTIMATES.items():
        if variant.has(name):
            estimate = check.ask(name, position)
            check.is_int(name, position, estimate)
            if not (0 if name == "mobility" else 1 - BOUND) <= estimate < BOUND:
                check.fail(name, position, f"must be {wanted}, got {estimate:,}")
    if variant.has("tier_name") and (tier := variant.tier(position)) not in check.named:
        check.named.add(tier)
        check.text("tier_name", position, tier, position_given=False)
    if variant.has("piles") and not are_numbers(piles := check.ask("piles", position)):
        check.fail("piles", position, f"must return how many are in each pile, got {got(piles)}")
    layout = getattr(variant.game.module, "layout", None)
    if layout is not None and variant.has("ends"):
        cells = len(layout.board(variant.rules))
        for move in moves:
            if not are_numbers(ends := check.ask("ends", position, move), cells):
                check.fail(
                    "ends", position, f"must return cells from 0 to {cells - 1}, got {got(ends)} for move {move}"
                )


def are_numbers(found: Any, bound: int | None = None) -> bool:
    """Tell whether this is a list of ints that are 0 or more, and less than the bound.

    >>> are_numbers((3, 0)), are_numbers([3], 3), are_numbers(3), are_numbers((-1,)), are_numbers((True,))
    (True, False, False, False, False)
    """
    return isinstance(found, list | tuple) and all(
        type(number) is int and number >= 0 and (bound is None or number < bound) for number in found
    )
