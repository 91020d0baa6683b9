"""The kernel that plays at random from positions down to the end, and remembers one position of each tier it passes."""

from typing import Any

import numpy as np
from numba import njit

from gamesman.compiler.inlining import INLINED
from gamesman.compiler.native import index
from gamesman.values import UNDECIDED

_ADD, _FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)

# What is written down of each tier that a walk passes: its number, one key, and after how many moves that was.
TIER, KEY, PLY = range(3)


@njit(**INLINED)
def dice(state, sides):
    """Return a random number below `sides`, and the next state."""
    state += _ADD
    mixed = (state ^ (state >> np.uint64(30))) * _FIRST
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
    mixed ^= mixed >> np.uint64(31)
    return np.int64((mixed >> np.uint64(33)) % np.uint64(sides)), state


def kernels(kernel: Any, functions: dict[str, Any]) -> dict[str, Any]:
    unhash, primitive, do_move, hash = (functions[name] for name in ("unhash", "primitive", "do_move", "hash"))
    generate_moves, tier, least = functions["generate_moves"], functions["tier"], functions["least"]

    def descend(rules, keys, seed, walks, longest, seen, i):
        """Walk from one of the keys after the other, and write a row for each tier passed into `seen`, from row i on.

        Of the positions of a tier that a walk passes each is as likely to be the one written down. A walk ends where
        the game is over or after `longest` moves; none begins for which there are less than `longest` rows. Returns the
        next row and the state of the dice.
        """
        state = np.uint64(seed)
        for walk in range(walks):
            if i + longest > seen.shape[0]:
                break
            position = unhash(rules, keys[index(walk % keys.shape[0])])
            here = tier(rules, position)
            passed = 0
            for ply in range(longest):
                passed += 1
                which, state = dice(state, passed)
                if which == 0:
                    seen[i, TIER] = here
                    seen[i, KEY] = hash(rules, position)
                    seen[i, PLY] = ply
                if primitive(rules, position) != UNDECIDED:
                    break
                moves = 0
                child = position
                for move in generate_moves(rules, position):
                    moves += 1  # noqa: SIM113 - enumerate cannot be compiled over a generator
                    which, state = dice(state, moves)
                    if which == 0:
                        child = do_move(rules, position, move)
                position = least(rules, child)
                there = tier(rules, position)
                if there != here:
                    here = there
                    passed = 0
                    i += 1
            i += passed > 0
        return i, np.int64(state)

    return {"descend": kernel(descend)}
