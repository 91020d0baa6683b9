"""Symmetry in the kernels: the position that stands for a class, and how many the class has.

A kernel asks `least` of every position before it hashes it, and counts a position `size` times. For a game, or a start,
without symmetries these are the position itself and 1, of which compiled code keeps nothing. Which of a game's images
count is in the rules, see gamesman.model.symmetry, so that one compilation serves every size, option and start.

Two comparisons of random boards are two guesses that the processor gets wrong, which takes longer than all the rest.
So the first two words of a position, which nearly always decide, are compared as one and without a branch. Where they
are masks of a declared layout, two images of each are looked up at once, in a table that has only those that count.
"""

from collections.abc import Callable
from typing import Any

from gamesman.turning import mask_pair

HALF = 0xFFFFFFFF

_FLAGS = {"_nrt": False, "error_model": "numpy"}
_INLINED = {**_FLAGS, "forceinline": True}


def itself(rules: Any, position: Any) -> Any:
    """The least of a class that is one position."""
    return position


def one(rules: Any, position: Any) -> int:
    """The size of a class that is one position."""
    return 1


def compiled(symmetries: Any, width: int, cells: list[int] | None = None) -> dict[str, Any]:
    """Return the functions `least` and `size` for positions of `width` words.

    With `cells`, see gamesman.model.symmetry.cells_turned, the rules have the table `turned_pairs`.
    """
    from numba import njit  # here: what is small is verified without starting a compiler

    make, make_call = njit(**_INLINED), njit(**_FLAGS)
    if cells is not None:
        return _paired(_functions(symmetries, width, make_call, make_call), width, cells, make)
    return _functions(symmetries, width, make, make_call)


def plain(symmetries: Any, width: int, cells: list[int] | None = None) -> dict[str, Any]:
    """Return the same functions, interpreted."""
    functions = _functions(symmetries, width, _as_it_is, _as_it_is)
    return functions if cells is None else _paired(functions, width, cells, _as_it_is)


def _as_it_is(function: Callable[..., Any]) -> Callable[..., Any]:
    return function


def _functions(symmetries: Any, width: int, make: Callable[..., Any], make_call: Callable[..., Any]) -> dict[str, Any]:
    """`make` makes what is inlined, `make_call` what is called."""

    @make_call
    def compare(rules, position):
        """The least of the images, compared in full."""
        best = position
        kept = rules.kept_symmetries
        for image in symmetries(rules, position):
            if kept & 1 and image < best:
                best = image
            kept >>= 1
        return best

    if width == 1:

        @make
        def least(rules, position):
            best = position[0]
            kept = rules.kept_symmetries
            for image in symmetries(rules, position):
                best = image[0] if (image[0] < best) & (kept & 1 == 1) else best
                kept >>= 1
            return (best,)

    elif width == 2:

        @make
        def least(rules, position):
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
            return best >> 32, best & HALF

    else:

        @make
        def least(rules, position):
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
            return (best >> 32, best & HALF) + rest

    @make
    def size(rules, position):
        order = 1
        fixing = 1
        kept = rules.kept_symmetries
        for image in symmetries(rules, position):
            order += kept & 1
            fixing += (kept & 1) & (image == position)
            kept >>= 1
        return order // fixing

    return {"least": least, "size": size}


def _paired(functions: dict[str, Any], width: int, cells: list[int], make: Callable[..., Any]) -> dict[str, Any]:
    """Return the same for positions that begin with two masks, by the table `rules.turned_pairs`.

    Where the board has too many cells for that, or a word that can be a cell is one, `functions` are called.
    """
    least_called, size_called, pair_of = functions["least"], functions["size"], make(mask_pair)

    if width == 2:

        @make
        def placed(position, first, second):
            return first, second

    else:

        @make
        def placed(position, first, second):
            return (first, second) + position[2:]

    if cells:
        word = cells[0]

        @make
        def is_turned_more(position):
            return position[word] >= 0

    else:

        @make
        def is_turned_more(position):
            return False

    @make
    def least(rules, position):
        turned = rules.turned_pairs
        if turned.rows == 0 or is_turned_more(position):
            return least_called(rules, position)
        best = position[0] << 32 | position[1]
        for row in range(turned.rows):
            first = pair_of(turned, row, position[0])
            second = pair_of(turned, row, position[1])
            best = min(best, (first & ~HALF) | second >> 32, (first & HALF) << 32 | (second & HALF))
        return placed(position, best >> 32, best & HALF)

    @make
    def size(rules, position):
        turned = rules.turned_pairs
        if turned.rows == 0 or is_turned_more(position):
            return size_called(rules, position)
        fixing = 1 - turned.spare
        for row in range(turned.rows):
            first = pair_of(turned, row, position[0])
            second = pair_of(turned, row, position[1])
            fixing += (first >> 32 == position[0]) & (second >> 32 == position[1])
            fixing += (first & HALF == position[0]) & (second & HALF == position[1])
        return (2 * turned.rows - turned.spare + 1) // fixing

    return {"least": least, "size": size}


def images_kernel(kernel: Any, functions: dict[str, Any]) -> Any:
    """The kernel that makes all positions of some classes."""
    unhash, hash, symmetries = (functions[name] for name in ("unhash", "hash", "symmetries"))

    def images(rules, keys, records, low, high, found, its):
        """Note each position of the classes once, if its key is from `low` to before `high`; how many those are."""
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
