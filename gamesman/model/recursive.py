"""Functions of a game that call themselves are found here: compiled, they crash where they do not come to an end."""

import dis
from collections.abc import Iterator
from inspect import unwrap
from types import FunctionType

from gamesman.model.game import DECIDING, Game
from gamesman.model.meaning import is_of_others

COMPILED = [*DECIDING, "evaluate", "symmetries"]


def recursive(game: Game) -> Iterator[str]:
    """Yield which functions to be compiled call themselves, or others that call them, a line each."""
    roots = [game.functions[name] for name in COMPILED if name in game.functions]
    calls: dict[FunctionType, list[FunctionType]] = {}
    for function in _reached([root for root in roots if isinstance(root, FunctionType)], calls):
        if function in _reached(calls[function], calls):
            line = function.__code__.co_firstlineno
            yield f"{game.name}: {function.__name__} on line {line} calls itself; compiled code needs a loop instead"


def _reached(functions: list[FunctionType], calls: dict[FunctionType, list[FunctionType]]) -> dict[FunctionType, None]:
    """Return functions and all that they call, by way of others or not; note in `calls` what each calls itself."""
    found: dict[FunctionType, None] = {}
    waiting = [*functions]
    while waiting:
        function = waiting.pop()
        if function not in found:
            found[function] = None
            if function not in calls:
                calls[function] = _called(function)
            waiting += calls[function]
    return found


def _called(function: FunctionType) -> list[FunctionType]:
    """Return the functions of the game that a function names."""
    names = {step.argval for step in dis.get_instructions(function) if step.opname == "LOAD_GLOBAL"}
    values = (function.__globals__.get(name) for name in sorted(names))
    found = [unwrap(value) for value in values if callable(value)]
    return [each for each in found if isinstance(each, FunctionType) and _is_of_game(each)]


def _is_of_game(function: FunctionType) -> bool:
    return not is_of_others(function) and not function.__module__.startswith("gamesman.")
