"""Solved positions are opened here for those that look them up: a database's, or the reference solver's."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from gamesman.app.checking import check_foreign
from gamesman.app.location import open_store
from gamesman.errors import NotSolved, OtherRules, TooLarge
from gamesman.model.advice import command
from gamesman.values import KEY_LIMIT

if TYPE_CHECKING:
    from gamesman.db.reader import Reader
    from gamesman.model.answers import Source
    from gamesman.model.tables import Tables
    from gamesman.model.variant import Variant
    from gamesman.solver.reference import Solution

# What the reference solver may take on: it keeps a position, its moves and its value as Python objects.
MOST_POSITIONS = 5_000_000
BYTES_PER_POSITION = 1000
MOST_PLACES = 10**14  # in arrays; where positions are found by hashing there may be far fewer of them than numbers


def open(variant: "Variant", *, db: str | None = None) -> "Reader":
    """Open a solved variant and return what reads it. Raises NotSolved or DatabaseError."""
    return open_store(db).open(variant)


@contextmanager
def source(
    variant: "Variant", *, is_reference: bool = False, db: str | None = None, memory: int | None = None
) -> Iterator["Source"]:
    """Give the solved positions of a variant to look up: the database's, or those of the reference solver here and now.

    Where only endgames of it are solved, they are given. Raises NotSolved, or TooLarge where it cannot be solved.
    """
    if is_reference:
        yield reference(variant, memory=memory)
        return
    if memory is not None:
        # lazy: start-up time
        from gamesman.machine.memory import Allowance

        Allowance(memory).begin()
    try:
        stored = open(variant, db=db)
    except NotSolved:
        with tables_or_none(variant, db=db) as tables:
            if tables is not None:
                yield tables
                return
        if not _may_be_solved(variant):
            raise TooLarge(f"{variant.name} is too large to be solved; {_search(variant)}") from None
        raise
    with stored:
        yield _tables(stored) if variant.is_partial else stored


@contextmanager
def tables_or_none(variant: "Variant | None", *, db: str | None = None) -> Iterator["Tables | None"]:
    """Give the tables of a variant's endgames up to the highest tier that is stored, or None; None also of no variant.

    Raises DatabaseError.
    """
    if variant is None:
        yield None
        return
    # lazy: start-up time
    from gamesman.model.endgames import name_of, sizes
    from gamesman.model.variant import variant as read_variant

    try:
        tiers = [tier for tier, count in enumerate(sizes(variant)) if count][::-1]
    except TooLarge:
        tiers = []
    stored = None
    for name in open_store(db).begun([name_of(variant, tier) for tier in tiers]):
        with suppress(NotSolved, OtherRules):
            stored = open(read_variant(name), db=db)
            break
    try:
        yield None if stored is None else _tables(stored)
    finally:
        if stored is not None:
            stored.close()


def _tables(stored: "Reader") -> "Tables":
    # lazy: start-up time
    from gamesman.model.tables import Tables

    return Tables(stored)


@contextmanager
def stored_or_none(
    variant: "Variant", *, db: str | None = None, is_without_db: bool = False, warn: Callable[[str], object]
) -> Iterator["Reader | None"]:
    """Give the solved variant, or None where it is not solved or not wanted. Raises DatabaseError.

    One solved under other rules is left out, and `warn` is called with the reason.
    """
    stored = None
    if not is_without_db:
        try:
            stored = open(variant, db=db)
        except NotSolved:
            pass
        except OtherRules as error:
            warn(f"without the database: {error}")
    try:
        yield stored
    finally:
        if stored is not None:
            stored.close()


def reference(variant: "Variant", *, memory: int | None = None) -> "Solution":
    """Solve a variant by the reference solver; return the solution. Raises TooLarge instead of filling memory."""
    # lazy: start-up time
    from gamesman.machine.memory import Allowance, peak
    from gamesman.solver.reference import solve

    check_foreign(variant)
    limit = MOST_POSITIONS
    if memory is not None:
        allowance = Allowance(memory)
        allowance.begin()
        limit = min(limit, max(1, allowance.left // BYTES_PER_POSITION))
    seconds, cpu = time.perf_counter(), time.process_time()
    try:
        solution = solve(variant, limit)
    except TooLarge as error:
        raise TooLarge(f"{error}; {'leave out --reference' if _may_be_solved(variant) else _search(variant)}") from None
    summary = solution.summary
    summary.seconds, summary.cpu_seconds = time.perf_counter() - seconds, time.process_time() - cpu
    summary.peak_memory = peak()
    return solution


def _may_be_solved(variant: "Variant") -> bool:
    """Tell whether the solver is worth asking; it is not where no disk has a place for every number of a position."""
    # lazy: start-up time
    from gamesman.solver.upfront import is_dense

    bound = variant.key_bound()
    if bound is not None and bound > MOST_PLACES and is_dense(variant):
        return False
    return (variant.hash(variant.start()) if bound is None else bound - 1) < KEY_LIMIT


def _search(variant: "Variant") -> str:
    return f"run: {command('search', variant.name)}; or, to prove who wins: {command('prove', variant.name)}"
