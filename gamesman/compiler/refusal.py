"""What numba says of a game that cannot be compiled becomes one line here, with the function and the line at fault.

numba's own messages run over pages, speak of its insides, and end at our code that calls the game's.
"""

import ast
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import CO_VARKEYWORDS
from pathlib import Path
from types import FunctionType

from numba.core.errors import NumbaError

from gamesman.compiler.compile import COMPILED
from gamesman.errors import BrokenGame, shorten
from gamesman.model.game import Game, source_files
from gamesman.model.meaning import instructions

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
    (r"Can't unify return type", "its returns differ: each must give an int, or a tuple of as many ints as the others"),
    (r"Unknown attribute '(add|append)' of type range_iter", "a list, a set or a dict of a loop cannot be compiled"),
    (
        r"(?:and_|or_|xor|shift|invert)\(float64",
        "a number is a fraction there; / and ** make them, and so does a number of 2**63 and more beside smaller ones",
    ),
    (
        r"Cannot type generator: it does not yield",
        "no yield in it is ever come to; an optional function with nothing to yield can be left out",
    ),
    (r"NRT required", "a list, a dict, a string or another object is made, and compiled code cannot allocate"),
]
KEYWORDS = "what it takes by keyword alone, after * or **, must be taken by place"
NOWHERE = "it"


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
    at, meaning = _location(game, said), _explanation(error, said)
    # Of these numba names neither file nor line.
    if at == NOWHERE and (met := re.search(r"<function (\w+) at ", said)):
        at = _place(game, lambda function: function.__name__ == met[1])
    if at == NOWHERE and not isinstance(error, NumbaError):
        at = _place(game, _takes_keywords)
        meaning = meaning if at == NOWHERE else KEYWORDS
    return BrokenGame(f"{game.name}: {at} cannot be compiled: {meaning}; {SEE_ALSO}")


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
            return _said(game, path, _function(path, line), line)
    return NOWHERE


def _said(game: Game, path: Path, function: str, line: int) -> str:
    where = "" if path.resolve() == game.path.resolve() else f" of {path.name}"
    return f"{function}, line {line}{where},"


def _takes_keywords(function: FunctionType) -> bool:
    return bool(function.__code__.co_kwonlyargcount or function.__code__.co_flags & CO_VARKEYWORDS)


def _place(game: Game, is_meant: Callable[[FunctionType], bool]) -> str:
    """Find a function among those that are compiled, the game's and what they call."""
    waiting = [function for name, function in game.functions.items() if name in COMPILED]
    for function in waiting:
        if isinstance(function, FunctionType):
            if is_meant(function):
                code = function.__code__
                return _said(game, Path(code.co_filename), function.__name__, code.co_firstlineno)
            called = (function.__globals__.get(name) for name in instructions(function)[1])
            waiting += [each for each in called if isinstance(each, FunctionType) and each not in waiting]
    return NOWHERE


def _named(said: str) -> Iterator[tuple[str, int]]:
    for match in re.finditer(r'File "(.+?)", line (\d+)|(?:at|from) (\S+\.py) \((\d+)\)', said):
        yield match[1] or match[3], int(match[2] or match[4])


def _function(path: Path, line: int) -> str:
    """Find the function of a file that a line is in."""
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.FunctionDef) and node.lineno <= line <= (node.end_lineno or 0):
            return node.name
    return NOWHERE
