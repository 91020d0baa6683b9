"""Un-moves are held against moves here, by functions to be compiled or interpreted."""

from collections.abc import Callable
from typing import Any

from gamesman.values import UNDECIDED


def exact(functions: dict[str, Any], inline: Callable[[Any], Any]) -> Any:
    """Make the function that says whether the un-moves of a position are the moves that lead to it, and its moves."""
    if "undo_moves" not in functions:

        @inline
        def all_undone(rules: Any, position: Any, here: int) -> bool:
            return True

        return all_undone

    generate_moves, do_move, primitive = (functions[name] for name in ("generate_moves", "do_move", "primitive"))
    undo_moves, tier = functions["undo_moves"], functions["tier"]

    @inline
    def leads(rules: Any, parent: Any, position: Any) -> int:
        """Return how many moves lead from one position to another."""
        n = 0
        for move in generate_moves(rules, parent):
            n += do_move(rules, parent, move) == position
        return n

    @inline
    def yielded(rules: Any, position: Any, parent: Any) -> int:
        """Return how often the un-moves of a position lead to another."""
        n = 0
        for other in undo_moves(rules, position):
            n += other == parent
        return n

    @inline
    def is_undone(rules: Any, position: Any, here: int) -> bool:
        """Tell whether un-moves of a position are moves to it, each as often, and moves within its tier un-moves."""
        for parent in undo_moves(rules, position):
            if tier(rules, parent) != here or primitive(rules, parent) != UNDECIDED:
                return False
            if yielded(rules, position, parent) != leads(rules, parent, position):
                return False
        if primitive(rules, position) != UNDECIDED:
            return True
        for move in generate_moves(rules, position):
            child = do_move(rules, position, move)
            if tier(rules, child) == here and yielded(rules, child, position) != leads(rules, position, child):
                return False
        return True

    return is_undone
