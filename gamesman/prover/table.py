"""What has been proved is kept here: a table of two 64-bit words a row, shared by threads without a lock.

A position is known by a mark of 128 bits, two scrambles of all its words. The table has buckets of two rows; 64 bits
of the mark and the upper 48 of the other 64 are in the row, and the lower ones, 16 or more, are the bucket's number.
One position is taken for another where all 128 are the same: a search that looks up 10**14 positions, in a table of a
gigabyte, meets that with a probability below 10**-16. A certificate does not depend on it.

    first word    the mark's first half, xor the second word
    second word   the upper 48 bits of the mark's second half, then 16 bits of data

    data          bit 0: whether it is so; bits 1 to 6: the logarithm of the work; bits 7 to 15: the depth, 0 for any

Another thread may write between two reads of a row. Then the words do not belong together, their xor is not the mark,
and nothing is found.
"""

from typing import Any

import numpy as np

ROW_BYTES = 16
LEAST_ROWS = 1 << 17
MOST_DEPTH = 511


def new_table(table_bytes: int) -> np.ndarray:
    """Make an empty table of at most so many bytes, but of a size that data and mark find room in."""
    rows = 1 << max(LEAST_ROWS.bit_length(), (table_bytes // ROW_BYTES).bit_length()) - 1
    return np.zeros((rows, 2), np.int64)


def look_up(table: Any, first: int, second: int, left: int) -> int:
    """Return what is known of a mark, 1 or 0, or -1 where nothing is.

    With `left` it is for so many moves: what is so within fewer is so, and what is not within more is not.
    """
    bucket = (second & ((len(table) >> 1) - 1)) * 2
    for row in range(bucket, bucket + 2):
        word = table[row, 1]
        if table[row, 0] ^ word == first and word >> 16 == second >> 16:
            is_so, depth = word & 1, word >> 7 & 511
            if word & 126 and (depth == left or (left and depth and (depth < left) == (is_so == 1))):
                return is_so
    return -1


def keep(table: Any, first: int, second: int, left: int, is_so: int, nodes: int) -> None:
    """Write what so many nodes have proved: the first row keeps what took more work, the second what is new."""
    work = 1
    while nodes > 1 and work < 63:
        nodes >>= 1
        work += 1
    word = (second >> 16) << 16 | left << 7 | work << 1 | is_so
    row = (second & ((len(table) >> 1) - 1)) * 2
    kept = table[row, 1]
    is_own = table[row, 0] ^ kept == first and kept >> 16 == second >> 16
    if not is_own:
        if work >= kept >> 1 & 63:
            moved = table[row, 0]
            table[row + 1, 0] = moved
            table[row + 1, 1] = kept
        else:
            row += 1
    table[row, 0] = first ^ word
    table[row, 1] = word
