"""The standard streams are made safe here: they may be closed, full, without a reader, or unable to show a text.

Answers are what commands say through click; whatever else is written to standard output, by a `print` in a game, goes
to standard error, so that a program that reads the answers gets nothing but them.
"""

import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any

# Whose writing is an answer, or the prompt of a question.
SPEAKERS = ("click", "gamesman.cli.")


def fill() -> None:
    """Put a file that takes nothing, or for errors anything, in the place of each standard stream that is closed.

    Else the next file opened, a database perhaps, would be taken for a stream and written over.
    """
    for number, mode in ((0, os.O_RDONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, mode)  # gets the lowest number that is free, this one
    if sys.stdin is None:
        sys.stdin = os.fdopen(0, closefd=False)
    if sys.stdout is None:
        sys.stdout = os.fdopen(1, "w", closefd=False)  # can be opened, but writing fails and so is noticed
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)


class Answers:
    """Writes answers to standard output, and all other text to standard error."""

    def __init__(self, stream: Any):
        self._stream = stream

    def write(self, text: str) -> int:
        speaker = sys._getframe(1).f_globals.get("__name__", "")
        is_answer = speaker.startswith(SPEAKERS) or sys.stderr is None
        return (self._stream if is_answer else sys.stderr).write(text)

    def writelines(self, lines: Any) -> None:
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def for_answers() -> Iterator[None]:
    """Keep standard output for answers, and let any text be written to the streams.

    What a terminal's encoding cannot show is escaped, and what is no text in a file is read as question marks.
    """
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace")):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=errors)
    stream = sys.stdout
    if stream is not None and not isinstance(stream, Answers):
        sys.stdout = Answers(stream)
    try:
        yield
    finally:
        sys.stdout = stream


def say_last(line: str) -> None:
    """Write the line on standard error that a run ends with, if there is anybody to read it."""
    if sys.stderr is None:
        return
    try:
        print(line, file=sys.stderr, flush=True)
    except (OSError, ValueError):  # the terminal is gone, the disk is full
        give_up(sys.stderr)


def give_up(stream: Any) -> None:
    """Point a stream to nowhere: the interpreter flushes it once more at its end, and would complain."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
