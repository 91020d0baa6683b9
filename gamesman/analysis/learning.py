"""What was learnt in one variant may carry over to another: it is found here which best moves stay best.

A best move is one of those that come first in a query: it keeps the value, and wins or ties as soon, or loses as
late, as can be. Moves are the same if the game gives them the same number.
"""

from collections import deque
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gamesman.analysis.matching import Held
from gamesman.analysis.walk import Form, Kept
from gamesman.errors import GamesmanError
from gamesman.model.answers import PositionAnswer, query
from gamesman.model.reading import agree

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

MOST_LOOKED_AT = 200  # positions that are looked at for where best play parts


@dataclass
class Learnt:
    """Counts best moves of the first variant in shared positions that are over in neither, and how many stay best."""

    moves: int = 0
    stay: int = 0

    def as_json(self) -> dict[str, Any]:
        return {"moves": self.moves, "stay": self.stay, "share": self.stay / self.moves if self.moves else None}


class Lesson:
    """Counts the best moves of two variants that are the same, from what walks have kept of their positions."""

    def __init__(
        self,
        first: "SolvedPositions",
        second: "SolvedPositions",
        form: Form,
        other_form: Form,
        kept: Kept | None,
        other_kept: Kept | None,
    ):
        self._form, self._other_form = form, other_form
        self._kept, self._other_kept = kept, other_kept
        self._has_same_moves = agree(["generate_moves"], first.variant, second.variant)
        self.learnt = None if kept is None or other_kept is None else Learnt()

    def sizes(self, keys: np.ndarray, held: Held, places: Any) -> np.ndarray:
        """Return how many positions each of some keys of the first variant stands for."""
        if self._kept is not None:
            sizes: np.ndarray = self._kept.sizes[held.numbers][places]
            return sizes
        kernels, rules = self._form
        sizes = np.empty(len(keys), np.uint8)
        kernels["measure"](rules, keys, sizes)
        return sizes

    def add(
        self,
        keys: np.ndarray,
        other_keys: np.ndarray,
        sizes: np.ndarray,
        here: tuple[Held, Any],
        there: tuple[Held, Any],
    ) -> None:
        """Count shared positions, given by their keys in both variants and their places among those held."""
        if self.learnt is None or self._kept is None or self._other_kept is None:
            return
        best, other = (
            kept.best[held.numbers][places] for kept, (held, places) in ((self._kept, here), (self._other_kept, there))
        )
        if self._has_same_moves:
            width = min(best.shape[1], other.shape[1])
            self.learnt.stay += _weighed(best[:, :width] & other[:, :width], sizes)
            goes_on = np.logical_or.reduce([column != 0 for column in other.T])
            self.learnt.moves += _weighed(best, sizes * goes_on)
            return
        tally = np.zeros(2, np.int64)
        kernels, rules = self._form
        kernels["carry"](rules, self._other_form[1], keys, other_keys, best, other, sizes, tally)
        self.learnt.moves += int(tally[0])
        self.learnt.stay += int(tally[1])


def _weighed(masks: np.ndarray, sizes: np.ndarray) -> int:
    """Count the bits of masks, each row as often as it has positions. The columns are few."""
    counted = (np.multiply(np.bitwise_count(column), sizes, dtype=np.uint16) for column in masks.T)
    return sum(int(each.sum(dtype=np.int64)) for each in counted)


@dataclass
class Opening:
    """Holds the nearest position where no best move of one is best in the other, and moves to it, all best in both."""

    moves: list[str]
    position: str
    value: list[str]
    remoteness: list[int | None]
    best: list[list[str]]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def where_they_part(first: "SolvedPositions", second: "SolvedPositions") -> Opening | None:
    """Follow moves that are best in both variants from the start to the nearest position where they part.

    None where they begin with different positions, or do not part among the first that are looked at.
    """
    start = first.variant.start()
    if start != second.variant.start():
        return None
    waiting: deque[tuple[tuple[int, ...], list[str]]] = deque([(start, [])])
    seen = {start}
    while waiting and len(seen) <= MOST_LOOKED_AT:
        position, moves = waiting.popleft()
        try:
            one, other = (query(each.variant, each, position) for each in (first, second))
        except GamesmanError:  # it cannot be reached in one of them
            continue
        if not one.moves or not other.moves:
            continue
        here, there = _best(one), _best(other)
        both = here.keys() & there.keys()
        if not both:
            values, ends = [one.value, other.value], [one.remoteness, other.remoteness]
            return Opening(moves, one.text, values, ends, [sorted(here.values()), sorted(there.values())])
        for move in sorted(both):
            child = first.variant.do_move(position, move)
            if child == second.variant.do_move(position, move) and child not in seen:
                seen.add(child)
                waiting.append((child, [*moves, here[move]]))
    return None


def _best(answer: PositionAnswer) -> dict[int, str]:
    return {move.move: move.name for move in answer.moves if move.delta == 0}
