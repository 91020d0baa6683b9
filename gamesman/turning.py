"""The turns and mirrors of a board are found here, with tables by which compiled code applies them to masks.

    turned=board.turned()                 in setup: a row a symmetry, of 256 masks for each 8 cells
    turn_mask(rules.turned[i], mask)      in `symmetries`: the image of a mask under the i-th

The image of a mask is put together of the images of its bytes:

    mask 0b0110_1001_0000_0001:     row[0b0000_0001] | row[256 + 0b0110_1001]
"""

from collections.abc import Sequence
from typing import NamedTuple

from gamesman.bits import lowest

Permutation = tuple[int, ...]  # where each cell goes
NEAR = 1e-6
MOST_PAIRED = 31  # cells of which two images fit one word


class Pairs(NamedTuple):
    """Images of masks, two in a word: all images of a position are had in half the look-ups."""

    rows: int  # words that hold all images; 0 where there are too many cells
    spare: int  # images among them that are the mask itself
    parts: int  # how many look-ups make a word
    width: int  # cells looked up at once
    images: tuple[int, ...]  # the words of the first part's masks, one after the other, then those of the next part


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
    """Return the table of `mask_pair` for one row of `turned` or several.

    >>> mirrored = pairs(turns([(1, 0)]))
    >>> hex(mask_pair(mirrored, 0, 0b01))
    '0x200000001'
    """
    cells = max(turned[0]).bit_length()
    if cells > MOST_PAIRED:
        return Pairs(0, 0, 0, 0, (0,))
    parts = 2 if cells <= 16 else 4
    width = -(-cells // parts)
    kept = [*turned, None][: len(turned) + len(turned) % 2]
    masks = [mask << width * part & (1 << cells) - 1 for part in range(parts) for mask in range(1 << width)]
    images = [[turn_mask(row, mask) if row else mask for row in kept] for mask in masks]
    words = [high << 32 | low for image in images for high, low in zip(image[::2], image[1::2], strict=True)]
    return Pairs(len(kept) // 2, len(kept) - len(turned), parts, width, tuple(words))


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
