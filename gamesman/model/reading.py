"""Which fields of the rules functions read: where these are the same in two variants, the functions are.

So it is known without a look at any position that two variants number their positions alike, or have the same moves.
It is told from the source alone. A function is followed into those that it hands the rules to; where the rules are
used in any way but that, by a field's name, nothing is known.

>>> from gamesman.model.variant import variants
>>> plain, misere, other = variants("konane:misere=*")[0], variants("konane:misere")[0], variants("konane:rows=4")[0]
>>> agree(["hash", "unhash", "generate_moves"], plain, misere), agree(["hash"], plain, other)
(True, False)
"""

import ast
from collections.abc import Iterable
from functools import cache
from types import FunctionType

from gamesman.model.syntax import node_of
from gamesman.model.variant import Variant


def agree(names: Iterable[str], first: Variant, second: Variant) -> bool:
    """Tell whether functions of a game are known to be the same in two of its variants."""
    if first.game.meaning != second.game.meaning:
        return False
    if first.rules == second.rules:
        return True
    functions = first.game.functions
    for name in names:
        if name not in functions:
            continue
        fields = _fields(functions[name], 0) if isinstance(functions[name], FunctionType) else None
        if fields is None:
            return False
        if any(getattr(first.rules, field) != getattr(second.rules, field) for field in fields):
            return False
    return True


@cache
def _fields(function: FunctionType, place: int) -> frozenset[str] | None:
    """Return the fields that a function reads of the argument at a place, or None where that is not known."""
    found: set[str] = set()
    waiting, seen = [(function, place)], {(function, place)}
    while waiting:
        function, place = waiting.pop()
        node = node_of(function)
        if not isinstance(node, ast.FunctionDef) or place >= len(node.args.args):
            return None
        name = node.args.args[place].arg
        parents = {child: parent for parent in ast.walk(node) for child in ast.iter_child_nodes(parent)}
        for use in ast.walk(node):
            if not isinstance(use, ast.Name) or use.id != name:
                continue
            parent = parents[use]
            if isinstance(parent, ast.Attribute):
                found.add(parent.attr)
                continue
            if not isinstance(parent, ast.Call) or not isinstance(parent.func, ast.Name) or use not in parent.args:
                return None
            called = function.__globals__.get(parent.func.id)
            if not isinstance(called, FunctionType) or any(isinstance(a, ast.Starred) for a in parent.args):
                return None
            step = called, parent.args.index(use)
            if step not in seen:
                seen.add(step)
                waiting.append(step)
    return frozenset(found)
