"""Sets of 64-bit keys are collected in an open-addressing table, and packed afterwards to find them again.

A table has 2**size slots. A key's home is the slot numbered by the top bits of its scrambled value, so keys whose
scrambled values begin alike stand together: those that share the top SHARD_BITS are a *shard*. Each shard has a segment
of the table for itself, which probing does not leave: it can be filled by a thread of its own, shard after shard, so
that the part of a large table in use fits the processor's cache.

Packed, the keys of a table stand in the order of their slots. The *directory* has two words for each 64 slots: a mask
of those that were taken, and the number of keys before them. So a key's place is found as in the table, by the same
probing, in 8.4 bytes a key instead of 16:

    slots      - - A - B C -        mask 0b0110100, 0 keys before
    keys       A B C                C, at home in slot 4: taken; keys[1] is B, not C; slot 5: taken; keys[2] is C
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from gamesman.bits import popcount
from gamesman.compiler.inlining import CALLED, INLINED
from gamesman.compiler.native import index, load64, prefetch

EMPTY = -1
BEYOND = 32  # words that may be read beyond the packed keys
SHARD_BITS = 6
SHARDS = 1 << SHARD_BITS
SMALLEST = 12

# How many keys ahead the memory is asked for a slot: enough to hide its latency.
AHEAD = 24

_SCRAMBLE, _AGAIN = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)


def segment_mask(size: int) -> int:
    """Return the mask of the bits that number the slots within a segment."""
    return (1 << size - SHARD_BITS) - 1


def most(size: int) -> int:
    """Return how many keys a segment of a table of 2**size slots takes before the table must grow."""
    return (1 << size - SHARD_BITS) * 3 // 4


@njit(**INLINED)
def scramble(key):
    """Return a key with its bits mixed, so that the top ones look random."""
    # One multiplication is not enough for boards, whose keys are much alike.
    x = np.uint64(key)
    x = (x ^ (x >> np.uint64(32))) * _SCRAMBLE
    return (x ^ (x >> np.uint64(29))) * _AGAIN


@njit(**INLINED)
def shard(key):
    """Return the number of the shard that a key belongs to."""
    return np.int64(scramble(key) >> np.uint64(64 - SHARD_BITS))


def shard_of(key: int) -> int:
    """Return the same outside of compiled code: a function that is called from Python is compiled in every process."""
    with np.errstate(over="ignore"):
        return int(scramble.py_func(key) >> np.uint64(64 - SHARD_BITS))


@njit(**INLINED)
def home(key, size):
    """Return the slot of a table of 2**size slots from which a key is looked for."""
    return np.int64(scramble(key) >> np.uint64(64 - size))


@njit(**INLINED)
def next_slot(slot, segment_mask):
    """Return the slot to look at next, in the same segment."""
    return (slot & ~segment_mask) | ((slot + 1) & segment_mask)


@njit(**INLINED)
def entry(directory, slot):
    """Return the address of the directory's entry for a slot."""
    return directory + ((slot >> 6) << 4)


@njit(**INLINED)
def first_place(directory, slot):
    """Return the first place where a key with this home can be."""
    at = entry(directory, slot)
    return load64(at + 8) + popcount(load64(at) & ((1 << (slot & 63)) - 1))


@njit(**INLINED)
def find_from(keys, directory, size, place, key):
    """Return the place of a key among the packed keys, or -1, given the first place where it can be.

    `keys` and `directory` are addresses.
    Nearly every key stands few places behind the first one it can be at, so those are looked at without asking the
    directory where the slots end: a key is equal to no other. A few words behind the keys are read, see BEYOND.
    """
    for further in range(BEYOND):
        if load64(keys + ((place + further) << 3)) == key:
            return place + further
    return probe(keys, directory, size, key)


@njit(**INLINED)
def find(keys, directory, size, key):
    """Return the place of a key among the packed keys, or -1."""
    return find_from(keys, directory, size, first_place(directory, home(key, size)), key)


@njit(**CALLED)
def probe(keys, directory, size, key):
    """Return what `find` does, by following the slots of the table."""
    slot = home(key, size)
    segment_mask = (np.int64(1) << (size - SHARD_BITS)) - 1
    while True:
        mask = load64(entry(directory, slot))
        bit = slot & 63
        place = first_place(directory, slot)
        while True:
            if not (mask >> bit) & 1:
                return -1
            if load64(keys + (place << 3)) == key:
                return place
            place += 1
            if (slot & segment_mask) == segment_mask:
                slot -= segment_mask
                break
            slot += 1
            bit += 1
            if bit == 64:
                break


def insert(table, slots, used, limit, segment_mask, buckets, filled, done, fresh, first, last):
    """Put the keys of shards `first` to `last` into a table, moving the new ones to the front of their bucket.

    Stops at a shard that has more than `limit` keys, to be called again when the table has grown: returns False.
    `done` and `fresh` count each bucket's keys put in, and those that were new; `slots` is the table's address.
    """
    size_mask = table.shape[0] - 1
    shift = np.uint64(64 - popcount(size_mask))
    for b in range(first, last):
        i = done[b]
        new = fresh[b]
        n = filled[b]
        while i < n:
            key = buckets[b, index(i)]
            ahead = min(i + AHEAD, n - 1)
            prefetch(slots + (np.int64(scramble(buckets[b, index(ahead)]) >> shift) << 3))
            slot = np.int64(scramble(key) >> shift)
            found = table[index(slot)]
            while found != EMPTY and found != key:
                slot = next_slot(slot, segment_mask)
                found = table[index(slot)]
            i += 1
            if found == EMPTY:
                table[index(slot)] = key
                buckets[b, index(new)] = key
                new += 1
                used[b] += 1
                if used[b] > limit:
                    done[b] = i
                    fresh[b] = new
                    return False
        done[b] = i
        fresh[b] = new
    return True


def clear(table, first, last):
    """Empty the slots `first` to `last`."""
    for i in range(first, last):
        table[i] = EMPTY


def grow(old, new, segment_mask, first, last):
    """Move the keys of slots `first` to `last` of a table into a larger one."""
    shift = np.uint64(64 - popcount(new.shape[0] - 1))
    for i in range(first, last):
        key = old[i]
        if key != EMPTY:
            slot = np.int64(scramble(key) >> shift)
            while new[index(slot)] != EMPTY:
                slot = next_slot(slot, segment_mask)
            new[index(slot)] = key


def pack(table, keys, directory, place, end, first, last):
    """Pack the slots `first` to `last`, multiples of 64, whose keys go to the places from `place` to `end`."""
    for word in range(first >> 6, last >> 6):
        mask = np.int64(0)
        directory[2 * word + 1] = place
        for bit in range(64):
            key = table[(word << 6) + bit]
            taken = np.int64(key != EMPTY)
            if place < end:  # an empty slot is written, too, and then overwritten: that needs no guess which it is
                keys[index(place)] = key
            mask |= taken << bit
            place += taken
        directory[2 * word] = mask


def places(keys, directory, size, wanted, found):
    """Find the places of many keys; -1 where one is absent."""
    block = 64
    for start in range(0, wanted.shape[0], block):
        end = min(start + block, wanted.shape[0])
        for i in range(start, end):
            found[i] = home(wanted[i], size)
            prefetch(entry(directory, found[i]))
        for i in range(start, end):
            found[i] = first_place(directory, found[i])
            prefetch(keys + (found[i] << 3))
        for i in range(start, end):
            found[i] = find_from(keys, directory, size, found[i], wanted[i])


def kernels(kernel: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the compiled kernels that fill, empty, enlarge, pack and search tables."""
    return {function.__name__: kernel(function) for function in (clear, insert, grow, pack, places)}
