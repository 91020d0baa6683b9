"""Games of a variant are played out here at random, whether it is solved or not.

The same seed plays the same games, interpreted and compiled alike.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np

from gamesman.analysis.kernels.playouts import FULL, MODULI, STUCK, playout_kernels
from gamesman.errors import BrokenGame, TooLarge
from gamesman.model.progress import Progress, Silent
from gamesman.model.variant import Position, Variant

AT_ONCE = 250_000  # moves that compiled code plays between two looks at the progress, about
FIRST_GAMES = 20  # are played in plain Python, which tells how long games are
# So many moves are played in plain Python before compiled code would be loaded.
MOST_INTERPRETED = 30_000


_kernels: dict[tuple[Any, ...], Any] = {}  # by the game's module and the shape of its positions


class Games(NamedTuple):
    """Holds what came of some games, an entry a game."""

    outcomes: np.ndarray  # FIRST, SECOND, NOBODY, CUT or RETURNED
    lengths: np.ndarray  # moves made
    choices: np.ndarray  # of these, made where there were two or more
    offered: np.ndarray  # moves there were to choose from, all together

    def __len__(self) -> int:
        return len(self.outcomes)

    def count(self, outcome: int) -> int:
        return int((self.outcomes == outcome).sum())


class _Form(NamedTuple):
    """Holds what plays games out, as plain Python or compiled, and what reads a position from its rows."""

    play_out: Any
    rules: Any
    rows: Any
    read: Callable[[Any], Position]


class Playouts:
    """Plays games of a variant out at random from its start, any one of which can be played again."""

    def __init__(self, variant: Variant, seed: int, most_moves: int):
        self._variant, self._most_moves = variant, most_moves
        drawn = np.random.SeedSequence([seed, crc32(variant.name.encode())]).generate_state(2)
        self._random = np.array([1 + int(d) % (m - 1) for d, m in zip(drawn, MODULI, strict=True)], np.int64)
        self._moves = np.zeros(1 << 10, np.int64)
        self._plain = self._form = _plain(variant)
        self.seeds = np.zeros((0, 2), np.int64)

    def play(self, count: int, progress: Progress | None = None) -> Games:
        """Play so many games out. Raises BrokenGame."""
        progress = progress or Silent()
        progress.start(f"playing {self._variant.name} at random", count)
        done, played, moves, is_tried = 0, [], 0, False
        while done < count:
            if not is_tried and moves / max(1, done) * count > MOST_INTERPRETED:
                self._form, is_tried = self._compiled(), True
            is_plain = self._form is self._plain
            at_once = FIRST_GAMES if is_plain else max(1, AT_ONCE * done // max(1, moves))
            games, seeds = self._some(min(at_once, count - done), self._random, self._most_moves)
            played.append(games)
            self.seeds = np.concatenate([self.seeds, seeds])
            done, moves = done + len(games), moves + int(games.lengths.sum())
            progress.advance(len(games))
        progress.finish()
        return Games(*(np.concatenate(column) for column in zip(*played, strict=True)))

    def position(self, game: int, moves: int) -> Position:
        """Return the position of a game after so many moves."""
        self._some(1, self.seeds[game].copy(), moves)
        return self._form.read(self._form.rows[1])

    def _some(
        self, count: int, state: np.ndarray, most_moves: int, form: _Form | None = None
    ) -> tuple[Games, np.ndarray]:
        form = form or self._form
        first, before = self._variant.turn(self._variant.start()), state.copy()
        while True:
            seeds = np.zeros((count, 2), np.int64)
            games = Games(np.zeros(count, np.int8), *(np.zeros(count, np.int64) for _ in range(3)))
            # Python's own integers, since a position may be made of them that fits no word.
            is_plain = form is self._plain
            random, moves = (state.tolist(), _Moves(len(self._moves))) if is_plain else (state, self._moves)
            status = form.play_out(form.rules, form.rows, first, most_moves, moves, random, seeds, *games)
            if status == FULL:
                self._moves, state[:] = np.zeros(2 * len(self._moves), np.int64), before
                continue
            if status == STUCK:
                name = self._variant.game.name
                raise BrokenGame(f"{name}: primitive leaves a position undecided that has no move; run: gamesman check")
            state[:] = random
            return games, seeds

    def _compiled(self) -> _Form:
        """Return compiled code, or plain Python for a board that does not fit it."""
        # lazy: start-up time
        from gamesman.compiler.compile import native_rules
        from gamesman.compiler.refusal import compiling
        from gamesman.compiler.rows import compiled_functions, position_of, putter, rows_of, shape_of, taker, words_of
        from gamesman.compiler.wide import to_word

        variant = self._variant
        try:
            words = words_of(variant)
            rules, shape = native_rules(variant.rules, words), shape_of(variant, words)
            kind = variant.game.module, shape
            if kind not in _kernels:
                compiler, functions = compiled_functions(variant, shape)
                made = playout_kernels(compiler.kernel, functions, taker(shape), putter(shape), to_word)
                _kernels[kind] = made["play_out"]
            rows = rows_of([variant.start(), variant.start()], shape)
            form = _Form(_kernels[kind], rules, rows, partial(position_of, shape=shape))
        except TooLarge:
            return self._plain
        with compiling(variant.game):
            self._some(1, self._random.copy(), 1, form)
        return form


class _Moves(list[int]):
    """Is a list that plain Python writes moves into, of any size, and knows its length as an array does."""

    def __init__(self, length: int):
        super().__init__([0] * length)
        self.shape = (length,)


def _plain(variant: Variant) -> _Form:
    made = playout_kernels(
        lambda kernel: kernel, dict(variant.game.functions), lambda rows, i: rows[i], _put, lambda move: move
    )
    return _Form(made["play_out"], variant.rules, [variant.start(), variant.start()], lambda row: row)


def _put(rows: list[Position], i: int, position: Position) -> None:
    rows[i] = position
