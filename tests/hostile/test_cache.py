"""Compiled code that somebody has damaged or planted is never run: what was right stays right, and nothing stops."""

import os
import pickle
import shutil
import subprocess
import sys

import pytest
from support import SUPPORT
from support.chance import chance, rounds

GAME = str(SUPPORT / "stairs.py") + ":width=2"
DAMAGES = 15

# Runs two small functions over a game, and with more words solves it; says what comes out.
PROGRAM = """
import sys
import numpy as np
from gamesman.compiler.compile import Compiler, native_rules
from gamesman.model.variant import variant

def kernels(functions, kernel):
    evaluate, unhash, turn = functions["evaluate"], functions["unhash"], functions["turn"]
    def worth(rules, keys):
        found = 0
        for i in range(len(keys)):
            found = 3 * found + evaluate(rules, unhash(rules, keys[i]))
        return found
    def turns(rules, keys):
        found = 0
        for i in range(len(keys)):
            found = 3 * found + turn(rules, unhash(rules, keys[i]))
        return found
    return kernel(worth), kernel(turns)

v = variant(sys.argv[1])
compiler = Compiler(v.game)
print([kernel(native_rules(v.rules), np.arange(16)) for kernel in kernels(compiler.functions, compiler.kernel)])
if sys.argv[2:]:
    from gamesman.solver.solve import solve
    summary = solve(v, threads=1)
    print(summary.value, summary.remoteness, [(t.number, t.histogram, t.primitives, t.moves) for t in summary.tiers])
"""


def run(cache, *words, **settings):
    environment = {**os.environ, "GAMESMAN_CACHE": str(cache)}
    command = [sys.executable, "-c", PROGRAM, GAME, *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, **settings)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A cache with everything in it, and what comes out with it."""
    cache = tmp_path_factory.mktemp("good") / "cache"
    done = run(cache)
    assert done.returncode == 0, done.stderr
    return cache, done.stdout


@pytest.fixture
def copy(good, tmp_path):
    shutil.copytree(good[0], tmp_path / "cache", copy_function=shutil.copy2)
    return tmp_path / "cache"


def files(cache):
    return sorted(path for path in cache.rglob("*") if path.is_file())


def flip(random, path):
    content = bytearray(path.read_bytes())
    content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    path.write_bytes(content)


def truncate(random, path):
    os.truncate(path, random.randrange(path.stat().st_size))


def empty(random, path):
    path.write_bytes(b"")


def overwrite(random, path):
    content = bytearray(path.read_bytes())
    at = random.randrange(len(content))
    content[at : at + 64] = random.randbytes(64)
    path.write_bytes(content)


def lengthen(random, path):
    path.write_bytes(path.read_bytes() + random.randbytes(random.randrange(1, 100)))


def exchange(random, path):
    """Put another function's code in its place, which is as it was written."""
    path.write_bytes(random.choice([other for other in files(path.parent) if other != path]).read_bytes())


def plant(random, path):
    """Put code in its place that is run when it is unpickled, with what the file began with before it."""

    class Planted:
        def __reduce__(self):
            return os._exit, (66,)

    path.write_bytes(path.read_bytes()[: random.choice([0, 25, 57])] + pickle.dumps(Planted()))


def directory(random, path):
    path.unlink()
    path.mkdir()


def pipe(random, path):
    path.unlink()
    os.mkfifo(path)


def link(random, path):
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))


def open_to_all(random, path):
    path.chmod(0o666)


WAYS = [flip, flip, flip, truncate, empty, overwrite, lengthen, exchange, plant, directory, pipe, link, open_to_all]


@pytest.mark.parametrize("number", range(rounds(DAMAGES)))
def test_a_damaged_file_is_compiled_anew(good, copy, number):
    random = chance("cache", number)
    way = WAYS[number % len(WAYS)]
    damaged = random.sample(files(copy), random.choice([1, 1, 2]))
    for path in damaged:
        if path.exists() and path.stat().st_size:
            way(random, path)
    done = run(copy, timeout=300)
    said = f"{way.__name__} of {[path.name for path in damaged]}: {done.stderr}"
    assert (done.returncode, done.stdout, done.stderr) == (0, good[1], ""), said


def test_a_solve_with_nothing_but_damaged_code_is_right_and_replaces_it(tmp_path):
    cache = tmp_path / "cache"
    first = run(cache, "solve")
    sizes = {path.name: path.stat().st_size for path in files(cache)}
    assert len(sizes) > 5
    for path in files(cache):
        flip(chance("solve"), path)
    second = run(cache, "solve")
    assert (second.returncode, second.stdout, second.stderr) == (0, first.stdout, "")
    assert {path.name: path.stat().st_size for path in files(cache)} == sizes
