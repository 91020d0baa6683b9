"""Placements are numbered without gaps: each number stands for one placement, in the tier that its number says."""

import random

import pytest

from gamesman.counted import key_placed, pieces_of, pieces_run, placed_key, placing, size


@pytest.mark.parametrize(("cells", "most"), [(4, 2), (9, 2), (25, 6), (36, 4)])
def test_a_number_is_that_of_its_placement_alone(cells, most):
    numbered, dice = placing(cells, most), random.Random(1)
    count = size(cells, most)[-1]
    for key in range(count) if count < 5000 else (dice.randrange(count) for _ in range(1000)):
        placed = first, second, single, other, _ = key_placed(numbered, key)
        assert placed_key(numbered, placed) == key
        assert first | second | single | other < 1 << cells
        assert not first & second | (first | second) & (single | other) | single & other
        begin, run = pieces_run(numbered, pieces_of(placed))
        assert begin <= key < begin + run


def test_runs_of_tiers_follow_one_another():
    numbered = placing(9, 3)
    runs = [pieces_run(numbered, pieces) for pieces in range(-1, 5)]
    assert runs[0] == runs[-1] == (0, 0)
    assert [first for first, _ in runs[1:-1]] == [0, *size(9, 3)[:-1]]


def test_what_is_too_large_is_not_numbered():
    assert placing(49, 1) is None
    assert placing(36, 20) is None
