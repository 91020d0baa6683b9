"""Positions of a solved variant are looked up by their keys here, many at a time: their worth, and where moves lead."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamesman.analysis.kernels import asking, walking
from gamesman.analysis.lookup import TIER_BYTES, Lookup
from gamesman.analysis.walk import form_for
from gamesman.values import KEY_LIMIT, LOSE, REMOTENESS_BITS, UNREACHED, WIN

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

# Fewer keys than this are looked up in plain Python before compiled code would be loaded.
FEW_KEYS = 5_000
MOVES_AT_ONCE = 1 << 18  # at first


class Children(NamedTuple):
    """Holds the moves of some positions, and the positions they lead to, as arrays."""

    parents: np.ndarray  # for each move, which of the keys asked about it is a move of
    moves: np.ndarray  # int64, as the game numbers them
    keys: np.ndarray  # int64, of where they lead
    values: np.ndarray  # uint8, into gamesman.values.NAMES, for the player who makes the move
    remoteness: np.ndarray  # int16, of where they lead; -1 for draws


class Asker:
    """Looks keys up in the tiers of a solved variant, which stay in memory, or in files, once they were asked for."""

    def __init__(self, stored: "SolvedPositions"):
        self._stored = stored
        self._variant = stored.variant
        self._lookups: dict[bool, Lookup] = {}
        self._kernels: dict[bool, tuple[dict[str, Any], Any, dict[str, Any], Any]] = {}

    def records(self, keys: np.ndarray) -> np.ndarray:
        """Return the record of each key (see gamesman.values), UNREACHED where it is no position's that was solved."""
        is_few = self._is_few(keys)
        kernels, rules, _, _ = self._forms(is_few)
        bound = self._variant.key_bound() or KEY_LIMIT
        asked = np.ascontiguousarray(keys, np.int64)
        found = np.full(len(asked), UNREACHED, np.uint16)
        inside = np.flatnonzero((asked >= 0) & (asked <= min(bound, KEY_LIMIT) - 1))
        wanted, tiers = (np.empty(len(inside), np.int64) for _ in range(2))
        kernels["place"](rules, asked[inside], wanted, tiers)
        places, numbers = np.unique(tiers, return_inverse=True)
        which = numbers.astype(np.int32).ravel()
        there = np.full(len(inside), UNREACHED, np.uint16)
        for t, tier in enumerate(places.tolist()):
            if tier >= 0:
                self._lookup(is_few, kernels).find(tier, t, len(inside), wanted, which, there)
        found[inside] = there
        return found

    def children(self, keys: np.ndarray) -> Children:
        """Return the moves of positions, which must be some of those that were solved, and what is worth what."""
        is_few = self._is_few(keys)
        _, _, kernels, rules = self._forms(is_few)
        asked = np.ascontiguousarray(keys, np.int64)
        size, i = MOVES_AT_ONCE if not is_few else 1 << 12, 0
        parts: list[list[np.ndarray]] = [[np.empty(0, kind) for kind in (np.int64, np.int64, np.int64, np.uint8)]]
        while i < len(asked):
            room = [np.empty(size, kind) for kind in (np.int64, np.int64, np.int64, np.uint8)]
            following, n = kernels["offspring"](rules, asked, i, *room)
            if following == i:
                size *= 2
                continue
            parts.append([column[:n] for column in room])
            i = following
        parents, moves, found, same = (np.concatenate(columns) for columns in zip(*parts, strict=True))
        records = self.records(found)
        values = (records >> REMOTENESS_BITS).astype(np.uint8)
        turned = (same == 0) & ((values == WIN) | (values == LOSE))
        values[turned] = WIN + LOSE - values[turned]
        return Children(parents, moves, found, values, remotenesses(records))

    def _is_few(self, keys: np.ndarray) -> bool:
        return len(keys) < FEW_KEYS or self._variant.key_bound() is None

    def _forms(self, is_few: bool) -> tuple[dict[str, Any], Any, dict[str, Any], Any]:
        """Return the kernels that look up, with their rules, and those that move, with theirs."""
        if is_few not in self._kernels:
            count = 0 if is_few else 1 << 62
            kernel, functions, rules = form_for(self._variant, count, self._stored.symmetry)
            look = {**asking.place_kernels(kernel, functions), **walking.find_kernels(kernel, functions)}
            plain: Callable[[Any], Any]
            plain, functions, its_rules = form_for(self._variant, count)
            self._kernels[is_few] = look, rules, asking.move_kernels(plain, functions), its_rules
        return self._kernels[is_few]

    def _lookup(self, is_few: bool, kernels: dict[str, Any]) -> Lookup:
        if is_few not in self._lookups:
            stored = self._stored
            sizes = {tier.number: tier.classes for tier in stored.summary.tiers}
            parts = partial(stored.positions, is_classes=True)
            self._lookups[is_few] = Lookup(stored, kernels, TIER_BYTES, parts, sizes=sizes)
        return self._lookups[is_few]


def remotenesses(records: np.ndarray) -> np.ndarray:
    """Return the remoteness of each record (int16), -1 for a draw."""
    # lazy: start-up time
    from gamesman.model.ports import Positions

    return Positions(0, records, records).remotenesses(draw=-1)


def sample(
    stored: "SolvedPositions", count: int, value: int | None, remoteness: int | None, seed: int | None
) -> np.ndarray:
    """Return the keys of positions drawn evenly from all, or from those of a value and a remoteness, in random order.

    No key is there twice; there are fewer where there are not so many.
    """
    random = np.random.default_rng(seed)
    sizes = []
    for tier in stored.summary.tiers:
        of_values = [found for v, found in tier.histogram.items() if value is None or v == value]
        sizes.append(sum(n for found in of_values for r, n in found.items() if remoteness is None or r == remoteness))
    total = sum(sizes)
    chosen = np.sort(random.choice(total, min(count, total), replace=False)) if total else np.empty(0, np.int64)
    keys, before = [], 0
    for tier, size in zip(stored.summary.tiers, sizes, strict=True):
        here = chosen[(chosen >= before) & (chosen < before + size)] - before
        before += size
        place = 0
        for part in stored.positions(tier.number) if len(here) else ():
            is_wanted = np.ones(len(part.keys), bool) if value is None else part.values() == value
            if remoteness is not None:
                is_wanted &= part.remotenesses(draw=-1) == remoteness
            found = part.keys[is_wanted]
            keys.append(found[here[(here >= place) & (here < place + len(found))] - place])
            place += len(found)
    drawn = np.concatenate(keys) if keys else np.empty(0, np.int64)
    random.shuffle(drawn)
    return drawn
