"""The program opens, solves, compares, verifies, exports, lists and deletes here, where a database meets the rest.

The commands and `gamesman.api` call these functions; no other room knows both a database and what works with it.

Imports stand inside the functions to keep the start short: a look-up must not wait for numba and numpy to be loaded,
nor `gamesman games` for a database.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import builtins
    from pathlib import Path
    from typing import Any

    from gamesman.analysis.comparison import Comparison
    from gamesman.analysis.profile import Profile
    from gamesman.db.reader import Reader
    from gamesman.db.store import Entry
    from gamesman.db.writer import Writer
    from gamesman.model.answers import Source
    from gamesman.model.progress import Progress
    from gamesman.model.summary import Summary
    from gamesman.model.variant import Variant
    from gamesman.solver.reference import Solution

# What the reference solver may take on: it keeps a position, its moves and its value as Python objects.
MOST_POSITIONS = 5_000_000
BYTES_PER_POSITION = 1000

INTERPRETED = 3000  # positions that `check` tries in plain Python


def open(variant: "Variant", *, db: str | None = None) -> "Reader":
    """Open a solved variant and return what reads it. Raises NotSolved or DatabaseError."""
    from gamesman.db import open_store

    return open_store(db).open(variant)


def solve(
    variant: "Variant",
    *,
    db: str | None = None,
    threads: int | None = None,
    memory: int | None = None,
    is_restart: bool = False,
    is_waiting: bool = False,
    is_verified: bool = True,
    progress: "Progress | None" = None,
) -> tuple[str, "Summary"]:
    """Solve a variant into the database; return "solved" or "already solved", and the summary.

    A variant that is there already costs no start of the solver; one that was interrupted goes on where it stopped.
    What a game that is not ours has yielded is verified, unless that is not wanted: where its functions turn out not to
    agree nothing is kept. Raises BrokenGame.
    """
    from gamesman.db import open_store
    from gamesman.errors import NotSolved
    from gamesman.machine import signals
    from gamesman.model.symmetry import in_use

    store = open_store(db)
    writer: Writer | None = None

    def stored_so_far() -> str:
        """Say what is stored now; return "" before the database is open, or while the first tiers come in."""
        if writer is None or writer.has_tiers is None:
            return ""
        if writer.has_tiers:
            return "the same command goes on where it stopped"
        return "" if is_restart else "nothing is stored yet"

    if not is_restart:
        try:
            with store.open(variant) as stored:
                return "already solved", stored.summary
        except NotSolved:
            pass
    is_classes = in_use(variant) is not None
    with (
        signals.task(f"solving {variant.name}", stored_so_far),
        store.writer(variant, restart=is_restart, wait=is_waiting, is_classes=is_classes) as opened,
    ):
        writer = opened
        if writer.summary is not None:  # by a process that this one has waited for
            return "already solved", writer.summary
        # Lazy for start-up time: a variant that is solved must not wait for numba.
        from gamesman.solver.solve import solve

        summary = solve(variant, sink=writer, threads=threads, memory=memory, progress=progress)
    if is_verified and is_foreign(variant):
        _verify_new(variant, db=db, threads=threads, memory=memory, progress=progress)
    return "solved", summary


def _verify_new(variant: "Variant", *, db: str | None, **settings: "Any") -> None:
    """Verify what has just been solved, and delete it where that fails. Raises BrokenGame."""
    from gamesman.errors import BrokenGame, NotVerified
    from gamesman.machine import signals
    from gamesman.model.advice import command

    def outcome() -> str:
        return f"it is solved and not verified; run: {command('verify', variant.name)}"

    try:
        with signals.task(f"verifying {variant.name}", outcome):
            _verification(variant, db=db, **settings)
    except NotVerified as error:
        delete(variant.name, db=db)
        said = error.fault or f"{variant.name}: its functions do not agree, {str(error).partition('; run: ')[0]}"
        raise BrokenGame(f"{said}; nothing was kept of what was solved") from error


def reference(variant: "Variant", *, memory: int | None = None) -> "Solution":
    """Solve a variant by the reference solver; return the solution. Raises TooLarge instead of filling memory."""
    import time

    from gamesman.errors import TooLarge
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
        raise TooLarge(
            f"{error}; {'leave out --reference' if _has_small_keys(variant) else _search(variant)}"
        ) from None
    summary = solution.summary
    summary.seconds, summary.cpu_seconds = time.perf_counter() - seconds, time.process_time() - cpu
    summary.peak_memory = peak()
    return solution


@contextmanager
def source(
    variant: "Variant", *, is_reference: bool = False, db: str | None = None, memory: int | None = None
) -> Iterator["Source"]:
    """Give the solved positions of a variant to look up: the database's, or those of the reference solver here and now.

    Raises NotSolved, or TooLarge where it cannot be solved.
    """
    from gamesman.errors import NotSolved, TooLarge

    if is_reference:
        yield reference(variant, memory=memory)
        return
    try:
        stored = open(variant, db=db)
    except NotSolved:
        if not _has_small_keys(variant):
            raise TooLarge(f"{variant.name} is too large to be solved; {_search(variant)}") from None
        raise
    with stored:
        yield stored


@contextmanager
def stored_or_none(
    variant: "Variant", *, db: str | None = None, is_without_db: bool = False, warn: Callable[[str], object]
) -> Iterator["Reader | None"]:
    """Give the solved variant, or None where it is not solved or not wanted. Raises DatabaseError.

    One solved under other rules is left out, and `warn` is called with the reason.
    """
    from gamesman.errors import NotSolved, OtherRules

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


def check_foreign(variant: "Variant") -> None:
    """Check a game that is not ours before its values are trusted; ours are checked by our tests. Raises BrokenGame."""
    if is_foreign(variant):
        from gamesman.model.check import check

        check(variant)


def check(
    variant: "Variant", positions: int, *, progress: "Progress | None" = None
) -> "tuple[int, builtins.list[str]]":
    """Check a game on up to so many positions; return how many they were, and what is wrong."""
    from gamesman.compiler.trial import trial
    from gamesman.errors import BrokenGame, TooLarge
    from gamesman.model.check import check
    from gamesman.model.overlooked import overlooked
    from gamesman.model.progress import Silent

    progress = progress or Silent()
    problems = [*overlooked(variant.game)]
    tried = 0
    try:
        progress.start(f"checking {variant.name}", 0)
        tried = check(variant, min(positions, INTERPRETED), is_complete=False)
        progress.start(f"trying {variant.name}", positions)
        tried = max(tried, trial(variant, positions, progress.advance))
    except TooLarge:  # to be compiled: then what was interpreted is all
        pass
    except BrokenGame as error:
        problems.append(str(error))
    finally:
        progress.finish()
    return tried, problems


def is_foreign(variant: "Variant") -> bool:
    """Tell whether a game is the user's own, or another package's."""
    return not variant.game.module.__name__.startswith("gamesman.games.")


def profiles(
    variants: Sequence["Variant"],
    *,
    db: str | None = None,
    memory: int | None = None,
    progress: "Callable[[], Progress] | None" = None,
    is_walked: bool = True,
) -> Iterator["Profile"]:
    """Yield the profile of each solved variant, without what needs a walk unless `is_walked`. Raises NotSolved."""
    from gamesman.analysis.profile import profile
    from gamesman.db import open_store
    from gamesman.errors import about

    store = open_store(db)
    for variant in variants:
        with about(variant.name) if len(variants) > 1 else nullcontext(), store.open(variant) as stored:
            found = profile(stored, memory, progress() if progress else None, is_walked=is_walked)
        yield found


def solve_missing(
    variants: Sequence["Variant"],
    *,
    db: str | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Callable[[], "Progress"],
    tell: Callable[[str], object],
) -> None:
    """Solve those of several variants that are not solved yet; call `tell` with the name of each before."""
    from gamesman.errors import NotSolved

    for variant in variants:
        try:
            open(variant, db=db).close()
        except NotSolved:
            tell(variant.name)
            solve(variant, db=db, threads=threads, memory=memory, progress=progress())


def compare(
    variants: Sequence["Variant"],
    *,
    db: str | None = None,
    memory: int | None = None,
    progress: "Progress | None" = None,
    is_walked: bool = True,
) -> "Comparison":
    """Compare variants that are all solved; return the comparison. Raises NotSolved, OptionError."""
    from gamesman.analysis.comparison import check, compare
    from gamesman.db import open_store
    from gamesman.errors import about

    check(variants)
    store = open_store(db)
    with ExitStack() as stack:
        opened = []
        for variant in variants:
            with about(variant.name):
                opened.append(stack.enter_context(store.open(variant)))
        return compare(opened, memory, progress, is_walked=is_walked)


def verify(
    variant: "Variant",
    *,
    db: str | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: "Progress | None" = None,
) -> "dict[str, Any]":
    """Prove a solved variant; return the fields of `verify --json`. Raises NotVerified, with the fields up to there."""
    from gamesman.machine import signals

    with signals.task(f"verifying {variant.name}", lambda: "nothing was changed"):
        return _verification(variant, db=db, threads=threads, memory=memory, progress=progress)


def _verification(
    variant: "Variant",
    *,
    db: str | None,
    threads: int | None,
    memory: int | None,
    progress: "Progress | None",
) -> "dict[str, Any]":
    from gamesman.analysis.verify import Verification
    from gamesman.errors import Damaged, NotVerified

    try:
        with open(variant, db=db) as stored:
            verification = Verification(stored, threads, memory, progress)
            try:
                verification.run()
            except NotVerified as error:
                error.counted = verification.as_json("failed")
                raise
            return verification.as_json("verified")
    except Damaged as error:
        failed = NotVerified(f"verification failed: {error}")
        failed.counted = {"variant": variant.name, "status": "failed"}
        raise failed from error


def export(
    variant: "Variant",
    file: "Path",
    *,
    db: str | None = None,
    threads: int | None = None,
    has_positions: bool = True,
    is_classes: bool = False,
    progress: "Progress | None" = None,
) -> int:
    """Write all positions of a solved variant, or one of each class, to a .parquet or .csv file; return how many."""
    from gamesman.export import export
    from gamesman.machine.workers import Workers

    with open(variant, db=db) as stored:
        return export(stored, file, has_positions, Workers(threads).threads, progress, is_classes=is_classes)


def list(*, db: str | None = None) -> Iterator["Entry"]:
    """Return an entry for each stored variant, sorted by game, then by options."""
    from gamesman.db import open_store

    return open_store(db).list()


def stored_name(text: str, *, db: str | None = None) -> str:
    """Return a variant's canonical name, or the name as it is of a stored one whose game is gone. Raises CallError."""
    from gamesman.errors import CallError
    from gamesman.model.variant import variant

    try:
        return variant(text).name
    except CallError:
        if text in (entry.variant for entry in list(db=db)):
            return text
        raise


def delete(name: str, *, db: str | None = None) -> None:
    """Remove what is stored of a variant. Raises NotSolved where it is not there, InUse while it is being solved."""
    from gamesman.db import open_store

    open_store(db).delete(name)


def _has_small_keys(variant: "Variant") -> bool:
    """Tell whether keys are small enough for the solver to try: where there are too many it says so itself."""
    from gamesman.values import KEY_LIMIT

    bound = variant.key_bound()
    return (variant.hash(variant.start()) if bound is None else bound - 1) < KEY_LIMIT


def _search(variant: "Variant") -> str:
    from gamesman.model.advice import command

    return f"run: {command('search', variant.name)}; or, to prove who wins: {command('prove', variant.name)}"
