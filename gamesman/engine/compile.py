"""From a game's plain Python functions to machine code, kept on disk under a hash of all that it came from.

Game functions are compiled to be inlined into the solver's kernels, for any rules: the rules of a variant travel as an
argument, so one compilation serves every size and option of a game. The flags that make this as fast as constants baked
in, and a cache that outlives the process for functions built from other functions, are private features of numba: its
version is pinned in setup.cfg, and tests/test_compile.py fails where one of them no longer does what is said here.

    _nrt=False       no reference counting of the tables in the rules: 3 times the speed; game functions cannot allocate
    forceinline      calls between game functions and kernels disappear: another 2 times; for the resumption of a
                     generator numba leaves it out, and every yield saves and restores all tables: 3 times, see below
    error_model      numpy: no test for a division by zero before each division
"""

import contextlib
import hashlib
import os
import platform
import shutil
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile, _CacheLocator
from numba.core.generators import GeneratorDescriptor

from gamesman import bits, layout, layout_source, lines, moves, numbering, symmetry, values
from gamesman.engine import native  # registers the machine instructions for gamesman.bits
from gamesman.engine.cyclic import Cyclic
from gamesman.errors import TooLarge
from gamesman.game import Game

FLAGS = {"_nrt": False, "error_model": "numpy"}
KEPT = 8  # versions of a game
COMPILED = "hash unhash turn primitive generate_moves do_move tier undo_moves evaluate".split()

_describe_generator = GeneratorDescriptor.from_generator_fndesc


def _describe_inlined_generator(func_ir: Any, fndesc: Any, gentype: Any, mangler: Any) -> Any:
    description = _describe_generator(func_ir, fndesc, gentype, mangler)
    description.inline = fndesc.inline
    return description


# A generator is inlined if its function is: only then does its state stay in registers.
GeneratorDescriptor.from_generator_fndesc = _describe_inlined_generator  # type: ignore[method-assign]


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    return njit(function, forceinline=True, **FLAGS)


class Compiler:
    """Compiles a game's functions, and the kernels built over them."""

    def __init__(self, game: Game):
        self.key = _content_key(game)
        self.folder = cache_folder() / f"{Path(game.name).stem}-{self.key}"
        self._done: dict[FunctionType, Any] = {}
        functions = {"tier": _only_tier, **game.functions}
        self.functions = {name: self._inline(functions[name]) for name in COMPILED if name in functions}

    def kernel(self, function: Callable[..., Any], label: str = "") -> Callable[..., Any]:
        """Compile a function that is called from Python: without the interpreter's lock, and kept on disk.

        Functions of one name in one module that differ in what they close over need a label.
        """
        dispatcher = njit(function, nogil=True, **FLAGS)
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}{label}"
        dispatcher._cache = _ContentCache(function, self.folder, self.key, name)
        return dispatcher

    def _inline(self, function: Any) -> Any:
        """A function compiled together with the plain functions it calls, of its own module or another."""
        if not isinstance(function, FunctionType) or function in native.INSTRUCTIONS:
            return function
        if function not in self._done:
            names = dict(function.__globals__)
            copy = FunctionType(
                function.__code__, names, function.__name__, function.__defaults__, function.__closure__
            )
            self._done[function] = inlined(copy)
            for name in _names(function.__code__):
                if isinstance(names.get(name), FunctionType):
                    names[name] = self._inline(names[name])
        return self._done[function]


def native_rules(rules: Any) -> Any:
    """The rules with their tables as arrays, as compiled functions take them."""
    try:
        return type(rules)(*map(_native_field, rules))
    except OverflowError:
        raise TooLarge("a position of this size does not fit a machine word of 64 bits") from None


def _native_field(field: Any) -> Any:
    if hasattr(field, "_fields"):
        return type(field)(*map(_native_field, field))
    return Cyclic.of(field) if isinstance(field, tuple) else _machine_word(field)


def cache_folder() -> Path:
    """Where compiled code is kept: $GAMESMAN_CACHE, else the user's cache folder."""
    if os.environ.get("GAMESMAN_CACHE"):
        return Path(os.environ["GAMESMAN_CACHE"])
    from platformdirs import user_cache_path

    return user_cache_path("gamesman", appauthor=False)


def _only_tier(rules: Any, position: Any) -> int:
    return 0


def _machine_word(number: int) -> int:
    return int(np.int64(int(number)))


def _names(code: Any) -> set[str]:
    inner = (constant for constant in code.co_consts if hasattr(constant, "co_names"))
    return set(code.co_names).union(*map(_names, inner))


def _our_sources() -> list[str]:
    root = Path(__file__).parent
    paths = [
        *sorted(root.glob("*.py")),
        *(Path(m.__file__) for m in (bits, layout, layout_source, lines, moves, numbering, symmetry, values)),
    ]
    return [path.read_text(encoding="utf-8") for path in paths]


# Read when the code itself is: a source that changes while the program runs must not lend its name to older code.
_OURS = _our_sources()


def _content_key(game: Game) -> str:
    versions = [numba.__version__, llvmlite.__version__, np.__version__, platform.python_version(), repr(FLAGS)]
    # What is kept names classes by their module, and that of a file by its folder.
    parts = [game.module.__name__, game.source, *_OURS, *versions]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]


def _forget_old(folder: Path) -> None:
    """Delete the code of earlier versions of a game, but for the latest few."""
    name = folder.name.rpartition("-")[0]
    others = [other for other in folder.parent.glob(f"{name}-*") if other.name.rpartition("-")[0] == name]
    with contextlib.suppress(OSError):
        for other in sorted(others, key=lambda path: path.stat().st_mtime)[:-KEPT]:
            shutil.rmtree(other, ignore_errors=True)


class _Locator(_CacheLocator):
    def __init__(self, folder: Path, key: str):
        self._folder, self._key = str(folder), key

    def get_cache_path(self) -> str:
        return self._folder

    def get_source_stamp(self) -> str:
        return self._key

    def get_disambiguator(self) -> str:
        return self._key

    @classmethod
    def from_function(cls, function: Any, path: str) -> None:
        return None


class _Implementation(CompileResultCacheImpl):
    def __init__(self, function: Any, folder: Path, key: str, name: str):
        self._lineno = function.__code__.co_firstlineno
        self._locator = _Locator(folder, key)
        self._filename_base = name


class _ContentCache(FunctionCache):
    """numba's own cache with another key: everything the code came from, instead of one file's date.

    numba's key for a function that refers to other compiled functions never matches in the next process, and does
    not notice when one of those others has changed.
    """

    def __init__(self, function: Any, folder: Path, key: str, name: str):
        self._name = function.__qualname__
        self._py_func = function
        self._impl = _Implementation(function, folder, key, name)
        self._cache_path = str(folder)
        self._key = key
        self._cache_file = IndexDataCacheFile(str(folder), self._impl.filename_base, key)
        # Where nothing can be written, games are compiled each time they are needed.
        with contextlib.suppress(OSError):
            if not folder.exists():
                folder.mkdir(parents=True, exist_ok=True)
                _forget_old(folder)
        self.enable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a file cut short or overwritten is compiled again
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        return sig, codegen.magic_tuple(), self._key
