"""What comes to each position of a tier flows through it here, and on into lower tiers.

Where no moves stay in the tier, what flows through a row is what has entered it. Else it is the solution of a linear
system: a small one is solved directly, a large one by going round (gamesman.analysis.circles). What that leaves of the
residual is chance that has not been followed to the end: the sum of its sizes bounds the error of every probability.
It is driven below a share of what entered the tier: TOLERANCE, or where a tier has MANY_ROWS what it is told.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from gamesman.analysis import circles
from gamesman.analysis.circles import Circles
from gamesman.analysis.graph import TierGraph
from gamesman.analysis.kernels.playing import ALL_KINDS, AT_ONCE, BEST, ERRING, ROW
from gamesman.values import DRAW

TOLERANCE = 1e-12
COARSER = 10  # times that is for chances weighted with moves and with their square
MANY_ROWS = 200_000
FEW_ROWS = 200  # a system of so many is solved directly,
SOME_ROWS = 4000  # and one of so many where going round does not come to an end
MOST_GUESSED_FROM = 6  # solutions for lower rates

# (t + 1) and (t + 1) squared are t and t squared and these shares of what came before them.
_A_MOVE_LATER = ((), (1,), (1, 2))
_Solved = list[tuple[float, np.ndarray]]  # rates, and what the solutions for them carry


class Players:
    """Kinds of players side by side: rates[who, column] is how often the first and the second one err."""

    def __init__(self, rates: np.ndarray):
        self.rates = np.ascontiguousarray(rates, np.float64)
        self.kinds = (self.rates[0] > 0) + 2 * (self.rates[1] > 0).astype(np.int64)

    def __len__(self) -> int:
        return int(self.rates.shape[1])

    def some(self, columns: np.ndarray) -> "Players":
        return Players(self.rates[:, columns])


def closed_rows(graph: TierGraph, kernels: dict[str, Any], lower: Mapping[int, np.ndarray]) -> np.ndarray:
    """Return of each row the kinds of players with whom play never ends from there: a bit each.

    `lower` has that of the tiers below. Best play from a position that is no draw ends, and every kind may make best
    moves: so only from draws a way is looked for that leads to an end.
    """
    is_draw = graph.values == DRAW
    is_open = np.where(is_draw, 0, ALL_KINDS).astype(np.uint8)
    if is_draw.any():
        opens = np.where(graph.lower_edge >= BEST, ALL_KINDS, np.repeat(_ERRING[graph.who], np.diff(graph.lower_at)))
        for slot, tier in enumerate(graph.lower):
            here = graph.slots == slot
            opens[here] &= ~lower[tier][graph.lower_edge[here] & ROW]
        rows = np.flatnonzero(np.diff(graph.lower_at))
        if len(rows):
            is_open[rows] |= np.bitwise_or.reduceat(opens.astype(np.uint8), graph.lower_at[rows])
        while kernels["open_up"](graph.at, graph.edge, graph.who, is_open):
            pass
    closed: np.ndarray = is_open ^ ALL_KINDS
    return closed


_ERRING = np.array(ERRING, np.uint8)


class Flow:
    """Holds what flows through the rows of one tier."""

    def __init__(
        self,
        graph: TierGraph,
        closed: np.ndarray,
        kernels: dict[str, Any],
        tolerance: float = TOLERANCE,
        *,
        is_compiled: bool,
    ):
        self.graph, self.closed, self._tolerance = graph, closed, tolerance
        self._kernels = kernels if is_compiled else interpreted()

    def through(self, entered: list[np.ndarray], players: Players) -> tuple[list[np.ndarray], float]:
        """Return how often play is at each row, for what `entered` there, which is used up; and the most left of it.

        After the plain numbers those weighted with the moves made, and with their square, may follow. They are the same
        kind of system: what comes a move later has one more, and that is known.
        """
        if not len(self.graph.edge):
            return entered, 0.0
        # A kind of players at a time: each one's numbers side by side.
        columns, most = [], 0.0
        while entered:
            columns.append(_turned(entered.pop(0)))
        alike: list[_Solved] = [[] for _ in columns]  # where both players err at the same rate
        for k in range(len(players)):
            stayed: list[np.ndarray] = []  # what comes to a row from others of the tier
            for number, each in enumerate(columns):
                came = each[k]
                if number:
                    came = came + sum(share * part for share, part in zip(_A_MOVE_LATER[number], stayed, strict=True))
                visits, left = self._visits(came, players, k, number, alike[number])
                stayed.append(visits - each[k])
                each[k] = visits
                most = max(most, left if not number else 0.0)
        return [_turned(columns.pop(0)) for _ in range(len(columns))], most

    def _visits(
        self, came: np.ndarray, players: Players, k: int, number: int, alike: _Solved
    ) -> tuple[np.ndarray, float]:
        """Solve the system of one kind of players; add what it carries to those of players who are alike."""
        if len(self.graph) <= FEW_ROWS:
            return self._solved(came, players, k), 0.0
        tolerance = TOLERANCE
        if len(self.graph) >= MANY_ROWS:
            tolerance = self._tolerance * (COARSER if number else 1)
        wanted, rates = tolerance * np.abs(came).sum(), players.rates[:, k]
        is_alike = 0 < rates[0] == rates[1]
        guess = _continued(alike, rates[0]) if is_alike and len(alike) > 1 else None
        solution = self._circles.solve(came, rates, int(players.kinds[k]), guess, wanted)
        if len(self.graph) <= SOME_ROWS and solution.left > wanted:
            return self._solved(came, players, k), 0.0
        if is_alike:
            alike[:] = [*alike[1 - MOST_GUESSED_FROM :], (rates[0], solution.carried)]
        return solution.visits, solution.left

    @cached_property
    def _circles(self) -> Circles:
        return Circles(self.graph, self.closed, self._kernels)

    def spread(self, through: np.ndarray, players: Players, tier: int, into: np.ndarray) -> None:
        """Let what flows through the rows flow on into a lower tier."""
        graph, slot = self.graph, self.graph.lower.index(tier)
        edges = graph.lower_at, graph.lower_edge, graph.slots, slot
        scratch = np.empty((2, len(players)))
        rows = graph.who, graph.facts, self.closed, players.rates, players.kinds
        self._kernels["spread"](*edges, *rows, through, into, scratch)

    def _solved(self, came: np.ndarray, players: Players, k: int) -> np.ndarray:
        """Solve a small system directly."""
        graph = self.graph
        source = np.repeat(np.arange(len(graph)), np.diff(graph.at))
        to, is_best = graph.edge & ROW, graph.edge >= BEST
        rate = players.rates[graph.who[source], k]
        chance = rate / graph.facts[source, 0] + np.where(is_best, (1 - rate) / graph.facts[source, 1], 0.0)
        chance[self.closed[source] >> players.kinds[k] & 1 == 1] = 0.0
        matrix = np.eye(len(graph))
        np.subtract.at(matrix, (to, source), chance)
        found: np.ndarray = np.linalg.solve(matrix, came)
        return found


def _turned(array: np.ndarray) -> np.ndarray:
    """Return an array with rows for columns, made in parts that stay in the cache."""
    found = np.empty(array.shape[::-1])
    for begin in range(0, max(array.shape), AT_ONCE):
        part = slice(begin, begin + AT_ONCE)
        if array.shape[0] > array.shape[1]:
            found[:, part] = array[part].T
        else:
            found[part] = array[:, part].T
    return found


def interpreted() -> dict[str, Any]:
    """Make what the kernels do of whole arrays, for a graph of few rows."""

    def chances(who: Any, facts: Any, closed: Any, rates: Any, kinds: Any, flow: Any) -> tuple[Any, Any]:
        goes_on = np.where(closed[:, None] >> kinds & 1, 0.0, flow)
        with np.errstate(divide="ignore", invalid="ignore"):
            erring = goes_on * rates[who] / facts[:, :1]
            best = erring + goes_on * (1 - rates[who]) / facts[:, 1:2]
        return erring, best

    def flows(at: Any, edge: Any, pair: tuple[Any, Any], is_chosen: Any, into: Any) -> None:
        source = np.repeat(np.arange(len(at) - 1), np.diff(at))[is_chosen]
        to, is_best = (edge & ROW)[is_chosen], (edge >= BEST)[is_chosen]
        for k in range(into.shape[1]):
            chance = np.where(is_best, pair[1][source, k], pair[0][source, k])
            into[:, k] += np.bincount(to, chance, minlength=len(into))

    def spread(
        at: Any, edge: Any, slots: Any, slot: int, who: Any, facts: Any, closed: Any, rates: Any, kinds: Any,
        flow: Any, into: Any, _: Any,
    ) -> None:  # fmt: skip
        flows(at, edge, chances(who, facts, closed, rates, kinds, flow), slots == slot, into)

    return {"spread": spread, **circles.interpreted()}


def _continued(solved: _Solved, rate: float) -> np.ndarray:
    """Continue the solutions for some rates to another one, as the polynomial does that goes through them."""
    found = np.zeros_like(solved[0][1])
    for i, (mine, solution) in enumerate(solved):
        others = [other for j, (other, _) in enumerate(solved) if j != i]
        found += np.prod([(rate - other) / (mine - other) for other in others]) * solution
    return found
