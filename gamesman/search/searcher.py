"""A searcher searches one depth after the other, to a given depth or until the time is up.

Where there is a stored database it is asked first.

>>> from gamesman.model.variant import variant
>>> v = variant("konane:rows=4,cols=5")
>>> found = Searcher(v).search(v.start(), depth=12)
>>> found.value, found.remoteness, found.line_names(v)[0]
(0, 10, 'd4-d2')

What is certain. A win or loss that is seen is one, whatever lies beyond the depth, and its remoteness is exact: nothing
within that many plies was left out. A score of 0 is a tie for certain if both sides can still force as much when every
position at the end of the depth is counted as lost for them; it is searched once more for either of them to find out.
There a position that comes back counts as lost for them, too: it is no tie, and what the game was before proves none.

The database. Where it has the position its answer is exact and nothing is searched. Where it has not, it is asked at
every node, in plain Python, and what it has is not searched on. In a game without repetition it holds values without
that rule: its wins and losses stand where no earlier position can come back any more (see games/ctf.py); then, too, a
move that loses by it loses, and is left out, while the others of a drawn position are searched.
"""

import math
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gamesman.errors import BrokenGame, CallError, TooLarge
from gamesman.model.answers import line, ranked
from gamesman.model.progress import Progress, Silent
from gamesman.model.variant import Position, Variant
from gamesman.search.found import Found
from gamesman.search.plain import Interpreted, functions_of
from gamesman.search.returns import can_come_back
from gamesman.search.scores import CERTAIN, ESTIMATE, INFINITE, LOST_FOR_0, LOST_FOR_1, MATE, STATIC, outcome
from gamesman.search.ties import shortest_tie
from gamesman.values import DRAW, LOSE, NAMES, TIE, UNDECIDED, WIN

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

MOST_DEPTH = 1000
TABLE_BYTES = 64 << 20
# A search that ends below so many nodes is over in plain Python before compiled code would be loaded.
SWITCH_AFTER = 5_000
PAUSE = 0.01  # seconds between two looks at the clock


class Searcher:
    """Searches positions of one variant; what is learned about some helps with the next.

    `compiled` says whether it runs as machine code; where that is None it does what is quicker. Raises TooLarge or
    BrokenGame if it must be compiled and cannot.
    """

    def __init__(
        self,
        variant: Variant,
        stored: "SolvedPositions | None" = None,
        table_bytes: int = TABLE_BYTES,
        compiled: bool | None = None,
    ):
        self.variant = variant
        self.stored = stored
        self.progress: Progress = Silent()
        self.note = "interpreted, as asked" if compiled is False else ""
        self._table_bytes = table_bytes
        self._trees: dict[str, Interpreted] = {}
        self._returns = can_come_back(variant)
        if compiled:
            self.compiled()

    def search(
        self,
        position: Position,
        depth: int | None = None,
        seconds: float | None = None,
        past: Iterable[Position] = (),
        barred: Iterable[int] = (),
    ) -> Found:
        """Look for the best move, `depth` plies ahead or for some seconds, whichever ends first; return what is found.

        `past` are the positions that have been in the game: none may come back, or it is a draw then. Barred moves are
        left out. The clock starts when compiled code is there.
        """
        if depth is None and seconds is None:
            raise CallError("expected a depth or a time to search, got neither")
        if depth is not None and not 1 <= depth <= MOST_DEPTH:
            raise CallError(f"depth must be 1 to {MOST_DEPTH}, got {depth}")
        heeds = self._returns or self.variant.game.no_repetition
        been = frozenset(past) - {position} if heeds else frozenset()
        value, note = self.variant.primitive(position), ""
        if value == UNDECIDED and not legal_moves(self.variant, position, been):
            value, note = LOSE, "no move is left: each would bring back a position that has been"
        if value != UNDECIDED:
            return Found(position, None, [], outcome(value, 0), value, 0, 0, 0, 0.0, "rules", False, note)
        barred = frozenset(barred)
        if barred and barred.issuperset(legal_moves(self.variant, position, been)):
            raise CallError(f"every move is barred in {self.variant.show(position)}")
        if self.stored is not None and not barred:
            answer = self._from_database(position, been)
            if isinstance(answer, Found):
                return answer
            barred, note = answer
        self.progress.start("searching")
        try:
            return _Run(self, position, MOST_DEPTH if depth is None else depth, seconds, been, barred, note).found()
        finally:
            self.progress.finish()

    def tree(self, hurried: bool) -> Interpreted:
        """Return the tree to begin with.

        It asks the database if there is one; else it is the compiled one, if that is there or time matters.
        """
        if self.stored is not None and not self.variant.game.no_repetition:
            if "asking" not in self._trees:
                self._trees["asking"] = Interpreted(self.variant, self._table_bytes, self.stored)
            return self._trees["asking"]
        if (hurried or "compiled" in self._trees) and not self.note:
            return self.compiled(needed=False)
        return self.interpreted()

    def interpreted(self) -> Interpreted:
        """Return the tree that runs in plain Python."""
        if "interpreted" not in self._trees:
            self._trees["interpreted"] = Interpreted(self.variant, self._table_bytes)
        return self._trees["interpreted"]

    def compiled(self, needed: bool = True) -> Interpreted:
        """Return the compiled tree, or where there can be none and none is needed the interpreted one, and note why."""
        if "compiled" not in self._trees:
            self.progress.start("loading compiled code")
            # lazy: start-up time
            from gamesman.search.compiled import Compiled

            try:
                tree = Compiled(self.variant, self._table_bytes)
                tree.warm_up()
            except (TooLarge, BrokenGame) as error:
                if needed:
                    raise
                self.note = f"interpreted: {error}"
                return self.interpreted()
            finally:
                self.progress.start("searching")
            self._trees["compiled"] = tree
        return self._trees["compiled"]

    def _from_database(self, position: Position, been: frozenset[Position]) -> Found | tuple[frozenset[int], str]:
        """Return what is stored of a position, or else the moves that need not be searched and a note to the reader."""
        assert self.stored is not None
        variant, tier = self.variant, self.variant.tier
        answer = self.stored.get(position)
        if answer is None:
            return frozenset(), "the database does not have the position, for it cannot be reached from the start"
        value, remoteness = answer
        if variant.game.no_repetition:
            if any(tier(earlier) <= tier(position) for earlier in been):
                return frozenset(), "searched: the database does not know which positions may not come back"
            if value == DRAW:
                losing = [move.move for move in ranked(variant, self.stored, position) if move.value == NAMES[LOSE]]
                return frozenset(losing), "searched: stored as a draw, which no game without repetition is"
        began = time.perf_counter()
        moves = [move.move for move in line(variant, self.stored, position).moves]
        score = {WIN: MATE, LOSE: -MATE, TIE: 0, DRAW: 0}[value]
        score -= (remoteness or 0) * ((score > 0) - (score < 0))
        seconds = time.perf_counter() - began
        return Found(position, moves[0], moves, score, value, remoteness, 0, 0, seconds, "database", False, "")


def legal_moves(variant: Variant, position: Position, been: Iterable[Position]) -> list[int]:
    """Return the moves of a position that is not over, without those that would bring back what has been."""
    moves = list(variant.generate_moves(position))
    if variant.game.no_repetition:
        seen = {*been, position}
        return [move for move in moves if variant.do_move(position, move) not in seen]
    return moves


class _OutOfTime(Exception):
    pass


class _Run:
    """Searches one position once, depth after depth; it keeps the clock and counts the nodes."""

    def __init__(
        self,
        searcher: Searcher,
        position: Position,
        depth: int,
        seconds: float | None,
        been: frozenset[Position],
        barred: frozenset[int],
        note: str,
    ):
        self._searcher = searcher
        self._position = position
        self._depth = depth
        self._been = been
        # Where positions can come back a tie is one whatever has been before.
        self._held_against = been if searcher.variant.game.no_repetition else frozenset[Position]()
        self._barred = barred
        self._note = note
        self._tree = searcher.tree(hurried=seconds is not None)
        self._nodes = 0
        self._began = time.perf_counter()
        self._end = math.inf if seconds is None else self._began + seconds

    def found(self) -> Found:
        """Search depth after depth until the end; return what is found."""
        variant, position = self._searcher.variant, self._position
        done, value, remoteness = 0, None, None
        line = [move for move in legal_moves(variant, position, self._been) if move not in self._barred][:1]
        score = max(-STATIC, min(STATIC, functions_of(variant)["evaluate"](variant.rules, position)))
        try:
            for depth in range(1, self._depth + 1):
                score = self._score(self._position, depth, self._been, self._barred)
                line, done = self._tree.line, depth
                if abs(score) > CERTAIN:
                    value, remoteness = (WIN if score > 0 else LOSE), MATE - abs(score)
                elif score == 0 and self._is_tie(depth):
                    value, line = TIE, [self._holding]
                    line = shortest_tie(variant, self._can_hold, position, depth, self._held_against, self._barred)
                    remoteness = len(line)
                if remoteness is not None and remoteness <= depth:
                    break
        except _OutOfTime:
            line = line if done else self._tree.line or line
        return Found(
            position,
            line[0],
            line,
            score,
            value,
            remoteness,
            done,
            self._nodes,
            time.perf_counter() - self._began,
            "search",
            self._tree.is_compiled,
            "; ".join(filter(None, [self._note, self._searcher.note])),
        )

    def _score(
        self,
        position: Position,
        depth: int,
        been: frozenset[Position],
        barred: frozenset[int] = frozenset(),
        mode: int = ESTIMATE,
        alpha: int = -INFINITE,
    ) -> int:
        """Search a position to a depth; return its score, or with `alpha` one that is on the same side of that."""
        tree = self._tree
        tree.begin(position, depth, been, barred, mode, alpha)
        while True:
            began, before = time.perf_counter(), tree.nodes
            if began >= self._end:
                raise _OutOfTime
            is_done = tree.go_on(max(1, int(tree.pace * min(PAUSE, self._end - began))))
            spent = time.perf_counter() - began
            self._nodes += tree.nodes - before
            self._searcher.progress.advance(tree.nodes - before)
            if spent > PAUSE / 10:
                tree.pace = (tree.nodes - before) / spent
            if is_done:
                return tree.value
            if not self._searcher.note and not tree.asks and not tree.is_compiled and self._nodes > SWITCH_AFTER:
                self._tree = self._searcher.compiled(needed=False)
                self._began += time.perf_counter() - began - spent  # what loading it took is no time of the search
                return self._score(position, depth, been, barred, mode, alpha)

    def _is_tie(self, depth: int) -> bool:
        """Tell whether a score of 0 is a tie for certain, whatever lies beyond the depth."""
        if self._tree.asks or not self._tree.has_ties:
            return False
        who = self._searcher.variant.turn(self._position)
        if not self._can_hold(self._position, depth, self._held_against, who, self._barred):
            return False
        self._holding = self._tree.choice
        return self._can_hold(self._position, depth, self._held_against, 1 - who, self._barred)

    def _can_hold(
        self,
        position: Position,
        depth: int,
        been: frozenset[Position],
        who: int,
        barred: frozenset[int] = frozenset(),
    ) -> bool:
        """Tell whether a player is sure of a tie at least, if all that lies beyond the depth is lost for him."""
        mode = (LOST_FOR_0, LOST_FOR_1)[who]
        if self._searcher.variant.turn(position) == who:
            return self._score(position, depth, been, barred, mode, -1) >= 0
        return self._score(position, depth, been, barred, mode, 0) <= 0
