"""What functions mean is digested here: their code and all that it refers to, wherever that has come from.

A function's meaning is its code, and the values that the global names in it have: numbers and tables as they are, other
functions by their own meaning, tuples with names by their fields, modules by the attributes that the code asks of them.
All is taken from what was loaded, not from files that may have changed since, or that nobody thought of. How modules,
files and lines are called is no part of it. Code can be shown in two ways:

    instructions   what the interpreter runs and numba compiles; another version of Python has others
    source         the syntax tree without comments, docstrings and annotations: the same in every version of Python

>>> def double(n):
...     return n * factor()
>>> def factor():
...     return 2
>>> before = digest(double)
>>> def factor():
...     return 3
>>> double.__globals__["factor"] = factor
>>> digest(double) == before
False
"""

import enum
import hashlib
import marshal
import os
import sys
from collections.abc import Callable, Collection, Mapping
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from gamesman.model.syntax import tree_of

# A function as text, and the names that may be of its module, or of a module that it names.
Show = Callable[[FunctionType], tuple[str, Collection[str]]]

# Functions of these go by their names alone: what is kept for one version of them must say which itself.
_OTHERS = {*sys.stdlib_module_names, "numba", "llvmlite", "numpy"}
_STDLIB = os.path.dirname(os.__file__)


def instructions(function: FunctionType) -> tuple[str, Collection[str]]:
    """Show a function by its instructions."""
    return _code(function.__code__, function.__doc__), _names(function.__code__)


def source(function: FunctionType) -> tuple[str, Collection[str]]:
    """Show a function by its source, where there is one that it was made from; else by its instructions."""
    found = tree_of(function)
    if found is None:
        text, names = instructions(function)
        return f"{sys.version_info[:2]} {text}", names
    text, names = found
    return text, names.difference(function.__code__.co_varnames, function.__code__.co_cellvars)


def digest(*values: Any, show: Show = instructions) -> str:
    """Return the digest of values, 32 hexadecimal digits; the functions among them and in them go by their meaning."""
    return Digester(show).digest(*values)


class Digester:
    """Makes digests, and remembers the functions it has met: what they refer to must not change meanwhile."""

    def __init__(self, show: Show = instructions):
        self._show = show
        self._own: dict[FunctionType, tuple[bytes, list[FunctionType]]] = {}

    def digest(self, *values: Any) -> str:
        hashed = hashlib.sha256()
        numbers: dict[FunctionType, int] = {}
        found = _Description()
        found.add(values, ())
        parts = [found.finished()]
        for text, functions in parts:
            hashed.update(b"%d " % len(text) + text)
            for function in functions:
                if function not in numbers:
                    numbers[function] = len(numbers)
                    parts.append(self._of(function))
                hashed.update(b"%d " % numbers[function])
        return hashed.hexdigest()[:32]

    def _of(self, function: FunctionType) -> tuple[bytes, list[FunctionType]]:
        """Return a function's own text, and the functions that it refers to, in order."""
        if function not in self._own:
            text, names = self._show(function)
            found = _Description()
            found.add_function(function, text, names)
            self._own[function] = found.finished()
        return self._own[function]


class _Description:
    """Writes a text that differs where values differ, without the functions among them: these are listed apart."""

    def __init__(self) -> None:
        self._text: list[bytes] = []
        self._functions: list[FunctionType] = []
        self._modules: set[str] = set()

    def finished(self) -> tuple[bytes, list[FunctionType]]:
        return b"\n".join(self._text), self._functions

    def add_function(self, function: FunctionType, text: str, names: Collection[str]) -> None:
        self._say("code", text)
        self.add((function.__defaults__, function.__kwdefaults__), names)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self._say("closure", name)
            try:
                self.add(cell.cell_contents, names)
            except ValueError:  # nothing is in it yet
                self._say("empty", "")
        for name in sorted(names):
            if name in function.__globals__:
                self._say("global", name)
                self.add(function.__globals__[name], names)

    def add(self, value: Any, names: Collection[str]) -> None:
        """Describe a value; of a module only the attributes with these names."""
        kind = type(value)
        if isinstance(value, tuple | list):
            self._add_items(value, names)
        elif value is None or kind in (bool, int, float, complex, str, bytes, type(...), slice, range):
            self._say(kind.__name__, repr(value))
        elif isinstance(value, FunctionType):
            self._add_callable(value)
        elif isinstance(getattr(value, "py_func", None), FunctionType):  # compiled by numba, and how
            self._say("compiled", repr(sorted(getattr(value, "targetoptions", {}).items())))
            self._functions.append(value.py_func)
        elif isinstance(getattr(value, "_defn", None), FunctionType):  # a function that makes instructions for numba
            self._functions.append(value._defn)
        elif isinstance(getattr(value, "__wrapped__", None), FunctionType):  # kept by functools.cache
            self._add_callable(value.__wrapped__)
        elif isinstance(value, MethodType):
            self.add((value.__func__, value.__self__), names)
        elif isinstance(value, ModuleType):
            self._add_module(value, names)
        elif isinstance(value, type):
            self._add_class(value, names)
        elif isinstance(value, Mapping | set | frozenset):
            self._add_unordered(value, names)
        elif hasattr(value, "dtype") and hasattr(value, "tobytes"):
            self._say("array", f"{value.dtype} {getattr(value, 'shape', ())} {value.tobytes().hex()}")
        else:
            said = repr(value)
            self._say(kind.__qualname__, said if " at 0x" not in said else getattr(value, "__qualname__", ""))

    def _say(self, kind: str, text: str) -> None:
        self._text.append(f"{kind} {len(text)} {text}".encode("utf-8", "surrogatepass"))

    def _add_items(self, items: tuple[Any, ...] | list[Any], names: Collection[str]) -> None:
        fields = getattr(items, "_fields", "")
        self._say("items", f"{len(items)} {fields}")
        if items and {*map(type, items)} == {int}:
            self._text.append(marshal.dumps(list(items), 2))
            return
        for item in items:
            self.add(item, names)

    def _add_unordered(self, items: Any, names: Collection[str]) -> None:
        every = items.items() if isinstance(items, Mapping) else items
        self._say("unordered", str(len(items)))
        for item in sorted(every, key=repr):
            self.add(item, names)

    def _add_callable(self, function: FunctionType) -> None:
        if is_of_others(function):
            self._say("function", f"{function.__module__}.{function.__qualname__}")
        else:
            self._functions.append(function)

    def _add_module(self, module: ModuleType, names: Collection[str]) -> None:
        if module.__name__ in self._modules:
            return
        self._modules.add(module.__name__)
        for name in sorted(names):
            if name in vars(module):
                self._say("attribute", name)
                self.add(vars(module)[name], names)

    def _add_class(self, kind: type, names: Collection[str]) -> None:
        fields = getattr(kind, "_fields", "")
        self._say("class", f"{kind.__qualname__} {fields}")
        if isinstance(kind, enum.EnumMeta):
            self.add(repr(list(kind)), names)
        if kind.__module__.partition(".")[0] in _OTHERS:
            return
        for name, value in sorted(vars(kind).items()):
            if isinstance(value, FunctionType) and not (fields and name in _OF_TUPLES):
                self._say("method", name)
                self._functions.append(value)


# What typing.NamedTuple gives a class follows from its fields.
_OF_TUPLES = {"__new__", "_make", "_replace", "__repr__", "_asdict", "__getnewargs__"}


def is_of_others(function: FunctionType) -> bool:
    """Tell whether a function comes with Python, numba or numpy; a user's file may have the name of one of theirs."""
    if (function.__module__ or "").partition(".")[0] not in _OTHERS:
        return False
    file = function.__code__.co_filename
    return file.startswith((_STDLIB, "<")) or any(
        f"{os.sep}{name}{os.sep}" in file for name in ("numba", "numpy", "llvmlite")
    )


def _code(code: CodeType, doc: str | None = None) -> str:
    """Write all of a code object but where it stands."""
    constants = [None if constant == doc and i == 0 else constant for i, constant in enumerate(code.co_consts)]
    parts = [code.co_code, code.co_exceptiontable, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount]
    names = [code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars]
    return repr([*parts, code.co_flags, *names, [_constant(constant) for constant in constants]])


def _constant(constant: Any) -> str:
    if isinstance(constant, CodeType):
        return _code(constant)
    if isinstance(constant, frozenset):
        return f"frozenset{sorted(map(_constant, constant))}"
    if isinstance(constant, tuple):
        return f"({','.join(map(_constant, constant))})"
    return repr(constant)


def _names(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*map(_names, inner))
