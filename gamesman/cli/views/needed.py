"""What a solve will need is written here for a person."""

from collections.abc import Callable

from gamesman.cli.display import columns, duration, wrapped
from gamesman.machine.sizes import size_text
from gamesman.model.needs import CORES, Needs, Range

MEANING = (
    f"Estimated; hours are those of machines of {CORES} cores like this one, if the shared disk keeps up. "
    "What is behind a number holds where positions were counted within those bounds."
)


def needs_page(needs: Needs, memory: int) -> str:
    """Show what a variant needs, where so much memory is allowed."""
    is_in_memory = needs.is_solved or needs.fits(memory)
    rows = [
        [needs.variant, "is solved already; it took" if needs.is_solved else "would need"],
        ["  positions", _text(needs.positions, _count)],
        ["  memory", _text(needs.memory, size_text)],
        ["  database", _text(needs.database, size_text)],
        ["  CPU time", _text(needs.cpu_seconds, duration)],
    ]
    if not is_in_memory:
        rows += [
            ["in files", f"as {size_text(memory)} of memory do not do; {size_text(needs.least_memory)} or more"],
            ["  files", _text(needs.files, size_text)],
            ["  CPU time", _text(needs.cpu_in_files, duration)],
        ]
    if not needs.is_solved:
        rows += [
            [f"on {machines} machine{'s' * (machines > 1)}", _text(hours, lambda number: duration(3600 * number))]
            for machines, hours in needs.hours.items()
        ]
    return columns(rows) + ("" if needs.is_solved else "\n\n" + wrapped(MEANING))


def _count(number: float) -> str:
    return f"{round(number):,}" if number < 1e12 else f"{number:.1e}"


def _text(number: Range, write: Callable[[float], str]) -> str:
    if number.low == number.high:
        return write(number.likely)
    return f"{write(number.likely)} ({write(number.low)} to {write(number.high)})"
