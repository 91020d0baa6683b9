"""What one process has compiled the next one loads."""

import subprocess
import sys

import pytest

SOLVE = """
import sys
from numba.core import dispatcher

compile_core = dispatcher._FunctionCompiler._compile_core
compiled = []
def noted(self, *given):
    compiled.append(self.py_func.__qualname__)
    return compile_core(self, *given)
dispatcher._FunctionCompiler._compile_core = noted

from gamesman.model.variant import variant
from gamesman.solver.solve import solve

solve(variant(sys.argv[1]), threads=1)
print(compiled)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["konane:rows=4,cols=5", "tictactoe", "quixo:size=3", "ctf:size=3"])
def test_the_next_process_compiles_nothing(name):
    said = [subprocess.check_output([sys.executable, "-c", SOLVE, name], text=True) for _ in range(2)]
    assert said[1].strip() == "[]"
