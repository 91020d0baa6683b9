"""The prover asks whether a player can force a win, and if need be a tie, until the value is certain or the time is up.

>>> from gamesman.model.variant import variant
>>> prover = Prover(variant("konane:rows=4,cols=5"), threads=1)
>>> prover.prove(prover.variant.start()).value
'lose'

Where no position comes back, two answers are enough: can the player to move force a win; and if not, can he force a
tie? The second is asked only where the first has met a tie. Where positions can come back a search need not end. Then
it asks whether he wins, or loses, within one move, two, three; a tie, or that he does not win, is never proved so.
"""

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from gamesman.compiler.refusal import compiling
from gamesman.compiler.rows import rows_of, words_of
from gamesman.errors import BrokenGame, TooLarge
from gamesman.model.answers import ranked
from gamesman.model.progress import Progress, Silent
from gamesman.model.variant import Position, Variant
from gamesman.prover import leaves, tree
from gamesman.prover.kernel import Kernel
from gamesman.prover.proof import Claim, Proof
from gamesman.prover.table import MOST_DEPTH, new_table
from gamesman.prover.tree import Stack
from gamesman.values import DRAW, LOSE, NAMES, TIE, UNDECIDED, WIN

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

TABLE_BYTES = 256 << 20
MOST_PLIES = 100_000
SLICE = 0.05  # seconds between two looks at the clock
RETURNS = "positions can come back in this game, so only wins and losses are proved, those within a number of moves"


class OutOfTime(Exception):
    """The time is up, or the search was told to stop."""


class Returns(Exception):
    """The tier does not fall with every move, so that a search need not end."""


class Prover:
    """Proves what positions of one variant are worth; what is proved of some helps with the next.

    Raises TooLarge or BrokenGame if the game cannot be compiled.
    """

    def __init__(
        self,
        variant: Variant,
        stored: "SolvedPositions | None" = None,
        table_bytes: int = TABLE_BYTES,
        threads: int = 1,
    ):
        self.variant = variant
        self.stored = stored
        self.progress: Progress = Silent()
        self.has_ties = False  # whether one has been met, in this search or in one that the table remembers
        self.nodes = 0
        self.end = float("inf")  # on the clock of time.perf_counter
        self._table_bytes = table_bytes
        self._threads = threads
        self.counts_moves = False  # whether to prove within a number of moves, whether positions come back or not
        self._kernel: Any = None

    def prove(self, position: Position, seconds: float | None = None, *, is_strategy: bool = False) -> Proof:
        """Prove what a position is worth, within some seconds or however long it takes; return what is proved.

        The clock starts when compiled code is there. What is proved so that a strategy can be told is searched, even
        where the database has the position.
        """
        self._mover = self.variant.turn(position)
        over = self.variant.primitive(position)
        if over != UNDECIDED:
            return Proof(position, NAMES[over], None, 0, 0.0, "rules")
        known = self._from_database(position, is_strategy)
        if known is not None:
            return known
        self.load(position)
        self.progress.start("proving")
        began = time.perf_counter()
        self.end = float("inf") if seconds is None else began + seconds
        self.nodes = 0
        try:
            value, move, depth, note = self._value(position)
        finally:
            self.progress.finish()
        return Proof(position, value, move, self.nodes, time.perf_counter() - began, "search", depth, note)

    def told(self) -> str:
        """Say how far the search is, for where it is interrupted."""
        return f"nothing proved after {self.nodes:,} positions"

    def load(self, position: Position) -> None:
        """Compile the game, or load what was compiled, and make the tables for what follows from a position."""
        if self._kernel is None:
            self.progress.start("loading compiled code", 0)
            stored = self.stored if words_of(self.variant) == 1 else None
            loaded = leaves.load(stored, position, self._table_bytes // 2) if stored is not None else None
            self._leaves: Any = loaded or 0
            self._kernel = Kernel(self.variant, stored if loaded else None)
            self._table = new_table(self._table_bytes)
            self._busy = np.zeros(tree.BUSY, np.int64)
            self._stacks = [self._kernel.stack() for _ in range(self._threads)]
        self._rules = self._kernel.rules_for(position)
        state, rows = np.zeros(11, np.int64), np.zeros((0, self._kernel.width), np.int64)
        with compiling(self.variant.game):
            self.run(0, state, rows, np.zeros((0, 2), np.int64), 0)

    def run(self, number: int, state: np.ndarray, rows: np.ndarray, results: np.ndarray, limit: int) -> int:
        """Search on a thread of that number, as tree.build says."""
        tables = self._table, self._leaves, self._busy
        status: int = self._kernel.run(self._rules, self._stacks[number], *tables, state, rows, results, limit)
        return status

    def choices(self, rows: np.ndarray, claim: Claim, asked: Claim, depth: int) -> np.ndarray:
        """Return for each position, in which the player of a claim is to move, the number of a move that keeps it.

        `asked` is what was asked when the claim was proved: the same, or whether the other can force what it denies.
        """
        self.end = float("inf")  # the time was for the proof
        results = self._ask(rows, asked, depth, threads=1)
        if (results[:, 0] != (asked == claim)).any() or (results[:, 1] < 0).any():
            raise AssertionError(f"{self.variant.name}: what was proved does not hold again")
        return results[:, 1]

    def asked_for(self, claim: Claim, depth: int) -> Claim:
        """Return what was asked to prove a claim about the position last proved."""
        if depth or claim.player == self._mover:
            return claim
        # That the mover cannot force a tie was asked only where there are ties.
        return Claim(self._mover, TIE if claim.least == WIN and self.has_ties else WIN)

    def _from_database(self, position: Position, is_strategy: bool) -> Proof | None:
        if self.stored is None or (answer := self.stored.get(position)) is None:
            return None
        if self.variant.game.no_repetition if answer[0] == DRAW else is_strategy:
            return None
        began = time.perf_counter()
        best = ranked(self.variant, self.stored, position)[0].move
        value, seconds = answer[0], time.perf_counter() - began
        note = "the database has it as a draw" if value == DRAW else ""
        name: str | None = "not win" if value == DRAW else NAMES[value]
        if value == DRAW and is_strategy:
            name, note = None, f"{note}, of which there is no certificate"
        return Proof(position, name, None if value in (LOSE, DRAW) else best, 0, seconds, "database", 0, note)

    def _value(self, position: Position) -> tuple[str | None, int | None, int, str]:
        """Return the value, the move, the depth and the note of a proof."""
        root = rows_of([position], self._kernel.shape)
        mover = self._mover
        moves = list(self.variant.generate_moves(position))
        try:
            if self.counts_moves:
                raise Returns
            is_win, move = self._answer(root, Claim(mover, WIN))
            if is_win:
                return "win", moves[move], 0, ""
            if not self.has_ties:
                return "lose", None, 0, ""
            try:
                is_tie, move = self._answer(root, Claim(mover, TIE))
            except OutOfTime:
                return "not win", None, 0, "there was no time to tell a tie from a loss"
            return ("tie", moves[move], 0, "") if is_tie else ("lose", None, 0, "")
        except OutOfTime:
            return None, None, 0, ""
        except Returns:
            return self._within(root, mover, moves)

    def _within(self, root: np.ndarray, mover: int, moves: list[int]) -> tuple[str | None, int | None, int, str]:
        """Prove a win or a loss within more and more moves."""
        depth = 0
        try:
            for depth in range(1, MOST_DEPTH + 1):
                self.progress.note(f"within {depth} moves")
                is_win, move = self._answer(root, Claim(mover, WIN), depth)
                if is_win:
                    return "win", moves[move], depth, RETURNS
                if self._answer(root, Claim(1 - mover, WIN), depth)[0]:
                    return "lose", None, depth, RETURNS
        except OutOfTime:
            depth -= 1
        return None, None, 0, f"{RETURNS}; there is none within {depth}"

    def _answer(self, root: np.ndarray, claim: Claim, depth: int = 0) -> tuple[bool, int]:
        is_so, move = self._ask(root, claim, depth, self._threads)[0]
        return bool(is_so), int(move)

    def _ask(self, rows: np.ndarray, claim: Claim, depth: int, threads: int) -> np.ndarray:
        """Ask of each position whether the claim holds; return the answers as tree.build says. Raises OutOfTime."""
        runs = [_Run(self, number, rows, claim, depth, threads > 1) for number in range(threads)]
        if threads == 1:
            runs[0].go()
        else:
            self._busy[:] = 0
            _run_all(runs)
        for run in runs:
            if run.error is not None:
                raise run.error
        done = next((run for run in runs if run.is_done), None)
        if done is None:
            raise OutOfTime
        return done.results


class _Run:
    """Searches on one thread until it is done, the time is up, or it is told to stop."""

    def __init__(self, prover: Prover, number: int, rows: np.ndarray, claim: Claim, depth: int, is_shared: bool):
        self._prover = prover
        self._number = number
        self._rows = rows
        self.results = np.full((len(rows), 2), -1, np.int64)
        self.state = state = np.zeros(11, np.int64)
        state[tree.DEPTH], state[tree.PLAYER], state[tree.LEAST] = depth, claim.player, claim.least
        # Each question has marks of its own, within a depth and without.
        state[tree.SALT] = (0x5851F42D4C957F2D * (1 + claim.player + 2 * claim.least + 8 * bool(depth))) % (1 << 62)
        state[tree.SHARES] = is_shared
        self.is_done = False
        self.must_stop = False
        self.error: BaseException | None = None

    def go(self) -> None:
        """Search; afterwards `is_done`, or there is an `error`, or neither."""
        try:
            self._go()
        except BaseException as error:
            if threading.current_thread() is threading.main_thread():
                raise
            self.error = error

    def _go(self) -> None:
        prover, state = self._prover, self.state
        # The first positions take long, for each touches memory of the table for the first time.
        pace = 1_000.0
        while not self.must_stop:
            began, before = time.perf_counter(), int(state[tree.NODES])
            if began >= prover.end:
                return
            limit = before + max(1, int(pace * min(SLICE, prover.end - began)))
            status = prover.run(self._number, state, self._rows, self.results, limit)
            spent, nodes = time.perf_counter() - began, int(state[tree.NODES]) - before
            prover.nodes += nodes
            prover.has_ties |= bool(state[tree.HAS_TIES])
            prover.progress.advance(nodes)
            if spent > SLICE / 10:
                pace = max(1.0, nodes / spent)
            elif nodes > 2 * pace * spent:
                pace *= 2
            if status == tree.DONE:
                self.is_done = True
                return
            if status != tree.PAUSED:
                self._deal_with(status, prover._stacks[self._number])

    def _deal_with(self, status: int, stack: Stack) -> None:
        """Make the stack longer, or raise what the status stands for."""
        prover, game = self._prover, self._prover.variant.game
        if status in (tree.FULL, tree.DEEP) and len(stack.next) < MOST_PLIES:
            plies, room = len(stack.next), len(stack.order)
            wanted = (plies, 2 * room) if status == tree.FULL else (2 * plies, room)
            prover._stacks[self._number] = prover._kernel.stack(*wanted)
            return
        if status == tree.RISES:
            raise Returns
        if status == tree.STUCK:
            raise BrokenGame(f"{game.name}: primitive leaves a position undecided that has no move")
        if status == tree.CAME_BACK:
            raise BrokenGame(f"{game.name} says that no position comes back (no_return), but one has")
        raise TooLarge(f"{game.name}: a game is longer than {MOST_PLIES} turns, too long to be searched")


def _run_all(runs: list[_Run]) -> None:
    """Run searches on threads of their own until one is done or has an error; Ctrl-C stops them all."""
    threads = [threading.Thread(target=run.go, name="gamesman-prover", daemon=True) for run in runs]
    try:
        for thread in threads:
            thread.start()
        while all(thread.is_alive() for thread in threads):
            for thread in threads:
                thread.join(SLICE / len(threads))
    finally:
        for run in runs:
            run.must_stop = True
        for thread in threads:
            thread.join()


Told = Callable[[str], Any]
