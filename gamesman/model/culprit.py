"""The function of a game that is at fault is looked for in plain Python where the solver has met what cannot be.

The solver knows no more than the key of a position with which something is wrong, and can find another one with a move
to it. Often that move is to blame.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NoReturn

from gamesman.errors import BrokenGame
from gamesman.model.variant import Position, Variant

if TYPE_CHECKING:
    from gamesman.model.check import Check

DIFFER = "the functions differ interpreted and compiled; keep to whole numbers below 2**63, and indexes in their tables"


def blame(
    variant: Variant, key: int, leading_to: Callable[[int], int | None] = lambda key: None, *, said: str = DIFFER
) -> NoReturn:
    """Raise what is wrong at the position of a key.

    `leading_to` finds the key of a position with a move there; what is `said` is for where nothing is found.
    """
    check = _check(variant)
    before = leading_to(key)
    led = ""
    if before is not None:
        find([before], variant)
        led = _led(check, before, key)
    try:
        find([key], variant)
    except BrokenGame as error:
        raise BrokenGame(f"{error}{'' if ', where move ' in str(error) else led}") from None
    try:
        at = check.show(variant.unhash(key))
    except Exception:
        at = f"key {key}"
    raise BrokenGame(f"{variant.name}: {said}, at {at}{led}")


def find(keys: Iterable[int], variant: Variant) -> None:
    """Raise the first fault there is among the positions of some keys, or where their moves lead."""
    check = _check(variant)
    check.begin()
    for key in keys:
        check.at(int(key))


def fault(variant: Variant, key: int) -> str:
    """Say what is wrong at the position of a key, or where its moves lead; return "" if nothing is."""
    try:
        find([key], variant)
    except BrokenGame as error:
        return str(error)
    return ""


def fault_at_images(variant: Variant, key: int) -> str:
    """Say what is wrong at the images of the position of a key; return "" if nothing is, or it has none.

    Where classes are solved, un-moves are asked for at images of where its moves lead.
    """
    if not variant.has("symmetries"):
        return ""
    check = _check(variant)
    try:
        check.begin()
        images = check.images(variant.unhash(key))
        find([variant.hash(images[i]) for i in check.fixing], variant)
    except BrokenGame as error:
        return str(error)
    return ""


def undoing(variant: Variant, keys: Iterable[int], key: int) -> str:
    """Say which position of some keys claims wrongly to be reached from that of another key; return "" if none does."""
    check = _check(variant)
    check.begin()
    wronged = variant.unhash(key)
    for candidate in keys if variant.has("undo_moves") else ():
        position = variant.unhash(int(candidate))
        try:
            if wronged in variant.undo_moves(position):
                check.undo_moves(position, {})
        except BrokenGame as error:
            return str(error)
    return ""


def first(is_wrong: Callable[[int, int], bool], begin: int, end: int) -> int:
    """Return the first place with which a run from `begin` on is wrong, as the run up to `end` is.

    >>> first(lambda begin, end: begin <= 6 < end, 0, 100)
    6
    """
    while end - begin > 1:
        middle = (begin + end) // 2
        if is_wrong(begin, middle):
            end = middle
        else:
            begin = middle
    return begin


def parent(variant: Variant, keys: Iterable[int], key: int) -> int | None:
    """Return which of some keys is of a position with a move to the position of another key, or None.

    Raises BrokenGame where a position cannot be looked at.
    """
    for candidate in keys:
        position = variant.unhash(candidate)
        try:
            leads = bool(_moves_to(variant, position, key))
        except Exception:
            find([candidate], variant)  # it is at fault itself
            raise
        if leads:
            return candidate
    return None


def _check(variant: Variant) -> "Check":
    # lazy: start-up time, few games have a fault
    from gamesman.model.check import Check

    return Check(variant)


def _led(check: "Check", parent: int, key: int) -> str:
    """Say by which move one comes from one key to another, for a message."""
    variant = check.variant
    position = variant.unhash(parent)
    return "".join(check.leads(position, move) for move in _moves_to(variant, position, key)[:1])


def _moves_to(variant: Variant, position: Position, key: int) -> list[int]:
    """Return the moves to the position of a key, or to images of it where one stands for a class."""
    children = [(move, variant.do_move(position, move)) for move in variant.generate_moves(position)]
    moves = [move for move, child in children if variant.hash(child) == key]
    if not moves and variant.has("symmetries"):
        images = variant.game.functions["symmetries"]
        moves = [m for m, child in children if any(variant.hash(i) == key for i in images(variant.rules, child))]
    return moves
