"""How often play comes to each position of a tier is found here, by a linear system where moves go round in circles.

Let b be how often play enters each row from above, and P the chances of the moves within the tier. Then it is at the
rows v = b + Pv times, with P taken along the moves. What has come to a row and has not gone on yet is the residual
b + Pv - v. A *sweep* lets all of it go on: the first player's rows, then, with what these have brought them, the
second's. Repeated it ends by itself, but slowly where play lingers: then each sweep soon changes the residual as the
one before did, but for a factor. So after some sweeps the changes that the last few have made are added once more, in
the shares that make the residual least, and it goes on from there (reduced rank extrapolation).

What is left of the residual is chance that has not been followed to the end: the sum of its sizes bounds the error of
every probability, and it is driven below TOLERANCE of what entered.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gamesman.analysis.graph import TierGraph
from gamesman.analysis.kernels.playing import ALL_KINDS, BEST, ERRING, ROW
from gamesman.values import DRAW

TOLERANCE = 1e-12
MOST_SWEEPS = 4000
CYCLE = 9  # sweeps, after which
RECORDED = 4  # the last of these are added once more
ARRAYS = 3 + 2 * RECORDED  # of a number a row and column, that a system takes
FEW_ROWS = 200  # a system of so many is solved directly,
SOME_ROWS = 4000  # and one of so many where sweeps do not come to an end


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

    def __init__(self, graph: TierGraph, closed: np.ndarray, kernels: dict[str, Any], *, is_compiled: bool):
        self.graph, self.closed = graph, closed
        self._kernels = kernels if is_compiled else interpreted()

    def visits(self, entered: np.ndarray, players: Players) -> tuple[np.ndarray, np.ndarray]:
        """Return how often play is at each row, given how often it enters there; and what is left, by column."""
        left = entered.copy()
        found = np.zeros_like(left)
        if not len(self.graph.edge):
            return left, np.zeros(len(players))
        if len(self.graph) <= FEW_ROWS:
            return self._solved(entered, players)
        sizes = self._go_on(left, found, players, TOLERANCE * np.abs(entered).sum(axis=0))
        if len(self.graph) <= SOME_ROWS and (sizes > TOLERANCE * np.abs(entered).sum(axis=0)).any():
            return self._solved(entered, players)
        return found, sizes

    def spread(self, through: np.ndarray, players: Players, tier: int, into: np.ndarray) -> None:
        """Let what flows through the rows flow on into a lower tier."""
        graph, slot = self.graph, self.graph.lower.index(tier)
        edges = graph.lower_at, graph.lower_edge, graph.slots, slot
        scratch = np.empty((2, len(players)))
        rows = graph.who, graph.facts, self.closed, players.rates, players.kinds
        self._kernels["spread"](*edges, *rows, through, into, scratch)

    def _go_on(self, left: np.ndarray, found: np.ndarray, players: Players, wanted: np.ndarray) -> np.ndarray:
        """Sweep until no column has more left than is wanted; return how much is."""
        graph, shape = self.graph, (RECORDED, *left.shape)
        changes, moved = np.empty(shape), np.empty(shape)
        scratch, sums = np.empty((2, len(players))), np.empty((RECORDED, RECORDED + 1, len(players)))
        rows = graph.who, graph.facts, self.closed, players.rates, players.kinds
        sizes: np.ndarray = np.abs(left).sum(axis=0)
        for _ in range(0, MOST_SWEEPS, CYCLE):
            is_done = sizes <= wanted
            if is_done.all():
                break
            if is_done.sum() * 2 >= len(players):  # go on with the others alone
                some = ~is_done
                rest, more = np.ascontiguousarray(left[:, some]), np.zeros((len(left), int(some.sum())))
                del changes, moved
                sizes[some] = self._go_on(rest, more, players.some(some), wanted[some])
                found[:, some] += more
                break
            for number in range(CYCLE - RECORDED, -RECORDED, -1):
                recorded = moved[-number] if number <= 0 else moved[0, :0]
                if number <= 0:
                    changes[-number] = left
                self._kernels["sweep"](graph.at, graph.edge, *rows, left, found, recorded, scratch)
                if number <= 0:
                    changes[-number] -= left
            self._kernels["gram"](changes, left, sums)
            self._kernels["extrapolate"](_shares(sums), changes, moved, left, found, sizes)
        return sizes

    def _solved(self, entered: np.ndarray, players: Players) -> tuple[np.ndarray, np.ndarray]:
        """Solve a small system directly."""
        graph, found = self.graph, np.empty_like(entered)
        source = np.repeat(np.arange(len(graph)), np.diff(graph.at))
        to, is_best = graph.edge & ROW, graph.edge >= BEST
        for k in range(len(players)):
            rate = players.rates[graph.who[source], k]
            chance = rate / graph.facts[source, 0] + np.where(is_best, (1 - rate) / graph.facts[source, 1], 0.0)
            chance[self.closed[source] >> players.kinds[k] & 1 == 1] = 0.0
            matrix = np.eye(len(graph))
            np.subtract.at(matrix, (to, source), chance)
            found[:, k] = np.linalg.solve(matrix, entered[:, k])
        return found, np.zeros(len(players))


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

    def sweep(
        at: Any, edge: Any, who: Any, facts: Any, closed: Any, rates: Any, kinds: Any, left: Any, found: Any,
        moved: Any, _: Any,
    ) -> None:  # fmt: skip
        source = np.repeat(np.arange(len(at) - 1), np.diff(at))
        for turn in range(2):
            rows = who == turn
            going = np.where(rows[:, None], left, 0.0)
            found += going
            if len(moved):
                moved[rows] = left[rows]
            left[rows] = 0.0
            flows(at, edge, chances(who, facts, closed, rates, kinds, going), rows[source], left)

    def spread(
        at: Any, edge: Any, slots: Any, slot: int, who: Any, facts: Any, closed: Any, rates: Any, kinds: Any,
        flow: Any, into: Any, _: Any,
    ) -> None:  # fmt: skip
        flows(at, edge, chances(who, facts, closed, rates, kinds, flow), slots == slot, into)

    def gram(changes: Any, left: Any, sums: Any) -> None:
        sums[:, :-1] = np.einsum("ink,jnk->ijk", changes, changes)
        sums[:, -1] = np.einsum("ink,nk->ik", changes, left)

    def extrapolate(shares: Any, changes: Any, moved: Any, left: Any, found: Any, sizes: Any) -> None:
        left -= np.einsum("ik,ink->nk", shares, changes)
        found += np.einsum("ik,ink->nk", shares, moved)
        sizes[:] = np.abs(left).sum(axis=0)

    return {"sweep": sweep, "spread": spread, "gram": gram, "extrapolate": extrapolate}


def _shares(sums: np.ndarray) -> np.ndarray:
    """Return the shares of the changes that are together nearest to what is left, column by column."""
    found = np.zeros((RECORDED, sums.shape[2]))
    for k in range(sums.shape[2]):
        square = np.tril(sums[:, :-1, k]) + np.tril(sums[:, :-1, k], -1).T
        scale = np.sqrt(np.diagonal(square))
        if scale.min() > 0:
            scaled = square / scale / scale[:, None]
            found[:, k] = np.linalg.lstsq(scaled, sums[:, -1, k] / scale, rcond=1e-13)[0] / scale
    return found
