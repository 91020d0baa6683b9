"""Those who watch a solve from elsewhere are told how far it is, a few times a second, whatever happens."""

import time
from collections.abc import Callable
from typing import Any

from gamesman.errors import TooLarge
from gamesman.machine import signals
from gamesman.web.settings import MOST_SOLVED

TRUSTED = 4  # an estimate may be so many times too much
SECONDS = 0.25  # between two times that it is told


class Told:
    """Tells the phase, the steps done and how many there will be, and the seconds that they took."""

    def __init__(self, tell: Callable[[dict[str, Any]], None], most: int = MOST_SOLVED):
        self._tell, self._most = tell, most
        self._fields: dict[str, Any] = {}
        self._last = 0.0
        self._began = time.monotonic()

    def start(self, phase: str, total: int | None = None) -> None:
        """Begin a phase."""
        signals.at(phase)
        self._began = time.monotonic()
        self._fields = {"phase": phase, "done": 0, "total": total or None, "note": ""}
        self._say(is_now=True)

    def advance(self, steps: int) -> None:
        """Count so many more steps. Raises TooLarge where they are more than a visitor may ask for."""
        self._fields["done"] = self._fields.get("done", 0) + steps
        if self._fields["done"] > self._most:
            raise TooLarge(f"it has more than the {self._most:,} positions that may be solved from here")
        self._say()

    def note(self, text: str) -> None:
        """Say what the solve is at."""
        self._fields["note"] = text
        self._say()

    def expect(self, total: int) -> None:
        """Correct how many steps there will be. Raises TooLarge where they are surely too many."""
        self._fields["total"] = total
        self._say()
        if total > TRUSTED * self._most:
            raise TooLarge(
                f"it has about {total:,} positions: more than the {self._most:,} that may be solved from here"
            )

    def finish(self) -> None:
        """End the phase."""
        self._say(is_now=True)

    def _say(self, is_now: bool = False) -> None:
        now = time.monotonic()
        if is_now or now - self._last >= SECONDS:
            self._last = now
            self._tell({**self._fields, "seconds": round(now - self._began, 2)})
