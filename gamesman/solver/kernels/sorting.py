"""The kernels made here work on sorted keys: each once, packed as differences, and asked for in their order."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gamesman.solver.kernels.acyclic import record_of, score
from gamesman.values import MAX_REMOTENESS

MOST_BYTES = 9  # of a difference, packed


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
    """Write the differences of ascending keys, seven bits a byte, low ones first. Returns how many bytes, and a sum.

    The sum of the keys is a checksum: what changes a difference changes all keys after it.
    """
    n = 0
    before = keys[0]
    total = before
    for i in range(1, keys.shape[0]):
        difference = keys[i] - before
        before = keys[i]
        total += before
        while difference >= 128:
            packed[n] = difference & 127 | 128
            n += 1
            difference >>= 7
        packed[n] = difference
        n += 1
    return n, total


def decode(packed, key, total, keys):
    """Read what `encode` has written, from the first key on. Returns whether it is for so many keys with that sum."""
    n = 0
    keys[0] = key
    total -= key
    for i in range(1, keys.shape[0]):
        if n == packed.shape[0]:
            return False
        byte = np.int64(packed[n])
        n += 1
        key += byte & 127
        shift = 7
        while byte >= 128:
            if n == packed.shape[0] or shift > 56:
                return False
            byte = np.int64(packed[n])
            n += 1
            key += (byte & 127) << shift
            shift += 7
        keys[i] = key
        total -= key
    return n == packed.shape[0] and total == 0


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
