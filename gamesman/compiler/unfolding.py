"""Positions are taken apart by their keys, many at a time: the numbers each is made of, and whose turn it is."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gamesman.model.variant import Variant

FEW_POSITIONS = 20_000  # that are taken apart in plain Python before the compiler would be done

# Takes keys of positions; returns their numbers, a row a position, and the player to move in each.
Unfold = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def unfolder(variant: Variant, count: int) -> Unfold:
    """Return the function that takes positions of a variant apart, of which there will be `count` in all.

    >>> from gamesman.model.variant import variant
    >>> v = variant("tictactoe")
    >>> unfolder(v, 2)(np.array([v.hash((0, 0)), v.hash((1, 0))]))
    (array([[0, 0],
           [1, 0]]), array([0, 1], dtype=uint8))
    """
    width = len(variant.start())
    if count <= FEW_POSITIONS:
        unfold, rules = kernel(lambda function: function, variant.game.functions), variant.rules
    else:
        # lazy: start-up time
        from gamesman.compiler.compile import Compiler, native_rules

        compiler = Compiler(variant.game)
        unfold, rules = kernel(compiler.kernel, compiler.functions), native_rules(variant.rules)

    def unfolded(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        words, turns = np.empty((len(keys), width), np.int64), np.empty(len(keys), np.uint8)
        unfold(rules, keys, words, turns)
        return words, turns

    return unfolded


def kernel(make: Callable[[Any], Any], functions: Any) -> Any:
    unhash, turn = functions["unhash"], functions["turn"]

    def unfold(rules: Any, keys: np.ndarray, words: np.ndarray, turns: np.ndarray) -> None:
        """Write the numbers that each position is made of, a row a position, and the player to move."""
        for i in range(keys.shape[0]):
            position = unhash(rules, int(keys[i]))
            turns[i] = turn(rules, position)
            j = 0
            for number in position:
                words[i, j] = number
                j += 1  # noqa: SIM113

    return make(unfold)
