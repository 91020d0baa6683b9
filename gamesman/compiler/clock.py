"""Compiling, or loading what is compiled, takes time that is told here apart from that of the work itself."""

import contextlib
import time
from collections.abc import Iterator

from numba.core import event


class CompileClock(event.Listener):  # type: ignore[misc]
    """Adds up the seconds of computing that this process spends with numba's compiler, or waits for it."""

    def __init__(self) -> None:
        self.seconds, self._depth, self._since = 0.0, 0, 0.0

    def on_start(self, _: event.Event) -> None:
        """Begin to count, unless that was begun already."""
        if not self._depth:
            self._since = time.process_time()
        self._depth += 1

    def on_end(self, _: event.Event) -> None:
        """Stop counting at the end of what was begun first."""
        self._depth -= 1
        if not self._depth:
            self.seconds += time.process_time() - self._since


@contextlib.contextmanager
def compile_clock() -> Iterator[CompileClock]:
    """Yield a clock that runs whenever something is compiled inside."""
    clock = CompileClock()
    with event.install_listener("numba:compiler_lock", clock):
        yield clock
