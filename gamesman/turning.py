"""The turns and mirrors of a board are found here, with tables by which compiled code applies them to masks.

    turned=board.turned()                 in setup: a row a symmetry, of 256 masks for each 8 cells
    turn_mask(rules.turned[i], mask)      in `symmetries`: the image of a mask under the i-th

The image of a mask is put together of the images of its bytes:

    mask 0b0110_1001_0000_0001:     row[0b0000_0001] | row[256 + 0b0110_1001]
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from gamesman.bits import lowest

Permutation = tuple[int, ...]  # where each cell goes
NEAR = 1e-6
MOST_PAIRED = 31  # cells of which two images fit one word
MOST_LOOKED_UP = 16  # cells of which a row of `turned` has no more than two parts
MOST_SHIFTS = 16  # more shifts take longer than looking up
LOW_32_BITS = 0xFFFFFFFF


class Pairs(NamedTuple):
    """Images of masks, two in a word: all images of a position are had in half the look-ups.

    A single symmetry that moves cells by few different distances, like most mirrors, needs no look-up: cells that move
    alike are shifted together, on both masks of a position at once.
    """

    rows: int  # words that hold all images; 0 where there are too many cells, or where cells are shifted
    spare: int  # images among them that are the mask itself
    parts: int  # how many look-ups make a word
    width: int  # cells looked up at once
    images: tuple[int, ...]  # the words of the first part's masks, one after the other, then those of the next part
    alike: tuple[int, ...]  # of a single symmetry: two masks each of cells that move alike, by how many bits
    up: tuple[int, ...]
    down: tuple[int, ...]
    cells: tuple[int, ...]  # the images of no cell, then of each cell, + 1: as many words each as of masks


def isometries(at: Sequence[tuple[float, float]], linked: Sequence[set[int]]) -> tuple[Permutation, ...]:
    """Find the permutations of some places, but for the identity, that are turns or mirrors and keep what is linked.

    A turn or a mirror leaves the centre where it is; where one other place goes tells which turn it is, or which
    mirror. Places are complex numbers here: a turn is a product, a mirror a product with the conjugate.

    >>> isometries([(0, 0), (1, 0)], [{1}, {0}])
    ((1, 0),)
    """
    centre = sum(complex(*place) for place in at) / len(at)
    places = [complex(*place) - centre for place in at]
    numbers = {_rounded(place): cell for cell, place in enumerate(places)}
    first = max(places, key=abs)
    found: dict[Permutation, None] = {}
    for to in places:
        if abs(first) < NEAR or abs(abs(to) - abs(first)) > NEAR:
            continue
        for images in ([p * to / first for p in places], [p.conjugate() * to / first.conjugate() for p in places]):
            cells = tuple(numbers.get(_rounded(image), -1) for image in images)
            if -1 not in cells and all({cells[b] for b in linked[a]} == linked[cells[a]] for a in range(len(cells))):
                found[cells] = None
    return tuple(cells for cells in found if cells != tuple(range(len(cells))))


def _rounded(place: complex) -> tuple[int, int]:
    return round(place.real * 1000), round(place.imag * 1000)


def turns(symmetries: Sequence[Permutation]) -> tuple[tuple[int, ...], ...]:
    """Make the table of `turn_mask`: a row for each symmetry.

    >>> turns([(1, 0)])[0][:4]
    (0, 2, 1, 3)
    """
    return tuple(map(_images, symmetries))


def _images(cells: Permutation) -> tuple[int, ...]:
    images: list[int] = []
    for chunk in range(0, len(cells), 8):
        row = [0]
        for cell in range(chunk, chunk + 8):
            bit = 1 << cells[cell] if cell < len(cells) else 0
            row += [image | bit for image in row]
        images += row
    return tuple(images)


def turn_mask(turned: tuple[int, ...], mask: int) -> int:
    """Return the image of a mask under the symmetry that this row of the table stands for.

    >>> squares_turned = turns([(1, 0)])
    >>> turn_mask(squares_turned[0], 0b01)
    2
    """
    image = turned[mask & 255]
    for chunk in range(256, len(turned), 256):
        mask >>= 8
        image |= turned[chunk + (mask & 255)]
    return image


def turn_cell(turned: tuple[int, ...], cell: int) -> int:
    """Return the image of a cell; -1, which stands for none, is its own image."""
    return lowest(turn_mask(turned, 1 << cell)) if cell >= 0 else -1


def pairs(turned: Sequence[tuple[int, ...]]) -> Pairs:
    """Return the tables of `mask_pair` and `mirrored` for one row of `turned` or several.

    >>> both = pairs(turns([(1, 2, 0), (2, 0, 1)]))
    >>> hex(mask_pair(both, 0, 0b001))
    '0x200000004'
    """
    cells = max(turned[0]).bit_length()
    if cells > MOST_PAIRED:
        return Pairs(0, 0, 0, 0, (0,), (), (), (), (0,))
    if mirror := mirror_of(turned):
        return mirror
    kept = [*turned, None][: len(turned) + len(turned) % 2]
    parts = 2 if cells <= 16 else 4
    width = -(-cells // parts)
    masks = [mask << width * part & (1 << cells) - 1 for part in range(parts) for mask in range(1 << width)]
    images = tuple(word for mask in masks for word in _words(kept, mask))
    spare = len(kept) - len(turned)
    return Pairs(len(kept) // 2, spare, parts, width, images, (), (), (), _cell_words(kept, cells))


def mirror_of(turned: Sequence[tuple[int, ...]]) -> Pairs | None:
    """Return the tables of `mirrored` where there is one row that moves cells by few different distances, or None."""
    cells = max(turned[0]).bit_length()
    if len(turned) > 1 or cells > MOST_PAIRED:
        return None
    alike: dict[int, int] = {}
    for cell in range(cells):
        by = turn_cell(turned[0], cell) - cell
        alike[by] = alike.get(by, 0) | 1 << cell
    if len(alike) > MOST_SHIFTS:
        return None
    masks = tuple(mask << 32 | mask for mask in alike.values())
    up, down = tuple(max(by, 0) for by in alike), tuple(max(-by, 0) for by in alike)
    return Pairs(0, 1, 0, 0, (0,), masks, up, down, _cell_words([turned[0], None], cells))


def _words(kept: Sequence[tuple[int, ...] | None], mask: int) -> list[int]:
    """Return the images of a mask, two in a word."""
    images = [turn_mask(row, mask) if row else mask for row in kept]
    return [high << 32 | low for high, low in zip(images[::2], images[1::2], strict=True)]


def _cell_words(kept: Sequence[tuple[int, ...] | None], cells: int) -> tuple[int, ...]:
    """Return the images, + 1, of no cell and of each cell, two in a word."""
    words = [word for cell in range(cells) for word in _words(kept, 1 << cell)]
    none = (0,) * (len(kept) // 2)
    return none + tuple(lowest(word >> 32) + 1 << 32 | lowest(word & LOW_32_BITS) + 1 for word in words)


def mask_pair(of: Pairs, row: int, mask: int) -> int:
    """Return two images of a mask, the one above 32 bits of the other."""
    ones = (1 << of.width) - 1
    second, third = mask >> of.width, mask >> 2 * of.width
    word = of.images[(mask & ones) * of.rows + row] | of.images[((1 << of.width) + (second & ones)) * of.rows + row]
    if of.parts == 2:
        return word
    fourth = mask >> 3 * of.width
    word |= of.images[((2 << of.width) + (third & ones)) * of.rows + row]
    return word | of.images[((3 << of.width) + (fourth & ones)) * of.rows + row]


def mirrored(of: Pairs, both: int) -> int:
    """Return the images of two masks, the one above 32 bits of the other, under the only symmetry.

    >>> hex(mirrored(pairs(turns([(1, 0)])), 0x1_0000_0002))
    '0x200000001'
    """
    image = 0
    for i in range(len(of.alike)):
        image |= (both & of.alike[i]) << of.up[i] >> of.down[i]
    return image


def lesser_in(row: tuple[int, ...]) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
    """Return what `lesser_by` returns, for a row of `turned` of at most 16 cells, and positions with no cell.

    >>> lesser_in(turns([(1, 0)])[0])((0b10, 0b01, 0))
    (1, 2, 0)
    """
    low, high, cells = row[:256], row[256:] or (0,), max(row).bit_length()

    def lesser(position: tuple[int, ...]) -> tuple[int, ...]:
        mask = position[0]
        if (mask | position[1]) >> cells:
            return position
        first = low[mask & 255] | high[mask >> 8]
        if first > mask:
            return position
        mask = position[1]
        second = low[mask & 255] | high[mask >> 8]
        return position if first == position[0] and second >= mask else (first, second, *position[2:])

    return lesser


def lesser_by(of: Pairs, fields: int, word: int = 1) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
    """Return what finds the lesser of a position of so many fields and its mirror image; `word` may be of a cell.

    Its source is made for this mirror: what would be looked up in tables stands in it as numbers. A position with a
    piece off the board has no image, and is returned as it is.

    >>> lesser_by(pairs(turns([(1, 0)])), 4, 3)((0b10, 0b01, 0, 1))
    (1, 2, 0, 0)
    """
    moved = [f"(both & {mask}) << {up} >> {down}" for mask, up, down in zip(of.alike, of.up, of.down, strict=True)]
    moves = " | ".join(part.replace(" << 0", "").replace(" >> 0", "") for part in moved)
    names = [f"f{i}" for i in range(fields)]
    image = ["image >> 32", f"image & {LOW_32_BITS}", *("cell" if i == word else names[i] for i in range(2, fields))]
    cells = [(both >> 32) - 1 for both in of.cells]
    lines = [
        "def lesser(position):",
        f"    {', '.join(names)} = position",
        f"    if not 0 <= f0 | f1 <= {sum(of.alike) & LOW_32_BITS}:",
        "        return position",
        "    both = f0 << 32 | f1",
        f"    image = {moves}",
    ]
    if word == 1:
        lines += ["    if image >= both:", "        return position"]
    else:
        lines += [
            f"    if image > both or not -1 <= f{word} < {len(cells) - 1}:",
            "        return position",
            f"    cell = cells[f{word} + 1]",
            f"    if image == both and cell >= f{word}:",
            "        return position",
        ]
    found: dict[str, Any] = {"cells": cells}
    exec("\n".join([*lines, f"    return {', '.join(image)}"]), found)
    lesser: Callable[[tuple[int, ...]], tuple[int, ...]] = found["lesser"]
    return lesser
