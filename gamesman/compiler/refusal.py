"""What numba says of a game that cannot be compiled becomes one line here, with the function and the line at fault.

numba's own messages run over pages, speak of its insides, and end at our code that calls the game's.
"""

import ast
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from numba.core.errors import NumbaError

from gamesman.errors import BrokenGame, shorten
from gamesman.model.game import Game, source_files

SEE_ALSO = "see: CONTRIBUTING.md, What compiled code can do"

# What numba says, and what it means to somebody who writes a game; the first that is found counts.
EXPLANATIONS = [
    (
        r"Unknown attribute '(bit_count|bit_length)' of type int",
        r"\1 cannot be compiled; use popcount or highest of gamesman.bits",
    ),
    (r"Untyped global name 'bin'", "bin() cannot be compiled; use popcount of gamesman.bits"),
    (r"unsupported opcode \(GET_YIELD_FROM_ITER\)", "yield from cannot be compiled; yield in a loop"),
    (r"unsupported opcode \(STORE_GLOBAL\)", "a global cannot be changed by compiled code"),
    (r"unsupported opcode \(UNPACK_EX\)", "a starred name cannot be compiled; take the tuple apart in full"),
    (r"unsupported opcode \((\w+)\)", r"\1 is an instruction that cannot be compiled"),
    (r"yield in a closure", "a generator expression cannot be compiled; write the loop"),
    (r"exception_match", "exceptions cannot be caught by compiled code"),
    (r"Untyped global name '(\w+)': .* <class '(?:\w+\.)*(\w+)'>", r"\1 is a \2, which compiled code cannot use"),
    (r"reflected (\w+)\(.*assigned to variable '(\w+)' in globals", r"\2 is a \1, which compiled code cannot use"),
    (r"Unknown attribute '(\w+)' of type Module\(<module '([\w.]+)'", r"import it by its name: from \2 import \1"),
    (r"Int value is too large: (\d+)", r"\1 does not fit a machine word of 64 bits"),
    (r"Function\(<class '(str|list|dict|set|tuple)'>\)", r"\1() cannot be compiled"),
    (
        r"Type of variable '\$",
        "a value inside an expression has no type there, as after :=; write it on a line of its own",
    ),
    (r"NRT required", "a list, a dict, a string or another object is made, and compiled code cannot allocate"),
]


@contextmanager
def compiling(game: Game) -> Iterator[None]:
    """Let what fails in here say why the game cannot be compiled. Raises BrokenGame."""
    try:
        yield
    except (MemoryError, OSError, BrokenGame):
        raise
    except Exception as error:
        raise refusal(game, error) from error


def refusal(game: Game, error: BaseException) -> BrokenGame:
    """Return the error to raise where compiling a game has ended in another one."""
    said = re.sub(r"\x1b\[[0-9;]*m", "", str(error))  # numba writes in colours where it finds colorama
    at = _location(game, said)
    return BrokenGame(f"{game.name}: {at} cannot be compiled: {_explanation(error, said)}; {SEE_ALSO}")


def _explanation(error: BaseException, said: str) -> str:
    for pattern, meaning in EXPLANATIONS:
        if match := re.search(pattern, said):
            return match.expand(meaning)
    lines = (line.strip() for line in said.splitlines())
    first = next((line for line in lines if line and not line.startswith("Failed in nopython")), "")
    said = shorten(first.rstrip("."), 150)
    if isinstance(error, NumbaError) and said:
        return said
    return f"numba fails with {': '.join(filter(None, [type(error).__name__, said]))}"


def _location(game: Game, said: str) -> str:
    """Find the innermost function of the game that numba names, and the line."""
    files = {path.resolve(): path for path in source_files(game.module)}
    for name, line in _named(said):
        path = files.get(Path(name).resolve())
        if path is not None:
            where = "" if path == game.path.resolve() else f" of {path.name}"
            return f"{_function(path, line)}, line {line}{where},"
    return "it"


def _named(said: str) -> Iterator[tuple[str, int]]:
    for match in re.finditer(r'File "(.+?)", line (\d+)|(?:at|from) (\S+\.py) \((\d+)\)', said):
        yield match[1] or match[3], int(match[2] or match[4])


def _function(path: Path, line: int) -> str:
    """Find the function of a file that a line is in."""
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
            return node.name
    return "it"
