"""Functions that could say one thing now and another the next time are found here, by what they were loaded with.

The solver asks a function about a position as often as it likes, compiled and in plain Python, and must hear the same
each time. Chance, the time and whatever a function changes outside of itself are in the way of that, even where no
position that is tried meets them.
"""

import ast
import random
from collections.abc import Iterator
from dis import opmap
from inspect import unwrap
from types import CodeType, FunctionType, ModuleType
from typing import Any

from gamesman.errors import shorten
from gamesman.model.game import DECIDING, Game
from gamesman.model.meaning import is_of_others
from gamesman.model.syntax import node_of
from gamesman.model.variant import Variant

ASKED = [*DECIDING, "start", "key_bound", "evaluate", "mobility", "symmetries"]  # as often as one likes
COMPILED = {*DECIDING, "evaluate", "symmetries"}
UNSTEADY = {"random", "secrets", "time", "uuid", "datetime", "numpy.random"}
ASKED_AGAIN = 8
STORE_GLOBAL = opmap["STORE_GLOBAL"]
LASTING = int, float, str, tuple, FunctionType, ModuleType  # tuples hold ints where code is compiled
CHANGING = set("append add clear discard extend insert pop popitem remove reverse setdefault sort update".split())


def unsteady(game: Game) -> Iterator[str]:
    """Yield what a game's functions ask or change that is not in what they are given, a line each."""
    met: set[FunctionType] = set()
    changed = dict(_changed_by_any(game))
    for name in ASKED:
        functions = [game.functions.get(name)]
        for function in functions:
            function = unwrap(function) if callable(function) else function
            if not isinstance(function, FunctionType) or function in met or is_of_others(function):
                continue
            met.add(function)
            if (node := node_of(function)) is None or function.__module__.startswith("gamesman."):
                continue
            faults = [*_faults(function, node)]
            for each in ast.walk(node) if changed and name in COMPILED and not faults else ():
                if isinstance(each, ast.Name) and each.id in changed and _value(function, each.id) is not None:
                    faults.append((each.lineno, f"reads {each.id}, which {changed[each.id]} changes,"))
                    break
            for line, what in faults:
                is_asked = game.functions.get(function.__name__) is function
                by = "" if is_asked else f", which {name} calls,"
                yield f"{game.name}: {function.__name__}{by} {what} on line {line}; it must say the same each time"
            functions += [_value(function, each.id) for each in ast.walk(node) if isinstance(each, ast.Name)]


def varying(variant: Variant) -> Iterator[str]:
    """Yield what is asked once, in plain Python, and says another thing when it is asked again, a line each."""
    functions, said = variant.game.functions, f"{variant.name}: {{}} must make the same each time, got {{}}, then {{}}"
    try:
        rules = variant.rules if variant.is_partial else functions["setup"](variant.options)
        starts = [functions["start"](variant.rules) for _ in range(ASKED_AGAIN)]
    except Exception:  # is told where it is asked first
        return
    if type(rules) is type(variant.rules):
        for field, was, now in zip(rules._fields, variant.rules, rules, strict=True):
            if was != now:
                yield said.format("setup", f"{field} {shorten(repr(was))}", shorten(repr(now)))
    for start in starts:
        if start != starts[0] and isinstance(start, tuple):
            yield said.format("start", starts[0], start)
            return


def _changed_by_any(game: Game) -> Iterator[tuple[str, str]]:
    """Yield what any function of the file changes outside of itself, and which: compiled code does not see it."""
    for function in vars(game.module).values():
        function = unwrap(function) if callable(function) else function
        if isinstance(function, FunctionType) and function.__module__ == game.module.__name__ and _may(function):
            for each in ast.walk(node) if (node := node_of(function)) is not None else ():
                for name in _changes(function, each):
                    yield name, f"{function.__name__} on line {getattr(each, 'lineno', 0)}"


def _may(function: FunctionType) -> bool:
    """Tell whether a function has a global statement, or names what can be changed in place; quicker than its tree."""
    code = function.__code__
    named = (function.__globals__.get(name) for name in code.co_names)
    return STORE_GLOBAL in code.co_code[::2] or not all(value is None or isinstance(value, LASTING) for value in named)


def _faults(function: FunctionType, node: ast.AST) -> Iterator[tuple[int, str]]:
    for each in ast.walk(node):
        line = getattr(each, "lineno", 0)
        if isinstance(each, ast.Name | ast.Attribute) and isinstance(each.ctx, ast.Load):
            if _is_of_chance(found := _resolved(function, each)) and not isinstance(found, ModuleType):
                yield line, f"asks {ast.unparse(each)}"
        if names := [*_changes(function, each)]:
            yield line, f"changes {', '.join(names)}"


def _changes(function: FunctionType, node: ast.AST) -> Iterator[str]:
    """Yield the names of what a part of a function changes that is not the function's own, made when it is called."""
    base: ast.AST | None = None
    if isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        base = node.value
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
        base = node.func.value
    while isinstance(base, ast.Subscript | ast.Attribute):
        base = base.value
    if isinstance(base, ast.Name) and _value(function, base.id) is not None:
        yield base.id


def _value(function: FunctionType, name: str) -> Any:
    """Return what a name means that the function has not made itself: a global one, of a closure, or by default."""
    code = function.__code__
    if name in code.co_freevars:
        cells = dict(zip(code.co_freevars, function.__closure__ or (), strict=True))
        try:
            return cells[name].cell_contents
        except ValueError:  # nothing is in it yet
            return None
    given = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    if name in given[len(given) - len(defaults) :]:
        return defaults[given.index(name) - len(given)]
    if name in _made(code):
        return None
    return function.__globals__.get(name)


def _made(code: CodeType) -> set[str]:
    """Return the names of what code makes itself, and of what the functions in it do."""
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return {*code.co_varnames, *code.co_cellvars}.union(*map(_made, inner))


def _resolved(function: FunctionType, node: ast.expr) -> Any:
    """Return what a name, or an attribute of a module of that name, stands for; None where it is anything else."""
    if isinstance(node, ast.Name):
        return _value(function, node.id)
    of = _resolved(function, node.value) if isinstance(node, ast.Attribute) else None
    return getattr(of, node.attr, None) if isinstance(of, ModuleType) and isinstance(node, ast.Attribute) else None


def _is_of_chance(value: Any) -> bool:
    """Tell whether a value is of a module that answers differently each time, or draws numbers."""
    if isinstance(value, random.Random) or isinstance(getattr(value, "__self__", None), random.Random):
        return True
    module = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    is_random = getattr(value, "__name__", "") == "urandom"
    return is_random or (callable(value) or isinstance(value, ModuleType)) and module in UNSTEADY
