"""What is known to be too large by its numbers alone is refused before anything is loaded, compiled or stored."""

from collections.abc import Iterator
from contextlib import contextmanager

from gamesman.errors import TooLarge
from gamesman.machine.memory import Allowance
from gamesman.model.symmetry import in_use
from gamesman.model.variant import Variant
from gamesman.values import KEY_LIMIT

PLACE = 3  # bytes that solving in arrays takes for each number
LEAST_LEFT = 60 << 20  # bytes of memory beside what the process has already: with less nothing goes on in files
FILLED = 16  # times as many numbers as positions, at the most, where arrays hold them
USUAL = 0.6  # positions, up to symmetry as many times fewer, for each number there; 0.5 to 0.9 where it is known
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
        # Up to symmetry only the least positions are ever written to: Dense asks again as it comes to them.
        classes = _classes(variant)
        reserve(variant, allowance, PLACE * bound // classes + code, "" if classes == 1 else "at least ")


def reserve(variant: Variant, allowance: Allowance, size: int, surely: str = "") -> None:
    """Raise TooLarge where there is no room for so many bytes of arrays, with how many positions there may be."""
    bound = variant.key_bound()
    assert bound is not None  # see is_dense
    try:
        allowance.reserve(size, f"{variant.name}, which has {bound:,} positions, reachable or not,", surely)
    except TooLarge as error:
        raise TooLarge(str(error), error.needed, (bound / FILLED, USUAL * bound / _classes(variant))) from None


def _classes(variant: Variant) -> int:
    """Return how many positions stand for one another at most."""
    symmetry = in_use(variant)
    return 1 if symmetry is None else symmetry.order


def refuse_early(variant: Variant, allowance: Allowance, room: int) -> None:
    """Do the same before anything is stored, unless what is to be in arrays may go on in files, with room for them."""
    try:
        refuse(variant, allowance)
    except TooLarge as error:
        if error.positions is None or error.positions[0] > room or allowance.left < LEAST_LEFT:
            raise


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
