"""The kernels made here work on sorted keys: each once, packed as differences, and asked for in their order."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from gamesman.compiler.native import index
from gamesman.solver.kernels.acyclic import record_of, score
from gamesman.values import MAX_REMOTENESS

MOST_BYTES = 9  # of a key, packed
LONGEST_LEAST = 5  # bytes: two more are seven, and all are eight


@njit(_nrt=False, error_model="numpy", forceinline=True)
def _lengths(least):
    """Return the bytes that differences have by their codes, eight bits for each."""
    return least * 0x010101 + 0x020100 | 8 << 24


def unique(keys):
    """Move each of some sorted keys to the front, once. Returns how many there are."""
    n = 0
    for i in range(keys.shape[0]):
        keys[n] = keys[i]
        n += i + 1 == keys.shape[0] or keys[i + 1] != keys[i]
    return n


def absent(keys, known):
    """Move those of some sorted keys that are not among others to the front. Returns how many there are."""
    n = 0
    place = 0
    last = known.shape[0] - 1
    for i in range(keys.shape[0]):
        key = keys[i]
        while place + 8 <= last and known[place + 8] <= key:
            place += 8
        while place < last and known[place] < key:
            place += 1
        if last < 0 or known[place] != key:
            keys[n] = key
            n += 1
    return n


def merge(keys, n, fresh):
    """Merge sorted keys into the n that are sorted at the front of a room for both."""
    i = n - 1
    j = fresh.shape[0] - 1
    while j >= 0:
        while i >= 0 and keys[i] > fresh[j]:
            keys[i + j + 1] = keys[i]
            i -= 1
        keys[i + j + 1] = fresh[j]
        j -= 1


def part(found, whose, which, n, starts, parted, parted_whose):
    """Sort the first n children by their tiers. At the end, the children of the t-th begin at starts[t]."""
    for i in range(n):
        starts[which[i] + 2] += 1
    for t in range(1, starts.shape[0]):
        starts[t] += starts[t - 1]
    for i in range(n):
        t = which[i] + 1
        place = starts[t]
        parted[place] = found[i]
        if whose.shape[0]:
            parted_whose[place] = whose[i]
        starts[t] = place + 1


def encode(keys, packed):
    """Write the differences of ascending keys. Returns how many bytes, and a sum.

    First comes the least length of a difference in bytes, then for each of them in two bits how much longer it is, or
    that it has all eight bytes; then the differences, low bytes first, and eight bytes that are 0. So neither writing
    nor reading has a branch that cannot be foreseen. The sum of the keys is a checksum: what changes a difference
    changes all keys after it.
    """
    last = keys.shape[0] - 1
    gap = (keys[last] - keys[0]) // max(1, last)
    least = 1
    while least < LONGEST_LEAST and gap >> (8 * least + 8):
        least += 1
    lengths, longer = _lengths(least), np.int64(1) << (8 * least)
    packed[0] = least
    n = 1 + ((last + 3) >> 2)
    total = before = keys[0]
    codes = 0
    for i in range(last):
        key = keys[index(i + 1)]
        difference = key - before
        before = key
        total += key
        code = np.int64(difference >= longer)
        code += np.int64(difference >= longer << 8) + np.int64(difference >= longer << 16)
        codes = codes >> 2 | code << 6
        if i & 3 == 3 or i + 1 == last:
            packed[index(1 + (i >> 2))] = codes >> (2 * (3 - (i & 3)))
            codes = 0
        for place in range(8):
            packed[index(n + place)] = difference >> (8 * place)
        n += lengths >> (8 * code) & 15
    for place in range(8):
        packed[index(n + place)] = 0
    return n + 8, total


def packed_bytes(keys: np.ndarray) -> float:
    """Return how many bytes `encode` writes for each of some ascending keys, on the average.

    >>> packed_bytes(np.arange(0, 4000, 2)), packed_bytes(np.arange(0, 4_000_000, 2000))
    (1.25, 2.25)
    """
    if len(keys) < 2:
        return float(MOST_BYTES)
    differences = np.diff(keys)
    gap, least = float(differences.mean()), 1
    while least < LONGEST_LEAST and gap >= 1 << (8 * least + 8):
        least += 1
    codes = sum((differences >= 1 << (8 * (least + longer))).astype(np.int64) for longer in range(3))
    return 0.25 + float(np.where(codes == 3, 8, least + codes).mean())


@njit(_nrt=False, error_model="numpy")
def _decode(packed, key, total, keys):
    """Read what `encode` has written, from the first key on. Returns whether it is for so many keys with that sum."""
    last = keys.shape[0] - 1
    n = 1 + ((last + 3) >> 2)
    end = packed.shape[0] - 8
    if end < n or packed[0] < 1 or packed[0] > LONGEST_LEAST:
        return False
    least = np.int64(packed[0])
    lengths, codes = _lengths(least), np.int64(0)
    unused = (64 - 8 * least) * 0x010101 - 0x100800
    keys[0] = key
    total -= key
    for i in range(last):
        if i & 3 == 0:
            codes = np.int64(packed[index(1 + (i >> 2))])
        code = (codes & 3) << 3
        codes >>= 2
        difference = np.uint64(0)
        for place in range(8):
            difference |= np.uint64(packed[index(n + place)]) << np.uint64(8 * place)
        shift = np.uint64(unused >> code & 63)
        n += lengths >> code & 15
        if n > end:
            return False
        key += np.int64(difference << shift >> shift)
        keys[index(i + 1)] = key
        total -= key
    if n != end or total != 0:
        return False
    rest = codes
    for place in range(8):
        rest |= packed[index(n + place)]
    return rest == 0


def decode(packed, ends, firsts, totals, size, keys):
    """Read blocks, so many keys each. Returns whether all is as it was written; blocks are told by their ends."""
    place = 0
    begin = 0
    for number in range(ends.shape[0]):
        stop = min(place + size, keys.shape[0])
        if not _decode(packed[begin : ends[number]], firsts[number], totals[number], keys[place:stop]):
            return False
        begin, place = ends[number], stop
    return True


def tell(keys, records, asked, whose, i, end, shift, begin, best):
    """Raise the best scores of those who ask for asked[i:end], in the order of their keys.

    Returns the largest remoteness told, or ~i where asked[i] is not among the keys.
    """
    place = 0
    farthest = 0
    last = keys.shape[0] - 1
    mask = (np.int64(1) << shift) - 1
    is_packed = whose.shape[0] == 0
    while i < end:
        key = asked[i] >> shift
        who = asked[i] & mask if is_packed else whose[i]
        while place + 8 <= last and keys[place + 8] <= key:
            place += 8
        while place < last and keys[place] < key:
            place += 1
        if keys[place] != key:
            return ~i
        record = np.int64(records[place])
        farthest = max(farthest, record & MAX_REMOTENESS)
        parent = begin + (who >> 1)
        best[parent] = max(best[parent], score(record, who & 1))
        i += 1
    return farthest


def conclude(records, best):
    """Write the records of the positions that have moves."""
    for i in range(records.shape[0]):
        if best[i] >= 0:
            records[i] = record_of(np.int64(best[i]))


_ALL = (unique, absent, merge, part, encode, decode, tell, conclude)


def kernels(kernel: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the compiled kernels."""
    return {function.__name__: kernel(function) for function in _ALL}
