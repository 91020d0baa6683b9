"""Threads that help a search are run here: each searches the same position by itself, and all share one table.

None tells another anything. What one has found in the table the others need not search, and as they meet the moves at
different times and depths each finds there what it has not searched yet.
"""

import threading
import time
from collections.abc import Iterable
from itertools import count

from gamesman.errors import GamesmanError
from gamesman.model.variant import Position
from gamesman.search.plain import Interpreted
from gamesman.search.scores import QUICK

SLICE = 0.004  # seconds between two looks at whether to stop


class Helpers:
    """Search a position quickly on threads of their own, until they are told to stop or the time is up."""

    def __init__(
        self,
        trees: Iterable[Interpreted],
        position: Position,
        past: Iterable[Position],
        barred: Iterable[int],
        depth: int,
        end: float,
    ):
        self._trees = list(trees)
        self._asked = position, past, barred
        self._depth = depth
        self._end = end
        self._must_stop = False
        self._nodes = [0] * len(self._trees)
        runs = range(len(self._trees))
        self._threads = [
            threading.Thread(target=self._go, args=(i,), name="gamesman-search", daemon=True) for i in runs
        ]
        for thread in self._threads:
            thread.start()

    def stop(self) -> int:
        """Let the threads end; return how many nodes they have searched."""
        self._must_stop = True
        for thread in self._threads:
            thread.join()
        return sum(self._nodes)

    def _go(self, number: int) -> None:
        tree, (position, past, barred) = self._trees[number], self._asked
        try:
            # Every second one is a depth ahead of the search that they help.
            for depth in count(1 + (number + 1) % 2):
                if depth > self._depth or self._must_stop:
                    return
                tree.begin(position, depth, past, barred, QUICK)
                is_done = False
                while not is_done:
                    began, before = time.perf_counter(), tree.nodes
                    if self._must_stop or began >= self._end:
                        return
                    is_done = tree.go_on(max(1, int(tree.pace * min(SLICE, self._end - began))))
                    self._nodes[number] += tree.nodes - before
                    tree.keep_pace(tree.nodes - before, time.perf_counter() - began, SLICE)
        except GamesmanError:
            return  # the search that is helped meets the same, and says so
