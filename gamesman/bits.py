"""Bits are counted and found here in plain Python ints; the solver compiles each function to a machine instruction.

`each`, a loop over bits, is as many as it takes.
"""

from collections.abc import Iterator


def popcount(bits: int) -> int:
    """Count the bits that are set.

    >>> popcount(0b1011)
    3
    """
    return bits.bit_count()


def lowest(bits: int) -> int:
    """Return the index of the lowest set bit; there must be one.

    >>> lowest(0b1100)
    2
    """
    return (bits & -bits).bit_length() - 1


def highest(bits: int) -> int:
    """Return the index of the highest set bit; there must be one.

    >>> highest(0b1100)
    3
    """
    return bits.bit_length() - 1


def each(bits: int) -> Iterator[int]:
    """Yield the index of every set bit, the lowest first.

    >>> list(each(0b1010))
    [1, 3]
    """
    while bits:
        yield lowest(bits)
        bits &= bits - 1


def gather(bits: int, mask: int) -> int:
    """Return the bits of `bits` that stand under `mask`, pushed together at the low end.

    >>> bin(gather(0b1010_1100, 0b1111_0000))
    '0b1010'
    """
    gathered = 0
    bits &= mask
    while bits:
        low = bits & -bits
        gathered |= 1 << popcount(mask & low - 1)
        bits ^= low
    return gathered


def scatter(bits: int, mask: int) -> int:
    """Return the low bits of `bits` laid out under `mask`: the inverse of `gather`.

    >>> bin(scatter(0b1010, 0b1111_0000))
    '0b10100000'
    """
    scattered = 0
    while bits and mask:
        low = mask & -mask
        if bits & 1:
            scattered |= low
        bits >>= 1
        mask ^= low
    return scattered
