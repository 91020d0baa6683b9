"""A searcher searches one depth after the other, to a given depth or until the time is up.

Where there is a stored database it is asked first.

>>> from gamesman.model.variant import variant
>>> v = variant("konane:rows=4,cols=5")
>>> found = Searcher(v).search(v.start(), depth=12)
>>> found.value, found.remoteness, found.line_names(v)[0]
(0, 10, 'd4-d2')

What is certain. A win or loss that is seen is one, whatever lies beyond the depth, and its remoteness is exact: nothing
within that many plies was left out. A score of 0 is a tie for certain if neither side can win even when every position
at the end of the depth is counted as lost for the other, and moves that keep it so lead to an end; it is searched twice
more to find out. Who can bring back a position of the path does not lose there, for he can do so for ever. Where
positions can come back it is a tie for certain, whatever the score, if both players have a shelter, as many positions
as that takes (gamesman.search.shelter), and such moves lead to an end within the depth. The remoteness of a tie is open
where a shorter one cannot be excluded; and what the game was before proves none.

A depth and a time. What is searched to a depth is exact, on one thread: see gamesman.search.tree. A search for a time
alone is quick: late moves are looked at less deep, and what the table holds counts for all ways to a position, where it
does not hang on one; threads may help. A win or loss that it sees is searched once more, exactly, and is certain then.

The database. Where it has the position its answer is exact and nothing is searched. Where it has not, it is asked at
every node, in plain Python, and what it has is not searched on. In a game without repetition it holds values without
that rule. A win of either player stands there unless a position that has been, of this tier or a lower one, is a win of
his in fewer moves: on his way each move lowers the remoteness, so that no other can come back. Of a drawn position a
move that loses by the database loses, if none that has been can come back, and is left out; the others are searched.

Tables. Where the low tiers are solved (gamesman.model.tables) they are asked in the same way at the root, and then at
every node, by machine code as well: there a value from them is certain, however far from the end. So a win or loss may
be certain in more moves than were searched. Then it is one in so many moves at most, since a sooner one may lie beyond
the depth and not in the tables. Where no position may come back, the first position of a tier is asked for, because
none that has been can come back from there; and a draw is searched on. A tie is not looked for with tables.
"""

import contextlib
import time
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from gamesman.errors import BrokenGame, CallError, TooLarge
from gamesman.model.answers import line, ranked
from gamesman.model.progress import Progress, Silent
from gamesman.model.variant import Position, Variant
from gamesman.search.deepening import MOST_DEPTH, Run, legal_moves
from gamesman.search.found import Found
from gamesman.search.plain import Interpreted
from gamesman.search.returns import can_come_back
from gamesman.search.scores import MATE, outcome
from gamesman.values import DRAW, LOSE, NAMES, TIE, UNDECIDED, WIN

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions
    from gamesman.model.tables import Tables
    from gamesman.search.shelter import Shelter

TABLE_BYTES = 64 << 20
TABLES_BYTES = 1 << 30  # of tables of endgames, at the most


class Searcher:
    """Searches positions of one variant; what is learned about some helps with the next.

    `compiled` says whether it runs as machine code; where that is None it does what is quicker. Raises TooLarge or
    BrokenGame if it must be compiled and cannot. A search for a time runs on so many `threads`.
    """

    def __init__(
        self,
        variant: Variant,
        stored: "SolvedPositions | None" = None,
        table_bytes: int = TABLE_BYTES,
        compiled: bool | None = None,
        threads: int = 1,
        tables: "Tables | None" = None,
        tables_bytes: int = TABLES_BYTES,
    ):
        self.variant = variant
        self.stored = stored
        self.tables = tables if stored is None else None
        self._tables_bytes = tables_bytes
        self.progress: Progress = Silent()
        self.note = "interpreted, as asked" if compiled is False else ""
        self._table_bytes = table_bytes
        self._threads = threads
        self._trees: dict[str, Interpreted] = {}
        self._siblings: list[Interpreted] = []
        self._shelters: tuple[Shelter, ...] | None = None
        self._games = 0
        self._been: frozenset[Position] = frozenset()
        self._returns = can_come_back(variant)
        self.names_ties = hasattr(variant.game.module, "TIE")  # whether the game's file speaks of ties
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
        source = self.stored or self.tables
        if source is not None and not barred and (self.stored is not None or source.get(position) is not None):
            answer = self._from_database(source, position, been)
            if isinstance(answer, Found):
                return answer
            barred, note = answer
        self.progress.start("searching")
        try:
            return Run(self, position, depth, seconds, been, barred, note).found()
        finally:
            self.progress.finish()

    def game(self, position: Position, been: frozenset[Position]) -> int:
        """Return the number of the game that a position is of; it is another one where not all of the last has been."""
        if not self._been <= been:
            self._games += 1
        self._been = been | {position}
        return self._games

    def siblings(self, tree: Interpreted) -> list[Interpreted]:
        """Return the trees that help a compiled one on threads of their own."""
        if not tree.is_compiled:
            return []
        while len(self._siblings) < self._threads - 1:
            self._siblings.append(tree.sibling())
        return self._siblings

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
            tree = Interpreted(self.variant, self._table_bytes, tables=self.tables, tables_bytes=self._tables_bytes)
            self._trees["interpreted"] = tree
        return self._trees["interpreted"]

    def compiled(self, needed: bool = True) -> Interpreted:
        """Return the compiled tree, or where there can be none and none is needed the interpreted one, and note why."""
        if "compiled" not in self._trees:
            self.progress.start("loading compiled code", 0)
            # lazy: start-up time
            from gamesman.search.compiled import Compiled

            try:
                given = self.variant, self._table_bytes
                tree = Compiled(*given, tables=self.tables, tables_bytes=self._tables_bytes)
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

    def shelters(self) -> "tuple[Shelter, ...]":
        """Return what tells of each player where he can stay without losing; nothing where it cannot be compiled."""
        if self._shelters is None:
            self._shelters = ()
            if not self.note:
                self.progress.start("loading compiled code", 0)
                # lazy: start-up time
                from gamesman.search.shelter import Shelter

                with contextlib.suppress(TooLarge, BrokenGame):
                    self._shelters = Shelter(self.variant, 0), Shelter(self.variant, 1)
                self.progress.start("searching")
        return self._shelters

    def _from_database(
        self, source: "SolvedPositions | Tables", position: Position, been: frozenset[Position]
    ) -> Found | tuple[frozenset[int], str]:
        """Return what is stored of a position, or else the moves that need not be searched and a note to the reader."""
        variant, tier = self.variant, self.variant.tier
        answer = source.get(position)
        if answer is None:
            return frozenset(), "the database does not have the position, for it cannot be reached from the start"
        value, remoteness = answer
        if variant.game.no_repetition:
            late = [earlier for earlier in been if tier(earlier) <= tier(position)]
            if not _stands(variant, source, position, late):
                return frozenset(), "searched: what is stored does not know which positions may not come back"
            if value == DRAW:
                losing = [move.move for move in ranked(variant, source, position) if move.value == NAMES[LOSE]]
                return frozenset(losing), "searched: stored as a draw, which no game without repetition is"
        began = time.perf_counter()
        barred = been if variant.game.no_repetition else frozenset[Position]()
        first = next(move for move in ranked(variant, source, position) if move.position not in barred)
        moves = [first.move, *(move.move for move in line(variant, source, first.position).moves)]
        score = {WIN: MATE, LOSE: -MATE, TIE: 0, DRAW: 0}[value]
        score -= (remoteness or 0) * ((score > 0) - (score < 0))
        name = "database" if source is self.stored else "tables"
        seconds = time.perf_counter() - began
        return Found(position, moves[0], moves, score, value, remoteness, 0, 0, seconds, name, False, "")


def _stands(
    variant: Variant, source: "SolvedPositions | Tables", position: Position, late: Collection[Position]
) -> bool:
    """Tell whether the value of a position stands after others of its tier or a lower one, which may not come back."""
    value, remoteness = source.get(position) or (DRAW, None)
    if value not in (WIN, LOSE):
        return not late
    winner = variant.turn(position) ^ (value == LOSE)
    for earlier in late:
        its, to = source.get(earlier) or (DRAW, None)
        if its in (WIN, LOSE) and variant.turn(earlier) ^ (its == LOSE) == winner and (to or 0) < (remoteness or 0):
            return False
    return True
