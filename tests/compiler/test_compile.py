"""Compiled code: kept on disk, never stale, and as fast as its flags promise."""

import configparser
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import numba
import numpy as np
import pytest
from support import SUPPORT

import gamesman
from gamesman.compiler import compile as compiling
from gamesman.compiler.compile import Compiler, native_rules
from gamesman.errors import TooLarge
from gamesman.model.variant import variant

ROOT = Path(gamesman.__file__).parents[1]
STAIRS = SUPPORT / "stairs.py"

# Compiles a kernel over a game's functions, and says what it gives and whether that was in the cache.
PROGRAM = """
import json, sys
import numpy as np
from gamesman.compiler.compile import Compiler, native_rules
from gamesman.model.variant import variant

def kernels(compiler):
    evaluate, unhash = compiler.functions["evaluate"], compiler.functions["unhash"]
    def total(rules, keys):
        found = 0
        for i in range(len(keys)):
            found += evaluate(rules, unhash(rules, keys[i]))
        return found
    return compiler.kernel(total)

results = []
for text in sys.argv[1:]:
    v = variant(text)
    compiler = Compiler(v.game)
    total = kernels(compiler)
    result = total(native_rules(v.rules), np.arange(8))
    stats = total.stats
    results.append([result, sum(stats.cache_hits.values()), sum(stats.cache_misses.values()), compiler.key])
print(json.dumps(results))
"""


@pytest.fixture
def run(tmp_path, root):
    """Compile and run in a process of its own, with an empty cache to begin with."""

    def run(*variants, folder="."):
        environment = {**os.environ, "GAMESMAN_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(root)}
        command = [sys.executable, "-c", PROGRAM, *map(str, variants)]
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, cwd=tmp_path / folder
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


@pytest.mark.slow
def test_a_second_process_compiles_nothing(run):
    ((result, hits, misses, key),) = run(STAIRS)
    assert (result, hits, misses) == (0, 0, 1)
    assert run(STAIRS) == [[0, 1, 0, key]]


@pytest.mark.slow
def test_a_process_that_only_loads_does_not_make_the_compiler_ready(root):
    """That takes a tenth of a second, more than many solves."""
    program = """
from numba.core.registry import cpu_target
from gamesman.model.variant import variant
from gamesman.solver.solve import solve
solve(variant("tictactoe"))
print(len(cpu_target.target_context._registries))
"""
    command = [sys.executable, "-c", program]
    for _ in range(2):  # the first one may have to compile
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    assert done.stdout == "0\n"


@pytest.mark.slow
def test_one_compilation_serves_every_size_and_option(run):
    first, second = run(f"{STAIRS}:width=1", f"{STAIRS}:width=2,floors=1")
    assert first[:3] == [-12, 0, 1]  # two keys a floor: 0 - 0 - 1 - 1 - 2 - 2 - 3 - 3
    # Four keys a floor, and the very function that is loaded: it has been neither compiled nor read once more.
    assert second[:3] == [-4, 0, 1]


@pytest.mark.slow
def test_a_changed_game_file_is_compiled_anew(run, tmp_path):
    game = tmp_path / "game.py"
    game.write_text(STAIRS.read_text())
    assert run(f"{game}:width=1")[0][:3] == [-12, 0, 1]
    game.write_text(STAIRS.read_text().replace("return -position[0]", "return 5 - position[0]"))
    assert run(f"{game}:width=1")[0][:3] == [28, 0, 1]
    game.write_text(STAIRS.read_text())
    assert run(f"{game}:width=1")[0][:3] == [-12, 1, 0]


@pytest.mark.slow
def test_a_copy_of_a_game_elsewhere_is_another_game(run, tmp_path):
    """Its classes are not those that the code on disk knows."""
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "game.py").write_text(STAIRS.read_text())
    assert run("./game.py:width=1", folder="here")[0][:3] == [-12, 0, 1]
    assert run("./game.py:width=1", folder="there")[0][:3] == [-12, 0, 1]
    assert run(f"{tmp_path}/here/game.py:width=1", folder="there")[0][:3] == [-12, 1, 0]


@pytest.mark.slow
def test_a_changed_helper_beside_the_game_is_compiled_anew(run, tmp_path):
    game, helper = tmp_path / "game.py", tmp_path / "worth.py"
    text = STAIRS.read_text().replace("return -position[0]", "return worth(position[0])")
    game.write_text(text.replace("from typing", "from worth import worth\nfrom typing"))
    helper.write_text("from deeper import factor\n\n\ndef worth(floor):\n    return factor() * floor\n")
    (tmp_path / "deeper.py").write_text("def factor():\n    return 2\n")
    assert run(f"{game}:width=1")[0][:3] == [24, 0, 1]
    helper.write_text("from deeper import factor\n\n\ndef worth(floor):\n    return factor() * floor + 1\n")
    assert run(f"{game}:width=1")[0][:3] == [32, 0, 1]
    (tmp_path / "deeper.py").write_text("def factor():\n    return 3\n")
    assert run(f"{game}:width=1")[0][:3] == [44, 0, 1]
    assert run(f"{game}:width=1")[0][:3] == [44, 1, 0]


@pytest.mark.slow
def test_a_changed_table_or_constant_of_a_helper_is_compiled_anew(run, tmp_path):
    game, helper = tmp_path / "game.py", tmp_path / "worth.py"
    text = STAIRS.read_text().replace("return -position[0]", "return worth.FACTOR * position[0] + EXTRA")
    game.write_text(text.replace("from typing", "import worth\nfrom worth import EXTRA\nfrom typing"))
    helper.write_text("FACTOR = 2\nEXTRA = 0\n")
    assert run(f"{game}:width=1")[0][:3] == [24, 0, 1]
    helper.write_text("FACTOR = 3\nEXTRA = 1\n")
    assert run(f"{game}:width=1")[0][:3] == [44, 0, 1]


@pytest.mark.slow
def test_a_changed_engine_compiles_anew(run, root):
    key = run(STAIRS)[0][3]
    assert run(STAIRS) == [[0, 1, 0, key]]
    with (root / "gamesman" / "compiler" / "native.py").open("a") as native:
        native.write("\n# changed\n")
    result, hits, misses, other = run(STAIRS)[0]
    assert (result, hits, misses) == (0, 0, 1)
    assert other != key


def compiled(text, make):
    """Return a kernel over a variant's functions, and its rules."""
    v = variant(text)
    compiler = Compiler(v.game)
    return compiler.kernel(make(compiler.functions)), native_rules(v.rules)


def children(functions):
    unhash, hash = functions["unhash"], functions["hash"]
    generate_moves, do_move = functions["generate_moves"], functions["do_move"]

    def children(rules, key, found):
        n = 0
        position = unhash(rules, key)
        for move in generate_moves(rules, position):
            found[n] = hash(rules, do_move(rules, position, move))
            n += 1
        return n

    return children


@pytest.mark.slow
@pytest.mark.parametrize(
    "text", ["konane:rows=4", str(STAIRS), f"{STAIRS.parent}/graph_game.py:graph=(u0:2+1 l1 u1:0)"]
)
def test_compiled_moves_are_the_interpreted_ones(text):
    kernel, rules = compiled(text, children)
    v = variant(text)
    found = np.zeros(100, np.int64)
    count = kernel(rules, v.hash(v.start()), found)
    assert count > 0
    assert list(found[:count]) == [v.hash(v.do_move(v.start(), m)) for m in v.generate_moves(v.start())]


def test_a_position_too_large_for_a_machine_word_is_refused():
    with pytest.raises(TooLarge, match="64 bits"):
        native_rules(variant("konane:rows=9,cols=9").rules)


class Tables(NamedTuple):
    none: tuple[int, ...] = ()
    row: tuple[int, ...] = (5, 6, 7)
    grid: tuple[tuple[int, ...], ...] = ((1, 2, 3), (4, 5, 6))
    box: tuple[tuple[tuple[int, ...], ...], ...] = (((1, 2), (3, 4)), ((5, 6), (7, 8)), ((9, 10), (11, 12)))


def every_item(rules, found):
    """Read every item by every index that Python knows, below 0 too."""
    for i in range(-3, 3):
        found.append(rules.row[i])
        for j in range(-2, 2):
            found.append(rules.grid[j][i])
            for k in range(-2, 2):
                found.append(rules.box[i][j][k])


def other_ways(rules, found):
    found.append(len(rules.none) * 100 + len(rules.row) * 10 + len(rules.grid[-1]))
    for item in rules.row:
        found.append(item)
    for item in rules.none:
        found.append(item)
    for row in rules.grid:
        found.append(row[-1])
    end = rules.row[1:]
    found.append(end[-1] * 100 + end[-2] * 10 + len(end))
    both = rules.grid[:1]
    found.append(both[-1][-1] + 100 * (6 in rules.row) + 1000 * (8 in rules.row))
    first, last = rules.row[0], rules.row[-1]
    row = rules.grid[0] if first > last else rules.row
    found.append(row[-3])
    part = rules.row
    while len(part) > 1:
        found.append(part[-1])
        part = part[1:]
    part = rules.row if first > last else rules.row[1:]
    found.append(part[0])
    part = rules.row[:2] if first > last else rules.row
    found.append(part[-1])
    part = rules.row[::-1] if first < last else rules.row
    found.append(part[-1])


@pytest.mark.slow
@pytest.mark.parametrize("look_up", [every_item, other_ways])
def test_a_table_is_indexed_as_python_indexes_it(look_up):
    expected = []
    look_up(Tables(), expected)
    found = numba.typed.List.empty_list(numba.int64)
    numba.njit(look_up)(native_rules(Tables()), found)
    assert list(found) == expected


# What follows guards the private features of numba that gamesman.compiler.compile is built on: where one of these fails
# with a new version of numba, the version must stay pinned in setup.cfg until that file has been looked at.


def test_the_version_of_numba_is_the_one_that_setup_cfg_pins():
    config = configparser.ConfigParser(interpolation=None)
    config.read(ROOT / "setup.cfg")
    pins = [line for line in config["options"]["install_requires"].split() if line.startswith("numba==")]
    assert pins == [f"numba=={'.'.join(numba.__version__.split('.')[:2])}.*"]


def llvm_of(text, make, *arguments):
    kernel, rules = compiled(text, make)
    kernel(rules, *arguments)
    return "\n".join(kernel.inspect_llvm().values())


@pytest.fixture
def fresh_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("GAMESMAN_CACHE", str(tmp_path))  # code from the cache cannot be inspected


@pytest.mark.slow
def test_nrt_off_counts_no_references_in_the_kernel(fresh_cache):
    text = f"{STAIRS.parent}/graph_game.py:graph=(u0:2+1 l1 u1:0)"
    assert "NRT_incref" not in body(llvm_of(text, children, 0, np.zeros(9, np.int64)))


@pytest.mark.slow
def test_forceinline_leaves_no_call_of_a_game_function(fresh_cache):
    """One call is left, that of the kernel by its wrapper for Python, and those of the machine's own instructions."""
    code = body(llvm_of("konane:rows=4", children, 4095, np.zeros(99, np.int64)))
    calls = [line for line in code.splitlines() if " call " in line and "@llvm." not in line]
    assert not calls, calls


def test_error_model_numpy_tests_for_no_division_by_zero(fresh_cache):
    """Which is why a game must not rely on the exception."""

    def quotient(rules, a, b):
        return a // b

    kernel, rules = compiled(str(STAIRS), lambda functions: quotient)
    assert kernel(rules, 7, 2) == 3
    assert kernel(rules, 7, 0) == 0


def test_no_index_into_a_table_is_asked_whether_it_is_negative():
    """It takes more than the look-up: Abalone is solved 1.1 times as fast without."""
    look_up = numba.njit(lambda rules, i: rules.row[i])
    look_up(native_rules(Tables()), 1)
    (code,) = look_up.inspect_llvm().values()
    assert "icmp" not in code.split("\ndefine ")[1].split("\n}")[0]


def body(llvm):
    """Return the machine-independent code of the kernel itself, without the wrappers around it."""
    parts = [part.split("\n}")[0] for part in llvm.split("\ndefine ")[1:]]
    ours = [part for part in parts if "children" in part.splitlines()[0] and "cpython" not in part.splitlines()[0]]
    own = [part for part in ours if "cfunc" not in part.splitlines()[0]]
    assert len(own) == 1
    return own[0]


@pytest.mark.parametrize("is_kept", [True, False])
def test_code_that_holds_addresses_of_this_process_is_not_kept_and_nobody_is_warned(is_kept):
    found = SimpleNamespace(lifted=(), library=SimpleNamespace(has_dynamic_globals=not is_kept))
    assert compiling._Implementation().check_cachable(found) is is_kept
