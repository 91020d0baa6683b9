"""Memory is measured here, and more than is allowed is refused before it is used."""

import contextlib
import sys
from typing import Any

import psutil

from gamesman.errors import TooLarge
from gamesman.machine.sizes import size_text

# The bytes a process takes to load a game's compiled code, and those to compile it first, measured of our largest game.
LOADING = 50 << 20
COMPILING = 150 << 20

ADVICE = "allow more with --memory, or take a smaller variant"


def peak() -> int:
    """Return the most memory this process has had so far, in bytes."""
    # What the system counts of a process begins with what the one had that started it; this does not.
    with contextlib.suppress(OSError, StopIteration), open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:")) * 1024
    # lazy: only Unix has it
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


LARGE = 1 << 20  # bytes
_MMAP_THRESHOLD = -3  # what the GNU C library's mallopt calls it


def give_back() -> None:
    """Let the system have what the process has freed, where the C library keeps it for later."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        _c_library().malloc_trim(0)


def give_back_at_once() -> None:
    """Let the system from now on have whatever is large as soon as it is freed.

    The C library else keeps more and more, up to tens of megabytes a thread, to have it at hand.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):
        _c_library().mallopt(_MMAP_THRESHOLD, LARGE)


def _c_library() -> Any:
    # lazy: only this needs it
    import ctypes

    return ctypes.CDLL(None)


class Allowance:
    """Keeps the whole process within a limit of memory: it is asked before anything large is allocated."""

    def __init__(self, limit: int | None):
        self._process = psutil.Process()
        self.limit = limit or self.used() + psutil.virtual_memory().available
        self.begun = 0  # bytes that the process is sure to have when all its code is there

    def used(self) -> int:
        """Return how much memory the process has now."""
        return int(self._process.memory_info().rss)

    @property
    def left(self) -> int:
        """Return how much more may be used; below 0 if it is too much already."""
        return self.limit - self.used()

    def begin(self, further: int = 0, purpose: str = "the program alone") -> None:
        """Raise TooLarge if what is used already and `further` bytes that are sure to come are more than allowed."""
        self.begun = self.used() + further
        self._compare(self.begun, purpose, "at least " if further else "")

    def reserve(self, size: int, purpose: str, surely: str = "", advice: str = ADVICE) -> None:
        """Raise TooLarge, with both numbers, if `size` more bytes are more than allowed.

        `surely` is "about " or "at least " where it is not known to the byte.
        """
        if size >= 1 << 20:  # less is not worth asking the system
            self._compare(self.used() + size, purpose, surely, advice)

    def has(self, size: int) -> bool:
        """Return whether `size` more bytes are allowed."""
        return size < 1 << 20 or self.used() + size <= self.limit

    def _compare(self, needed: int, purpose: str, surely: str, advice: str = ADVICE) -> None:
        """Raise TooLarge if what is needed in all is more than allowed."""
        if needed > self.limit:
            raise TooLarge(
                f"{purpose} needs {surely}{size_text(needed)} of memory, {size_text(self.limit)} allowed; {advice}",
                needed,
            )
