"""What a solve needs, with bounds, is held here: the fields of `solve --estimate`, which the contract fixes."""

from typing import Any, NamedTuple

CORES = 2  # of a machine, where hours are told


class Range(NamedTuple):
    """Holds a number that is known within bounds; they are the same where there is one estimate."""

    low: float
    likely: float
    high: float

    def as_json(self, is_count: bool = False) -> Any:
        """Return the number, or its bounds; counts and large numbers whole."""
        low, high = (int(end) if is_count or self.high > 100 else round(end, 2) for end in (self.low, self.high))
        return low if self.low == self.high else {"low": low, "high": high}


class Needs(NamedTuple):
    """Says what a solve needs: bytes and seconds."""

    variant: str
    positions: Range
    memory: Range  # where all stays in memory
    least_memory: int  # where a solve goes on in files
    database: Range
    files: Range  # beside the database, where a solve goes on in files
    cpu_seconds: Range
    cpu_in_files: Range
    hours: dict[int, Range]  # by number of machines; of a single one where the work cannot be shared
    is_solved: bool = False  # then this is what it has needed

    def fits(self, memory: int) -> bool:
        """Return whether it most likely needs no files."""
        return self.memory.likely <= memory

    def as_json(self, memory: int) -> dict[str, Any]:
        """Return the fields of `solve --estimate --json`, where so much memory is allowed."""
        is_in_memory = self.is_solved or self.fits(memory)
        disk = self.database if is_in_memory else _added(self.database, self.files)
        return {
            "variant": self.variant,
            "positions": self.positions.as_json(is_count=True),
            "memory": self.memory.as_json(),
            "disk": disk.as_json(),
            "cpu_seconds": (self.cpu_seconds if is_in_memory else self.cpu_in_files).as_json(),
            "in_files": not is_in_memory,
        }


def _added(one: Range, other: Range) -> Range:
    return Range(*map(sum, zip(one, other, strict=True)))
