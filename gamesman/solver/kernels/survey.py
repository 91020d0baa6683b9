"""The kernel made here counts what an estimate asks of positions: how many they stand for, and which moves stay."""

from typing import Any

from gamesman.values import UNDECIDED

# What `survey` counts, in this order; all but the first only of the positions whose moves are looked at.
POSITIONS, SURVEYED, INNER = range(3)
COUNTS = 3


def kernels(kernel: Any, functions: dict[str, Any]) -> dict[str, Any]:
    """Return the compiled kernel that looks positions through."""
    unhash, primitive, do_move, hash = (functions[name] for name in ("unhash", "primitive", "do_move", "hash"))
    generate_moves, tier, least, size = (functions[name] for name in ("generate_moves", "tier", "least", "size"))

    def survey(rules, keys, here, step, counts):
        """Count the positions that the keys stand for, and of every `step`-th key the moves within its tier.

        Returns the sum of what moves lead to, so that a compiler cannot leave the work out.
        """
        checked = 0
        for i in range(keys.shape[0]):
            position = unhash(rules, keys[i])
            counts[POSITIONS] += size(rules, position)
            if i % step:
                continue
            counts[SURVEYED] += 1
            if primitive(rules, position) != UNDECIDED:
                continue
            for move in generate_moves(rules, position):
                child = do_move(rules, position, move)
                checked ^= hash(rules, least(rules, child))
                counts[INNER] += tier(rules, child) == here
        return checked

    return {"survey": kernel(survey)}
