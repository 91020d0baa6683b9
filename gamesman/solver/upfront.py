"""What is known to be too large by its numbers alone is refused before anything is loaded, compiled or stored."""

from collections.abc import Iterator
from contextlib import contextmanager

from gamesman.errors import TooLarge
from gamesman.machine.memory import Allowance
from gamesman.model.variant import Variant
from gamesman.values import KEY_LIMIT

PLACE = 3  # bytes that solving in arrays takes for each number
PACKED = 10  # and by hashing, at least, for each position

# By hashing only the positions take room, not all their numbers. So many times as many numbers as there is room for
# make it worth while to ask how many positions there are before anything else is done.
FAR = 100


def is_dense(variant: Variant) -> bool:
    """Return whether the game's keys are such that arrays with a place for every key can hold them."""
    if not variant.has("key_bound") or not variant.has("tier_keys"):
        return False
    return variant.tier_keys(variant.tier(variant.start()))[1] > 0


def refuse(variant: Variant, allowance: Allowance, code: int = 0) -> None:
    """Raise TooLarge where the numbers of the positions are too large, or their arrays and `code` more bytes are."""
    bound = variant.key_bound()
    most = variant.hash(variant.start()) + 1 if bound is None else bound
    if most > KEY_LIMIT:
        raise TooLarge(
            f"{variant.name} cannot be solved: its positions are numbered up to about 2**{most.bit_length() - 1}, "
            "and they must be below 2**63; it can still be played, searched and proved"
        )
    if bound is not None and is_dense(variant):
        what = f"{variant.name}, which has {bound:,} positions, reachable or not,"
        allowance.reserve(PLACE * bound + code, what)


@contextmanager
def naming_smaller(variant: Variant) -> Iterator[None]:
    """Let a TooLarge of what is inside name the largest variant of the game that was solved, if that is known."""
    try:
        yield
    except TooLarge as error:
        raise TooLarge(f"{error}{variant.game.smaller_than(variant.name)}", error.needed) from None


def is_doubtful(variant: Variant, allowance: Allowance) -> bool:
    """Return whether there are far more numbers of positions than memory has room for positions."""
    bound = variant.key_bound()
    return bound is not None and not is_dense(variant) and PACKED * bound > FAR * allowance.limit
