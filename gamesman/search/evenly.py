"""All moves that a search to a depth finds best are found here, for a player who chooses evenly among them.

What a move is worth is exact for the depth (gamesman.search.tree), so it does not matter what was searched before.
"""

from collections.abc import Callable, Collection

from gamesman.model.variant import Position
from gamesman.search.deepening import SWITCH_AFTER, legal_moves
from gamesman.search.plain import Interpreted
from gamesman.search.scores import CERTAIN, ESTIMATE, INFINITE
from gamesman.search.searcher import Searcher

SLICE = 0.1  # seconds between two looks at whether it is to stop, about
# The best moves of so many positions are kept, since games begin alike, but of none that many others come before.
MOST_KNOWN, MOST_BEEN = 20_000, 8


class Stopped(Exception):
    """Says that a search was to stop before its end."""


class BestMoves:
    """Finds the moves that are best `depth` plies ahead, until `is_stopped` says otherwise.

    >>> from gamesman.model.variant import variant
    >>> v = variant("tictactoe")
    >>> len(BestMoves(Searcher(v), 2).of(v.start())), len(BestMoves(Searcher(v), 9).of(v.parse("(o x-- --- ---)")))
    (9, 1)
    """

    def __init__(self, searcher: Searcher, depth: int, is_stopped: Callable[[], bool] = lambda: False):
        self._searcher, self._depth, self._is_stopped = searcher, depth, is_stopped
        self._known: dict[tuple[Position, frozenset[Position]], list[int]] = {}
        self._nodes = 0

    def of(self, position: Position, been: Collection[Position] = ()) -> list[int]:
        """Return the best moves of a position that is not over, in a game in which others have been.

        Raises Stopped.
        """
        key = position, frozenset(been)
        if key not in self._known:
            found = self._found(*key)
            if len(self._known) < MOST_KNOWN and len(been) <= MOST_BEEN:
                self._known[key] = found
            return found
        return self._known[key]

    def _found(self, position: Position, been: frozenset[Position]) -> list[int]:
        legal = legal_moves(self._searcher.variant, position, been)
        if len(legal) == 1:
            return legal
        # Every other depth makes the order of moves good enough; a win or loss that is seen is one at any depth.
        for depth in range(2 - self._depth % 2, self._depth + 1, 2):
            tree = self._search(position, depth, been)
            score = tree.value
            if abs(score) > CERTAIN:
                break
        best = [tree.choice]
        while len(best) < len(legal):
            tree = self._search(position, depth, been, best, score - 1, score)
            if tree.value < score:
                break
            best.append(tree.choice)
        return best

    def _search(
        self,
        position: Position,
        depth: int,
        been: frozenset[Position],
        barred: Collection[int] = (),
        alpha: int = -INFINITE,
        beta: int = INFINITE,
    ) -> Interpreted:
        """Search a position to a depth, compiled as soon as that pays; return the tree that has done it."""
        is_long = self._nodes > SWITCH_AFTER
        tree = self._searcher.compiled(needed=False) if is_long else self._searcher.interpreted()
        tree.begin(position, depth, been, barred, ESTIMATE, alpha, beta)
        while not tree.go_on(int(tree.pace * SLICE)):
            if self._is_stopped():
                raise Stopped
            if not is_long and tree.nodes > SWITCH_AFTER:
                self._nodes += tree.nodes
                return self._search(position, depth, been, barred, alpha, beta)
        self._nodes += tree.nodes
        return tree
