"""Where the answers of a command come from: the database, or the reference solver here and now."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gamesman.model.answers import Source
    from gamesman.model.variant import Variant
    from gamesman.solver.reference import Solution

# What the reference solver may take on: it keeps a position, its moves and its value as Python objects.
MOST_POSITIONS = 5_000_000
BYTES_PER_POSITION = 1000


@contextmanager
def source(variant: "Variant", is_reference: bool, db: str | None, memory: int | None) -> Iterator["Source"]:
    """Solved positions of a variant, to look up."""
    if is_reference:
        yield reference(variant, memory)
        return
    from gamesman.db import open_store
    from gamesman.errors import NotSolved, TooLarge

    try:
        stored = open_store(db).open(variant)
    except NotSolved:
        if not _has_small_keys(variant):
            raise TooLarge(f"{variant.name} is too large to be solved; {_search(variant)}") from None
        raise
    try:
        yield stored
    finally:
        stored.close()


def reference(variant: "Variant", memory: int | None) -> "Solution":
    """The reference solver's solution, with the time and memory it took. Raises TooLarge instead of filling memory."""
    import resource
    import sys
    import time

    from gamesman.errors import TooLarge
    from gamesman.solver.reference import solve

    _check_foreign(variant)
    limit = MOST_POSITIONS
    if memory is not None:
        from gamesman.machine.memory import Allowance

        allowance = Allowance(memory)
        allowance.begin()
        limit = min(limit, max(1, allowance.left // BYTES_PER_POSITION))
    seconds, cpu = time.perf_counter(), time.process_time()
    try:
        solution = solve(variant, limit)
    except TooLarge as error:
        raise TooLarge(
            f"{error}; {'leave out --reference' if _has_small_keys(variant) else _search(variant)}"
        ) from None
    summary = solution.summary
    summary.seconds, summary.cpu_seconds = time.perf_counter() - seconds, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    summary.peak_memory = peak if sys.platform == "darwin" else peak * 1024
    return solution


def _has_small_keys(variant: "Variant") -> bool:
    """Whether positions can be numbered so that the solver may try: where they are too many it says so itself."""
    bound = variant.key_bound()
    return (variant.hash(variant.start()) if bound is None else bound - 1) < 1 << 63


def _search(variant: "Variant") -> str:
    from gamesman.model.advice import command

    return f"run: {command('search', variant.name)}"


def _check_foreign(variant: "Variant") -> None:
    """Check a game that is not ours before its values are trusted; ours are checked by our tests. Raises BrokenGame."""
    if not variant.game.module.__name__.startswith("gamesman.games."):
        from gamesman.model.check import check

        check(variant)
