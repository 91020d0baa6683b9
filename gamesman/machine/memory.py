"""How much memory there is, how much is used, and the refusal to use more than allowed."""

import psutil

from gamesman.errors import TooLarge

# What a process takes to load a game's compiled code, and to compile it first; measured, by the largest of our games.
LOADING = 50 << 20
COMPILING = 150 << 20

ADVICE = "allow more with --memory, or take a smaller variant"


def size_text(size: float) -> str:
    """A size for a person.

    >>> size_text(6442450944)
    '6.0 GB'
    """
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1024:
            return f"{size:.1f} {unit}" if unit != "bytes" else "1 byte" if size == 1 else f"{size:.0f} bytes"
        size /= 1024
    return f"{size:,.1f} TB"


def peak() -> int:
    """The most memory this process has had so far, in bytes."""
    import resource
    import sys

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


class Allowance:
    """The memory a command may use: a limit for the whole process, checked before anything large is allocated."""

    def __init__(self, limit: int | None):
        self._process = psutil.Process()
        self.limit = limit or self.used() + psutil.virtual_memory().available

    def used(self) -> int:
        return self._process.memory_info().rss

    @property
    def left(self) -> int:
        """How much more may be used; below 0 if it is too much already."""
        return self.limit - self.used()

    def begin(self, further: int = 0, purpose: str = "the program alone") -> None:
        """Raises TooLarge if what is used already and `further` bytes that are sure to come are more than allowed."""
        self._compare(self.used() + further, purpose, "at least " if further else "")

    def reserve(self, size: int, purpose: str, surely: str = "", advice: str = ADVICE) -> None:
        """Raises TooLarge, with both numbers, if `size` more bytes are more than allowed.

        `surely` is "about " or "at least " where it is not known to the byte.
        """
        if size >= 1 << 20:  # less is not worth asking the system
            self._compare(self.used() + size, purpose, surely, advice)

    def has(self, size: int) -> bool:
        """Whether `size` more bytes are allowed."""
        return size < 1 << 20 or self.used() + size <= self.limit

    def _compare(self, needed: int, purpose: str, surely: str, advice: str = ADVICE) -> None:
        if needed > self.limit:
            raise TooLarge(
                f"{purpose} needs {surely}{size_text(needed)} of memory, {size_text(self.limit)} allowed; {advice}",
                needed,
            )
