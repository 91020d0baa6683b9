"""What compiled code is kept under: every function that it is built from, whichever file that one is in."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import FunctionType

import pytest
from support import SUPPORT

import gamesman
from gamesman.analysis.kernels import asking, images, playing, playouts, proving, walking
from gamesman.compiler import agreement, quotient, trial
from gamesman.compiler import compile as compiling
from gamesman.compiler.rows import putter, shape_of, taker
from gamesman.compiler.wide import to_word
from gamesman.model.variant import variant
from gamesman.prover import kernel as kernel_of_proofs
from gamesman.prover import strategy
from gamesman.search import compiled, shelter
from gamesman.solver import descend
from gamesman.solver.kernels import (
    acyclic,
    beginning,
    expand,
    hashing,
    listing,
    messages,
    places,
    retrograde,
    sorting,
    survey,
)

ROOT = Path(gamesman.__file__).parents[1]
STAIRS = SUPPORT / "stairs.py"


class Recorder(compiling.Compiler):
    """A compiler that says what its kernels are kept under, and never comes to compile one."""

    def __init__(self, game, width):
        super().__init__(game, width)
        self.keys = {}

    def kernel(self, function, label=""):
        dispatcher = super().kernel(function, label)
        cache = dispatcher._cache
        assert self.keys.setdefault(cache._file, cache._key) == cache._key, f"two kernels are called {cache._file}"
        return dispatcher


def build_all(monkeypatch, name="konane"):
    """Return every kernel that there is, over one game."""
    v = variant(name)
    compiler = Recorder(v.game, len(v.start()))
    functions, kernel = compiler.functions, compiler.kernel
    for module in (expand, acyclic, places, descend, listing, messages, survey):
        module.kernels(kernel, functions)
    for is_dense in (True, False):
        beginning.kernels(kernel, functions, dense=is_dense)
        retrograde.kernels(kernel, functions, dense=is_dense)
    hashing.kernels(kernel)
    sorting.kernels(kernel)
    images.kernels(kernel, functions)
    quotient.images_kernel(kernel, functions)
    told = functions | {"inline": compiling.inlined}
    proving.kernels(kernel, told)
    walking.walk_kernels(kernel, told)
    walking.find_kernels(kernel, told)
    walking.match_kernels(kernel, functions)
    walking.class_kernels(kernel, functions)
    playing.flow_kernels(kernel, compiling.inlined)
    shape = shape_of(v, 1)
    playouts.playout_kernels(kernel, functions, taker(shape), putter(shape), to_word)
    asked = {"least": quotient.itself, "size": quotient.one, **told}
    playing.edge_kernels(kernel, asked)
    asking.place_kernels(kernel, asked)
    asking.move_kernels(kernel, asked)
    kernel(trial._kernel(functions))
    agreement.describing(compiler)
    with monkeypatch.context() as patch:
        for maker in (compiled, kernel_of_proofs, strategy, shelter):
            patch.setattr(maker, "compiled_functions", lambda variant, shape: (compiler, functions))
            maker._compiled(v, shape)
    return compiler


def test_every_file_that_makes_kernels_is_looked_at_here(monkeypatch):
    makers = {
        path.stem
        for path in ROOT.glob("gamesman/**/*.py")
        if re.search(r": kernel\(\w|compiler\.kernel\(\w", path.read_text())
    }
    made = {name.partition(".")[0] for name in build_all(monkeypatch).keys}
    built_from_tree = {module.__name__.rpartition(".")[2] for module in (compiled, kernel_of_proofs)}
    assert makers - {"compile"} <= made | built_from_tree
    assert "tree" in made  # the search's, which is built by another file


@pytest.mark.slow
def test_a_change_in_any_function_of_any_file_is_seen(monkeypatch):
    compiler = build_all(monkeypatch)
    # Functions are met as they are first, then as the copies that are compiled.
    first = {(f.__code__.co_filename, f.__qualname__): f for f in reversed(compiler._digester._own)}
    functions = [f for f in first.values() if f.__code__.co_filename.startswith(str(ROOT))]
    files = {Path(function.__code__.co_filename).relative_to(ROOT).as_posix() for function in functions}
    wanted = {
        "gamesman/search/scores.py",
        "gamesman/search/tree.py",
        "gamesman/solver/kernels/hashing.py",
        "gamesman/solver/kernels/retrograde.py",
    }
    assert wanted | {"gamesman/games/konane.py", "gamesman/compiler/native.py"} <= files
    for file in files:
        mine = [f for f in functions if f.__code__.co_filename == str(ROOT / file) and is_at_the_top(f)]
        for function in mine[:3]:
            code = function.__code__
            with monkeypatch.context() as patch:
                patch.setattr(function, "__code__", code.replace(co_consts=(*code.co_consts, "changed")))
                assert build_all(monkeypatch).keys != compiler.keys, function
    assert build_all(monkeypatch).keys == compiler.keys


def is_at_the_top(function: FunctionType) -> bool:
    """Tell whether a function is made when its module is, and not anew with every kernel."""
    return "<locals>" not in function.__qualname__


@pytest.fixture
def run(tmp_path, root):
    """Run a program in a process of its own, with the copy and a cache of its own; what it prints, as JSON."""

    def run(program, *words, **environment):
        environment = {**os.environ, "GAMESMAN_CACHE": str(tmp_path / "cache"), "PYTHONPATH": str(root), **environment}
        command = [sys.executable, "-c", program, *map(str, words)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


SCORE = """
from gamesman.search.compiled import Compiled
from gamesman.model.variant import variant
v = variant("ten_to_zero:total=1")
tree = Compiled(v, 1 << 16)
tree.begin(v.start(), 1)
tree.go_on(1000)
hits = sum(tree._run.stats.cache_hits.values())
print([tree.value, hits])
"""


@pytest.mark.slow
def test_a_change_in_the_search_runs_at_once(run, root):
    scores = root / "gamesman" / "search" / "scores.py"
    assert run(SCORE) == [1_999_999, 0]
    assert run(SCORE) == [1_999_999, 1]
    text = scores.read_text()
    scores.write_text(text.replace("MATE = 2_000_000", "MATE = 1_900_000"))
    assert run(SCORE) == [1_899_999, 0]
    scores.write_text(text)
    assert run(SCORE) == [1_999_999, 1]


WORTH = """
import json, sys
from gamesman.compiler.compile import Compiler, native_rules
from gamesman.model.variant import variant

found = []
for text in sys.argv[1:]:
    v = variant(text)
    compiler = Compiler(v.game)
    def kernel(evaluate):
        def worth(rules, position):
            return evaluate(rules, position)
        return compiler.kernel(worth)
    worth = kernel(compiler.functions["evaluate"])
    found.append([worth(native_rules(v.rules), v.start()), sum(worth.stats.cache_hits.values())])
print(json.dumps(found))
"""


def game_with(tmp_path, line, worth="worth()"):
    """Return a copy of a game whose positions are worth what it takes from elsewhere."""
    text = STAIRS.read_text().replace("return -position[0]", f"return {worth}")
    game = tmp_path / "game.py"
    game.write_text(text.replace("from typing", f"{line}\nfrom typing", 1))
    return game


@pytest.mark.slow
@pytest.mark.parametrize("file", ["bits", "values", "notation", "options"])
def test_a_change_in_what_a_game_imports_from_here_runs_at_once(run, root, tmp_path, file):
    game, path = game_with(tmp_path, f"from gamesman.{file} import worth"), root / "gamesman" / f"{file}.py"
    text = path.read_text()
    for number in (1, 2):
        path.write_text(f"{text}\n\nWORTH = {number}\n\n\ndef worth():\n    return WORTH\n")
        assert run(WORTH, game) == [[number, 0]]
        assert run(WORTH, game) == [[number, 1]]


ELSEWHERE = {
    "a data file": "import pathlib\nNUMBER = int((pathlib.Path(__file__).parent / 'number').read_text())",
    "an environment variable": "import os\nNUMBER = int(os.environ['NUMBER'])",
    "importlib": "import importlib\nNUMBER = importlib.import_module(''.join(['worth', 's'])).NUMBER",
    "a folder on PYTHONPATH": "from their_numbers import NUMBER",
    "a table": "import os\nTABLE = (3, int(os.environ['NUMBER']))\nNUMBER = TABLE[1]",
    "a string that is run": "import os\nexec(f'NUMBER = {os.environ[\"NUMBER\"]}')",
}


@pytest.mark.slow
@pytest.mark.parametrize("line", ELSEWHERE.values(), ids=ELSEWHERE)
def test_what_a_game_has_from_elsewhere_runs_at_once_when_it_changes(run, root, tmp_path, line):
    game = game_with(tmp_path, line, "NUMBER")
    for number in (5, 6, 5):
        (tmp_path / "number").write_text(str(number))
        (tmp_path / "worths.py").write_text(f"NUMBER = {number}\n")
        (root / "their_numbers.py").write_text(f"NUMBER = {number}\n")
        ((result, _),) = run(WORTH, game, NUMBER=str(number), PYTHONDONTWRITEBYTECODE="1")
        assert result == number


@pytest.mark.slow
def test_the_order_of_the_fields_of_rules_counts(run, tmp_path):
    """Code finds a field by its place, and no function need name the class."""
    game = game_with(tmp_path, "", "rules.floors * 10 + rules.width")
    assert run(WORTH, f"{game}:floors=2,width=3") == [[23, 0]]
    text = game.read_text()
    swapped = text.replace("    floors: int\n    width: int\n", "    width: int\n    floors: int\n")
    game.write_text(swapped.replace("Rules(o.floors, o.width)", "Rules(o.width, o.floors)"))
    assert game.read_text() != text
    assert run(WORTH, f"{game}:floors=2,width=3")[0][0] == 23
