"""A game's plain Python functions are compiled to machine code, kept on disk under a hash of all it came from.

Game functions are compiled to be inlined into the solver's kernels, for any rules: the rules of a variant travel as an
argument, so one compilation serves every size and option of a game. The flags that make this as fast as constants baked
in, and a cache that outlives the process for functions built from other functions, are private features of numba: its
version is pinned in setup.cfg, and tests/compiler/test_compile.py fails where one no longer does what is said here.

    _nrt=False       no reference counting of the tables in the rules: 3 times the speed; game functions cannot allocate
    forceinline      calls between game functions and kernels disappear: another 2 times; for the resumption of a
                     generator numba leaves it out, and every yield saves and restores all tables: 3 times: inlining.py
    error_model      numpy: no test for a division by zero before each division
    no_..._wrapper   nothing but compiled code can call it, the interpreter would crash: a quarter less to compile
"""

import hashlib
import pickle
import platform
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

import llvmlite
import numba
import numpy as np
from numba import njit
from numba.core.caching import CompileResultCacheImpl, FunctionCache, dumps
from numba.core.runtime import rtsys

from gamesman.compiler import (
    cyclic,
    inlining,
    native,  # native registers the machine instructions for gamesman.bits
    overflow,
    quotient,
    wide,
)
from gamesman.compiler.cache import CODE_SUFFIX, CodeFolder, cache_folder
from gamesman.compiler.cyclic import Cyclic
from gamesman.compiler.inlining import CALLED, FLAGS, INLINED
from gamesman.errors import CallError, TooLarge
from gamesman.model.game import Game, no_tier
from gamesman.model.meaning import Digester, instructions
from gamesman.model.symmetry import Symmetry, cells_turned

if TYPE_CHECKING:
    from gamesman.model.variant import Variant

BOUNDED = {"boundscheck": True, "error_model": "python"}
COMPILED = "hash unhash turn primitive generate_moves do_move tier undo_moves evaluate mobility symmetries".split()


GAMES_LOADED = 4  # of these the machine code stays in memory, some MB each
_loading = threading.Lock()
_loaded: dict[Path, dict[tuple[str, str], Callable[..., Any]]] = {}  # of this process, by where it is kept on disk


def inlined(function: Callable[..., Any], **flags: Any) -> Callable[..., Any]:
    return njit(function, **{**INLINED, **flags})


class Compiler:
    """Compiles a game's functions, and the kernels built over them.

    Told the `width` of positions, in words, kernels take them up to symmetry: see gamesman.compiler.quotient. What
    `is_bounded` raises IndexError where an index is outside of its table, and ZeroDivisionError, and is slower; what
    `is_tested` raises OverflowError as well, where a number is beyond a word: see gamesman.compiler.overflow. With more
    than one of `words` the game's functions are for wide integers of so many: see gamesman.compiler.wide.
    """

    def __init__(
        self, game: Game, width: int = 0, *, is_bounded: bool = False, is_tested: bool = False, words: int = 1
    ):
        if vars(numba.config)["DISABLE_JIT"]:
            raise CallError("nothing can be compiled where NUMBA_DISABLE_JIT is set; unset it and start again")
        bounded = BOUNDED if is_bounded else {}
        self._kernel_flags = {**FLAGS, **bounded}
        pipeline = wide.pipeline(words) if words > 1 else overflow.OverflowCompiler if is_tested else None
        self._flags = {**bounded, **({"pipeline_class": pipeline} if pipeline else {})}
        self._done: dict[FunctionType, Any] = {}
        functions = {"tier": no_tier, **game.functions}
        self._digester = Digester()
        # What is kept names classes by their module, and that of a file by its folder.
        named = [functions.get(name) for name in COMPILED]
        built = [*_SOURCES, *_VERSIONS, *_SETTINGS, repr(self._kernel_flags), words, is_tested]
        self.key = self._digester.digest(game.module.__name__, *named, *built)[:24]
        self.folder = CodeFolder(cache_folder() / f"{Path(game.name).stem}-{self.key}")
        self.functions = {name: self._inline(functions[name]) for name in COMPILED if name in functions}
        self.functions["is_apart"] = self._inline(game.is_apart)
        if width:
            cells = cells_turned(functions["symmetries"])
            inline, called = partial(inlined, **bounded), njit(**{**CALLED, **bounded})
            self.functions |= quotient.make(self.functions["symmetries"], width, inline, called, cells)
        else:
            self.functions |= {"least": inlined(quotient.itself), "size": inlined(quotient.one)}

    def kernel(self, function: Callable[..., Any], label: str = "") -> Callable[..., Any]:
        """Compile a function that is called from Python: without the interpreter's lock, and kept on disk.

        Its key is the meaning of all that it is built from. A label tells people functions of one name apart. The next
        variant of a game is given the function that the one before has loaded: loading takes longer than solving a
        small one.
        """
        dispatcher = njit(function, nogil=True, **self._kernel_flags)
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}{label}"
        key = self._digester.digest(self.key, dispatcher)
        dispatcher._cache = _ContentCache(function, self.folder, name, key)
        with _loading:
            loaded = _loaded.pop(self.folder.path, {})
            _loaded[self.folder.path] = loaded  # as the latest
            if len(_loaded) > GAMES_LOADED:
                del _loaded[next(iter(_loaded))]
            return loaded.setdefault((name, key), dispatcher)

    def _inline(self, function: Any) -> Any:
        """Compile a function together with the plain functions it calls, of its own module or another."""
        if not isinstance(function, FunctionType) or function in native.INSTRUCTIONS:
            return function
        if function not in self._done:
            names = dict(function.__globals__)
            copy = FunctionType(
                function.__code__, names, function.__name__, function.__defaults__, function.__closure__
            )
            self._done[function] = inlined(copy, **self._flags)
            for name in instructions(function)[1]:
                if isinstance(names.get(name), FunctionType):
                    names[name] = self._inline(names[name])
        return self._done[function]


def compiler_for(variant: "Variant", symmetry: Symmetry | None) -> Compiler:
    """Return what compiles for positions up to symmetry."""
    return Compiler(variant.game, 0 if symmetry is None else len(variant.start()))


def rules_for(variant: "Variant", symmetry: Symmetry | None) -> Any:
    """Return the rules that what it compiles takes. Raises TooLarge where a number does not fit."""
    return native_rules(variant.rules if symmetry is None else symmetry.rules)


def native_rules(rules: Any, words: int = 1) -> Any:
    """Return the rules as compiled functions take them: tables as arrays, masks as integers of so many words.

    Raises TooLarge where a number does not fit.
    """
    found = []
    for name, field in zip(rules._fields, rules, strict=True):
        try:
            found.append(_native_field(field, words))
        except OverflowError:
            size = f"a machine word of {wide.WORD} bits" if words == 1 else f"{wide.WORD * words} bits"
            raise TooLarge(f"a position of this size does not fit {size}: {name} does not") from None
    return type(rules)(*found)


def _native_field(field: Any, words: int) -> Any:
    if hasattr(field, "_fields"):
        return type(field)(*(_native_field(part, words) for part in field))
    if words > 1 and wide.is_mask(field):
        if wide.words_for(field) > words:
            raise OverflowError
        return Cyclic.of(field, words) if isinstance(field, tuple) else wide.Wide(field, words)
    return Cyclic.of(field) if isinstance(field, tuple) else _machine_word(field)


def _machine_word(number: int) -> int:
    return int(np.int64(int(number)))


# The source of what makes machine code of functions, beside numba, as it was when it was loaded.
_MAKERS = (native, cyclic, inlining, overflow, wide)
_SOURCES = [Path(file).read_bytes().hex() for file in (__file__, *(str(module.__file__) for module in _MAKERS))]
_VERSIONS = [numba.__version__, llvmlite.__version__, np.__version__, platform.python_version()]
_SETTINGS = [repr(vars(numba.config)[name]) for name in ("OPT", "BOUNDSCHECK")]  # which numba's own key leaves out


class _Implementation(CompileResultCacheImpl):
    """Writes and reads what numba would, but elsewhere."""

    def __init__(self) -> None:
        """Know of no file."""

    def check_cachable(self, found: Any) -> bool:
        """Return whether code means the same in another process: not optimized, it may hold addresses of this one.

        numba would warn of that, naming a file.
        """
        return not found.library.has_dynamic_globals and all(part.can_cache for part in found.lifted)


class _ContentCache(FunctionCache):
    """numba's own cache with another key and another place: everything the code came from, checked before it is used.

    numba's key for a function that refers to other compiled functions never matches in the next process, and does
    not notice when one of those others has changed. What it finds in a file it runs.
    """

    def __init__(self, function: Any, folder: CodeFolder, name: str, key: str):
        self._name = function.__qualname__
        self._py_func = function
        self._impl = _Implementation()
        self._cache_path = str(folder.path)
        self._folder, self._file, self._key = folder, name, key
        self.enable()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)  # numba makes ready for compiling: a tenth of a second
        data = self._folder.read(self._file_name(sig, target_context.codegen()))
        try:
            return None if data is None else self._impl.rebuild(target_context, pickle.loads(data))
        except Exception:  # what is kept may name something that is not there any more
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if self._impl.check_cachable(data):
            self._folder.write(self._file_name(sig, data.codegen), dumps(self._impl.reduce(data)))

    def _file_name(self, sig: Any, codegen: Any) -> str:
        text = repr([self._key, *map(_type_text, sig), codegen.magic_tuple()])
        return f"{self._file}.{hashlib.sha256(text.encode()).hexdigest()[:24]}{CODE_SUFFIX}"


def _type_text(kind: Any) -> str:
    """Return a type's name, with the order of the fields that code finds values by."""
    inner = [_type_text(part) for part in getattr(kind, "types", None) or ()]
    fields = getattr(getattr(kind, "instance_class", None), "_fields", "")
    return f"{kind} {fields} {inner}" if fields or inner else str(kind)
