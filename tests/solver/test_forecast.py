"""A variant that does not fit is refused early, and what the refusal says is held against what is true."""

import re
import subprocess
import sys

import numpy as np
import pytest

from gamesman.compiler.compile import Compiler, native_rules
from gamesman.errors import TooLarge
from gamesman.machine.memory import Allowance
from gamesman.model.progress import Silent
from gamesman.model.variant import variant
from gamesman.solver import forecast
from gamesman.solver.estimate import Sampler
from gamesman.solver.solve import solve


class Counted(Silent):
    """Counts what is done of each phase, and keeps what is expected of it."""

    def __init__(self):
        self.done, self.expected = {}, []

    def start(self, phase, total=None):
        self.phase = phase
        self.done[phase] = 0

    def advance(self, steps):
        self.done[self.phase] += steps

    def expect(self, total):
        self.expected.append(total)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ctf", "konane:rows=6,cols=6", "tictactoe:rows=5,cols=5"])
def test_a_variant_far_too_large_is_refused_after_a_few_million_positions(name):
    progress, before = Counted(), Allowance(None).used()
    with pytest.raises(TooLarge, match=rf"^{name}, which has (about|at least) [\d,]+,000 positions .* GB allowed"):
        solve(variant(name), memory=before + (12 << 30), progress=progress)
    assert progress.done.get("enumerating", 0) < 20_000_000  # none, where games alone have shown it
    assert max(progress.expected) > 10_000_000
    assert Allowance(None).used() < before + (1 << 30)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["konane:rows=5,cols=5", "konane:rows=4,cols=7", "tictactoe:rows=4,cols=4"])
def test_the_curve_through_the_first_tiers_says_how_large_a_game_is(name):
    """The tiers of the first fiftieth of the positions are known; every low size together is not too high."""
    v = variant(name)
    wanted = {tier.number: tier.positions for tier in solve(v).tiers}
    total, known = sum(wanted.values()), {}
    for number in sorted(wanted, reverse=True):
        if 50 * (sum(known.values()) + wanted[number]) > total:
            break
        known[number] = wanted[number]
    compiler = Compiler(v.game)
    sampler = Sampler(compiler.kernel, compiler.functions, native_rules(v.rules))
    from_start, _ = sampler.play(np.array([v.hash(v.start())]), 20_000, 60.0)
    sizes = forecast.along_a_curve(from_start, {}, known)
    assert sizes is not None
    assert sum(size.low for size in sizes.values()) <= total
    assert total / 3 < sum(size.likely for size in sizes.values()) < 3 * total


IN_MEMORY = """
import sys
from gamesman import app
from gamesman.cli.arguments import Size
from gamesman.errors import TooLarge
from gamesman.model.variant import variant

try:
    limit = Size().convert(sys.argv[2], None, None)
    app.solve(variant(sys.argv[1]), db=sys.argv[3], memory=limit, has_files=False)
except TooLarge as error:
    sys.exit(str(error))
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["konane:rows=4,cols=7", "ctf:size=4"])
def test_what_a_refusal_says_is_needed_is_enough(name, tmp_path):
    """What is needed "at least" is only sure to be; any other number is enough within a quarter, without files.

    It is so where all is compiled: whether what only tiers with cycles need is, is not asked before there is one.
    """
    words, place = [sys.executable, "-c", IN_MEMORY, name], str(tmp_path / "refused")
    subprocess.run([*words, "4G", str(tmp_path / "compiled")], check=True)
    memory, said = "225M", re.compile(r"needs (at least |about |)([\d.]+) ([MG])B of memory, ")
    for _ in range(10):
        result = subprocess.run([*words, memory, place], capture_output=True, text=True, check=False)
        if result.returncode == 0:
            break
        refused = said.search(result.stderr)
        assert refused and result.returncode == 1, (memory, result.stdout, result.stderr)
        memory = refused[2] + refused[3]
        if refused[1] != "at least ":
            break
    enough = f"{1.25 * float(memory[:-1]):.1f}{memory[-1]}"
    result = subprocess.run([*words, enough, place], capture_output=True, text=True, check=False)
    assert result.returncode == 0, (memory, result.stderr)
