"""The search of gamesman.search.tree is compiled here to machine code over arrays, for boards that fit a machine word.

A row of the table is a position, word for word, then its salt, its data and its move. A position is found by a scramble
of its words, not by the game's `hash`: that need not fit a word where the position does.
"""

from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from gamesman.compiler.compile import COMPILED, Compiler, inlined, native_rules
from gamesman.compiler.refusal import refusal
from gamesman.model.variant import Position, Variant
from gamesman.search import scores, tree
from gamesman.search.plain import LISTS, Interpreted, functions_of, rows_in
from gamesman.search.tree import Access, Stack

_SEED, _FACTOR, _AGAIN = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_kernels: dict[ModuleType, tuple[Callable[..., int], Callable[..., None]]] = {}


class Past(NamedTuple):
    """Holds the positions that have been in the game before the root, in the order of their tiers."""

    positions: Any
    tiers: Any
    salts: Any  # of each and all before it
    slots: Any  # where a position is, by its fingerprint; -1 in the empty ones


class Compiled(Interpreted):
    """Searches as machine code; it shares all with the interpreted search but how things are kept.

    Raises TooLarge where the board does not fit a machine word, and BrokenGame if the game cannot be compiled.
    """

    is_compiled = True
    pace = 1_000_000.0

    def _set_up(self, table_bytes: int) -> None:
        self._rules = native_rules(self.variant.rules)
        self._width = len(self.variant.start())
        self.rows = rows_in(table_bytes, 8 * (self._width + 3))
        self._table = np.zeros((self.rows, self._width + 3), np.int64)
        self._state = np.zeros(7, np.int64)
        module = self.variant.game.module
        if module not in _kernels:
            _kernels[module] = _compiled(self.variant, self._width)
        self._run, self._mark = _kernels[module]

    def warm_up(self) -> None:
        try:
            super().warm_up()
        except (MemoryError, OSError):
            raise
        except Exception as error:
            raise refusal(self.variant.game, error) from error

    def _new_stack(self) -> Stack:
        lists = {name: np.zeros(self._plies, np.int64) for name in LISTS}
        positions = np.zeros((self._plies, self._width), np.int64)
        line, moves, weights = (np.zeros(n, np.int64) for n in (self._plies**2, self._room, self._room))
        return Stack(positions=positions, line=line, moves=moves, weights=weights, barred=self._list([]), **lists)

    def _list(self, numbers: Iterable[int]) -> Any:
        return np.array(list(numbers), np.int64)

    def _more_room(self) -> None:
        def grown(old: Any) -> Any:
            return np.concatenate([old, np.zeros(self._room - len(old), np.int64)])

        stack = self._stack
        self._stack = stack._replace(moves=grown(stack.moves), weights=grown(stack.weights))

    def _new_past(self, others: list[tuple[int, Position]]) -> Past:
        slots = np.full(1 << (2 * len(others) + 1).bit_length(), -1, np.int64)
        positions = np.array([position for _, position in others], np.int64).reshape(len(others), self._width)
        marks = self._fingerprints(positions)
        for i, mark in enumerate(marks):
            slot = int(mark) & len(slots) - 1
            while slots[slot] >= 0:
                slot = (slot + 1) & len(slots) - 1
            slots[slot] = i
        tiers = np.array([tier for tier, _ in others], np.int64)
        return Past(positions, tiers, np.bitwise_xor.accumulate(marks), slots)

    def _root_salt(self, position: Position, tier: int) -> Any:
        return _past_salt(self._past, tier) ^ int(self._fingerprints(np.array([position], np.int64))[0])

    def _fingerprints(self, positions: np.ndarray) -> np.ndarray:
        marks = np.zeros(len(positions), np.int64)
        self._mark(positions, marks)
        return marks

    def _put_root(self, position: Position) -> None:
        self._stack.positions[0] = position

    def _take_position(self, ply: int) -> Position:
        return tuple(int(word) for word in self._stack.positions[ply])


def _compiled(variant: Variant, width: int) -> tuple[Callable[..., int], Callable[..., None]]:
    """Compile a game's search; return it and the function that fills an array with the fingerprints of positions."""
    compiler = Compiler(variant.game)
    functions = {
        name: compiler.functions[name] if name in compiler.functions else inlined(function)
        for name, function in functions_of(variant).items()
        if name in COMPILED
    }
    shared = {function.__name__: inlined(function) for function in scores.SHARED} | {"inline": inlined}
    take, put, fingerprint = _taker(width), _putter(width), _scrambler(width)

    def mark(positions, marks):
        for i in range(len(marks)):
            marks[i] = fingerprint(take(positions, i))

    access = _access(take, put, fingerprint, width)
    run = tree.build(functions, access, shared, variant.game.no_repetition, asks=False)
    return compiler.kernel(run), compiler.kernel(mark)


def _taker(width: int) -> Any:
    """Return a function that makes a tuple of a row's first words: to be compiled it must know how many they are."""
    last = width - 1
    if not last:
        return inlined(lambda rows, i: (rows[i, 0],))
    shorter = _taker(last)
    return inlined(lambda rows, i: shorter(rows, i) + (rows[i, last],))


def _putter(width: int) -> Any:
    last = width - 1
    shorter = _putter(last) if last else inlined(lambda rows, i, position: None)

    def put(rows, i, position):
        shorter(rows, i, position)
        rows[i, last] = position[last]

    return inlined(put)


def _scrambler(width: int) -> Any:
    stirred = _stirrer(width)

    def fingerprint(position):
        mark = (stirred(position) ^ (stirred(position) >> np.uint64(31))) * _AGAIN
        return np.int64(mark ^ (mark >> np.uint64(29)))

    return inlined(fingerprint)


def _stirrer(width: int) -> Any:
    last = width - 1
    shorter = _stirrer(last) if last else inlined(lambda position: _SEED)

    def stirred(position):
        mark = (shorter(position) ^ np.uint64(np.int64(position[last]))) * _FACTOR
        return mark ^ (mark >> np.uint64(32))

    return inlined(stirred)


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

    def keep(table, position, salt, data, move):
        """Write a position into its pair of rows: the first keeps what took more depth, the second what came last."""
        row = fingerprint(position) & (len(table) - 1)
        if take(table, row) != position:
            if take(table, row ^ 1) == position or left_of(table[row, data_at]) > left_of(data):
                row ^= 1
        put(table, row, position)
        table[row, salt_at] = salt
        table[row, data_at] = data
        table[row, move_at] = move

    def has_been(past, position):
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
        "salt_at": inlined(lambda table, row: table[row, salt_at]),
        "data_at": inlined(lambda table, row: table[row, data_at]),
        "move_at": inlined(lambda table, row: table[row, move_at]),
        "keep": inlined(keep),
        "has_been": inlined(has_been),
        "past_salt": inlined(_past_salt),
        "known": inlined(lambda position, ply: scores.OPEN),
    }
    return Access(**functions)


def _past_salt(past: Past, tier: int) -> int:
    salt = 0
    for i in range(len(past.tiers)):
        if past.tiers[i] > tier:
            break
        salt = past.salts[i]
    return salt
