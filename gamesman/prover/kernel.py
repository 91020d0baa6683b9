"""The search of gamesman.prover.tree is compiled here for a game, and given its arrays."""

from collections.abc import Callable
from types import ModuleType

import numpy as np

from gamesman.compiler.compile import inlined, native_rules
from gamesman.compiler.rows import Shape, compiled_functions, putter, scrambler, shape_of, taker, words_of
from gamesman.model.variant import Variant
from gamesman.prover import tree
from gamesman.prover.tree import Access, Stack

LISTS = "first second is_mine choice next end before tier".split()
CANDIDATES = "order weights firsts seconds origins".split()

_kernels: dict[tuple[ModuleType, Shape], Callable[..., int]] = {}


class Kernel:
    """Holds a game's compiled search and what it needs to know of the variant. Raises TooLarge."""

    def __init__(self, variant: Variant):
        words = words_of(variant)
        self.rules = native_rules(variant.rules, words)
        self.shape = shape_of(variant, words)
        self.width = sum(self.shape)
        kind = variant.game.module, self.shape
        if kind not in _kernels:
            _kernels[kind] = _compiled(variant, self.shape)
        self.run = _kernels[kind]

    def stack(self, plies: int = 200, room: int = 4000) -> Stack:
        """Make the arrays of a search, for so many turns and so many candidates on the path."""
        lists = {name: np.zeros(plies, np.int64) for name in LISTS}
        candidates = {name: np.zeros(room, np.int64) for name in CANDIDATES}
        path, positions, turn = (np.zeros((n, self.width), np.int64) for n in (plies, room, tree.TURN_ROOM))
        origins = np.zeros(tree.TURN_ROOM, np.int64)
        return Stack(path=path, candidates=positions, turn=turn, turn_origins=origins, **lists, **candidates)


def _compiled(variant: Variant, shape: Shape) -> Callable[..., int]:
    compiler, functions = compiled_functions(variant, shape)
    least = inlined(lambda rules, position: position)
    access = Access(putter(shape), taker(shape), scrambler(shape), scrambler(shape, is_other=True), least)
    run = tree.build(functions, access, inlined, not variant.game.no_return)
    return compiler.kernel(run, "-proof")  # search has a tree.run, too
