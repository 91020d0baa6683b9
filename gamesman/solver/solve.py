"""Solving a variant: every reachable position is enumerated, tier by tier, and solved, from the lowest tier up."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

from numba.core.errors import NumbaError

from gamesman.compiler import agreement
from gamesman.compiler.compile import Compiler, native_rules
from gamesman.errors import BrokenGame, DatabaseError, TooLarge, shorten
from gamesman.machine.memory import Allowance, peak
from gamesman.machine.workers import Workers
from gamesman.model import culprit
from gamesman.model.advice import command
from gamesman.model.ports import Part, Sink
from gamesman.model.progress import Progress, Silent
from gamesman.model.summary import Summary, TierSummary
from gamesman.model.symmetry import Symmetry, in_use
from gamesman.model.variant import Variant
from gamesman.solver import dense
from gamesman.solver.keyset import Folder
from gamesman.solver.sparse import Sparse
from gamesman.values import DRAW, KEY_LIMIT, unpack


class Strategy(Protocol):
    """How the positions of a variant are held; tiers go by their numbers."""

    def enumerate(self, start_tier: int, start_key: int, advanced: Callable[[int, int], None]) -> None: ...
    def tiers(self) -> list[int]: ...
    def positions(self, number: int) -> int: ...
    def children(self, number: int) -> set[int]: ...
    def solve(self, number: int, advanced: Callable[[int], None]) -> TierSummary: ...
    def parts(self, number: int) -> Iterator[Part]: ...
    def restore(self, number: int, parts: Iterable[Part]) -> bool: ...
    def forget(self, number: int) -> None: ...
    def record(self, number: int, key: int) -> int: ...


def solve(
    variant: Variant,
    sink: Sink | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
    folder: Path | None = None,
) -> Summary:
    """Solve a variant and hand its tiers to a sink, if there is one.

    Up to `threads` threads (all, unless told) and `memory` bytes (what is free) are used; keys not in use go to files
    in `folder`, by default the system's one for temporary files. Raises TooLarge before it takes more than allowed.
    """
    began, cpu_began = time.monotonic(), time.process_time()
    start = variant.start()
    workers, spill = Workers(threads), Folder(folder)
    try:
        _refuse_too_large(variant)
        compiler, allowance = Compiler(variant.game), Allowance(memory)
        code = agreement.code_size(variant, compiler, "acyclic.")
        progress = progress or Silent()
        if not agreement.is_checked(variant, compiler):
            progress.start(f"checking and compiling {variant.name}, this once", 0)
        agreement.check_interpreted(variant, compiler)
        # If memory does not do, that is said now and not after compiling.
        if dense.is_dense(variant):
            dense.reserve(variant, allowance, code)
        else:
            allowance.begin(code, f"solving {variant.name}")
        agreement.check_compiled(variant, compiler)
        progress.finish()
        symmetry = in_use(variant) if sink is None or getattr(sink, "takes_classes", False) else None
        is_stored = sink is not None
        strategy = _enumerated(variant, symmetry, compiler, workers, allowance, spill, progress, is_stored=is_stored)
        tiers, record = _solve_tiers(variant, strategy, sink, progress)
    except NumbaError as error:
        raise BrokenGame(f"{variant.game.name} cannot be compiled: {_why(error)}") from error
    except TooLarge as error:
        raise TooLarge(f"{error}{variant.game.smaller_than(variant.name)}") from None
    finally:
        workers.close()
        spill.remove()
    value, remoteness = unpack(record)
    summary = Summary(
        variant.name,
        variant.show(start),
        value,
        None if value == DRAW else remoteness,
        tiers,
        time.monotonic() - began,
        time.process_time() - cpu_began,
        peak(),
    )
    if sink is not None:
        sink.complete(summary)
    return summary


def _refuse_too_large(variant: Variant) -> None:
    bound = variant.key_bound()
    if bound is None:
        bound = variant.hash(variant.start()) + 1
    if bound > KEY_LIMIT:
        raise TooLarge(
            f"{variant.name} cannot be solved: its positions are numbered up to about 2**{bound.bit_length() - 1}, "
            "and they must be below 2**63; it can still be played and searched"
        )


def _enumerated(
    variant: Variant,
    symmetry: Symmetry | None,
    compiler: Compiler,
    workers: Workers,
    allowance: Allowance,
    folder: Folder,
    progress: Progress,
    *,
    is_stored: bool,
) -> Strategy:
    """Every reachable position: in arrays where the game's keys allow it, else by hashing."""
    start = variant.start()
    rules = native_rules(variant.rules if symmetry is None else symmetry.rules)
    if symmetry is not None:
        compiler = Compiler(variant.game, len(start))
    tier, key = variant.tier(start), variant.hash(start)
    strategy: Strategy
    if dense.is_dense(variant):
        with contextlib.suppress(dense.NotDense):
            strategy = dense.Dense(variant, compiler, rules, workers, allowance, symmetry)
            strategy.enumerate(tier, key, _begin(progress, "enumerating", None))
            progress.finish()
            return strategy
    known = {"is_stored": is_stored, "bound": variant.key_bound(), "tell": progress.expect}
    given = compiler, rules, workers, allowance, folder, variant.name, symmetry
    strategy = Sparse(*given, **known, blame=partial(culprit.blame, variant))
    strategy.enumerate(tier, key, _begin(progress, "enumerating", None))
    progress.finish()
    return strategy


def _solve_tiers(
    variant: Variant, strategy: Strategy, sink: Sink | None, progress: Progress
) -> tuple[list[TierSummary], int]:
    """Solve all tiers upwards, forgetting each when no unsolved one leads to it; last, the start's record."""
    start = variant.start()
    order = strategy.tiers()
    done: Mapping[int, TierSummary] = sink.finished() if sink is not None else {}
    waiting = [number for number in order if number not in done]
    needed = {child for number in waiting for child in strategy.children(number)} | {order[-1]}
    last_use = {number: number for number in order[:-1]}
    last_use |= {child: number for number in waiting for child in strategy.children(number)}
    forgotten_after: dict[int, list[int]] = {}
    for other, number in last_use.items():
        forgotten_after.setdefault(number, []).append(other)
    advanced = _begin(progress, "solving", sum(strategy.positions(number) for number in order))
    summaries = []
    for number in order:
        if sink is not None and number in done:
            if number in needed and not strategy.restore(number, sink.load(number)):
                raise DatabaseError(
                    f"{variant.name}: tier {number} in the database has other positions than the game; "
                    f"run: {command('solve', variant.name, options=['--restart'])}"
                )
            summaries.append(done[number])
            advanced(number, strategy.positions(number))
        else:
            summaries.append(strategy.solve(number, lambda n, number=number: advanced(number, n)))
            if sink is not None:
                for part in strategy.parts(number):
                    sink.write(number, part)
                sink.finish(summaries[-1])
        for other in forgotten_after.get(number, ()):
            strategy.forget(other)
    progress.finish()
    return summaries[::-1], strategy.record(order[-1], variant.hash(start))


def _begin(progress: Progress, phase: str, total: int | None) -> Callable[[int, int], None]:
    """Begin a phase; what to call, from any thread, when so many positions of a tier are done."""
    progress.start(phase, total)
    lock = threading.Lock()

    def advanced(tier: int, positions: int) -> None:
        with lock:
            progress.note(f"tier {tier}")
            progress.advance(positions)

    return advanced


def _why(error: NumbaError) -> str:
    """The line of numba's long message that says what it cannot compile."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    where = next((line for line in reversed(lines) if line.startswith("File ")), "")
    said = next((line for line in lines[1:] if not line.startswith(("File", "During", "-", "^", ">"))), lines[0])
    return shorten(f"{said} {where}", 200)
