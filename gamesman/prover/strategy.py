"""A strategy is walked through here, layer by layer: the moves it makes, and every reply to them.

A strategy says for each position in which its player is to move which move he makes. Whoever walks is told the moves
one layer after the other, from a search or from a file, and finds by the rules alone where they lead: nothing of the
search that found them is used here. If the walk comes to its end, every game has ended as the claim says, whatever the
other player did.

The first layer is the position that the claim is about. What layers are depends on the game:

    tiers    a layer is what is reached of a tier, each position once. Every move must lead to a lower tier, or end the
             game.
    moves    a layer is what is reached after so many moves. It is for games whose tiers do not fall: here it is the
             number of layers that shows that every game ends.

Within a layer positions are in ascending order of the words of their rows. So the order of the moves says which
position each is for, and the positions need not be told.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from gamesman.compiler.compile import native_rules
from gamesman.compiler.refusal import compiling
from gamesman.compiler.rows import Shape, compiled_functions, position_of, putter, rows_of, shape_of, taker, words_of
from gamesman.errors import NotVerified
from gamesman.model.progress import Progress
from gamesman.model.variant import Position, Variant
from gamesman.prover.proof import Claim
from gamesman.values import TIE, UNDECIDED

AT_ONCE = 1 << 16  # positions
OWN, OTHER, HELD, BROKEN = range(4)  # his turn, the other's, the game is over as claimed, or is not

# Given a layer and positions of it in which the strategy's player is to move: the number of his move in each.
Chooses = Callable[[int, np.ndarray], np.ndarray]
_kernels: dict[tuple[ModuleType, Shape], tuple[Any, Any]] = {}


class Walked(NamedTuple):
    """Counts what a walk has met."""

    positions: int
    moves: int
    layers: int
    first: int  # the number of the move in the first position, or -1 where it is not his


class Walk:
    """Walks through strategies of one variant. Raises TooLarge where its boards do not fit compiled code."""

    def __init__(self, variant: Variant, *, is_tiered: bool, progress: Progress):
        self._variant = variant
        self._is_tiered = is_tiered
        self._progress = progress
        words = words_of(variant)
        self._rules, self._shape = native_rules(variant.rules, words), shape_of(variant, words)
        kind = variant.game.module, self._shape
        if kind not in _kernels:
            _kernels[kind] = _compiled(variant, self._shape)
        self._judge, self._follow = _kernels[kind]
        nothing = np.zeros((0, sum(self._shape)), np.int64)
        with compiling(variant.game):
            self._children(nothing, Claim(0, TIE), 0, lambda layer, rows: rows)

    def go(self, position: Position, claim: Claim, chooses: Chooses) -> Walked:
        """Walk from a position to the end of every game; return what was met. Raises NotVerified."""
        first = self._variant.tier(position) if self._is_tiered else 0
        waiting = {first: _Layer(rows_of([position], self._shape))}
        positions = moves = layers = 0
        choice = -1
        while waiting:
            number = max(waiting)
            rows = waiting.pop(number).rows()
            positions += len(rows)
            layers += 1
            for begin in range(0, len(rows), AT_ONCE):
                part = rows[begin : begin + AT_ONCE]
                children, tiers, chosen = self._children(part, claim, number, chooses)
                if layers == 1:
                    choice = int(chosen[0]) if len(chosen) else -1
                moves += len(children)
                self._progress.advance(len(part))
                if not self._is_tiered:
                    tiers = np.full(len(children), number - 1)
                for tier in np.unique(tiers):
                    there = children[tiers == tier]
                    if tier < number:
                        waiting.setdefault(int(tier), _Layer(rows[:0])).add(there)
                    elif not self._are_over(there, claim):
                        raise NotVerified(f"{self._variant.name}: a move leads from tier {number} to tier {tier}")
        return Walked(positions, moves, layers, choice)

    def _children(
        self, rows: np.ndarray, claim: Claim, layer: int, chooses: Chooses
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return where a strategy and all replies lead from some positions, the tiers there, and the moves chosen."""
        kinds, counts = self._judged(rows, claim)
        own = kinds == OWN
        chosen = chooses(layer, rows[own]) if own.any() else np.zeros(0, np.int64)
        if (chosen < 0).any() or (chosen >= counts[own]).any():
            wrong = rows[own][np.argmax((chosen < 0) | (chosen >= counts[own]))]
            where = self._variant.show(position_of(wrong, self._shape))
            raise NotVerified(f"{self._variant.name}: the strategy has no legal move in {where}")
        picks = np.full(len(rows), -1, np.int64)
        picks[own] = chosen
        many = int(own.sum() + counts[kinds == OTHER].sum())
        children, tiers = np.zeros((many, rows.shape[1]), np.int64), np.zeros(many, np.int64)
        met = self._follow(self._rules, rows, kinds, picks, children, tiers)
        assert met == many
        return children, tiers, chosen

    def _are_over(self, rows: np.ndarray, claim: Claim) -> bool:
        """Tell whether the game is over in all of some positions, as claimed: then their tier does not matter."""
        return bool((self._judged(rows, claim)[0] == HELD).all())

    def _judged(self, rows: np.ndarray, claim: Claim) -> tuple[np.ndarray, np.ndarray]:
        """Return of each position whose turn it is, or that it has ended as claimed, and how many moves it has."""
        kinds, counts = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
        self._judge(self._rules, rows, claim.player, claim.least, kinds, counts)
        if (kinds == BROKEN).any():
            end = self._variant.show(position_of(rows[np.argmax(kinds == BROKEN)], self._shape))
            raise NotVerified(f"{self._variant.name}: the strategy leads to {end}, which is not what it claims")
        return kinds, counts


class _Layer:
    """Gathers the positions of a layer, each once in the end."""

    def __init__(self, rows: np.ndarray):
        self._parts = [rows]
        self._added = 0

    def add(self, rows: np.ndarray) -> None:
        self._parts.append(rows)
        self._added += len(rows)
        if self._added > max(AT_ONCE, 2 * len(self._parts[0])):
            self.rows()

    def rows(self) -> np.ndarray:
        """Return the positions in ascending order."""
        self._parts, self._added = [_each_once(np.concatenate(self._parts))], 0
        return self._parts[0]


def _each_once(rows: np.ndarray) -> np.ndarray:
    differing = [column for column in rows.T if len(column) and (column != column[0]).any()]
    if not differing:
        return rows[:1]
    rows = rows[np.lexsort(differing[::-1])]
    is_new = np.ones(len(rows), bool)
    is_new[1:] = (rows[1:] != rows[:-1]).any(axis=1)
    return rows[is_new]


def _compiled(variant: Variant, shape: Shape) -> tuple[Any, Any]:
    compiler, functions = compiled_functions(variant, shape)
    turn, primitive, tier = functions["turn"], functions["primitive"], functions["tier"]
    generate_moves, do_move = functions["generate_moves"], functions["do_move"]
    take, put = taker(shape), putter(shape)
    own, other, held, broken, tie = OWN, OTHER, HELD, BROKEN, TIE

    def judge(rules: Any, rows: Any, player: int, least: int, kinds: Any, counts: Any) -> None:
        """Say of each position whose turn it is, or how it is over, and how many moves it has."""
        for i in range(len(rows)):
            position = take(rows, i)
            over = primitive(rules, position)
            is_own = turn(rules, position) == player
            if over == UNDECIDED:
                kinds[i] = own if is_own else other
                for _ in generate_moves(rules, position):
                    counts[i] += 1
                if counts[i] == 0:
                    kinds[i] = broken
            else:
                worth = over if is_own or over == tie else 3 - over
                kinds[i] = held if worth >= least else broken

    def follow(rules: Any, rows: Any, kinds: Any, picks: Any, children: Any, tiers: Any) -> int:
        """Write where the picked moves and all replies lead, and the tiers there; return how many they are."""
        n = 0
        for i in range(len(rows)):
            if kinds[i] != own and kinds[i] != other:
                continue
            position = take(rows, i)
            number = -1
            for move in generate_moves(rules, position):
                number += 1
                if kinds[i] == other or number == picks[i]:
                    child = do_move(rules, position, move)
                    put(children, n, child)
                    tiers[n] = tier(rules, child)
                    n += 1
        return n

    return compiler.kernel(judge), compiler.kernel(follow)
