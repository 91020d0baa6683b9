"""Kernels are told here which position stands for a class of images, and how many the class has.

A kernel asks `least` of every position before it hashes it, and counts a position `size` times. For a game, or a start,
without symmetries these are the position itself and 1, of which compiled code keeps nothing. Which of a game's images
count is in the rules, see gamesman.model.symmetry, so that one compilation serves every size, option and start.

Two comparisons of random boards are two guesses that the processor gets wrong, which takes longer than all the rest.
So the first two words of a position, which nearly always decide, are compared as one and without a branch. Where they
are masks of a declared layout, two images of each are looked up at once, in a table that has only those that count.
"""

from collections.abc import Callable
from typing import Any

from gamesman.turning import LOW_32_BITS, mask_pair, mirrored


def itself(rules: Any, position: Any) -> Any:
    """Return the least of a class that is one position."""
    return position


def one(rules: Any, position: Any) -> int:
    """Return the size of a class that is one position."""
    return 1


def plain(symmetries: Any, width: int, cells: list[int] | None = None) -> dict[str, Any]:
    """Make the functions `least` and `size` to be interpreted."""
    return make(symmetries, width, lambda function: function, lambda function: function, cells)


def make(
    symmetries: Any,
    width: int,
    inlined: Callable[..., Any],
    called: Callable[..., Any],
    cells: list[int] | None = None,
) -> dict[str, Any]:
    """Make the functions `least` and `size` for positions of `width` words: `inlined` and `called` compile them.

    With `cells`, see gamesman.model.symmetry.cells_turned, the rules have the table `turned_pairs`.
    """

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

    def size(rules: Any, position: Any) -> int:
        order = 1
        fixing = 1
        kept = rules.kept_symmetries
        for image in symmetries(rules, position):
            order += kept & 1
            fixing += (kept & 1) & (image == position)
            kept >>= 1
        return order // fixing

    if cells is not None:
        return _paired(compare, called(size), width, cells, inlined)
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

    return {"least": least, "size": inlined(size)}


def _paired(
    least_called: Any, size_called: Any, width: int, cells: list[int], inlined: Callable[..., Any]
) -> dict[str, Any]:
    """Make the same for positions that begin with two masks, by the tables `rules.turned_pairs`.

    Where the board has too many cells for that, the functions given are called.
    """
    pair_of, mirror = inlined(mask_pair), inlined(mirrored)
    last_of, placed = _last_word(width, cells, inlined)

    @inlined
    def lesser(code: int, last: int, other: int, others: int) -> Any:
        is_less = (other < code) | (other == code) & (others < last)
        return (other if is_less else code), (others if is_less else last)

    @inlined
    def pair_at(turned: Any, row: int, position: Any) -> Any:
        """Return two images, their masks beside each other, and what their cells are, the one above 32 bits."""
        first = pair_of(turned, row, position[0])
        second = pair_of(turned, row, position[1])
        high = (first & ~LOW_32_BITS) | second >> 32
        low = (first & LOW_32_BITS) << 32 | (second & LOW_32_BITS)
        return high, low, turned.cells[last_of(position) * turned.rows + row]

    @inlined
    def least(rules: Any, position: Any) -> Any:
        turned = rules.turned_pairs
        code, last = position[0] << 32 | position[1], last_of(position)
        if len(turned.alike):
            image = turned.cells[last] >> 32
            code, last = lesser(code, last, mirror(turned, code), image)
            return placed(position, code >> 32, code & LOW_32_BITS, last)
        if turned.rows == 0:
            return least_called(rules, position)
        for row in range(turned.rows):
            high, low, lasts = pair_at(turned, row, position)
            code, last = lesser(code, last, high, lasts >> 32)
            code, last = lesser(code, last, low, lasts & LOW_32_BITS)
        return placed(position, code >> 32, code & LOW_32_BITS, last)

    @inlined
    def size(rules: Any, position: Any) -> int:
        turned = rules.turned_pairs
        code, last = position[0] << 32 | position[1], last_of(position)
        if len(turned.alike):
            return 2 - ((mirror(turned, code) == code) & (turned.cells[last] >> 32 == last))
        if turned.rows == 0:
            return size_called(rules, position)
        fixing = 1 - turned.spare
        for row in range(turned.rows):
            high, low, lasts = pair_at(turned, row, position)
            fixing += (high == code) & (lasts >> 32 == last)
            fixing += (low == code) & (lasts & LOW_32_BITS == last)
        return (2 * turned.rows - turned.spare + 1) // fixing

    return {"least": least, "size": size}


def _last_word(width: int, cells: list[int], inlined: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """Return what gives the cell of a position, + 1, and what puts two masks and a cell in the place of its own."""
    if not cells:

        @inlined
        def nothing(position: Any) -> int:
            return 0

        @inlined
        def with_masks(position: Any, first: int, second: int, last: int) -> Any:
            return (first, second) + position[2:]

        return nothing, with_masks

    word, after = cells[0], cells[0] + 1

    @inlined
    def last_of(position: Any) -> int:
        return position[word] + 1

    @inlined
    def with_all(position: Any, first: int, second: int, last: int) -> Any:
        return (first, second) + position[2:word] + (last - 1,) + position[after:]

    return last_of, with_all


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
