"""How much memory there is, how much is used, and the refusal to use more than allowed."""

import psutil

from gamesman.errors import TooLarge


def size_text(size: float) -> str:
    """A size for a person.

    >>> size_text(6442450944)
    '6.0 GB'
    """
    for unit in ("bytes", "KB", "MB", "GB"):
        if size < 1024:
            return f"{size:.0f} bytes" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} TB"


def peak() -> int:
    """The most memory this process has had so far, in bytes."""
    import resource
    import sys

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


class Allowance:
    """The memory a solve may use: a limit for the whole process, checked before anything large is allocated."""

    def __init__(self, limit: int | None):
        self._process = psutil.Process()
        self.limit = limit or self.used() + psutil.virtual_memory().available

    def used(self) -> int:
        return self._process.memory_info().rss

    def begin(self) -> None:
        """Raises TooLarge if what is used already is more than allowed."""
        self._compare(self.used(), "the program alone")

    def reserve(self, size: int, purpose: str) -> None:
        """Raises TooLarge, with both numbers, if `size` more bytes are more than allowed."""
        if size >= 1 << 20:  # less is not worth asking the system
            self._compare(self.used() + size, purpose)

    def _compare(self, needed: int, purpose: str) -> None:
        if needed > self.limit:
            raise TooLarge(
                f"{purpose} needs {size_text(needed)} of memory, {size_text(self.limit)} allowed; "
                "allow more with --memory, or take a smaller variant"
            )
