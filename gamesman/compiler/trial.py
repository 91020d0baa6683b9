"""A game is tried here on hundreds of thousands of positions by its compiled functions, with indexes tested.

From the start on every position is tried, level by level, as long as they are few; of larger levels some are taken at
random, down to the end of the game and again from the start. What is wrong at one of them is named in plain Python.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from gamesman.compiler.compile import Compiler, native_rules
from gamesman.compiler.inlining import INLINED
from gamesman.compiler.refusal import refusal
from gamesman.errors import TooLarge
from gamesman.model import culprit, endless, undone
from gamesman.model.variant import Variant
from gamesman.values import DRAW, KEY_LIMIT, UNDECIDED, WIN

LARGEST = 20_000  # positions of a level that are all tried
SOME = 200  # that are, where there are more or half of the positions have been tried
MOST_MOVES = 1 << 16
NOWHERE = -1  # the key at hand before there is one

_BOUNDED = {**INLINED, "boundscheck": True}


def trial(variant: Variant, limit: int, advance: Callable[[int], object] = lambda positions: None) -> int:
    """Try a game on up to `limit` positions, and return how many they were. Raises BrokenGame, TooLarge."""
    bound = variant.key_bound() or KEY_LIMIT
    start = variant.hash(variant.start())
    if max(start, bound - 1) >= KEY_LIMIT:
        raise TooLarge(f"{variant.name}: its positions are numbered beyond 2**63; compiled functions were not tried")
    tried = _Tried(variant, bound, limit, advance)
    while True:
        before = len(tried)
        level = np.array([start], np.int64)
        while len(level) and len(tried) < limit:
            level = tried.chosen(tried.children(level))
        if len(tried) >= limit or tried.is_all or len(tried) == before:
            return len(tried)


class _Tried:
    """Holds the keys of the positions that have been tried."""

    def __init__(self, variant: Variant, bound: int, limit: int, advance: Callable[[int], object]):
        compiler = Compiler(variant.game, is_bounded=True)
        self._kernel = compiler.kernel(_kernel(compiler.functions))
        self._variant, self._bound = variant, np.int64(bound - 1)
        self._rules, self._limit, self._advance = native_rules(variant.rules), limit, advance
        self._dice = np.random.default_rng(1)
        self._keys: set[int] = set()
        self.is_all = True  # nothing has been left out

    def __len__(self) -> int:
        return len(self._keys)

    def chosen(self, level: np.ndarray) -> np.ndarray:
        """Return the positions of a level to try: new ones while there are few, else some of them at random."""
        if self.is_all:
            level = level[[key not in self._keys for key in level.tolist()]]
            if len(level) <= LARGEST and len(self._keys) + len(level) <= self._limit // 2:
                return level
        self.is_all = self.is_all and not len(level)
        return self._dice.choice(level, min(SOME, len(level), self._limit - len(self._keys)), replace=False)

    def children(self, level: np.ndarray) -> np.ndarray:
        """Try the positions of a level. Returns the keys of the positions that their moves lead to."""
        found, at, room, i = [], np.full(1, NOWHERE), MOST_MOVES, 0
        while i < len(level):
            out = np.empty(room, np.int64)
            try:
                with endless.suspected(at.tolist):
                    following, n = self._kernel(self._rules, level, i, self._bound, out, at)
            except (IndexError, ZeroDivisionError) as error:
                culprit.blame(self._variant, int(at[0]), said=f"{error} in compiled code")
            except (MemoryError, OSError):
                raise
            except Exception as error:
                if at[0] != NOWHERE:  # it was compiled, and a function of the game raises it
                    culprit.blame(self._variant, int(at[0]), said=f"{type(error).__name__} in compiled code")
                raise refusal(self._variant.game, error) from error
            if following < 0:
                culprit.blame(self._variant, int(level[~following]))
            if following == i:
                room *= 4
            i = following
            found.append(out[:n])
        new = set(level.tolist()) - self._keys
        self._keys |= new
        self._advance(len(new))
        return np.unique(np.concatenate(found))


def _kernel(functions: dict[str, Any]) -> Callable[..., Any]:
    unhash, primitive, do_move, hash = (functions[name] for name in ("unhash", "primitive", "do_move", "hash"))
    generate_moves, tier, turn = (functions[name] for name in ("generate_moves", "tier", "turn"))
    is_apart, is_undone = functions["is_apart"], undone.exact(functions, njit(**_BOUNDED))

    @njit(**_BOUNDED)
    def are_different(rules, position):
        """Tell whether no move of a position is yielded twice."""
        for move in generate_moves(rules, position):
            n = 0
            for other in generate_moves(rules, position):
                n += other == move
            if n != 1:
                return False
        return True

    def attempt(rules, keys, i, last, out, at):
        """Try the positions of keys from i on, and note the keys that they lead to.

        Returns where to go on, before a position whose children find no room, or ~i of one with which something is
        wrong; and how many keys are noted. at[0] is the key at hand.
        """
        n = 0
        while i < keys.shape[0]:
            begin = n
            at[0] = keys[i]
            position = unhash(rules, keys[i])
            if hash(rules, position) != keys[i]:
                return ~i, n
            value = primitive(rules, position)
            here = tier(rules, position)
            if value < UNDECIDED or value > WIN or value == DRAW or turn(rules, position) >> 1 != 0 or here < 0:
                return ~i, n
            if value == UNDECIDED:
                for move in generate_moves(rules, position):
                    child = do_move(rules, position, move)
                    key = hash(rules, child)
                    if key < 0 or key > last or unhash(rules, key) != child or tier(rules, child) > here:
                        return ~i, n
                    if not is_apart(rules, child):
                        return ~i, n
                    if n == out.shape[0]:
                        return i, begin
                    out[n] = key
                    n += 1
                if n == begin or not are_different(rules, position):
                    return ~i, n
            if not is_undone(rules, position, here):
                return ~i, n
            i += 1
        return i, n

    return attempt
