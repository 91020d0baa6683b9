"""A position is searched here to one depth after the other, until one says all or the time is up."""

import math
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from gamesman.model.variant import Position, Variant
from gamesman.search.found import Found
from gamesman.search.helping import Helpers
from gamesman.search.plain import functions_of
from gamesman.search.scores import CERTAIN, ESTIMATE, INFINITE, LOST_FOR_0, LOST_FOR_1, MATE, QUICK, STATIC
from gamesman.search.ties import Holds, shortest_tie
from gamesman.values import LOSE, TIE, UNDECIDED, WIN

if TYPE_CHECKING:
    from gamesman.search.searcher import Searcher

MOST_DEPTH = 1000
# A search that ends below so many nodes is over in plain Python before compiled code would be loaded.
SWITCH_AFTER = 5_000
PAUSE = 0.01  # seconds between two looks at the clock
MOST_DOUBTS = 5_000  # positions that are looked at to see whether a tie could be shorter
# Looks at moves to find a shelter: where no time is given a quarter as many as there have been nodes, and so many more;
# else no more than there is time for in this share of what the search has taken. At a depth there are at most as many.
LEAST_LOOKS, MOST_LOOKS = 20_000, 1_000_000
LOOKS_A_SECOND = 1_000_000  # at the least
SHARE = 0.25
MARGIN = 15  # how far beyond its last two scores a root's next one is looked for at first


def legal_moves(variant: Variant, position: Position, been: Iterable[Position]) -> list[int]:
    """Return the moves of a position that is not over, without those that would bring back what has been."""
    moves = list(variant.generate_moves(position))
    if variant.game.no_repetition:
        seen = {*been, position}
        return [move for move in moves if variant.do_move(position, move) not in seen]
    return moves


class _OutOfTime(Exception):
    pass


class _TooMany(Exception):
    pass


class Run:
    """Searches one position once, depth after depth; it keeps the clock and counts the nodes."""

    def __init__(
        self,
        searcher: "Searcher",
        position: Position,
        depth: int | None,
        seconds: float | None,
        been: frozenset[Position],
        barred: frozenset[int],
        note: str,
    ):
        self._searcher = searcher
        self._position = position
        self._depth = MOST_DEPTH if depth is None else depth
        self._has_depth = depth is not None
        self._been = been
        # Where positions can come back a tie is one whatever has been before.
        self._held_against = been if searcher.variant.game.no_repetition else frozenset[Position]()
        self._barred = barred
        self._note = note
        self._tree = searcher.tree(hurried=seconds is not None)
        self._mode = QUICK if depth is None and not self._tree.asks else ESTIMATE
        self._game = searcher.game(position, been)
        self._nodes = 0
        self._began = time.perf_counter()
        self._end = math.inf if seconds is None else self._began + seconds
        self._untied = -1  # no tie is over in so many moves
        self._seeking = 0.0  # seconds spent looking for shelters
        self._begun: list[int] = []  # the moves that the depth that is being searched likes best so far

    def found(self) -> Found:
        """Search depth after depth until the end; return what is found."""
        siblings = self._searcher.siblings(self._tree) if self._mode == QUICK else []
        for tree in siblings:
            tree.game = self._game
        helpers = Helpers(siblings, self._position, self._been, self._barred, self._depth, self._end)
        try:
            return self._found(helpers)
        finally:
            helpers.stop()

    def _found(self, helpers: Helpers) -> Found:
        variant, position = self._searcher.variant, self._position
        done, value, remoteness = 0, None, None
        tied: list[int] = []  # moves that keep a tie which is certain
        is_sheltered = False  # whether it is so whatever the score
        line = [move for move in legal_moves(variant, position, self._been) if move not in self._barred][:1]
        score = max(-STATIC, min(STATIC, functions_of(variant)["evaluate"](variant.rules, position)))
        scores: list[int] = []
        try:
            for depth in range(1, self._depth + 1):
                score = self._score_near(scores[-2:], depth)
                # A quick search may find at the second look that the first was wrong, and has no line then.
                line, done = self._tree.line or [self._tree.choice], depth
                scores.append(score)
                if self._mode == QUICK and abs(score) > CERTAIN:
                    score, line, depth = self._confirmed(score, line, depth)
                if abs(score) > CERTAIN:
                    value, remoteness = (WIN if score > 0 else LOSE), MATE - abs(score)
                elif is_sheltered and remoteness is not None:
                    continue  # for the score at the last depth
                elif way := self._sheltered_tie(depth):
                    value, line, tied, is_sheltered = TIE, way, way, math.isinf(self._end)
                    if not self._is_vague or self._is_shortest(depth, way):
                        remoteness = len(way)
                elif score == 0 and self._is_held(depth):
                    if not self._tree.returns:
                        value, tied = TIE, [self._holding]
                        line = tied
                    way = self._tie(self._can_hold, depth, depth)
                    if way is not None:
                        value, line, tied = TIE, way, way
                        if self._is_shortest(depth, way):
                            remoteness = len(way)
                if remoteness is not None and remoteness <= depth and not is_sheltered:
                    break
                if value is not None and self._tree.tables is not None and not self._has_depth:
                    break  # a win by the tables comes nearer with each move, and need not be the soonest
        except _OutOfTime:
            line = self._begun or line
            if value is None:  # a quick search may have seen a win that there was no time to make sure of
                score = max(-STATIC, min(STATIC, score))
        if value == TIE:  # whatever a later depth, or what there was of it, liked better
            line = tied
            if not math.isinf(self._end):
                score = 0  # a depth says what it has seen
        return Found(
            position,
            line[0],
            line,
            score,
            value,
            remoteness,
            done,
            self._nodes + helpers.stop(),
            time.perf_counter() - self._began,
            "search",
            self._tree.is_compiled,
            "; ".join(filter(None, [self._note, self._of_tables(remoteness, done), self._searcher.note])),
        )

    def _of_tables(self, remoteness: int | None, done: int) -> str:
        """Return what is to be said of a value that is certain only by tables of endgames."""
        if self._tree.tables is None or remoteness is None or remoteness <= done:
            return ""
        return f"certain by the tables of endgames, {self._tree.tables.name}: in so many moves at most"

    def _score_near(self, scores: list[int], depth: int) -> int:
        """Search the root to a depth; look first whether it is worth about what it was at the last two depths."""
        self._begun = []
        low, high = (min(scores) - MARGIN, max(scores) + MARGIN) if len(scores) == 2 else (-INFINITE, INFINITE)
        if low < -STATIC or high > STATIC:
            low, high = -INFINITE, INFINITE
        arguments = self._position, depth, self._been, self._barred, self._mode
        try:
            score = self._score(*arguments, low, high)
            if score >= high:
                self._begun = [self._tree.choice]
                score = self._score(*arguments, low, INFINITE)
            elif score <= low:
                score = self._score(*arguments, -INFINITE, high)
        except _OutOfTime:
            self._begun = self._tree.line or self._begun
            raise
        self._begun = []
        return score

    def _confirmed(self, score: int, line: list[int], depth: int) -> tuple[int, list[int], int]:
        """Search a win or loss that a quick search has seen exactly; return its score, its line and the depth."""
        self._begun, self._mode = line, ESTIMATE
        depth = min(depth, MATE - abs(score))
        score = self._score(self._position, depth, self._been, self._barred)
        return score, self._tree.line, depth

    def _score(
        self,
        position: Position,
        depth: int,
        been: frozenset[Position],
        barred: frozenset[int] = frozenset(),
        mode: int = ESTIMATE,
        alpha: int = -INFINITE,
        beta: int = INFINITE,
    ) -> int:
        """Search a position to a depth; return its score, or one that is on the same side of the window."""
        tree = self._tree
        tree.game = self._game
        tree.begin(position, depth, been, barred, mode, alpha, beta)
        while True:
            began, before = time.perf_counter(), tree.nodes
            if began >= self._end:
                raise _OutOfTime
            is_done = tree.go_on(max(1, int(tree.pace * min(PAUSE, self._end - began))))
            spent = time.perf_counter() - began
            self._nodes += tree.nodes - before
            self._searcher.progress.advance(tree.nodes - before)
            tree.keep_pace(tree.nodes - before, spent, PAUSE)
            if is_done:
                return tree.value
            if not self._searcher.note and not tree.asks and not tree.is_compiled and self._nodes > SWITCH_AFTER:
                self._tree = self._searcher.compiled(needed=False)
                self._began += time.perf_counter() - began - spent  # what loading it took is no time of the search
                return self._score(position, depth, been, barred, mode, alpha, beta)

    def _is_held(self, depth: int) -> bool:
        """Tell whether neither player can win for certain, whatever lies beyond the depth, and there may be a tie."""
        if self._tree.is_told or not self._tree.has_ties:
            return False
        who = self._searcher.variant.turn(self._position)
        if not self._can_hold(self._position, depth, self._held_against, who, self._barred):
            return False
        self._holding = self._tree.choice
        return self._can_hold(self._position, depth, self._held_against, 1 - who, self._barred)

    def _tie(self, holds: Holds, depth: int, most: int) -> list[int] | None:
        """Return the moves of the shortest tie of so many at most, or None."""
        searcher = self._searcher
        return shortest_tie(searcher.variant, holds, self._position, depth, self._held_against, self._barred, most)

    def _is_shortest(self, depth: int, way: list[int]) -> bool:
        """Tell whether it is certain that no tie is shorter; where too much would be to see, it is not."""
        self._doubts = 0
        try:
            return self._tie(self._may_hold, depth, len(way) - 1) is None
        except _TooMany:
            return False

    def _sheltered_tie(self, depth: int) -> list[int] | None:
        """Return the moves of the shortest tie within the depth where both players have a shelter, or None."""
        tree = self._tree
        is_last = depth == self._depth and math.isinf(self._end)
        if not tree.returns or not (tree.has_ties or (is_last and self._searcher.names_ties)):
            return None
        if tree.is_told or self._barred:
            return None
        began = time.perf_counter()
        self._shelters = self._searcher.shelters()
        loaded = time.perf_counter()
        self._began, self._end = self._began + loaded - began, self._end + loaded - began
        has_clock = not math.isinf(self._end)
        until = loaded + (loaded - self._began) * SHARE - self._seeking
        self._until = min(self._end, until) if has_clock else math.inf
        self._looks = MOST_LOOKS if has_clock else min(MOST_LOOKS, LEAST_LOOKS + self._nodes // 4)
        self._looks_left = MOST_LOOKS
        self._doubts, self._is_vague = 0, False
        try:
            return self._tie_between(depth) if self._shelters else None
        except _TooMany:
            return None
        finally:
            self._seeking += time.perf_counter() - loaded

    def _tie_between(self, depth: int) -> list[int] | None:
        """Return the moves of the shortest tie within the depth on which both players are sheltered, or None."""
        nothing = frozenset[Position]()
        if not all(self._is_sheltered(self._position, depth, nothing, who) for who in (0, 1)):
            return None
        given = self._searcher.variant, self._is_sheltered, self._position, depth, nothing, self._barred
        way = shortest_tie(*given, most=depth, least=self._untied + 1)
        if way is None and not self._is_vague:
            self._untied = depth
        return way

    def _is_sheltered(self, position: Position, depth: int, been: frozenset[Position], who: int) -> bool:
        """Tell whether a player is sure not to lose, however long it lasts; note where that stays open."""
        self._doubts += 1
        if self._doubts > MOST_DOUBTS:
            raise _TooMany
        left = self._until - time.perf_counter()
        if left <= 0 or self._looks_left <= 0:
            raise _TooMany
        value = self._searcher.variant.primitive(position)
        if value != UNDECIDED:
            return value == TIE or (value == WIN) == (self._searcher.variant.turn(position) == who)
        holds = self._shelters[who].holds(position, int(min(self._looks, left * LOOKS_A_SECOND)))
        self._looks_left -= self._shelters[who].looked
        self._is_vague |= holds is None
        return holds is True

    def _can_hold(
        self,
        position: Position,
        depth: int,
        been: frozenset[Position],
        who: int,
        barred: frozenset[int] = frozenset(),
    ) -> bool:
        """Tell whether a player is sure not to lose, if all that lies beyond the depth is lost for him.

        One who can bring back a position of the path can do so for ever.
        """
        mode = (LOST_FOR_0, LOST_FOR_1)[who]
        if self._searcher.variant.turn(position) == who:
            return self._score(position, depth, been, barred, mode, -1, 0) >= 0
        return self._score(position, depth, been, barred, mode, 0, 1) <= 0

    def _may_hold(self, position: Position, depth: int, been: frozenset[Position], who: int) -> bool:
        """Tell whether a search to the depth does not prove that a player loses."""
        self._doubts += 1
        if self._doubts > MOST_DOUBTS:
            raise _TooMany
        if self._searcher.variant.turn(position) == who:
            return self._score(position, depth, been, frozenset(), ESTIMATE, -CERTAIN - 1, -CERTAIN) >= -CERTAIN
        return self._score(position, depth, been, frozenset(), ESTIMATE, CERTAIN, CERTAIN + 1) <= CERTAIN
