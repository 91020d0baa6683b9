"""The syntax tree of a loaded function, if its file still has what was loaded."""

import ast
import os
from functools import lru_cache
from types import CodeType, FunctionType

# What does not change what a function does when it is called, or is not in the trees of every version of Python.
_SKIPPED = {"annotation", "returns", "type_comment", "type_params", "type_ignores", "kind"}

_File = dict[CodeType, ast.AST | None]


def tree_of(function: FunctionType) -> tuple[str, set[str]] | None:
    """Return a function's tree as text, and the names in it; None where no file has the code that was loaded."""
    path = function.__code__.co_filename
    try:
        status = os.stat(path)
        node = _file(path, status.st_mtime_ns, status.st_size, status.st_ino).get(function.__code__)
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None
    if node is None:
        return None
    names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
    names |= {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}
    return _text(node), names


@lru_cache(maxsize=32)
def _file(path: str, *_: int) -> _File:
    """The functions of a file: their code, and their tree where it is the only one that may be theirs."""
    with open(path, "rb") as file:
        text = file.read()
    tree = ast.parse(text)
    nodes: dict[tuple[str, int], list[ast.AST]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            nodes.setdefault((node.name, first), []).append(node)
        elif isinstance(node, ast.Lambda):
            nodes.setdefault(("<lambda>", node.lineno), []).append(node)
    found: _File = {}
    codes = [compile(tree, path, "exec", dont_inherit=True)]
    for code in codes:
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
        candidates = nodes.get((code.co_name, code.co_firstlineno), [])
        found[code] = candidates[0] if len(candidates) == 1 else None
    return found


def _text(node: object) -> str:
    """A tree as text that every version of Python writes alike: fields that are empty are left out."""
    if isinstance(node, list):
        return f"[{','.join(map(_text, node))}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = []
    for name in node._fields:
        value = getattr(node, name, None)
        if name == "body" and _has_docstring(node):
            value = node.body[1:]  # type: ignore[attr-defined]
        if value is not None and value != [] and name not in _SKIPPED:
            fields.append(f"{name}={_text(value)}")
    return f"{type(node).__name__}({','.join(fields)})"


def _has_docstring(node: ast.AST) -> bool:
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return False
    first = node.body[0]
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
