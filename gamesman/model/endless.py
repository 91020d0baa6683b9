"""A function of a game that does not return is found here, in plain Python: compiled code cannot tell where it is.

Positions that compiled code is at come first, as far as the solver tells them, then those near the start.
"""

import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from gamesman.errors import BrokenGame
from gamesman.model.variant import Position, Variant

STUCK = 0.2  # seconds of CPU at one position after which a function is taken not to return
AT_ONCE = 1 << 12  # positions that compiled code should be at, at most, for them to be looked through in time

_suspects: list[Callable[[], Iterable[int]]] = []


@contextmanager
def suspected(keys: Callable[[], Iterable[int]]) -> Iterator[None]:
    """Let `keys` tell which positions compiled code is at, for what is done inside."""
    _suspects.append(keys)
    try:
        yield
    finally:
        _suspects.pop()


def seek(variant: Variant, seconds: float) -> str:
    """Look for a function that does not return, for so many seconds; say which it is and where, or ""."""
    walk = _Walk(variant)
    walk.start()
    walk.join(seconds)
    return walk.found()


class _Walk(threading.Thread):
    """Asks a game's functions at one position after the other, and stays where one of them does not return."""

    def __init__(self, variant: Variant):
        super().__init__(name="gamesman-endless", daemon=True)
        # lazy: start-up time, few games are at fault
        from gamesman.model.check import Check

        self._check = Check(variant)
        self._clock = time.CLOCK_MONOTONIC
        self._position: Position = ()
        self._since = 0.0
        self._fault = ""

    def run(self) -> None:
        if hasattr(time, "pthread_getcpuclockid"):  # a thread that waits for its turn is not at work
            self._clock = time.pthread_getcpuclockid(threading.get_ident())
        with suppress(Exception):
            try:
                self._check.begin()
                for keys in [keys() for keys in _suspects[-1:]]:
                    for key in keys:
                        self._ask(self._check.variant.unhash(int(key)))
                self._ask_all()
            except BrokenGame as error:
                self._fault = str(error)

    def found(self) -> str:
        """Say where it is, if it has stayed there for long, or what it has met that cannot be."""
        if self._fault:
            return self._fault.removeprefix(f"{self._check.variant.name}: ")
        if not self.is_alive() or not self._position:
            return ""
        if time.clock_gettime(self._clock) - self._since < STUCK:
            return ""
        module = self._check.variant.game.module
        path = Path(module.__file__ or "")
        frame, found = sys._current_frames().get(self.ident or 0), None
        while frame is not None:
            found = frame if Path(frame.f_code.co_filename) == path else found  # the outermost, which is what was asked
            frame = frame.f_back
        if found is None:
            return ""
        name, line, at = found.f_code.co_name, found.f_lineno, self._check.show(self._position)
        return f"{name} does not return (line {line} of {path.name}), at {at}"

    def _ask_all(self) -> None:
        """Ask at all positions in the order of their distance from the start."""
        start = self._check.variant.start()
        seen, waiting = {start}, deque([start])
        while waiting:
            new = self._ask(waiting.popleft()).difference(seen)
            seen |= new
            waiting.extend(new)

    def _ask(self, position: Position) -> set[Position]:
        """Ask all functions that are compiled, and return where moves lead."""
        self._since, self._position = time.clock_gettime(self._clock), position
        children = self._check.moves(position)
        for function in ("undo_moves", "symmetries"):
            if self._check.variant.has(function):
                self._check.every(function, position)
        return set(children.values())
