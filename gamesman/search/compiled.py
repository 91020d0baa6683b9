"""The search of gamesman.search.tree is compiled here to machine code over arrays.

A row of the table is a position, word for word, then its salt, its data and its move. A position is found by a scramble
of its words, not by the game's `hash`: that need not fit where the position does.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from gamesman.compiler.compile import Compiler, inlined, native_rules
from gamesman.compiler.refusal import compiling
from gamesman.compiler.rows import (
    Shape,
    compiled_functions,
    position_of,
    putter,
    rows_of,
    scrambler,
    shape_of,
    taker,
    words_of,
)
from gamesman.compiler.wide import to_word
from gamesman.model.variant import Position, Variant
from gamesman.search import scores, tree
from gamesman.search.plain import LISTS, MOST_PAST, Interpreted, rows_in
from gamesman.search.stack import HISTORY, Access, Stack
from gamesman.values import DRAW, MAX_REMOTENESS, REMOTENESS_BITS

if TYPE_CHECKING:
    from gamesman.model.tables import Tables

MIXED = 0x2545F4914F6CDD1D  # odd, so that no two moves have the same product

_kernels: dict[tuple[ModuleType, Shape, bool, bool], tuple[Callable[..., int], Callable[..., None]]] = {}


class Past(NamedTuple):
    """Holds the positions that have been in the game before the root, in the order of their tiers."""

    positions: Any
    tiers: Any
    salts: Any  # of each and all before it
    slots: Any  # where a position is, by its fingerprint; -1 in the empty ones


class Endings(NamedTuple):
    """Holds the tables of endgames that are asked."""

    rules: Any  # what numbers the positions of the tables
    up_to: int  # the highest tier
    records: Any


class PastWithEndings(NamedTuple):
    """Holds what has been, and the tables."""

    positions: Any
    tiers: Any
    salts: Any
    slots: Any
    endings: Endings


class Compiled(Interpreted):
    """Searches as machine code; it shares all with the interpreted search but how things are kept.

    Raises TooLarge where the board does not fit wide integers either, and BrokenGame if the game cannot be compiled.
    """

    is_compiled = True
    pace = 1_000_000.0

    def _set_up(self, table_bytes: int) -> None:
        words = words_of(self.variant)
        self._rules = native_rules(self.variant.rules, words)
        self._shape = shape_of(self.variant, words)
        self._width = sum(self._shape)
        self.rows = rows_in(table_bytes, 8 * (self._width + 3))
        self._table = np.zeros((self.rows, self._width + 3), np.int64)
        self._state = self._new_state()
        self._words = lru_cache(MOST_PAST)(self._words_of)
        if self.tables is not None:
            up_to, records = self.tables.records(self._tables_bytes)
            self._endings = Endings(native_rules(self.tables.endgames.rules), up_to, records)
        kind = self.variant.game.module, self._shape, self.returns, self.tables is not None
        if kind not in _kernels:
            _kernels[kind] = _compiled(self.variant, self._shape, self.returns, self.tables)
        self._run, self._mark = _kernels[kind]

    def warm_up(self) -> None:
        with compiling(self.variant.game):
            super().warm_up()

    def _new_state(self) -> Any:
        return np.zeros(8, np.int64)

    def _new_stack(self) -> Stack:
        lists = {name: np.zeros(self._plies, np.int64) for name in LISTS}
        positions = np.zeros((self._plies, self._width), np.int64)
        sizes = {"line": self._plies**2, "moves": self._room, "weights": self._room, "history": HISTORY, "barred": 0}
        return Stack(positions=positions, **lists, **{name: np.zeros(n, np.int64) for name, n in sizes.items()})

    def _list(self, numbers: Iterable[int]) -> Any:
        return np.array(list(numbers), np.int64)

    def _more_room(self) -> None:
        def grown(old: Any) -> Any:
            return np.concatenate([old, np.zeros(self._room - len(old), np.int64)])

        stack = self._stack
        self._stack = stack._replace(moves=grown(stack.moves), weights=grown(stack.weights))

    def _new_past(self, others: list[tuple[int, Position]]) -> Past | PastWithEndings:
        slots = [-1] * (1 << (2 * len(others) + 1).bit_length())
        words = [self._words(position) for _, position in others]
        marks = [mark for _, mark in words]
        for i, mark in enumerate(marks):
            slot = mark & len(slots) - 1
            while slots[slot] >= 0:
                slot = (slot + 1) & len(slots) - 1
            slots[slot] = i
        positions = np.array([row for row, _ in words], np.int64).reshape(-1, self._width)
        tiers = self._list(tier for tier, _ in others)
        past = Past(positions, tiers, np.bitwise_xor.accumulate(self._list(marks)), self._list(slots))
        if self.tables is None:
            return past
        return PastWithEndings(*past, self._endings if self._is_sound else self._endings._replace(up_to=-1))

    def _root_salt(self, position: Position, tier: int) -> Any:
        return _past_salt(self._past, tier) ^ self._words(position)[1]

    def _words_of(self, position: Position) -> tuple[list[int], int]:
        """Return the words of a position, and its fingerprint."""
        row, marks = rows_of([position], self._shape), np.zeros(1, np.int64)
        self._mark(row, marks)
        return row[0].tolist(), int(marks[0])

    def _put_root(self, position: Position) -> None:
        self._stack.positions[0] = rows_of([position], self._shape)[0]

    def _take_position(self, ply: int) -> Position:
        return position_of(self._stack.positions[ply], self._shape)


def _compiled(
    variant: Variant, shape: Shape, returns: bool = False, tables: "Tables | None" = None
) -> tuple[Callable[..., int], Callable[..., None]]:
    """Compile a game's search; return it and the function that fills an array with the fingerprints of positions."""
    compiler, functions = compiled_functions(variant, shape)
    shared = {function.__name__: inlined(function) for function in scores.SHARED} | {"inline": inlined, "word": to_word}
    take, put, fingerprint = taker(shape), putter(shape), scrambler(shape)

    def mark(positions, marks):
        for i in range(len(marks)):
            marks[i] = fingerprint(take(positions, i))

    access = _access(take, put, fingerprint, sum(shape))
    if tables is not None:
        access = access._replace(known=_known(tables, variant.game.no_repetition))
    run = tree.build(functions, access, shared, variant.game.no_repetition, returns, asks=tables is not None)
    label = (".returns" if returns else "") + (".tables" if tables is not None else "")
    return compiler.kernel(run, label), compiler.kernel(mark)


def _known(tables: "Tables", no_repetition: bool) -> Any:
    """Return what tells as a score what the tables say of a position, or OPEN where they do not have it.

    A draw is OPEN where no position may come back: it need not be one then.
    """
    functions, outcome = Compiler(tables.endgames.game).functions, inlined(scores.outcome)
    tier, hash, draw = functions["tier"], functions["hash"], scores.OPEN if no_repetition else 0

    def known(past, position, ply):
        endings = past.endings
        if tier(endings.rules, position) > endings.up_to:
            return scores.OPEN
        record = np.int64(endings.records[hash(endings.rules, position)])
        value = record >> REMOTENESS_BITS
        return draw if value == DRAW else outcome(value, ply + (record & MAX_REMOTENESS))

    return inlined(known)


def _access(take: Any, put: Any, fingerprint: Any, width: int) -> Access:
    salt_at, data_at, move_at = width, width + 1, width + 2

    def find(table, position):
        row = fingerprint(position) & (len(table) - 1)
        if take(table, row) == position:
            return row
        row ^= 1
        if take(table, row) == position:
            return row
        return -1

    left_of = inlined(scores.left_of)

    @inlined
    def seal(position, data, move):
        """Return what tells that the words of a row belong together, though another thread may write to it."""
        return fingerprint(position) ^ data ^ move * MIXED

    def keep(table, position, salt, data, move):
        """Write a position into its pair of rows: the first keeps what took more depth, the second what came last."""
        row = fingerprint(position) & (len(table) - 1)
        if take(table, row) != position:
            if take(table, row ^ 1) == position or left_of(table[row, data_at]) > left_of(data):
                row ^= 1
        put(table, row, position)
        table[row, salt_at] = salt ^ seal(position, data, move)
        table[row, data_at] = data
        table[row, move_at] = move

    def has_been(past, position):
        if len(past.tiers) == 0:
            return False
        slot = fingerprint(position) & (len(past.slots) - 1)
        while past.slots[slot] >= 0:
            if take(past.positions, past.slots[slot]) == position:
                return True
            slot = (slot + 1) & (len(past.slots) - 1)
        return False

    functions = {
        "put": put,
        "take": take,
        "fingerprint": fingerprint,
        "find": inlined(find),
        "data_at": inlined(lambda table, row: table[row, data_at]),
        "move_at": inlined(lambda table, row: table[row, move_at]),
        "salt_at": inlined(lambda table, row, position, data, move: table[row, salt_at] ^ seal(position, data, move)),
        "keep": inlined(keep),
        "has_been": inlined(has_been),
        "past_salt": inlined(_past_salt),
        "known": inlined(lambda past, position, ply: scores.OPEN),
    }
    return Access(**functions)


def _past_salt(past: Past, tier: int) -> int:
    salt = 0
    for i in range(len(past.tiers)):
        if past.tiers[i] > tier:
            break
        salt = past.salts[i]
    return salt
