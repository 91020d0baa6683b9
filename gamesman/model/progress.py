"""A long task tells how far it is: by bars on standard error where a person is watching, else not at all."""

import os
import sys
from typing import Any, Protocol

from gamesman.machine import signals


class Progress(Protocol):
    """Hears of a long task: its phases one after the other, each with a number of steps."""

    def start(self, phase: str, total: int | None = None) -> None:
        """Begin a phase; `total` is None where its end is not known, 0 where there is nothing to count."""

    def advance(self, steps: int) -> None:
        """Count so many more steps of the phase as done."""

    def note(self, text: str) -> None:
        """Say in a few words what the task is at."""

    def expect(self, total: int) -> None:
        """Take about how many steps the phase will have had at its end, as far as is known by now."""

    def finish(self) -> None:
        """End the phase."""


class Silent:
    """Reports nothing.

    >>> Silent().start("solving", 10)
    """

    def start(self, phase: str, total: int | None = None) -> None:
        signals.at(phase)

    def advance(self, steps: int) -> None:
        pass

    def note(self, text: str) -> None:
        pass

    def expect(self, total: int) -> None:
        pass

    def finish(self) -> None:
        pass


class Bars:
    """Shows a bar for each phase, which is gone when the phase is over."""

    _shown: "set[Bars]" = set()

    def __init__(self, unit: str = " positions") -> None:
        self._unit = unit
        self._bar: Any = None

    def start(self, phase: str, total: int | None = None) -> None:
        # lazy: start-up time
        from tqdm import tqdm

        self.finish()
        signals.at(phase)
        self._shown.add(self)
        # Some terminals do not know their size; tqdm would then show nothing.
        is_known = all(os.get_terminal_size(sys.stderr.fileno()))
        self._bar = tqdm(
            desc=phase,
            total=total,
            bar_format="{desc} ..." if total == 0 else None,
            unit=self._unit,
            unit_scale=True,
            leave=False,
            ncols=None if is_known else 80,
            nrows=None if is_known else 24,
            dynamic_ncols=is_known,
            file=sys.stderr,
        )

    def advance(self, steps: int) -> None:
        if self._bar is not None:
            self._bar.update(steps)

    def note(self, text: str) -> None:
        if self._bar is not None:
            self._bar.set_postfix_str(text, refresh=False)

    def expect(self, total: int) -> None:
        if self._bar is not None:
            self._bar.total = total

    def finish(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
            self._shown.discard(self)

    @classmethod
    def finish_all(cls) -> None:
        """Take all bars off the terminal, so that an error has a line of its own."""
        for bars in list(cls._shown):
            bars.finish()


def watched(is_quiet: bool = False, unit: str = " positions") -> Progress:
    """Return bars if standard error is a terminal and they are wanted, else what reports nothing."""
    return Silent() if is_quiet or sys.stderr is None or not sys.stderr.isatty() else Bars(unit)
