"""The syntax tree of a loaded function is found here, if its source still has what was loaded."""

import ast
import linecache
import os
from collections.abc import Iterable
from functools import lru_cache
from types import CodeType, FunctionType
from typing import NamedTuple

# What does not change what a function does when it is called, or is not in the trees of every version of Python.
_SKIPPED = {"annotation", "returns", "type_comment", "type_params", "type_ignores", "kind"}


class _File(NamedTuple):
    """Holds a file's tree, its functions that are in no other, and all code that it is compiled to."""

    tree: ast.Module
    functions: dict[tuple[str, int], list[ast.AST]]
    codes: set[CodeType]


def tree_of(function: FunctionType) -> tuple[str, set[str]] | None:
    """Return a function's tree as text, and the names in it; None where no source has the code that was loaded.

    Comments, docstrings and annotations are left out.
    """
    found = node_of(function)
    return None if found is None else _described(found)


def node_of(function: FunctionType) -> ast.AST | None:
    """Return a function's syntax tree; None where no source has the code that was loaded."""
    code = function.__code__
    try:
        if code.co_filename.startswith("<"):  # made while the program runs, and kept where tracebacks look for it
            file = _made("".join(linecache.getlines(code.co_filename)), code.co_filename)
        else:
            status = os.stat(code.co_filename)
            version = code.co_filename, status.st_mtime_ns, status.st_size, status.st_ino
            found = _alone(code, _read(*version))
            if found is not None:
                return found
            file = _file(*version)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None
    if code not in file.codes:
        return None
    at = (code.co_name, code.co_firstlineno)
    candidates = file.functions.get(at) or _functions(ast.walk(file.tree)).get(at, [])
    if len(candidates) != 1:
        return None
    return candidates[0]


def _described(function: ast.AST) -> tuple[str, set[str]]:
    names: set[str] = set()
    return _text(function, names), names


def _alone(code: CodeType, text: bytes) -> ast.AST | None:
    """Parse a function's own lines only, which is quicker; return None where these alone are not what was loaded."""
    lines = text.splitlines(keepends=True)
    end = at = code.co_firstlineno - 1
    while end < len(lines) and lines[end].startswith(b"@"):
        end += 1
    end += 1
    while end < len(lines) and lines[end][:1] in b" \t\r\n#)]}":
        end += 1
    own = b"\n" * at + b"".join(lines[at:end])  # on the lines where they are in the file: code knows its lines
    try:
        if code not in compile(own, code.co_filename, "exec", dont_inherit=True).co_consts:
            return None
        (function,) = ast.parse(own).body
    except (SyntaxError, ValueError):
        return None
    return function if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) else None


@lru_cache(maxsize=32)
def _read(path: str, *_: int) -> bytes:
    """Read a file; the numbers say which version of it."""
    with open(path, "rb") as file:
        return file.read()


@lru_cache(maxsize=32)
def _file(path: str, *version: int) -> _File:
    """Parse a whole file; the numbers say which version of it."""
    return _parsed(_read(path, *version), path)


def _parsed(text: str | bytes, path: str) -> _File:
    tree = ast.parse(text)
    codes = [compile(text, path, "exec", dont_inherit=True)]
    for code in codes:
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return _File(tree, _functions(tree.body), set(codes))


_made = lru_cache(maxsize=32)(_parsed)


def _functions(among: Iterable[ast.AST]) -> dict[tuple[str, int], list[ast.AST]]:
    """Find the functions among some nodes, by what their code is called and its first line."""
    found: dict[tuple[str, int], list[ast.AST]] = {}
    for node in among:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            found.setdefault((node.name, first), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault(("<lambda>", node.lineno), []).append(node)
    return found


def _text(node: object, names: set[str]) -> str:
    """Write a tree as every version of Python writes it, without empty fields, and add its names to `names`."""
    if isinstance(node, list):
        return f"[{','.join([_text(item, names) for item in node])}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Name):
        names.add(node.id)
    elif isinstance(node, ast.Attribute):
        names.add(node.attr)
    fields = []
    for name in node._fields:
        value = getattr(node, name, None)
        if value is None or value == [] or name in _SKIPPED:
            continue
        if name == "body" and _has_docstring(node):
            value = node.body[1:]  # type: ignore[attr-defined]
        if value != []:
            fields.append(f"{name}={_text(value, names)}")
    return f"{type(node).__name__}({','.join(fields)})"


def _has_docstring(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    first = node.body[0]
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
