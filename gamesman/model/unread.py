"""Whether a function's code looks at what it is given is asked here: what it returns may depend on the rest alone."""

import dis
from collections.abc import Callable
from types import FunctionType
from typing import Any

LOOKING_AROUND = {"dir", "eval", "exec", "locals", "vars"}  # they see parameters that are named nowhere


def reads(function: Callable[..., Any], at: int) -> bool:
    """Tell whether a function's code may look at its parameter number `at`.

    >>> reads(lambda rules, position, move: move + 1, 1), reads(lambda rules, position: position[0], 1)
    (False, True)
    """
    if not isinstance(function, FunctionType) or function.__code__.co_argcount <= at:
        return True
    code = function.__code__
    name = code.co_varnames[at]
    if name in code.co_cellvars or LOOKING_AROUND & {*code.co_names}:
        return True
    named = (each.argval for each in dis.get_instructions(code))
    return any(name in found if isinstance(found, tuple) else found == name for found in named)
