"""A variant is solved into the database here, and what is stored of it is proved."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from gamesman.app.checking import explained, located, seeking, unmoved
from gamesman.app.location import open_store, work_folder
from gamesman.app.sources import open
from gamesman.app.storing import delete
from gamesman.errors import BrokenGame, Damaged, NotSolved, NotVerified
from gamesman.machine import signals
from gamesman.machine.files import free
from gamesman.machine.memory import Allowance
from gamesman.model.advice import command
from gamesman.model.symmetry import in_use
from gamesman.model.wording import tried_as_well
from gamesman.solver import upfront

if TYPE_CHECKING:
    from gamesman.db.reader import Reader
    from gamesman.db.writer import Writer
    from gamesman.machine.crew import Crew
    from gamesman.model.progress import Progress
    from gamesman.model.summary import Summary
    from gamesman.model.variant import Variant


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
    work: str | None = None,
    has_files: bool = True,
    tell: Callable[[str], object] = str,
    crew: "Crew | None" = None,
) -> tuple[str, "Summary"]:
    """Solve a variant into the database; return "solved" or "already solved", and the summary.

    With a crew its workers share the work. Raises NotByShards where it cannot be shared.

    What does not fit memory goes on in files in the folder `work`, or beside the database, unless it may have none;
    `tell` hears of that in a line.

    A variant that is there already costs no start of the solver; one that was interrupted goes on where it stopped.
    What a game that is not ours has yielded is verified, unless that is not wanted: where its functions turn out not to
    agree nothing is kept. What it writes is read again; where that fails the values are kept. Raises BrokenGame.
    """
    store, files = open_store(db), work_folder(variant.name, db, work)
    writer: Writer | None = None

    def stored_so_far() -> str:
        """Say what is stored now; return "" before the database is open, or while the first tiers come in."""
        if writer is None or writer.has_tiers is None:
            return ""
        if writer.has_tiers or files.exists():
            return "the same command goes on where it stopped"
        return "" if is_restart else "nothing is stored yet"

    solving = partial(signals.task, f"solving {variant.name}", stored_so_far, seeking(variant))
    with explained(variant), solving():
        if not is_restart:
            try:
                with store.open(variant) as stored:
                    return "already solved", stored.summary
            except NotSolved:
                pass
        with upfront.naming_smaller(variant):
            has_files = has_files and not variant.is_partial  # what is not enumerated from a start is solved in arrays
            upfront.refuse_early(variant, Allowance(memory), free(files) if has_files else 0)
        is_classes = in_use(variant) is not None
        if not variant.game.is_ours and (said := unmoved(variant)):
            tell(said)
    with solving(), store.writer(variant, restart=is_restart, wait=is_waiting, is_classes=is_classes) as opened:
        writer = opened
        if writer.summary is not None:  # by a process that this one has waited for
            return "already solved", writer.summary
        # lazy: start-up time, a variant that is solved must not wait for numba
        from gamesman.solver.solve import solve

        given_files = files if has_files else None
        given = threads, memory, progress
        with located(variant):
            summary = solve(variant, writer, *given, work=given_files, tell=tell, crew=crew)
    if is_verified and not variant.game.is_ours:
        _verify_new(variant, tell, db=db, threads=threads, memory=memory, progress=progress)
    return "solved", summary


def _verify_new(variant: "Variant", tell: Callable[[str], object], *, db: str | None, **settings: Any) -> None:
    """Verify what has just been solved, and delete it where that fails; tell what was left out. Raises BrokenGame."""

    def outcome() -> str:
        return f"it is solved and not verified; run: {command('verify', variant.name)}"

    try:
        with signals.task(f"verifying {variant.name}", outcome, seeking(variant)):
            fields = _verification(variant, db=db, **settings)
    except NotVerified as error:
        delete(variant.name, db=db)
        what = str(error).partition("; run: ")[0].removeprefix(f"verification failed: {variant.name}: ")
        said = error.fault or f"{variant.name}: its functions do not agree, {what}"
        raise BrokenGame(f"{said}; nothing was kept of what was solved") from error
    if min(fields["texts"], fields.get("undone", fields["positions"])) < fields["positions"]:
        tell(f"{variant.name} is verified; {tried_as_well(fields)}")


def verify(
    variant: "Variant",
    *,
    db: str | None = None,
    threads: int | None = None,
    memory: int | None = None,
    progress: "Progress | None" = None,
) -> dict[str, Any]:
    """Prove a solved variant; return the fields of `verify --json`. Raises NotVerified, with the fields up to there."""
    with signals.task(f"verifying {variant.name}", lambda: "nothing was changed", seeking(variant)):
        return _verification(variant, db=db, threads=threads, memory=memory, progress=progress)


def _verification(
    variant: "Variant",
    *,
    db: str | None,
    threads: int | None,
    memory: int | None,
    progress: "Progress | None",
) -> dict[str, Any]:
    """Prove a solved variant, and try what no proof asks for of a game that is not ours: un-moves, and what it writes.

    Returns the fields of `verify --json`. Raises NotVerified, and BrokenGame where only something else is wrong.
    """
    # lazy: start-up time
    from gamesman.analysis.verify import Verification

    try:
        with open(variant, db=db) as stored:
            verification = Verification(stored, threads, memory, progress)
            try:
                verification.run()
            except NotVerified as error:
                error.counted = verification.as_json("failed")
                raise
            fields = verification.as_json("verified")
            if not variant.game.is_ours:
                fields |= _tried_as_well(stored, fields["cpu_seconds"], threads, progress)
            return fields
    except Damaged as error:
        failed = NotVerified(f"verification failed: {error}")
        failed.counted = {"variant": variant.name, "status": "failed"}
        raise failed from error


def _tried_as_well(
    stored: "Reader", seconds: float, threads: int | None, progress: "Progress | None"
) -> dict[str, int]:
    """Try what no proof asks for, in a time that follows from that of the proof; return at how many positions.

    Raises BrokenGame.
    """
    # lazy: start-up time
    from gamesman.analysis import legible, undoing

    tried = {}
    try:
        if stored.variant.has("undo_moves"):
            tried["undone"] = undoing.hold(stored, max(seconds, undoing.SECONDS), threads, progress)
        positions = stored.summary.positions
        return tried | {"texts": legible.read_again(stored, legible.seconds_for(positions, seconds), progress)}
    except BrokenGame as error:
        raise BrokenGame(f"{error}; what is stored is verified") from error
