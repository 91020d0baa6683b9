"""The search of gamesman.prover.tree is compiled here for a game, and given its arrays."""

import os
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from gamesman.compiler.compile import inlined, native_rules
from gamesman.compiler.rows import Shape, compiled_functions, putter, scrambler, shape_of, taker, words_of
from gamesman.errors import TooLarge
from gamesman.model.advice import command
from gamesman.model.symmetry import SYMMETRY_VARIABLE, find
from gamesman.model.variant import Position, Variant
from gamesman.prover import leaves, tree
from gamesman.prover.classes import least_of, rules_with
from gamesman.prover.tree import Access, Stack

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

LISTS = "first second is_mine choice next end before tier is_split".split()
CANDIDATES = "order weights firsts seconds origins".split()

_kernels: dict[tuple[ModuleType, Shape, Any], Callable[..., int]] = {}


class Kernel:
    """Holds a game's compiled search and what it needs to know of the variant. Raises TooLarge.

    Where positions are `stored` it asks for those that it meets.
    """

    def __init__(self, variant: Variant, stored: "SolvedPositions | None" = None):
        self._variant = variant
        self._words = words = words_of(variant)
        self.shape = shape_of(variant, words)
        self.width = sum(self.shape)
        kind = variant.game.module, self.shape, stored and stored.variant.game.functions["hash"]
        if kind not in _kernels:
            _kernels[kind] = _compiled(variant, self.shape, stored)
        self.run = _kernels[kind]

    def rules_for(self, position: Position) -> Any:
        """Return the rules as compiled code takes them, with the symmetries that leave a position as it is."""
        is_off = self._words > 1 or os.environ.get(SYMMETRY_VARIABLE) == "off"
        symmetry = None if is_off else find(self._variant, position)
        try:
            return native_rules(rules_with(self._variant, symmetry), self._words)
        except TooLarge as error:
            name = self._variant.name
            raise TooLarge(f"{name} cannot be proved: {error}; run: {command('search', name)}") from None

    def stack(self, plies: int = 200, room: int = 4000) -> Stack:
        """Make the arrays of a search, for so many turns and so many candidates on the path."""
        lists = {name: np.zeros(plies, np.int64) for name in LISTS}
        candidates = {name: np.zeros(room, np.int64) for name in CANDIDATES}
        path, positions, turn = (np.zeros((n, self.width), np.int64) for n in (plies, room, tree.TURN_ROOM))
        origins = np.zeros(tree.TURN_ROOM, np.int64)
        return Stack(path=path, candidates=positions, turn=turn, turn_origins=origins, **lists, **candidates)


def _compiled(variant: Variant, shape: Shape, stored: "SolvedPositions | None" = None) -> Callable[..., int]:
    compiler, functions = compiled_functions(variant, shape)
    told = inlined(lambda leaves, position: -1) if stored is None else leaves.teller(stored)
    marks = scrambler(shape), scrambler(shape, is_other=True)
    # Tables of images are looked up by a word.
    least = least_of(functions if max(shape) == 1 else {})
    access = Access(putter(shape), taker(shape), *marks, least, told)
    run = tree.build(functions, access, inlined, not variant.game.no_return)
    return compiler.kernel(run, "-proof" if stored is None else "-proof-asking")  # search has a tree.run, too
