"""The kernel made here verifies classes: what a game calls images of a position must be the same game as it is."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gamesman.values import UNDECIDED, UNREACHED

# What is wrong with a class.
FULL, KEY, TURN, VALUE, TIER, ORBIT, MOVES = range(1, 8)
FAULTS = {
    KEY: "an image has the key of another position",
    TURN: "an image has another player to move",
    VALUE: "an image has another value in primitive",
    TIER: "an image is of another tier",
    ORBIT: "the images of an image are not those of the position",
    MOVES: "moves from an image do not lead to the images of where moves lead",
}

CHILDREN_AT_FIRST = 1 << 10


def kernels(kernel: Callable[[Any], Any], functions: dict[str, Any]) -> dict[str, Any]:
    unhash, hash, do_move, primitive = (functions[name] for name in ("unhash", "hash", "do_move", "primitive"))
    generate_moves, turn, tier = (functions[name] for name in ("generate_moves", "turn", "tier"))
    symmetries = functions["symmetries"]

    def check_classes(
        rules: Any,
        here: int,
        first: int,
        keys: np.ndarray,
        records: np.ndarray,
        scratch: np.ndarray,
        histogram: np.ndarray,
    ) -> tuple[int, int]:
        """Check classes, and count their positions by record; without keys they are those from `first` on.

        Returns the place and the fault of a class that has one, else 0 and 0. `scratch` has room for the keys that
        moves lead to, twice.
        """
        room = scratch.shape[1]
        for i in range(records.shape[0]):
            if records[i] == UNREACHED:
                continue
            position = unhash(rules, int(keys[i]) if keys.shape[0] else first + i)
            me = turn(rules, position)
            value = primitive(rules, position)
            size = 1
            number = 0
            for image in symmetries(rules, position):
                is_kept = rules.kept_symmetries >> number & 1
                number += 1
                if not is_kept:
                    continue
                if unhash(rules, hash(rules, image)) != image:
                    return i, KEY
                if turn(rules, image) != me:
                    return i, TURN
                if primitive(rules, image) != value:
                    return i, VALUE
                if tier(rules, image) != here:
                    return i, TIER
                if image < position:
                    return i, ORBIT
                is_new = image != position
                earlier = 0
                for other in symmetries(rules, position):
                    if earlier < number - 1 and rules.kept_symmetries >> earlier & 1:
                        is_new &= other != image
                    earlier += 1  # noqa: SIM113
                size += is_new
                # The image's images are the position's, and it is one of them: else nobody would find it by its image.
                leads_back = image == position
                second = 0
                for its in symmetries(rules, image):
                    if rules.kept_symmetries >> second & 1:
                        is_there = its == position
                        leads_back |= is_there
                        third = 0
                        for other in symmetries(rules, position):
                            is_there |= (rules.kept_symmetries >> third & 1 == 1) & (other == its)
                            third += 1  # noqa: SIM113
                        if not is_there:
                            return i, ORBIT
                    second += 1  # noqa: SIM113
                if not leads_back:
                    return i, ORBIT
                if value != UNDECIDED:
                    continue
                # The images, by this symmetry, of where the position's moves lead are where the image's moves lead.
                m = 0
                for move in generate_moves(rules, position):
                    if m == room:
                        return i, FULL
                    at = 0
                    for its in symmetries(rules, do_move(rules, position, move)):
                        if at == number - 1:
                            scratch[0, m] = hash(rules, its)
                        at += 1  # noqa: SIM113
                    m += 1
                n = 0
                for move in generate_moves(rules, image):
                    if n == room:
                        return i, FULL
                    scratch[1, n] = hash(rules, do_move(rules, image, move))
                    n += 1
                if m != n:
                    return i, MOVES
                for k in range(n):
                    at = k
                    while at < n and scratch[0, at] != scratch[1, k]:
                        at += 1
                    if at == n:
                        return i, MOVES
                    scratch[0, at] = scratch[0, k]
            histogram[records[i]] += size
        return 0, 0

    return {"check_classes": kernel(check_classes)}
