"""The parabola along which tiers rise and fall, held against games that have been solved."""

import math

import pytest

from gamesman.solver import curve


def test_a_parabola_is_found_again():
    sizes = {30 - ply: round(math.exp(15 - (ply - 15) ** 2 / 15)) for ply in range(31)}
    known = {number: size for number, size in sizes.items() if number > 22}
    found = curve.curve({number: 30 - number for number in sizes}, known, 1)
    assert sum(found.after(30 - n) for n in sizes) == pytest.approx(sum(sizes.values()), rel=0.2)


def test_tiers_that_lie_on_no_parabola_have_none():
    plies = {30 - ply: float(ply) for ply in range(31)}
    assert curve.curve(plies, {}, 1) is None
    assert curve.curve(plies, {30 - ply: 10 for ply in range(10)}, 1) is None
    assert curve.curve(plies, {30 - ply: 10 ** (4 * (ply % 2)) for ply in range(10)}, 1) is None
