"""The terminal that a game is played at: lines are asked for, Ctrl-C leads back to the prompt, long texts are paged.

Where lines come from a pipe they are shown, so that what comes out can be read, and Ctrl-C ends all as ever.
"""

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from gamesman.machine import signals
from gamesman.model.progress import Bars


class Left(Exception):
    """Whoever plays has left, or there is nothing more to read."""


class Terminal:
    """Asks and shows, and tells a first Ctrl-C from a second."""

    def __init__(self) -> None:
        self.is_watched = sys.stdin is not None and sys.stdin.isatty()
        self._has_screens = self.is_watched and sys.stdout is not None and sys.stdout.isatty()
        self._was_interrupted = False
        if self.is_watched:
            with suppress(ImportError):
                # lazy: not every system has it; lines can be edited, and earlier ones called back
                import readline  # noqa: F401

    @contextmanager
    def heeding(self) -> Iterator[None]:
        """Let Ctrl-C raise KeyboardInterrupt inside more than once, if a person is there to type something else."""
        if not self.is_watched:
            yield
            return
        with signals.returning():
            yield

    def ask(self, prompt: str) -> str:
        """Return a line that is typed. Raises Left where there is none any more."""
        try:
            line = input(prompt)
        except EOFError:
            click.echo()
            raise Left from None
        if not self.is_watched:
            click.echo(line)
        self._was_interrupted = False
        return line.strip()

    def interrupted(self, advice: str) -> None:
        """Say what to do after a Ctrl-C, from where it is caught; raise it once more if it is to end the program."""
        Bars.finish_all()
        if not self.is_watched or signals.is_ending() or self._was_interrupted:
            if self.is_watched:
                click.echo()  # what is said last does not begin in the line of the prompt
            raise  # what is being handled
        self._was_interrupted = True
        click.echo(f"\n{advice}")

    def page(self, text: str) -> None:
        """Show a text, where a person watches a screen at a time."""
        lines = text.splitlines()
        room = shutil.get_terminal_size().lines - 1
        if not self._has_screens or len(lines) <= room:
            click.echo(text)
            return
        for begin in range(0, len(lines), room):
            click.echo("\n".join(lines[begin : begin + room]))
            rest = len(lines) - begin - room
            if rest > 0 and self.ask(f"-- {rest} more: Enter, or q -- ").lower() in ("q", "quit"):
                return
