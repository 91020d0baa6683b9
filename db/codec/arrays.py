"""Arrays are turned into whole blocks and back, by numpy; gamesman.db.codec.block describes the layout."""

import struct

import numpy as np

from gamesman.db.codec.block import COLOURS, KEYS_HEAD, RECORDS_HEAD, SPREAD, STRIDE, EncodedBlock
from gamesman.values import UNREACHED


def encode(keys: np.ndarray, records: np.ndarray) -> tuple[bytes | None, bytes]:
    """Return the bytes of a block's keys (or None) and of its records, as gamesman.db.codec.block describes them.

    >>> encode(np.array([10, 11, 13]), np.array([7, 8, 7], np.uint16))
    (None, b'\\x03\\x00\\x07\\x00\\x08\\x00\\x01@\\x00\\x01\\x02\\x00')
    """
    count = len(keys)
    span = int(keys[-1]) - int(keys[0]) + 1
    if span == count:
        return None, encode_records(records)
    if span <= SPREAD * count:
        return None, encode_records(spread(keys, records))
    return encode_keys(keys), encode_records(records)


def spread(keys: np.ndarray, records: np.ndarray) -> np.ndarray:
    """Return the records of all keys from the first to the last: UNREACHED for those that are not given."""
    span = int(keys[-1]) - int(keys[0]) + 1
    if span == len(keys):
        return records
    filled = np.full(span, UNREACHED, np.uint16)
    filled[keys - keys[0]] = records
    return filled


def encode_keys(keys: np.ndarray) -> bytes:
    """Return the bytes of a list of keys."""
    deltas = np.empty(len(keys), np.int64)
    deltas[0] = 0
    np.subtract(keys[1:], keys[:-1], out=deltas[1:])
    width = 1 if np.count_nonzero(deltas > 0xFF) * 16 <= len(keys) else 2
    high = deltas >> (8 * width)
    escaped = np.flatnonzero(high)
    low = deltas.astype("<u1" if width == 1 else "<u2")
    anchors = (keys[::STRIDE] - keys[0]).astype("<u8")
    arrays = (anchors, low, escaped.astype("<u2"), high[escaped].astype("<u8"))
    return b"".join([KEYS_HEAD.pack(width, len(escaped)), *(array.tobytes() for array in arrays)])


def encode_records(records: np.ndarray) -> bytes:
    """Return the bytes of records."""
    seen = np.zeros(1 << 16, np.bool_)
    seen[records] = True
    palette = np.flatnonzero(seen)
    if len(palette) > COLOURS:
        return RECORDS_HEAD.pack(0) + records.astype("<u2").tobytes()
    numbers = np.zeros(1 << 16, np.uint8)
    numbers[palette] = np.arange(len(palette), dtype=np.uint8)
    return b"".join([RECORDS_HEAD.pack(len(palette)), palette.astype("<u2").tobytes(), numbers[records].tobytes()])


def decode(block: EncodedBlock) -> tuple[np.ndarray, np.ndarray]:
    """Return the keys and records of a block's positions. Raises ValueError where they are not what its row says."""
    try:
        keys, records = _decode(*block)
    except (struct.error, IndexError, OverflowError) as error:
        raise ValueError(f"no block: {error}") from error
    if len(keys) != block.positions or keys[0] != block.first or keys[-1] != block.last:
        raise ValueError("keys of another block")
    return keys, records


def _decode(first: int, last: int, count: int, keys: bytes | None, records: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Return the keys and records that the bytes stand for, whatever is said of them."""
    slots = last - first + 1 if keys is None else count
    (colours,) = RECORDS_HEAD.unpack_from(records)
    at = RECORDS_HEAD.size
    palette = np.frombuffer(records, "<u2", colours, at)
    plane = np.frombuffer(records, "<u1" if colours else "<u2", offset=at + 2 * colours)
    if len(plane) != slots:
        raise ValueError("records of another length")
    found = palette[plane] if colours else plane.astype(np.uint16)
    found = found.astype(np.uint16, copy=False)
    if keys is not None:
        return decode_keys(first, count, keys), found
    if slots == count:
        return np.arange(first, last + 1, dtype=np.int64), found
    reached = np.flatnonzero(found != UNREACHED)
    return reached + first, found[reached]


def decode_keys(first: int, count: int, keys: bytes) -> np.ndarray:
    """Return the keys that are listed in the bytes."""
    width, escapes = KEYS_HEAD.unpack_from(keys)
    at = KEYS_HEAD.size + 8 * -(-count // STRIDE)
    deltas = np.frombuffer(keys, "<u1" if width == 1 else "<u2", count, at).astype(np.int64)
    at += width * count
    escaped = np.frombuffer(keys, "<u2", escapes, at)
    deltas[escaped] += np.frombuffer(keys, "<u8", escapes, at + 2 * escapes).astype(np.int64) << (8 * width)
    deltas[0] = first
    return np.cumsum(deltas, out=deltas)
