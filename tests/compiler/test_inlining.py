"""What numba is told about inlined functions: they are compiled once, and only as part of what calls them."""

import numpy as np
from numba import njit

from gamesman.compiler.compile import inlined
from gamesman.compiler.inlining import FLAGS


def test_an_inlined_function_is_compiled_once_however_it_is_called():
    @inlined
    def twice(n):
        return 2 * n

    @njit(**FLAGS)
    def total(numbers):
        found = twice(0) + twice(1)
        for number in numbers:
            found += twice(number)
        return found

    assert total(np.array([3, 4])) == 16
    assert len(twice.signatures) == 1


def test_an_inlined_function_that_must_know_a_constant_is_compiled_for_it():
    @inlined
    def part(pair, n):
        return pair[n]

    @njit(**FLAGS)
    def total(a, b):
        pair = (a, (b, b))
        return part(pair, 0) + part(pair, 1)[0]

    assert total(3, 4) == 7
    assert len(part.signatures) == 2


def test_an_inlined_function_has_no_machine_code_of_its_own():
    @inlined
    def twice(n):
        return 2 * n

    @njit(**FLAGS)
    def thrice(n):
        return twice(n) + n

    assert thrice(5) == 15
    library = twice.overloads[twice.signatures[0]].library
    name = twice.overloads[twice.signatures[0]].fndesc.llvm_func_name
    assert library.get_pointer_to_function(name) == 0


def test_an_inlined_generator_yields_as_it_does_in_python():
    @inlined
    def upwards(n):
        for i in range(n):
            yield i * i

    @njit(**FLAGS)
    def total(n):
        found = 0
        for i in upwards(3):
            found += i
        for i in upwards(n):
            found += i
        return found

    assert total(4) == 5 + 14
    assert len(upwards.signatures) == 1
