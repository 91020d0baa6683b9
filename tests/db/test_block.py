"""A block of positions comes back as it went in, to numpy and to plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamesman.db.codec.arrays import decode, encode
from gamesman.db.codec.block import BLOCK, Block, EncodedBlock
from gamesman.values import DRAW, UNREACHED

RECORDS = st.integers(0, 0xFFFF).filter(lambda record: record == DRAW << 14 or record >> 14 != DRAW)


@st.composite
def positions(draw):
    """Keys with gaps of some typical size, now and then a huge one, and records of few or many kinds."""
    count = draw(st.integers(1, 400))
    largest = draw(st.sampled_from([1, 2, 3, 6, 300, 70_000, 1 << 33]))
    gaps = draw(st.lists(st.integers(1, largest), min_size=count, max_size=count))
    for place in draw(st.lists(st.integers(0, count - 1), max_size=5)):
        gaps[place] += draw(st.sampled_from([255, 256, 65_535, 65_536, 1 << 40]))
    records = draw(st.lists(RECORDS, min_size=1, max_size=draw(st.sampled_from([1, 3, 400]))))
    keys = np.cumsum(np.array(gaps, np.int64)) - 1
    return keys, np.resize(np.array(records, np.uint16), count)


def both(keys, records):
    block = EncodedBlock(int(keys[0]), int(keys[-1]), len(keys), *encode(keys, records))
    return Block(block), decode(block)


@pytest.mark.slow
@given(positions())
@settings(deadline=None, max_examples=200)
def test_every_key_is_found_and_no_other(pair):
    keys, records = pair
    block, (found_keys, found_records) = both(keys, records)
    assert np.array_equal(found_keys, keys) and np.array_equal(found_records, records)
    there = dict(zip(keys.tolist(), records.tolist(), strict=True))
    near = {key + step for key in there for step in (-256, -1, 0, 1, 2, 65_536)}
    assert {key: block.find(key) for key in near} == {key: there.get(key) for key in near}


@pytest.mark.parametrize("gap", [2, 256, 257, 65_536, 1 << 40])
@pytest.mark.parametrize("first", [65, 66, 100, 127])
def test_no_key_is_found_in_a_gap_that_a_stretch_of_deltas_ends_with(first, gap):
    gaps = np.ones(200, np.int64)
    gaps[[first, 128]] = gap
    keys = np.cumsum(gaps) - 1
    block, _ = both(keys, np.zeros(200, np.uint16))
    there = set(keys.tolist())
    near = {key + step for key in there for step in range(-20, 21)} | {key - gap // 2 for key in there}
    assert {key for key in near if block.find(key) is not None} == there


@pytest.mark.parametrize("largest", [1, 3, 200, 60_000, 1 << 40])
def test_a_full_block_comes_back(largest):
    random = np.random.default_rng(largest)
    keys = np.cumsum(random.integers(1, largest + 1, BLOCK))
    records = random.choice(np.array([0, 1, 0x4000, 0x8005, 0xC00A, 0xFFFF], np.uint16), BLOCK)
    block, found = both(keys, records)
    assert np.array_equal(found[0], keys) and np.array_equal(found[1], records)
    for place in random.integers(0, BLOCK, 500):
        assert block.find(int(keys[place])) == records[place]


def test_remoteness_goes_up_to_its_limit_with_more_records_than_a_palette_holds():
    keys = np.arange(BLOCK) * 1000
    records = (3 << 14 | np.arange(BLOCK)).astype(np.uint16)
    block, found = both(keys, records)
    assert np.array_equal(found[1], records)
    assert block.find(1000 * (BLOCK - 1)) == 0xFFFF and block.find(0) == 0xC000


def test_holes_among_consecutive_keys_are_no_positions():
    keys = np.array([5, 6, 8])
    assert encode(keys, np.array([1, 2, 3], np.uint16))[0] is None
    block, found = both(keys, np.array([1, 2, 3], np.uint16))
    assert [block.find(key) for key in range(4, 10)] == [None, 1, 2, None, 3, None]
    assert found[0].tolist() == [5, 6, 8] and UNREACHED not in found[1]


@pytest.mark.parametrize("cut", [1, 2, 5])
@pytest.mark.parametrize("longer", [False, True])
def test_a_length_that_does_not_agree_is_noticed(cut, longer):
    keys, records = np.array([0, 1000, 5_000_000]), np.array([1, 2, 3], np.uint16)
    block = EncodedBlock(0, 5_000_000, 3, *encode(keys, records))
    assert block.keys is not None

    def change(data):
        return data + b"x" * cut if longer else data[:-cut]

    with pytest.raises((ValueError, KeyError)):
        Block(block._replace(keys=change(block.keys)))
    for read in (Block, decode):
        with pytest.raises(ValueError):
            read(block._replace(records=change(block.records)))


def test_keys_that_are_not_those_that_the_row_says_are_noticed():
    block = EncodedBlock(0, 5_000_000, 3, *encode(np.array([0, 1000, 5_000_000]), np.array([1, 2, 3], np.uint16)))
    assert len(decode(block)[0]) == 3
    with pytest.raises(ValueError, match="another block"):
        decode(block._replace(last=5_000_001))
