"""A block holds positions with ascending keys. Its layout is described here, and one position is found without numpy.

Keys, before compression; none where the records have an entry for every key from first to last:

    width       1 byte         bytes of a delta: 1 or 2
    escapes     4 bytes        how many deltas are larger than that
    anchors     8 bytes each   key number 0, 64, 128, ... less the first key
    deltas      width each     the low part of each key less the one before it; the first is 0
    escaped     2 bytes each   the numbers of the keys whose delta is larger
    high        8 bytes each   the rest of these deltas

Records, before compression (see gamesman.values):

    colours     2 bytes        how many different records there are; 0 where they are more than 256
    palette     2 bytes each   the different records, ascending
    plane       1 byte each    a record's place in the palette; where there is none, the records, 2 bytes each

All numbers are little-endian. Measured on Konane 5x6: keys 0.88 bytes a position, records 0.54; deltas of two bytes
with a few escaped are smaller and faster to compress than deltas of four bytes or in byte planes. With the anchors a
look-up adds up 64 deltas at most; where all positions are wanted, gamesman.db.codec.arrays decodes a block at once.
"""

import struct
import sys
from array import array
from bisect import bisect_right
from typing import NamedTuple

from gamesman.values import UNREACHED

BLOCK = 16_384  # positions; at most 65,536, because their numbers are kept in two bytes
STRIDE = 64  # keys from one anchor to the next
HALVES = 32, 16, 8
COLOURS = 256
# Where at least one key in so many is a reachable position, an entry for every key is smaller than a list of keys.
SPREAD = 3
LARGEST = 65_536  # positions; a row that says it has more is damaged

KEYS_HEAD = struct.Struct("<BI")
RECORDS_HEAD = struct.Struct("<H")
WIDTHS = {1: "B", 2: "H"}


class EncodedBlock(NamedTuple):
    """Holds the bytes of a block before compression, and what its row says of it."""

    first: int  # the first key
    last: int
    positions: int
    keys: bytes | None
    records: bytes


def most_bytes(positions: int, slots: int, has_keys: bool) -> tuple[int, int]:
    """Return how many bytes the keys and the records of a block have at most, before compression.

    >>> most_bytes(3, 3, has_keys=False)
    (0, 520)
    """
    keys = KEYS_HEAD.size + 8 * -(-positions // STRIDE) + 12 * positions if has_keys else 0
    return keys, RECORDS_HEAD.size + 2 * COLOURS + 2 * slots


class Block:
    """Finds single positions in a block.

    >>> records = RECORDS_HEAD.pack(2) + bytes([7, 0, 8, 0]) + bytes([0, 1, 0])
    >>> block = Block(EncodedBlock(first=10, last=12, positions=3, keys=None, records=records))
    >>> block.find(11), block.find(13)
    (8, None)
    """

    __slots__ = ("first", "last", "_anchors", "_deltas", "_escaped", "_high", "_palette", "_plane")

    def __init__(self, block: EncodedBlock):
        """Decode the block. Raises ValueError where its lengths do not agree."""
        try:
            self._decode(*block)
        except (struct.error, KeyError, OverflowError) as error:
            raise ValueError(f"no block: {error}") from error

    def _decode(self, first: int, last: int, count: int, keys: bytes | None, records: bytes) -> None:
        """Take the arrays of the layout out of the bytes."""
        self.first, self.last = first, last
        self._anchors: list[int] | None = None  # to look for a place in a list takes less time than in an array
        slots = last - first + 1
        if keys is not None:
            slots = count
            width, escapes = KEYS_HEAD.unpack_from(keys)
            at = KEYS_HEAD.size
            anchors, at = _numbers("Q", keys, at, -(-count // STRIDE))
            self._deltas, at = _numbers(WIDTHS[width], keys, at, count)
            escaped, at = _numbers("H", keys, at, escapes)
            self._anchors, self._escaped = anchors.tolist(), escaped.tolist()
            self._high, at = _numbers("Q", keys, at, escapes)
            _check_end(keys, at)
        (colours,) = RECORDS_HEAD.unpack_from(records)
        self._palette, at = _numbers("H", records, RECORDS_HEAD.size, colours)
        self._plane, at = _numbers("B" if colours else "H", records, at, slots)
        _check_end(records, at)

    def find(self, key: int) -> int | None:
        """Return the record of a key, or None if no position has it. Raises IndexError where the block is damaged."""
        if not self.first <= key <= self.last:
            return None
        number = key - self.first if self._anchors is None else self._number(key - self.first)
        if number < 0:
            return None
        record = self._palette[self._plane[number]] if self._palette else self._plane[number]
        return None if record == UNREACHED else record

    def _number(self, offset: int) -> int:
        """Return the number of the key that is `offset` above the first key, or -1 if there is none."""
        assert self._anchors is not None
        stretch = bisect_right(self._anchors, offset) - 1
        at, end, deltas, escaped = stretch * STRIDE, (stretch + 1) * STRIDE, self._deltas, self._escaped
        offset += deltas[at] - self._anchors[stretch]  # the anchor includes the first delta
        e = bisect_right(escaped, at)
        while e < len(escaped) and escaped[e] < end:
            reached = sum(deltas[at : escaped[e]])
            if offset <= reached:
                break
            at = escaped[e]
            offset -= reached + (self._high[e] << 8 * deltas.itemsize)
            e += 1
        for half in HALVES:  # to add up half of the deltas takes less time than to look at them one by one
            reached = sum(deltas[at : at + half])
            if offset > reached:
                at, offset = at + half, offset - reached
        for delta in deltas[at : at + HALVES[-1]]:
            if delta >= offset:
                return at if delta == offset and at < end else -1  # what follows counts from an anchor of its own
            at, offset = at + 1, offset - delta
        return -1


def _numbers(kind: str, data: bytes, at: int, count: int) -> tuple["array[int]", int]:
    """Read `count` numbers from the data, beginning at byte `at`; return them, and the byte that they end at."""
    numbers = array(kind)
    end = at + count * numbers.itemsize
    numbers.frombytes(data[at:end])
    if len(numbers) != count:
        raise ValueError("too short")
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers, end


def _check_end(data: bytes, at: int) -> None:
    """Raise ValueError if there is data behind byte `at`."""
    if at != len(data):
        raise ValueError("too long")
