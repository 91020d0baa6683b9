"""A clock counts the time that each player takes, and knows who has run out of it."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# What a program takes of its time for one move at most, as it does not know how many there will be.
SHARE = 1 / 25


class Clock:
    """Counts the seconds of both players; with a limit, who has used it up has lost.

    >>> seconds = iter([0, 20, 30, 45, 60]).__next__
    >>> clock = Clock(limit=40, now=seconds)
    >>> with clock.running(0):
    ...     clock.left(0)
    20.0
    >>> clock.used, clock.text(0)
    ([30.0, 0.0], '0:10 left')
    >>> with clock.running(0):
    ...     pass
    >>> clock.has_run_out(0), clock.has_run_out(1)
    (True, False)
    """

    def __init__(
        self,
        limit: float | None = None,
        used: tuple[float, float] = (0.0, 0.0),
        now: Callable[[], float] = time.monotonic,
    ):
        self.limit = limit
        self.used = [float(seconds) for seconds in used]
        self._now = now
        self._running: tuple[int, float] | None = None

    @contextmanager
    def running(self, player: int) -> Iterator[None]:
        """Count the time that passes inside as a player's, 0 or 1."""
        began = self._now()
        self._running = player, began
        try:
            yield
        finally:
            self._running = None
            self.used[player] += self._now() - began

    def spent(self, player: int) -> float:
        """Return the seconds that a player has used by now."""
        running = self._running
        return self.used[player] + (self._now() - running[1] if running and running[0] == player else 0)

    def left(self, player: int) -> float | None:
        """Return the seconds that a player has left, or None where there is no limit."""
        return None if self.limit is None else max(0, self.limit - self.spent(player))

    def has_run_out(self, player: int) -> bool:
        """Tell whether a player has used all his time."""
        return self.left(player) == 0

    def for_a_move(self, player: int) -> float | None:
        """Return the seconds that a program may take for one move, or None where there is no limit."""
        left = self.left(player)
        return None if left is None else max(0.001, left * SHARE)

    def text(self, player: int) -> str:
        """Say how much time a player has left, or how much he has used."""
        left = self.left(player)
        return f"{_minutes(self.spent(player))} used" if left is None else f"{_minutes(left)} left"


def _minutes(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"
