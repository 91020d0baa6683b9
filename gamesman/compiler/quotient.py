"""Symmetry in the kernels: the position that stands for a class, and how many the class has.

A kernel asks `least` of every position before it hashes it, and counts a position `size` times. For a game, or a start,
without symmetries these are the position itself and 1, of which compiled code keeps nothing. Which of a game's images
count is in the rules, see gamesman.model.symmetry, so that one compilation serves every size, option and start.

Two comparisons of random boards are two guesses that the processor gets wrong, which takes longer than all the rest.
So the first two words of a position, which nearly always decide, are compared as one and without a branch.
"""

from collections.abc import Callable
from typing import Any

LOW_32_BITS = 0xFFFFFFFF


def itself(rules: Any, position: Any) -> Any:
    """Return the least of a class that is one position."""
    return position


def one(rules: Any, position: Any) -> int:
    """Return the size of a class that is one position."""
    return 1


def plain(symmetries: Any, width: int) -> dict[str, Any]:
    """Make the functions `least` and `size` to be interpreted."""
    return make(symmetries, width, lambda function: function, lambda function: function)


def make(symmetries: Any, width: int, inlined: Callable[..., Any], called: Callable[..., Any]) -> dict[str, Any]:
    """Make the functions `least` and `size` for positions of `width` words: `inlined` and `called` compile them."""

    @called
    def compare(rules: Any, position: Any) -> Any:
        """Return the least of the images, compared in full."""
        best = position
        kept = rules.kept_symmetries
        for image in symmetries(rules, position):
            if kept & 1 and image < best:
                best = image
            kept >>= 1
        return best

    if width == 1:

        @inlined
        def least(rules: Any, position: Any) -> Any:
            best = position[0]
            kept = rules.kept_symmetries
            for image in symmetries(rules, position):
                best = image[0] if (image[0] < best) & (kept & 1 == 1) else best
                kept >>= 1
            return (best,)

    elif width == 2:

        @inlined
        def least(rules: Any, position: Any) -> Any:
            best = position[0] << 32 | position[1]
            every = position[0] | position[1]
            kept = rules.kept_symmetries
            for image in symmetries(rules, position):
                code = image[0] << 32 | image[1]
                every |= image[0] | image[1]
                best = code if (code < best) & (kept & 1 == 1) else best
                kept >>= 1
            if every >> 31 != 0:
                return compare(rules, position)
            return best >> 32, best & LOW_32_BITS

    else:

        @inlined
        def least(rules: Any, position: Any) -> Any:
            best = position[0] << 32 | position[1]
            rest = position[2:]
            every = position[0] | position[1]
            kept = rules.kept_symmetries
            is_tied = False
            for image in symmetries(rules, position):
                code = image[0] << 32 | image[1]
                every |= image[0] | image[1]
                is_tied |= (code == best) & (image[2:] != rest)
                is_less = (code < best) & (kept & 1 == 1)
                best = code if is_less else best
                rest = image[2:] if is_less else rest
                kept >>= 1
            if is_tied or every >> 31 != 0:
                return compare(rules, position)
            return (best >> 32, best & LOW_32_BITS) + rest

    @inlined
    def size(rules: Any, position: Any) -> int:
        order = 1
        fixing = 1
        kept = rules.kept_symmetries
        for image in symmetries(rules, position):
            order += kept & 1
            fixing += (kept & 1) & (image == position)
            kept >>= 1
        return order // fixing

    return {"least": least, "size": size}


def images_kernel(kernel: Any, functions: dict[str, Any]) -> Any:
    """Make the kernel that makes all positions of some classes."""
    unhash, hash, symmetries = (functions[name] for name in ("unhash", "hash", "symmetries"))

    def images(rules: Any, keys: Any, records: Any, low: int, high: int, found: Any, its: Any) -> int:
        """Note each position of the classes once, if its key is from `low` to before `high`. Returns how many."""
        n = 0
        for i in range(keys.shape[0]):
            position = unhash(rules, keys[i])
            first = n
            if low <= keys[i] < high:
                found[n] = keys[i]
                its[n] = records[i]
                n += 1
            kept = rules.kept_symmetries
            for image in symmetries(rules, position):
                if kept & 1:
                    key = hash(rules, image)
                    is_new = low <= key < high
                    for k in range(first, n):
                        is_new &= found[k] != key
                    if is_new:
                        found[n] = key
                        its[n] = records[i]
                        n += 1
                kept >>= 1
        return n

    return kernel(images)
