"""The moves of one tier of a solved variant as arrays: for every position where they lead, and what they are worth."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gamesman.analysis.kernels import playing
from gamesman.analysis.lookup import Lookup, shift
from gamesman.analysis.walk import MOST_INTERPRETED, MOST_TIERS, MOVES_AT_ONCE, class_count, form_for
from gamesman.errors import Damaged
from gamesman.model.advice import command
from gamesman.values import DRAW, REMOTENESS_BITS, UNREACHED

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions


@dataclass
class TierGraph:
    """Holds a tier's rows, one a position stored, and the edges from them: `at[row]` to `at[row + 1]` are a row's.

    `facts` has of each row the number of moves, of best moves, of those that keep the value, and how many half points
    all moves together give away.
    """

    number: int
    keys: np.ndarray
    records: np.ndarray
    who: np.ndarray  # 0 where the player is to move who begins the game
    sizes: np.ndarray  # positions of the class
    facts: np.ndarray
    at: np.ndarray  # edges within the tier
    edge: np.ndarray
    lower_at: np.ndarray  # edges into lower tiers
    lower_edge: np.ndarray
    slots: np.ndarray  # which of `lower` each of these leads into
    lower: list[int]

    def __len__(self) -> int:
        return len(self.records)

    @property
    def values(self) -> np.ndarray:
        found: np.ndarray = self.records >> REMOTENESS_BITS
        return found

    @property
    def has_draws(self) -> bool:
        return bool((self.values == DRAW).any())


class Graphs:
    """Makes the graphs of a variant's tiers; those that find room are kept for the next time."""

    def __init__(self, stored: "SolvedPositions", room: int):
        self._stored, self._variant, self._room = stored, stored.variant, room
        kernel, functions, self._rules = form_for(stored.variant, class_count(stored), stored.symmetry)
        self.is_compiled = class_count(stored) > MOST_INTERPRETED
        self.kernels = playing.edge_kernels(kernel, functions)
        self.flow: dict[str, Any] = playing.flow_kernels(kernel, functions["inline"])
        self._moves = {tier.number: tier.moves for tier in stored.summary.tiers}
        self._first = stored.variant.turn(stored.variant.start())
        parts = partial(stored.positions, is_classes=True)
        sizes = {tier.number: tier.classes for tier in stored.summary.tiers}
        self._lookup = Lookup(stored, {}, room // 4, parts, sizes=sizes)
        self._ranks: dict[int, tuple[np.ndarray, np.ndarray]] = {}  # of a tier that has a place for every key
        self._kept: dict[int, TierGraph] = {}
        self._held = 0

    def tier(self, number: int, *, is_last_use: bool = False) -> TierGraph:
        """Return the graph of a tier."""
        if number in self._kept:
            return self._kept.pop(number) if is_last_use else self._kept[number]
        graph = self._made(number)
        size = sum(part.nbytes for part in vars(graph).values() if isinstance(part, np.ndarray))
        if not is_last_use and self._held + size <= self._room // 2:
            self._kept[number] = graph
            self._held += size
        return graph

    def drop(self, number: int) -> None:
        """Let go of what is known of a tier's positions."""
        self._lookup.drop(number)
        self._ranks.pop(number, None)

    def row(self, number: int, key: int) -> int:
        """Return the row of a key of a tier."""
        row = np.empty(1, np.int64)
        self._find(number, 0, 1, np.array([key]), np.zeros(1, np.int32), row, np.empty(1, np.uint16))
        return int(row[0])

    def _find(self, number: int, t: int, n: int, wanted: np.ndarray, which: np.ndarray, *out: np.ndarray) -> None:
        """Find the rows, and the records, of those of n edges that lead into the tier, which is number t of theirs."""
        tier = self._lookup.tier(number)
        if tier.is_dense:
            if number not in self._ranks:
                is_there = tier.records != UNREACHED
                ranks = np.cumsum(is_there, dtype=np.int32) - 1
                ranks[~is_there] = -1
                self._ranks[number] = ranks, tier.records[is_there]
            self.kernels["row_dense"](wanted, which, t, n, tier.first, *self._ranks[number], *out)
        elif len(tier.keys):
            places = tier.keys, tier.directory, shift(tier.keys), tier.records
            self.kernels["row_sparse"](wanted, which, t, n, *places, *out)
        else:
            out[0][which[:n] == t] = -1

    def _made(self, number: int) -> TierGraph:
        parts = list(self._stored.positions(number, is_classes=True))
        keys, records = (np.concatenate([part[i] for part in parts]) for i in (1, 2))
        count, most = len(keys), self._moves[number]  # what is not written to takes no memory
        who, sizes = np.zeros(count, np.uint8), np.zeros(count, np.uint8)
        facts = np.zeros((count, 4), np.uint16)
        at, lower_at = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
        edge, lower_edge, slots = np.empty(most, np.uint32), np.empty(most, np.uint32), np.empty(most, np.int16)
        lower: list[int] = []
        m = below = 0
        for n, tiers, wanted, which, whose in self._batches(keys, records, who, sizes):
            row, found = np.empty(n, np.int64), np.empty(n, np.uint16)
            for t, tier in enumerate(tiers):
                self._find(tier, t, n, wanted, which, row, found)
            lower += [tier for tier in tiers if tier != number and tier not in lower]
            numbers = np.array([-1 if tier == number else lower.index(tier) for tier in tiers], np.int64)
            given = n, numbers, which, whose, row, found, records, facts
            m, below = self.kernels["note"](*given, at, edge, m, lower_at, lower_edge, slots, below)
            if m < 0:
                name = self._variant.name
                raise Damaged(f"{name} lacks a position that moves lead to; run: {command('verify', name)}")
        return TierGraph(
            number, keys, records, who, sizes, facts, np.cumsum(at), edge[:m], np.cumsum(lower_at),
            lower_edge[:below], slots[:below], lower,
        )  # fmt: skip

    def _batches(
        self, keys: np.ndarray, records: np.ndarray, who: np.ndarray, sizes: np.ndarray
    ) -> Iterator[tuple[int, list[int], np.ndarray, np.ndarray, np.ndarray]]:
        """Yield as many edges at a time as find room."""
        room, most = MOVES_AT_ONCE, MOST_TIERS
        i = 0
        while i < len(keys):
            tiers, wanted = np.zeros(most + 1, np.int64), np.empty(room, np.int64)
            which, whose = np.empty(room, np.int32), np.empty(room, np.int64)
            following, n = self.kernels["edges"](
                self._rules, keys, records, i, self._first, tiers, wanted, which, whose, who, sizes
            )
            if following == i:  # one position's moves do not find room
                room, most = 2 * room, 2 * most
                continue
            yield n, tiers[1 : tiers[0] + 1].tolist(), wanted, which, whose
            i = following
