"""Where moves of a tier go round in circles, how often play is at each row is the solution of a linear system.

Let b be how often play enters each row from above, and P the chances of the moves within the tier. Then it is at the
rows v = b + Pv times. In a *round* each row, one after another, takes in what flows to it from the others: first the
second player's, then the first player's, so that a round is a move of each. Repeated it ends by itself, but slowly
where play lingers. What a round still changes is a linear function of where it began: so if one does little,
corrections are looked for among the changes that up to DEPTH rounds make of it, which leave together the least
(GMRES, begun anew after DEPTH rounds). Corrections need not be precise, so their rounds are in half the precision,
which takes two thirds of the time: what counts is the change that a round in full precision still makes after them.

Only rows that a move leads back from are carried from a round to the next: where players take turns, one player's.
What a round has changed in them is all that is not followed to the end yet, and its size bounds what that is.

Rows are taken in eight at a time, from a list of *sources* for them: the first of each, then the second of each, as
many as the row with the most has. The others are filled up with a source that nothing flows from. So there are few
loops that end at an unforeseen time, and eight sums that do not wait for each other.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from gamesman.analysis.graph import TierGraph
from gamesman.analysis.kernels.playing import BEST, LANES, ROW

DEPTH = 20
ARRAYS = DEPTH // 2 + 16  # of a number a row, that a system takes
SOURCE_BYTES = 5  # of a move's place among the sources, with what they are filled up by
MOST_ROUNDS = 4000
PLAIN = 1  # rounds before corrections are looked for, where there is nothing to begin with
SAFE = 6  # the first correction is to leave so many times less than is wanted, because it measures otherwise
PRECISE = 1e-6  # corrections leave this much at least, and nothing new that is smaller
QUICK = 0.4  # a round that leaves less than this of the last one's change needs none


@dataclass
class Solution:
    """Holds how often play is at each row, and as much of the residual as has been left."""

    visits: np.ndarray
    left: float
    carried: np.ndarray  # what the solution of a similar system can begin with


class Circles:
    """Solves the systems of one tier, one kind of players and one right side after another."""

    def __init__(self, graph: TierGraph, closed: np.ndarray, kernels: dict[str, Any]):
        self._kernels = kernels
        count = len(graph)
        self._order = np.argsort(graph.who == 0, kind="stable")
        self._seconds = int((graph.who == 1).sum())
        self._closed = closed[self._order] if closed.any() else None
        self._shares = np.zeros((2, -(-count // LANES) * LANES))  # of one move, and of a best one
        with np.errstate(divide="ignore"):
            inverse = np.where(graph.facts[:, :2] > 0, 1.0 / graph.facts[:, :2], 0.0)
        self._shares[:, :count] = inverse[self._order].T
        self._chances = np.empty_like(self._shares)
        self._lay_out(graph)
        size = self._shares.shape[1]
        self._flowing = np.zeros(2 * size + 1)  # along one move of a row, and one best move; and along none
        self._came, self._visits = np.zeros(size), np.zeros(size)
        self._change = np.empty(size - self._first)
        self._rough = np.zeros(self._chances.shape, np.float32), np.zeros(2 * size + 1, np.float32)
        self._basis: np.ndarray | None = None

    def _lay_out(self, graph: TierGraph) -> None:
        size = self._shares.shape[1]
        place = np.empty(len(graph), np.uint32)
        place[self._order] = np.arange(len(graph), dtype=np.uint32)
        met = np.zeros(size, np.int32)
        self._kernels["count_sources"](graph.edge, place, met)
        self._starts = np.zeros(size // LANES + 1, np.int64)
        np.cumsum(met.reshape(-1, LANES).max(axis=1) * np.int64(LANES), out=self._starts[1:])
        self._sources = np.full(self._starts[-1], 2 * size, np.uint32)
        met[:] = 0
        given = graph.at, graph.edge, self._order, place, self._starts, met, self._sources
        self._first: int = self._kernels["list_sources"](*given)

    def solve(
        self, entered: np.ndarray, rates: np.ndarray, kind: int, guess: np.ndarray | None, wanted: float
    ) -> Solution:
        """Solve the system for players who err at these rates, until no more than `wanted` is left."""
        self._choose(rates, kind)
        count = len(self._order)
        np.take(entered, self._order, out=self._came[:count])
        carried, plain = guess, 0
        left = self._round(carried) if carried is not None else np.inf
        if carried is None or left > np.abs(self._came).sum():
            carried, plain = np.zeros(len(self._change)), PLAIN
            left = self._round(carried)
        rounds, last, safe = 1, 0.0, SAFE
        while left > wanted and rounds < MOST_ROUNDS:
            if plain > 0 or left < QUICK * last:
                plain, rounds, last = plain - 1, rounds + 1, left
                carried[:] = self._visits[self._first :]
                left = self._round(carried)
                continue
            before, last = left, 0.0
            rounds += self._correct(carried, wanted / left / safe) + 1
            safe = 2
            left = self._round(carried)
            if left > before / 2:  # what only passes on, and does not linger, is not corrected but waited for
                plain = 2 * DEPTH
        found = np.empty(count)
        found[self._order] = self._visits[:count]
        return Solution(found, left, carried)

    def _choose(self, rates: np.ndarray, kind: int) -> None:
        """Set the chances of moves to those of these players."""
        erring, best = self._chances
        for who, rows in ((1, slice(0, self._seconds)), (0, slice(self._seconds, None))):
            np.multiply(self._shares[0, rows], rates[who], out=erring[rows])
            np.multiply(self._shares[1, rows], 1 - rates[who], out=best[rows])
        best += erring
        if self._closed is not None:
            self._chances[:, np.flatnonzero(self._closed >> kind & 1)] = 0.0
        self._rough[0][:] = self._chances

    def _round(self, carried: np.ndarray) -> float:
        """Make a round from what is carried; return the size of the change it has made of that."""
        self._pass_on(self._chances, self._flowing, self._came, carried, self._visits)
        np.subtract(self._visits[self._first :], carried, out=self._change)
        return float(np.abs(self._change).sum())

    def _pass_on(
        self, chances: np.ndarray, flowing: np.ndarray, came: np.ndarray, carried: np.ndarray, into: np.ndarray
    ) -> None:
        first, sums = self._first, np.zeros(LANES, flowing.dtype)
        self._kernels["let_flow"](carried, first, *chances, flowing)
        self._kernels["take_in"](self._starts, self._sources, *chances, came, carried, first, into, sums, flowing)

    def _correct(self, carried: np.ndarray, wanted: float) -> int:
        """Get rid of most of the change, or all but a share of it; return the rounds that it took."""
        if self._basis is None:
            self._basis = np.empty((DEPTH + 1, len(self._change)), np.float32)
        basis, size = self._basis, float(np.linalg.norm(self._change))
        np.divide(self._change, size, out=basis[0], casting="same_kind")
        column, target = np.zeros(DEPTH + 1, np.float32), np.zeros(DEPTH + 1)
        matrix = np.zeros((DEPTH + 1, DEPTH))
        target[0] = 1.0
        for j in range(DEPTH):
            self._pass_on(*self._rough, _NOTHING, basis[j], basis[j + 1])
            rest = self._kernels["take_away"](basis, j + 1, column) ** 0.5
            matrix[: j + 1, j], matrix[j + 1, j] = column[: j + 1], rest
            known = matrix[: j + 2, : j + 1]
            shares = np.linalg.lstsq(known, target[: j + 2], rcond=None)[0]
            if np.linalg.norm(known @ shares - target[: j + 2]) < max(wanted, PRECISE) or rest < PRECISE:
                break
            basis[j + 1] *= np.float32(1 / rest)
        self._kernels["add_up"](basis, size * shares, carried)
        return j + 1


_NOTHING = np.zeros(0)


def interpreted() -> dict[str, Any]:
    """Make what the kernels do of whole arrays, for a graph of few rows; a round takes in what flowed before it."""

    def count_sources(edge: Any, place: Any, met: Any) -> None:
        met += np.bincount(place[edge & ROW], minlength=len(met)).astype(np.int32)

    def list_sources(at: Any, edge: Any, order: Any, place: Any, starts: Any, met: Any, sources: Any) -> int:
        to = place[edge & ROW].astype(np.int64)
        come = np.repeat(place, np.diff(at)).astype(np.int64) * 2 + (edge >= BEST)
        by_row = np.argsort(to, kind="stable")
        ends = np.searchsorted(to[by_row], to[by_row])
        number = np.arange(len(to)) - ends
        to = to[by_row]
        sources[starts[to // LANES] + number * LANES + to % LANES] = come[by_row]
        return 0

    def let_flow(carried: Any, first: int, erring: Any, best: Any, flowing: Any) -> None:
        flowing[2 * first : -1 : 2], flowing[2 * first + 1 :: 2] = carried * erring[first:], carried * best[first:]

    def take_in(
        starts: Any, sources: Any, erring: Any, best: Any, came: Any, carried: Any, first: int, into: Any, _: Any,
        flowing: Any,
    ) -> None:  # fmt: skip
        rows = np.repeat(np.arange(len(starts) - 1) * LANES, np.diff(starts)) + np.arange(len(sources)) % LANES
        there = np.bincount(rows, flowing[sources], minlength=len(erring))
        into[:] = there + came if len(came) else carried - there

    def take_away(basis: Any, count: int, shares: Any) -> float:
        shares[:count] = basis[:count] @ basis[count]
        basis[count] -= shares[:count] @ basis[:count]
        return float(basis[count] @ basis[count])

    def add_up(basis: Any, shares: Any, to: Any) -> None:
        to += shares @ basis[: len(shares)]

    return {f.__name__: f for f in (count_sources, list_sources, let_flow, take_in, take_away, add_up)}
