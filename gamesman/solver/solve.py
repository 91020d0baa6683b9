"""A variant is solved here, told in the order in which it happens; docs/solver.md tells the same.

refuse      what is known to be too large before anything is done, or seen to be by games played at random
compile     the game's functions, and hold them against the same ones in plain Python
enumerate   every reachable position, moving forwards, from the highest tier down; in files where memory does not do
solve       the tiers from the lowest up; hand each over, and forget those that no unsolved one leads to
"""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from numba.core.errors import NumbaError

from gamesman.compiler import agreement
from gamesman.compiler.compile import Compiler, compiler_for, rules_for
from gamesman.compiler.refusal import refusal
from gamesman.errors import DatabaseError, TooLarge
from gamesman.machine.memory import Allowance, peak
from gamesman.machine.workers import Workers
from gamesman.model import culprit, endless
from gamesman.model.advice import command
from gamesman.model.ports import Part, Sink
from gamesman.model.progress import Progress, Silent
from gamesman.model.summary import Summary, TierSummary
from gamesman.model.symmetry import Symmetry, in_use
from gamesman.model.variant import Variant
from gamesman.solver import upfront
from gamesman.solver.disk.beyond import Beyond
from gamesman.solver.forecast import Forecast
from gamesman.solver.keyset import SpillFolder
from gamesman.values import DRAW, unpack

if TYPE_CHECKING:
    from gamesman.machine.crew import Crew


class Strategy(Protocol):
    """Holds the positions of a variant, in arrays or in sets; tiers go by their numbers."""

    def enumerate(self, start_tier: int, start_key: int, advanced: Callable[[int, int], None]) -> None:
        """Find every reachable position, from the start's tier down."""

    def tiers(self) -> list[int]:
        """Return the tiers that were found, the lowest first."""

    def positions(self, number: int) -> int:
        """Return how many positions a tier has, or may have."""

    def children(self, number: int) -> set[int]:
        """Return the other tiers that moves from a tier lead to."""

    def solve(self, number: int, advanced: Callable[[int], None]) -> TierSummary:
        """Solve a tier, all of whose children have their records, and return what was found."""

    def parts(self, number: int) -> Iterator[Part]:
        """Yield the positions of a solved tier with their records, in the order of their keys."""

    def restore(self, number: int, parts: Iterable[Part]) -> bool:
        """Take the records of a tier solved earlier; return whether they are of just its positions."""

    def forget(self, number: int) -> None:
        """Free the memory of a tier that no unsolved one leads to."""

    def record(self, number: int, key: int) -> int:
        """Return the record of a position of a tier that is not forgotten."""


def solve(
    variant: Variant,
    sink: Sink | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    folder: Path | None = None,
    work: Path | None = None,
    tell: Callable[[str], object] = str,
    crew: "Crew | None" = None,
) -> Summary:
    """Solve a variant, hand its tiers to a sink, if there is one, and return the summary.

    Up to `threads` threads (all, unless told) and `memory` bytes (what is free) are used; keys not in use go to files
    in `folder`, by default the system's one for temporary files. What does not fit memory goes on in the folder `work`,
    where there is one and the game can be solved so, which is told in a line. The workers of a crew do it all in files.
    Raises TooLarge before it takes more than allowed.
    """
    began, cpu_began = time.monotonic(), time.process_time()
    progress = progress or Silent()
    workers, spill, allowance = Workers(threads), SpillFolder(folder), Allowance(memory)
    told = partial(_tell, progress, tell)
    with Beyond(variant, work, allowance, told, crew, is_limited=memory is not None) as beyond:
        try:
            with upfront.naming_smaller(variant):
                symmetry = in_use(variant) if sink is None or getattr(sink, "takes_classes", False) else None
                compiler = compiler_for(variant, symmetry)
                given = variant, symmetry, compiler
                forecast = partial(_forecast, *given, allowance, progress, is_stored=sink is not None)
                beyond.prepare_crew(compiler, symmetry)
                _check_and_compile(*given, allowance, progress, forecast, beyond)
                beyond.check_crew(is_dense=upfront.is_dense(variant))
                found = None
                if not beyond.is_begun():
                    with beyond.hearing():
                        found = _solve_in_memory(*given, sink, workers, allowance, spill, progress, forecast)
                if found is None:
                    found = _solve_in_files(*given, sink, workers, progress, beyond)
                tiers, start_record = found
        except NumbaError as error:
            raise refusal(variant.game, error) from error
        finally:
            workers.close()
            spill.remove()
        value, remoteness = unpack(start_record)
        summary = Summary(
            variant.name,
            variant.show(variant.start()),
            value,
            None if value == DRAW else remoteness,
            tiers,
            time.monotonic() - began,
            time.process_time() - cpu_began + (0.0 if crew is None else crew.cpu_seconds()),
            peak() if crew is None else max(peak(), crew.peak_memory()),
            is_partial=variant.is_partial,
        )
        if sink is not None:
            sink.complete(summary)
        return summary


def _tell(progress: Progress, tell: Callable[[str], object], line: str) -> None:
    """Say something that is not progress, in a line of its own."""
    progress.finish()
    tell(line)


def _forecast(
    variant: Variant,
    symmetry: Symmetry | None,
    compiler: Compiler,
    allowance: Allowance,
    progress: Progress,
    *,
    is_stored: bool,
) -> Forecast:
    """Return what says how many positions there are that have to be found by hashing."""
    return Forecast(
        variant.name,
        compiler.kernel,
        compiler.functions,
        rules_for(variant, symmetry),
        variant.hash(variant.start()),
        allowance,
        is_stored=is_stored,
        counted="positions" if symmetry is None else "positions up to symmetry",
        bound=variant.key_bound(),
        tell=progress.expect,
    )


KERNELS = "acyclic.settle", "retrograde.", "listing."  # who solves has one of these, in memory or in files


def _check_and_compile(
    variant: Variant,
    symmetry: Symmetry | None,
    compiler: Compiler,
    allowance: Allowance,
    progress: Progress,
    forecast: Callable[[], Forecast],
    beyond: Beyond,
) -> None:
    """Refuse what is too large, check the game's functions in plain Python, and hold the compiled ones against them.

    Compiling takes long, and so does the check: what can be known before is asked first. Functions that are not ours
    have to be checked before they may run compiled.
    """
    code = agreement.code_size(variant, compiler, *KERNELS)
    with beyond.hearing(code):
        upfront.refuse(variant, allowance, code)
    allowance.begin(code, f"solving {variant.name}")
    if not agreement.is_checked(variant, compiler):
        # What is compiled finds its first two million positions sooner than games say as much, see Forecast.look.
        if variant.game.is_ours and upfront.is_doubtful(variant, allowance) and not beyond.is_begun():
            progress.start(f"looking how large {variant.name} is, which has {variant.key_bound():,} numbers at most", 0)
            with beyond.hearing():
                forecast().look_ahead()
        progress.start(f"checking and compiling {variant.name}, this once", 0)
    agreement.check_interpreted(variant, compiler)
    agreement.check_compiled(variant, compiler, symmetry)
    progress.finish()


Solved = tuple[list[TierSummary], int]  # what is in the tiers, the highest first, and the record of the start


def _solve_in_memory(
    variant: Variant,
    symmetry: Symmetry | None,
    compiler: Compiler,
    sink: Sink | None,
    workers: Workers,
    allowance: Allowance,
    folder: SpillFolder,
    progress: Progress,
    forecast: Callable[[], Forecast],
) -> Solved:
    """Find every reachable position, in arrays where the game's keys allow it, else in sets; and solve them."""
    given = variant, symmetry, compiler, workers, allowance, progress
    strategy = _enumerated_in_arrays(*given) or _enumerated_in_sets(*given, folder, forecast())
    try:
        return _solve_upwards(variant, strategy, sink, progress)
    except TooLarge as error:
        if error.needed and error.positions is None:
            count = sum(strategy.positions(number) for number in strategy.tiers())
            raise TooLarge(str(error), error.needed, (count, count)) from None
        raise


def _enumerated_in_arrays(
    variant: Variant,
    symmetry: Symmetry | None,
    compiler: Compiler,
    workers: Workers,
    allowance: Allowance,
    progress: Progress,
) -> Strategy | None:
    """Have every reachable position found in arrays, or return None where the game's keys are not for that."""
    if not variant.is_partial and not upfront.is_dense(variant):
        return None
    # lazy: start-up time
    from gamesman.solver.complete import Complete
    from gamesman.solver.dense import Dense, NotDense

    given = variant, compiler, rules_for(variant, symmetry), workers, allowance
    if variant.is_partial:
        return _enumerated(variant, Complete(*given), progress)
    with contextlib.suppress(NotDense):
        return _enumerated(variant, Dense(*given, symmetry), progress)
    return None


def _enumerated_in_sets(
    variant: Variant,
    symmetry: Symmetry | None,
    compiler: Compiler,
    workers: Workers,
    allowance: Allowance,
    progress: Progress,
    folder: SpillFolder,
    forecast: Forecast,
) -> Strategy:
    """Have every reachable position found in sets of keys."""
    # lazy: start-up time
    from gamesman.solver.sparse import Sparse

    given = compiler, rules_for(variant, symmetry), workers, allowance, folder, forecast, symmetry
    blame = partial(culprit.blame, variant)
    at_once = {} if variant.game.is_ours else {"at_once": endless.AT_ONCE}
    return _enumerated(variant, Sparse(*given, bound=variant.key_bound(), blame=blame, **at_once), progress)


def _solve_in_files(
    variant: Variant,
    symmetry: Symmetry | None,
    compiler: Compiler,
    sink: Sink | None,
    workers: Workers,
    progress: Progress,
    beyond: Beyond,
) -> Solved:
    """Do the same in files, where it is seen, or known from before, that memory does not do.

    Files that are found damaged are made anew, once: the disk may be what is broken.
    """
    # lazy: start-up time, most solves fit memory
    from gamesman.solver.disk.blocks import DamagedFile

    stored = {"is_stored": sink is not None, "has_cycles": beyond.stays_in_tiers()}
    given = compiler, rules_for(variant, symmetry), symmetry, workers
    try:
        strategy = _enumerated(variant, beyond.strategy(*given, **stored), progress, beyond.crew)
        return _solve_upwards(variant, strategy, sink, progress, beyond.crew)
    except DamagedFile as error:
        beyond.begin_anew(error)
    strategy = _enumerated(variant, beyond.strategy(*given, **stored), progress, beyond.crew)
    return _solve_upwards(variant, strategy, sink, progress, beyond.crew)


def _enumerated(variant: Variant, strategy: Strategy, progress: Progress, crew: "Crew | None" = None) -> Strategy:
    """Have every reachable position found."""
    advanced = _begin(progress, "enumerating", None, crew)
    strategy.enumerate(variant.tier(variant.start()), variant.hash(variant.start()), advanced)
    progress.finish()
    return strategy


def _solve_upwards(
    variant: Variant, strategy: Strategy, sink: Sink | None, progress: Progress, crew: "Crew | None" = None
) -> Solved:
    """Solve the tiers that the sink does not have, from the lowest up."""
    order = strategy.tiers()
    done: Mapping[int, TierSummary] = sink.finished() if sink is not None else {}
    unsolved = [number for number in order if number not in done]
    needed = {child for number in unsolved for child in strategy.children(number)} | {order[-1]}
    to_forget = _no_longer_needed(strategy, order, unsolved)
    advanced = _begin(progress, "solving", sum(strategy.positions(number) for number in order), crew)
    found = []
    for number in order:
        if sink is not None and number in done:
            if number in needed:
                _restore(variant, strategy, sink, number)
            found.append(done[number])
            advanced(number, strategy.positions(number))
        else:
            found.append(strategy.solve(number, lambda n, number=number: advanced(number, n)))
            if sink is not None:
                _hand_over(strategy, sink, found[-1])
        for other in to_forget.get(number, ()):
            strategy.forget(other)
    progress.finish()
    return found[::-1], strategy.record(order[-1], variant.hash(variant.start()))


def _no_longer_needed(strategy: Strategy, order: list[int], unsolved: list[int]) -> dict[int, list[int]]:
    """Return by tier the tiers that none solved after it leads to; the highest is kept."""
    last_use = {number: number for number in order[:-1]}
    last_use |= {child: number for number in unsolved for child in strategy.children(number)}
    found: dict[int, list[int]] = {}
    for other, number in last_use.items():
        found.setdefault(number, []).append(other)
    return found


def _restore(variant: Variant, strategy: Strategy, sink: Sink, number: int) -> None:
    """Take back a tier that was solved before an interruption. Raises DatabaseError if it has other positions."""
    if not strategy.restore(number, sink.load(number)):
        raise DatabaseError(
            f"{variant.name}: tier {number} in the database has other positions than the game; "
            f"run: {command('solve', variant.name, options=['--restart'])}"
        )


def _hand_over(strategy: Strategy, sink: Sink, tier: TierSummary) -> None:
    """Write a solved tier to the sink."""
    for part in strategy.parts(tier.number):
        sink.write(tier.number, part)
    sink.finish(tier)


def _begin(progress: Progress, phase: str, total: int | None, crew: "Crew | None" = None) -> Callable[[int, int], None]:
    """Begin a phase; return what to call, from any thread, when so many positions of a tier are done."""
    progress.start(phase, total)
    lock = threading.Lock()

    def advanced(tier: int, positions: int) -> None:
        with lock:
            progress.note(f"tier {tier}" if crew is None else f"tier {tier}, {crew.alive()} workers")
            progress.advance(positions)

    return advanced
