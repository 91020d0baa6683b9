"""Compiled to be tested, whole numbers are Python's, or an error says that they have left the machine word."""

import operator
from random import Random

import pytest
from numba import njit

from gamesman.compiler.compile import BOUNDED
from gamesman.compiler.inlining import CALLED, FLAGS
from gamesman.compiler.overflow import SAID, OverflowCompiler

pytestmark = pytest.mark.slow
TESTED = {**CALLED, **BOUNDED, "pipeline_class": OverflowCompiler}
KERNEL = {**FLAGS, **BOUNDED}


@njit(**TESTED)
def compute(which, a, b):
    if which == 0:
        return a + b
    if which == 1:
        return a - b
    if which == 2:
        return a * b
    if which == 3:
        return a << b
    a >>= b
    return a


@njit(**TESTED)
def steps(which, a, b):
    yield a
    yield compute(which, a, b)


@njit(**KERNEL)
def last(which, a, b):
    found = a
    for each in steps(which, a, b):
        found = each
    return found


OPERATIONS = [operator.add, operator.sub, operator.mul, operator.lshift, operator.rshift]
EDGES = [0, 1, -1, 2, 62, 63, 64, (1 << 31) + 1, 1 << 32, (1 << 62) - 1, 1 << 62, (1 << 63) - 1, -(1 << 63), -(1 << 62)]


@pytest.mark.parametrize("which", range(len(OPERATIONS)), ids=lambda which: OPERATIONS[which].__name__)
def test_a_number_is_pythons_or_an_error(which):
    dice, refused = Random(which), 0
    drawn = [dice.getrandbits(bits) * dice.choice((1, -1)) for bits in range(1, 64) for _ in range(3)]
    pairs = [(a, b) for a in [*EDGES, *drawn] for b in [*EDGES, dice.choice(drawn), dice.randrange(70)]]
    for a, b in pairs:
        right = None if which > 2 and not 0 <= b < 64 else OPERATIONS[which](a, b)
        if right is not None and -(1 << 63) <= right < 1 << 63:
            assert last(which, a, b) == right, (a, b)
            continue
        refused += 1
        with pytest.raises(OverflowError, match=SAID):
            last(which, a, b)
    assert 0 < refused < len(pairs)
