"""The kernel made here holds un-moves against moves, at positions and at their images.

Where the moves of an image are the images of moves, as `verify` proves, its un-moves must be the images of un-moves.
So they need only be compared as that, by a sum over their keys; which may differ for positions that cannot be reached.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gamesman.model import undone

RIGHT, WRONG, UNLIKE = range(3)
# A key times an odd number looks like chance in its upper bits.
SPREAD, BITS = 0x2545F4914F6CDD1D, (1 << 62) - 1


def kernel(
    make: Callable[[Any], Any], functions: dict[str, Any], *, is_turned: bool
) -> Callable[..., tuple[int, int, int]]:
    """Make the kernel; with `is_turned` the rules have `kept_symmetries`."""
    inline, is_undone = functions["inline"], undone.exact(functions, functions["inline"])
    unhash, hash, undo_moves = (functions[name] for name in ("unhash", "hash", "undo_moves"))

    @inline
    def spread(key: int) -> int:
        code = (key + 1) * SPREAD & BITS
        code = (code ^ code >> 31) * SPREAD & BITS
        return code ^ code >> 29

    if is_turned:
        symmetries = functions["symmetries"]

        @inline
        def are_alike(rules: Any, position: Any, sums: np.ndarray) -> bool:
            """Tell whether the un-moves of all images of a position are the images of its own."""
            sums[:] = 0
            for parent in undo_moves(rules, position):
                number = 0
                for image in symmetries(rules, parent):
                    if number == sums.shape[0]:
                        break  # none of the others is kept
                    sums[number] = sums[number] + spread(hash(rules, image)) & BITS
                    number += 1  # noqa: SIM113
            kept = rules.kept_symmetries
            number = 0
            for image in symmetries(rules, position):
                if number == sums.shape[0]:
                    break
                if kept & 1 and image != position:
                    total = 0
                    for parent in undo_moves(rules, image):
                        total = total + spread(hash(rules, parent)) & BITS
                    if total != sums[number]:
                        return False
                kept >>= 1
                number += 1  # noqa: SIM113
            return True

    else:

        @inline
        def are_alike(rules: Any, position: Any, sums: np.ndarray) -> bool:
            return True

    tier, size = functions["tier"], functions["size"]

    def hold(rules: Any, keys: np.ndarray, begin: int, sums: np.ndarray) -> tuple[int, int, int]:
        """Hold the positions of keys from `begin` on, until one is not right.

        Returns its place, or where the keys end; what it is; and how many positions there were before it, with their
        images. `sums` has room for a number for each image.
        """
        held = 0
        for i in range(begin, keys.shape[0]):
            position = unhash(rules, int(keys[i]))
            if not is_undone(rules, position, tier(rules, position)):
                return i, WRONG, held
            if not are_alike(rules, position, sums):
                return i, UNLIKE, held
            held += size(rules, position)
        return keys.shape[0], RIGHT, held

    return make(hold)
