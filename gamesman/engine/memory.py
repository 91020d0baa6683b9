"""How much memory there is, how much is used, and the refusal to use more than allowed."""

import re

import psutil

from gamesman.errors import OptionError, TooLarge, shorten

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def read_size(text: str) -> int:
    """A size in bytes from a text.

    >>> read_size("6G"), read_size("1.5 M")
    (6442450944, 1572864)
    """
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)I?B?\s*", text.upper())
    if not match or not float(match[1]):
        raise OptionError(f"memory must be a size like 6G or 500M, got {shorten(text) or 'nothing'}")
    return int(float(match[1]) * _UNITS[match[2]])


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

    def reserve(self, size: int, purpose: str) -> None:
        """Raises TooLarge, with both numbers, if `size` more bytes are more than allowed."""
        if size < 1 << 20:
            return
        needed = self.used() + size
        if needed > self.limit:
            raise TooLarge(
                f"{purpose} needs {size_text(needed)} of memory, {size_text(self.limit)} allowed; "
                "allow more with --memory, or take a smaller variant"
            )
