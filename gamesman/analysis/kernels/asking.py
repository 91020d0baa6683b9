"""The kernels that find where keys are stored, and where the moves of positions lead.

They are written for compiled code and run interpreted as well.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gamesman.values import UNDECIDED


def place_kernels(kernel: Callable[[Any], Any], functions: dict[str, Any]) -> dict[str, Any]:
    unhash, hash, tier, least = (functions[name] for name in ("unhash", "hash", "tier", "least"))

    def place(rules: Any, keys: np.ndarray, wanted: np.ndarray, tiers: np.ndarray) -> None:
        """Find the key and the tier that each key's position is stored under; -1 for a key that is no position's."""
        for i in range(keys.shape[0]):
            position = unhash(rules, int(keys[i]))
            wanted[i] = -1
            tiers[i] = -1
            if hash(rules, position) == keys[i]:
                position = least(rules, position)
                wanted[i] = hash(rules, position)
                tiers[i] = tier(rules, position)

    return {"place": kernel(place)}


def move_kernels(kernel: Callable[[Any], Any], functions: dict[str, Any]) -> dict[str, Any]:
    unhash, hash, do_move, primitive = (functions[name] for name in ("unhash", "hash", "do_move", "primitive"))
    generate_moves, turn = functions["generate_moves"], functions["turn"]

    def offspring(
        rules: Any,
        keys: np.ndarray,
        i: int,
        parents: np.ndarray,
        moves: np.ndarray,
        children: np.ndarray,
        same: np.ndarray,
    ) -> tuple[int, int]:
        """Write down the moves of keys[i:], where they lead, and whether the same player moves there.

        Returns the next index to go on from, and how many moves there are: it stops before a position whose moves find
        no room.
        """
        n = 0
        while i < keys.shape[0]:
            position = unhash(rules, int(keys[i]))
            begin = n
            if primitive(rules, position) == UNDECIDED:
                for move in generate_moves(rules, position):
                    if n == parents.shape[0]:
                        return i, begin
                    child = do_move(rules, position, move)
                    parents[n] = i
                    moves[n] = move
                    children[n] = hash(rules, child)
                    same[n] = turn(rules, child) == turn(rules, position)
                    n += 1
            i += 1
        return i, n

    return {"offspring": kernel(offspring)}
