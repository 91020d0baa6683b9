"""The search of gamesman.search.tree is run here in plain Python.

That is for boards of any size, and for searches that are over before compiled code would be loaded.
"""

import copy
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gamesman.errors import BrokenGame
from gamesman.model.variant import Position, Variant
from gamesman.search import scores, tree
from gamesman.search.returns import can_come_back
from gamesman.search.scores import ESTIMATE, INFINITE, QUICK
from gamesman.search.stack import (
    DEPTH,
    DONE,
    ENTER,
    FULL,
    HANG,
    HAS_TIES,
    HISTORY,
    MODE,
    NEVER,
    NODES,
    PHASE,
    PLY,
    STUCK,
    VALUE,
    Access,
    Stack,
)
from gamesman.values import DRAW

if TYPE_CHECKING:
    from gamesman.model.tables import Tables

# What a row of the table takes as Python objects, about.
ROW_BYTES = 400
MOST_PAST = 1 << 12  # positions of a game's past of which is kept what is asked of them at each move
Row = tuple[Position, frozenset[Position], int, int]  # a position, its salt, its data, its move
LISTS = [
    field for field in Stack._fields if field not in ("positions", "line", "moves", "weights", "history", "barred")
]


def functions_of(variant: Variant) -> dict[str, Any]:
    """Return the game's functions, with one that returns 0 in the place of `evaluate` or `tier` where it has none."""
    found = dict(variant.game.functions)
    found.setdefault("evaluate", lambda rules, position: 0)
    found.setdefault("tier", lambda rules, position: 0)
    return found


class Interpreted:
    """Searches a position to a depth, some nodes at a time; the table stays from one search to the next."""

    is_compiled = False
    pace = 20_000.0  # nodes a second, to begin with

    def __init__(
        self,
        variant: Variant,
        table_bytes: int,
        stored: Any = None,
        returns: bool | None = None,
        tables: "Tables | None" = None,
        tables_bytes: int = 0,
    ):
        self.variant = variant
        self.returns = can_come_back(variant) if returns is None else returns
        self._heeds = self.returns or variant.game.no_repetition  # whether it matters what has been
        self._stored = stored or tables
        self.asks = stored is not None  # whether a database is asked at every node
        self.tables = tables
        self._tables_bytes = tables_bytes
        self._is_sound = True  # whether what has been leaves the values of lower tiers as they are
        self.game = 0  # which game a quick search is of: it counts on what has been, and will be again
        self._before: Any = None  # the position and the past of the last search
        self._tier = lru_cache(MOST_PAST)(variant.tier)
        self._plies = 0
        self._room = 1000
        self._set_up(table_bytes)

    def _set_up(self, table_bytes: int) -> None:
        self._rules = self.variant.rules
        self.rows = rows_in(table_bytes, ROW_BYTES)
        self._table: Any = [None] * self.rows
        self._state: Any = self._new_state()
        shared = {function.__name__: function for function in scores.SHARED} | dict.fromkeys(
            ("inline", "word"), lambda same: same
        )
        rows = (_find, _data_at, _move_at, _salt_at, _keep)
        access = Access(_put, _take, *rows, _fingerprint, _has_been, _past_salt, self._known)
        self._run = tree.build(
            functions_of(self.variant), access, shared, self.variant.game.no_repetition, self.returns, self.is_told
        )

    @property
    def is_told(self) -> bool:
        """Tell whether some nodes are known from a database or from tables."""
        return self._stored is not None

    def begin(
        self,
        position: Position,
        depth: int,
        past: Iterable[Position] = (),
        barred: Iterable[int] = (),
        mode: int = ESTIMATE,
        alpha: int = -INFINITE,
        beta: int = INFINITE,
    ) -> None:
        """Begin a search to a depth, leaving out the barred moves of the root.

        Where the root is worth no more than `alpha`, or at least `beta`, the search only tells that it is so.
        """
        if depth + 2 > self._plies:
            self._plies = max(64, depth + 34)
            self._stack = self._new_stack()
        tier = self.variant.tier
        before = position, frozenset(past) - {position}
        if before != self._before:  # most positions are searched more than once in a row
            others = sorted((self._tier(other), other) for other in before[1]) if self._heeds else []
            self._is_sound = not others or others[0][0] >= tier(position)
            self._past, self._before = self._new_past(others), before
        self._stack = stack = self._stack._replace(barred=self._list(barred))
        self._put_root(position)
        stack.alpha[0], stack.beta[0], stack.left[0] = alpha, beta, depth
        if self._heeds:
            stack.tier[0], stack.since[0] = tier(position), 0
            stack.salt[0] = self.game if mode == QUICK else self._root_salt(position, tier(position))
        state = self._state
        state[PLY], state[PHASE], state[VALUE], state[NODES], state[HANG] = 0, ENTER, 0, 0, NEVER
        state[DEPTH], state[MODE] = depth, mode

    def go_on(self, nodes: int) -> bool:
        """Search so many nodes more; return whether the search is done. Raises BrokenGame."""
        limit = int(self._state[NODES]) + nodes
        while True:
            status = self._run(self._rules, self._stack, self._table, self._past, self._state, limit)
            if status == FULL:
                self._room *= 2
                self._more_room()
                continue
            if status == STUCK:
                where = self.variant.show(self._take_position(int(self._state[PLY])))
                raise BrokenGame(f"{self.variant.game.name}: primitive leaves {where} undecided, but it has no move")
            return status == DONE

    def warm_up(self) -> None:
        """Search one move ahead, so that all code is compiled, or loaded, before the clock starts."""
        self.begin(self.variant.start(), 1)
        self.go_on(1)

    def keep_pace(self, nodes: int, seconds: float, pause: float) -> None:
        """Note how many nodes some seconds took, or where those are too few to tell, that there is time for more.

        So one call that something else has held up does not make all that follow too short to tell.
        """
        if seconds > pause / 10:
            self.pace = nodes / seconds
        elif nodes > 2 * self.pace * seconds:
            self.pace *= 2

    def sibling(self) -> "Interpreted":
        """Return another tree that shares the table with this one, for another thread."""
        other = copy.copy(self)
        other._state = self._new_state()
        other._plies = 0
        return other

    @property
    def nodes(self) -> int:
        """Return how many nodes this search has searched so far."""
        return int(self._state[NODES])

    @property
    def value(self) -> int:
        """Return the score of the root, once the search is done."""
        return int(self._state[VALUE])

    @property
    def has_ties(self) -> bool:
        """Tell whether any search has met a position that is over as a tie."""
        return bool(self._state[HAS_TIES])

    @property
    def choice(self) -> int:
        """Return the best move of the root, the one that is worth its value."""
        return int(self._stack.choice[0])

    @property
    def line(self) -> list[int]:
        """Return the moves of best play from the root, as far as they have been found."""
        return [int(move) for move in self._stack.line[: int(self._stack.length[0])]]

    def _new_state(self) -> Any:
        return [0] * 8

    def _new_stack(self) -> Stack:
        lists = {name: [0] * self._plies for name in LISTS}
        line, room, history = [0] * self._plies**2, [0] * self._room, [0] * HISTORY
        positions = [None] * self._plies
        return Stack(positions=positions, line=line, moves=room, weights=room[:], history=history, barred=[], **lists)

    def _list(self, numbers: Iterable[int]) -> Any:
        return list(numbers)

    def _more_room(self) -> None:
        self._stack.moves.extend([0] * (self._room - len(self._stack.moves)))
        self._stack.weights.extend([0] * (self._room - len(self._stack.weights)))

    def _new_past(self, others: list[tuple[int, Position]]) -> Any:
        return {position: tier for tier, position in others}

    def _root_salt(self, position: Position, tier: int) -> Any:
        return _past_salt(self._past, tier) ^ _fingerprint(position)

    def _put_root(self, position: Position) -> None:
        self._stack.positions[0] = position

    def _take_position(self, ply: int) -> Position:
        position: Position = self._stack.positions[ply]
        return position

    def _known(self, past: Any, position: Position, ply: int) -> int:
        """Return as a score what is stored of a position, or OPEN where nothing is, or a draw that need not be one."""
        no_repetition = self.variant.game.no_repetition
        if self._stored is None or (no_repetition and not self._is_sound):
            return scores.OPEN
        answer = self._stored.get(position)
        if answer is None or (no_repetition and answer[0] == DRAW):
            return scores.OPEN
        value, remoteness = answer
        return scores.outcome(value, ply + (remoteness or 0)) if value != DRAW else 0


def rows_in(table_bytes: int, row_bytes: int) -> int:
    """Return how many rows fit into so many bytes, as a power of two."""
    return 1 << max(1, (table_bytes // row_bytes).bit_length() - 1)


def _put(positions: list[Position], ply: int, position: Position) -> None:
    positions[ply] = position


def _take(positions: list[Position], ply: int) -> Position:
    return positions[ply]


def _find(table: list[Row | None], position: Position) -> int:
    row = hash(position) & len(table) - 1
    there = table[row]
    if there is not None and there[0] == position:
        return row
    row ^= 1
    there = table[row]
    if there is not None and there[0] == position:
        return row
    return -1


# These are asked of rows that `_find` has found, in which a position is.
def _data_at(table: list[Row], row: int) -> int:
    return table[row][2]


def _move_at(table: list[Row], row: int) -> int:
    return table[row][3]


def _salt_at(table: list[Row], row: int, position: Position, data: int, move: int) -> Any:
    return table[row][1]


def _keep(table: list[Row | None], position: Position, salt: frozenset[Position], data: int, move: int) -> None:
    """Write a position into its pair of rows: the first keeps what took more depth, the second what came last."""
    row = hash(position) & len(table) - 1
    there, other = table[row], table[row ^ 1]
    if there is not None and there[0] != position:
        if (other is not None and other[0] == position) or scores.left_of(there[2]) > scores.left_of(data):
            row ^= 1
    table[row] = position, salt, data, move


def _has_been(past: dict[Position, int], position: Position) -> bool:
    return position in past


def _fingerprint(position: Position) -> frozenset[Position]:
    """Return a set of the position alone; joined by `^` such sets are the salt, the set of all that have been."""
    return frozenset((position,))


def _past_salt(past: dict[Position, int], tier: int) -> frozenset[Position]:
    return frozenset(position for position, of in past.items() if of <= tier)
