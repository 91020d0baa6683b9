"""What a line works out and does nothing with is found here: a forgotten `return` or `yield`, or `==` for `=`.

The function falls through to what comes next, which may well be another legal game.
"""

import ast
from collections.abc import Iterator

from gamesman import bits
from gamesman.errors import shorten
from gamesman.model.game import DECIDING, YIELDING

PURE = {*DECIDING, *(name for name, found in vars(bits).items() if getattr(found, "__module__", "") == bits.__name__)}
_INSIDE = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_AT_WORK = ast.Yield | ast.YieldFrom | ast.Await | ast.NamedExpr


def dropped(tree: ast.Module) -> Iterator[str]:
    """Yield what the lines of a file drop, a line each.

    >>> [*dropped(ast.parse("def start(rules):\\n    0, 0, 1"))]
    ['start works out (0, 0, 1) on line 2 and does nothing with it (did you mean return (0, 0, 1)?)']
    """
    top = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for function in [node for each in top for node in ast.walk(each) if isinstance(node, ast.FunctionDef)]:
        own = [*_own(function)]
        word = "yield" if function.name in YIELDING or any(isinstance(node, ast.Yield) for node in own) else "return"
        for node in own:
            if isinstance(node, ast.Expr) and _does_nothing(node.value):
                written = shorten(ast.unparse(node.value))
                meant = f"{word} {written}"
                if isinstance(node.value, ast.Compare) and isinstance(node.value.ops[0], ast.Eq):
                    meant = shorten(ast.unparse(node.value).replace("==", "=", 1))
                said = f"{function.name} works out {written} on line {node.lineno} and does nothing with it"
                yield f"{said} (did you mean {meant}?)"


def _own(node: ast.AST) -> Iterator[ast.AST]:
    """Yield all that is in a function and neither in one inside it nor tried, where a line may only have to fail."""
    tried = node.body if isinstance(node, ast.Try) else []
    for inner in ast.iter_child_nodes(node):
        if inner not in tried and not isinstance(inner, _INSIDE):
            yield inner
            yield from _own(inner)


def _does_nothing(value: ast.expr) -> bool:
    if isinstance(value, ast.Constant):
        return not isinstance(value.value, str) and value.value is not ...
    inside = [*ast.walk(value)]
    if any(isinstance(node, _AT_WORK) for node in inside):
        return False
    return isinstance(value, ast.Compare) or all(_is_pure(node) for node in inside if isinstance(node, ast.Call))


def _is_pure(call: ast.Call) -> bool:
    """Tell whether a call does nothing but return something."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr == "_replace"
    return isinstance(call.func, ast.Name) and call.func.id in PURE
