"""What compiling takes is told apart from what it is done for."""

from numba import njit

from gamesman.compiler.clock import compile_clock


def test_the_clock_runs_while_something_is_compiled_and_only_then():
    @njit
    def double(n):
        return 2 * n

    with compile_clock() as clock:
        assert double(3) == 6
        compiling = clock.seconds
        assert compiling > 0
        assert double(4) == 8 and clock.seconds == compiling
    assert double(1.5) == 3.0 and clock.seconds == compiling
