"""Symmetries of a board: which turns and mirrors there are, and tables by which compiled code applies them to masks.

    turned=board.turned()                 in setup: a row a symmetry, of 256 masks for each 8 cells
    turn_mask(rules.turned[i], mask)      in `symmetries`: the image of a mask under the i-th

The image of a mask is put together of the images of its bytes:

    mask 0b0110_1001_0000_0001:     row[0b0000_0001] | row[256 + 0b0110_1001]
"""

from collections.abc import Sequence

from gamesman.bits import lowest

Permutation = tuple[int, ...]  # where each cell goes
NEAR = 1e-6


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
