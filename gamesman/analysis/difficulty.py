"""How easy it is to go wrong: moves that keep the value, traps, the longest chains of only-moves, and examples of all.

The chain of a won position is how many only-moves in a row its winner has to find, if the other side chooses what takes
him the most: 0 where two moves win. A move without an alternative is part of the chain and does not count.
"""

from collections import Counter
from typing import Any

import numpy as np

from gamesman.analysis.graph import TierGraph
from gamesman.model.variant import Variant
from gamesman.values import DRAW, LOSE, MAX_REMOTENESS, NAMES, TIE, WIN, unpack

CHAINS_SHOWN = 5


class Difficulty:
    """Adds up the tiers of a variant, from the lowest to the highest."""

    def __init__(self, variant: Variant):
        self._variant = variant
        self._moves: Counter[tuple[int, int]] = Counter()  # tier and record -> moves of all positions
        self._kept: Counter[tuple[int, int]] = Counter()
        self._traps = self._with_moves = 0
        self._chains: Counter[int] = Counter()
        self._longest: dict[int, tuple[int, int]] = {}  # chain -> key and record of a position
        self._examples: dict[int, int] = {}  # record -> key
        self._most: tuple[int, int] = (0, -1)  # moves, and the key of a position that has so many
        self._tiers: dict[int, np.ndarray] = {}  # tier -> the chain of each row

    def add(self, graph: TierGraph, kernels: dict[str, Any]) -> None:
        """Add a tier, all tiers that it leads to being there."""
        sizes, values = graph.sizes.astype(np.int64), graph.values
        moves, _, kept, halves = (graph.facts[:, i].astype(np.int64) for i in range(4))
        for record, index in zip(*np.unique(graph.records, return_index=True), strict=True):
            self._examples.setdefault(int(record), int(graph.keys[index]))
        found, which = np.unique(graph.records, return_inverse=True)
        for into, numbers in ((self._moves, moves), (self._kept, kept)):
            for record, total in zip(found.tolist(), np.bincount(which, numbers * sizes).tolist(), strict=True):
                into[graph.number, record] += int(total)
        losing = np.where(values == WIN, 2 * (moves - 1), moves - 1)
        is_trap = (moves > 1) & (values != LOSE) & (halves == losing) & ((values != WIN) | (kept == 1))
        self._traps += int(sizes[is_trap].sum())
        self._with_moves += int(sizes[moves > 0].sum())
        if len(moves) and int(moves.max()) > self._most[0]:
            self._most = int(moves.max()), int(graph.keys[moves.argmax()])
        self._add_chains(graph, kernels, sizes)

    def _add_chains(self, graph: TierGraph, kernels: dict[str, Any], sizes: np.ndarray) -> None:
        decided = np.flatnonzero((graph.values == WIN) | (graph.values == LOSE))
        order = decided[np.argsort(graph.records[decided] & MAX_REMOTENESS, kind="stable")]
        chains = np.zeros(len(graph), np.uint16)
        lower = [self._tiers[tier] for tier in graph.lower]
        offsets = np.cumsum([0, *map(len, lower)]).astype(np.int64)
        below = np.concatenate([np.empty(0, np.uint16), *lower])
        edges = graph.at, graph.edge, graph.lower_at, graph.lower_edge, graph.slots
        kernels["chain"](order, graph.records, graph.facts, *edges, offsets, below, chains)
        self._tiers[graph.number] = chains
        is_won = graph.values == WIN
        for length, total in enumerate(np.bincount(chains[is_won], sizes[is_won]).tolist()):
            if total:
                self._chains[length] += int(total)
                row = int(np.flatnonzero(is_won & (chains == length))[0])
                self._longest.setdefault(length, (int(graph.keys[row]), int(graph.records[row])))

    def as_json(self) -> dict[str, Any]:
        """Return the fields of `stats --json` that follow."""
        tiers = sorted({tier for tier, _ in self._moves}, reverse=True)
        by_value: dict[str, dict[str, float]] = {NAMES[value]: {} for value in (WIN, TIE, DRAW)}
        for record in sorted({record for _, record in self._moves}):
            value, remoteness = unpack(record)
            share = self._share([(tier, record) for tier in tiers])
            if value != LOSE and share is not None:
                by_value[NAMES[value]][str(remoteness)] = share
        draws = by_value.pop(NAMES[DRAW])
        by_tier = [(t, self._share([key for key in self._moves if key[0] == t])) for t in tiers]
        hardest = [
            {"only_moves": length, "positions": self._chains[length], **self._position(*self._longest[length])}
            for length in sorted(self._chains, reverse=True)[:CHAINS_SHOWN]
            if length
        ]
        return {
            "keeping": {
                "share": self._share(list(self._moves)),
                "by_remoteness": {**by_value, "draw": draws.get("0")},
                "by_tier": [{"tier": t, "name": self._variant.tier_name(t), "share": share} for t, share in by_tier],
            },
            "traps": {"positions": self._traps, "share": self._traps / self._with_moves if self._with_moves else None},
            "hardest": hardest,
            "most_moves": {"moves": self._most[0], "position": self._text(self._most[1])} if self._most[0] else None,
            "examples": self._shown_examples(),
        }

    def _share(self, keys: list[tuple[int, int]]) -> float | None:
        moves = sum(self._moves[key] for key in keys)
        return sum(self._kept[key] for key in keys) / moves if moves else None

    def _shown_examples(self) -> dict[str, Any]:
        found: dict[str, Any] = {NAMES[value]: {} for value in (WIN, LOSE, TIE)}
        found["draw"] = None
        for record in sorted(self._examples):
            value, remoteness = unpack(record)
            text = self._text(self._examples[record])
            if value == DRAW:
                found["draw"] = text
            else:
                found[NAMES[value]][str(remoteness)] = text
        return found

    def _position(self, key: int, record: int) -> dict[str, Any]:
        return {"position": self._text(key), "remoteness": unpack(record)[1]}

    def _text(self, key: int) -> str:
        return self._variant.show(self._variant.unhash(key))
