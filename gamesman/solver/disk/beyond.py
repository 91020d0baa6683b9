"""A solve that does not fit memory goes on in files where the game can be solved so and the disk has room for it."""

import contextlib
import gc
import math
import traceback
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from gamesman.compiler.compile import Compiler
from gamesman.errors import BrokenGame, TooLarge
from gamesman.machine.memory import ADVICE, Allowance, give_back
from gamesman.machine.sizes import size_text
from gamesman.machine.workers import Workers
from gamesman.model import culprit
from gamesman.model.symmetry import Symmetry
from gamesman.model.variant import Variant
from gamesman.solver.disk.folder import WorkFolder, free
from gamesman.solver.disk.strategy import Disk
from gamesman.solver.disk.tasks import Job, Room, room_for, shift_for, warm_up
from gamesman.solver.forecast import LIKELY_ENOUGH, SURE_ENOUGH, Forecast
from gamesman.solver.kernels import acyclic, expand, listing, sorting
from gamesman.values import KEY_LIMIT

FORMAT = 1  # of what is in a work folder
MOST_KEYS = 1 << 23  # in a shard: more would not be faster, and Ctrl-C would wait for it
LEAST_KEYS = 1 << 12
LEAST_LEFT = 60 << 20  # bytes of memory beside what the process has already: else it is not begun
SINK = 48 << 20  # bytes for what the database packs and writes meanwhile
SHARE = 0.75  # of what is left then; the rest is for indexes, and for what is read and written

RECORD_BYTES = 0.5
ENTRIES = 0.3  # keys of runs that wait to be merged, at the most, for each position


class Beyond:
    """Says whether a solve that is refused for want of memory goes on in files, and has what does it."""

    def __init__(self, variant: Variant, work: Path | None, allowance: Allowance, tell: Callable[[str], object]):
        """Without a folder no solve goes on in files; `tell` hears in a line that one does."""
        self._variant, self._allowance, self._tell = variant, allowance, tell
        self._folder = None if work is None else WorkFolder(work)
        self._refused: TooLarge | None = None

    def is_begun(self) -> bool:
        """Return whether this solve goes on in files, as was heard, or as an earlier solve did that was stopped."""
        return self._refused is not None or (self._folder is not None and self._folder.is_begun())

    @contextlib.contextmanager
    def hearing(self, forecast: Callable[[], Forecast]) -> Iterator[None]:
        """Keep a TooLarge of what is inside where the solve can go on in files, else let it be raised."""
        try:
            yield
        except TooLarge as error:
            # The error holds on to what the enumeration has in memory, even while it is handled.
            traceback.clear_frames(error.__traceback__)
            refused = TooLarge(str(error), error.needed, error.positions)
        else:
            return
        gc.collect()
        give_back()
        self._go_on(refused, forecast)

    def _go_on(self, refused: TooLarge, forecast: Callable[[], Forecast]) -> None:
        """Say in a line that the solve goes on in files. Raises what was refused where it cannot."""
        is_short = self._allowance.left < LEAST_LEFT
        if self._folder is None or refused.positions is None or is_short or forecast().stays_in_tiers():
            raise refused
        least, likely = (count * self._bytes(count) for count in refused.positions)
        room = free(self._folder.path)
        if least > room or (likely > LIKELY_ENOUGH * room and least > room / SURE_ENOUGH):
            said = f"{refused}; in files it would need about {size_text(likely)} of disk"
            raise TooLarge(f"{said}, {size_text(room)} free at {self._folder.path.parent}", refused.needed)
        self._refused = refused
        limit = size_text(self._allowance.limit)
        self._tell(
            f"{self._variant.name} does not fit {limit} of memory: it is solved in files, "
            f"about {size_text(likely)} in {self._folder.path}"
        )

    def _bytes(self, count: float) -> float:
        """Return about how many bytes a position takes, its key as the difference from the one before."""
        bound = self._variant.key_bound() or KEY_LIMIT
        key = (math.log2(max(2.0, bound / max(1.0, count))) + 1) / 8
        return key * (1 + ENTRIES) + RECORD_BYTES

    def strategy(
        self, compiler: Compiler, rules: Any, symmetry: Symmetry | None, workers: Workers, *, is_stored: bool
    ) -> Disk:
        """Return what solves in files, in the memory that is left. Raises TooLarge where that is too little."""
        assert self._folder is not None
        variant, kernel, functions = self._variant, compiler.kernel, compiler.functions
        kernels = {
            **sorting.kernels(kernel),
            **listing.kernels(kernel, functions),
            **acyclic.kernels(kernel, functions),
        }
        bound = variant.key_bound()
        blame = partial(culprit.blame, variant)
        job = Job(
            self._folder,
            kernels,
            rules,
            Room(1, 1),
            shift_for(bound),
            bound or KEY_LIMIT,
            self._allowance,
            symmetry is not None,
            blame,
        )
        warm_up(job, variant.hash(variant.start()))
        give_back()
        left = int(SHARE * (self._allowance.left - SINK * is_stored))
        room = room_for(left // workers.threads, job.shift, MOST_KEYS)
        refused = self._refused or TooLarge(
            f"{variant.name} was begun in files with more memory than {size_text(self._allowance.limit)}; {ADVICE}"
        )
        if room.keys < LEAST_KEYS:
            raise refused
        kept = 0 if symmetry is None else symmetry.kept
        begun = self._folder.open({"of": f"{FORMAT} {variant.fingerprint} {kept}", "keys": room.keys})
        expand_kernel = expand.kernels(kernel, functions)["expand"]
        return Disk(job._replace(room=Room.of(begun["keys"])), workers, refused, expand_kernel)

    def __enter__(self) -> "Beyond":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Remove the files of a solve that is done, or of a game that is at fault; else they are to be gone on with."""
        if self._folder is not None and (kind is None or issubclass(kind, BrokenGame)):
            self._folder.remove()
        elif self._folder is not None:
            self._folder.close()
