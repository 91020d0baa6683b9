"""A solve that does not fit memory goes on in files where the game can be solved so and the disk has room for it."""

import contextlib
import gc
import math
import random
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gamesman.compiler import agreement
from gamesman.compiler.compile import Compiler
from gamesman.errors import BrokenGame, TooLarge
from gamesman.machine.files import free
from gamesman.machine.memory import ADVICE, Allowance, give_back, give_back_at_once
from gamesman.machine.sizes import size_text
from gamesman.machine.workers import Workers
from gamesman.model.paths import whole_name
from gamesman.model.symmetry import Symmetry
from gamesman.model.variant import Variant
from gamesman.solver import upfront
from gamesman.solver.disk import BEGUN
from gamesman.solver.forecast import LIKELY_ENOUGH, SURE_ENOUGH
from gamesman.solver.kernels import expand
from gamesman.values import KEY_LIMIT, UNDECIDED

if TYPE_CHECKING:
    from gamesman.machine.crew import Crew
    from gamesman.solver.disk.blocks import DamagedFile
    from gamesman.solver.disk.folder import WorkFolder
    from gamesman.solver.disk.steps import Runner
    from gamesman.solver.disk.strategy import Disk
    from gamesman.solver.disk.tasks import Job, Room

FORMAT = 4  # of what is in a work folder
MOST_KEYS = 1 << 23  # in a shard: more would not be faster, and Ctrl-C would wait for it
KEYS_OF_WORKER = 1 << 21  # the same for a worker of a crew: a tier is to be enough shards for all of them
LEAST_KEYS = 1 << 14  # below that every step reads more files than it has keys to take from each
LEAST_OF_SEVERAL = 300_000  # fewer threads with larger shards are as soon done, and take less
SINK = 48 << 20  # bytes for what the database packs and writes meanwhile
SHARE = 0.75  # of what is left then; the rest is for indexes, and for what is read and written

# Bytes of disk for each position when the last tier is solved, beside its key: all files stay until then.
CODE_BYTES = 0.25  # how long its key is
RECORD_BYTES = 0.7
OPEN_BYTES = 1.5  # what is known at a level, and messages, where moves stay in tiers: a few bytes, of the largest tier
GAMES, PLIES = 20, 50  # played to see whether any do


class NotByShards(Exception):
    """Says that a variant cannot be cut into shards, which a crew could share."""


class Beyond:
    """Says whether a solve that is refused for want of memory goes on in files, and has what does it."""

    def __init__(
        self,
        variant: Variant,
        work: Path | None,
        allowance: Allowance,
        tell: Callable[[str], object],
        crew: "Crew | None" = None,
        *,
        is_limited: bool = False,
    ):
        """Without a folder no solve goes on in files; `tell` hears in a line that one does.

        With a crew every solve does, and its workers share what memory is allowed, if `is_limited`.
        """
        self._variant, self._allowance, self._tell = variant, allowance, tell
        self.crew, self._is_limited = crew, is_limited
        self._path = work
        self._folder: WorkFolder | None = None  # there is one when it is worked in
        self._goes_on = False

    def is_begun(self) -> bool:
        """Return whether this solve goes on in files, as was heard, or as an earlier solve did that was stopped."""
        is_in_files = self._goes_on or self.crew is not None
        return is_in_files or (self._path is not None and (self._path / BEGUN).is_file())

    @contextlib.contextmanager
    def hearing(self, code: int = 0) -> Iterator[None]:
        """Keep a TooLarge of what is inside where the solve can go on in files, else let it be raised.

        So many bytes of code are yet to be loaded, or compiled.
        """
        try:
            yield
        except TooLarge as error:
            # The error holds on to what the enumeration has in memory, even while it is handled.
            traceback.clear_frames(error.__traceback__)
            refused = TooLarge(str(error), error.needed, error.positions, error.key_bytes)
        else:
            return
        gc.collect()
        give_back()
        self._go_on(refused, code)

    def _go_on(self, refused: TooLarge, code: int) -> None:
        """Say in a line that the solve goes on in files. Raises what was refused where it cannot."""
        if self._path is None or refused.positions is None:
            raise refused
        least = self._allowance.used() + code + upfront.LEAST_LEFT
        if least > self._allowance.limit:
            raise TooLarge(f"{refused}; in files it would need about {size_text(least)} of memory", least)
        least, likely = (count * self._bytes(count, refused.key_bytes) for count in refused.positions)
        room = free(self._path)
        if least > room or (likely > LIKELY_ENOUGH * room and least > room / SURE_ENOUGH):
            said = f"{refused}; in files it would need about {size_text(likely)} of disk"
            raise TooLarge(f"{said}, {size_text(room)} free at {self._path.parent}", refused.needed)
        self._goes_on = True
        limit = size_text(self._allowance.limit)
        self._tell(
            f"{self._variant.name} does not fit {limit} of memory: it is solved in files, "
            f"about {size_text(likely)} in {self._path}"
        )

    def prepare_crew(self, compiler: Compiler, symmetry: Symmetry | None) -> None:
        """Have a crew load, meanwhile, what it will need, where that is compiled and kept."""
        variant = self._variant
        if self.crew is None or upfront.is_dense(variant):
            return
        if agreement.is_checked(variant, compiler) and compiler.folder.has("listing."):
            # lazy: start-up time, most solves fit memory
            from gamesman.solver.disk.remote import prepare

            self.crew.meanwhile(prepare, whole_name(variant.name), variant.fingerprint, symmetry is not None)

    def check_crew(self, *, is_dense: bool) -> None:
        """Raise NotByShards where a crew is to solve what cannot be solved in files."""
        if self.crew is not None and is_dense:
            raise NotByShards

    def _bytes(self, count: float, key: float | None) -> float:
        """Return about how many bytes a position takes; its key is as long as was seen, or else as numbers are apart.

        Positions are mostly in clusters, so that keys are shorter than by numbers alone.
        """
        bound = self._variant.key_bound() or KEY_LIMIT
        apart = max(1.0, (math.log2(max(1.0, bound / max(1.0, count))) + 1) / 8) + CODE_BYTES
        return (key or apart) + RECORD_BYTES + OPEN_BYTES * self.stays_in_tiers()

    def stays_in_tiers(self) -> bool:
        """Tell whether a few random games have a move within a tier."""
        variant, dice = self._variant, random.Random(0)
        for _ in range(GAMES):
            position = variant.start()
            for _ in range(PLIES):
                moves = list(variant.generate_moves(position)) if variant.primitive(position) == UNDECIDED else []
                if not moves:
                    break
                after = variant.do_move(position, dice.choice(moves))
                if variant.tier(after) == variant.tier(position):
                    return True
                position = after
        return False

    def strategy(
        self,
        compiler: Compiler,
        rules: Any,
        symmetry: Symmetry | None,
        workers: Workers,
        *,
        is_stored: bool,
        has_cycles: bool,
    ) -> "Disk":
        """Return what solves in files, in the memory that is left. Raises TooLarge where that is too little."""
        # lazy: start-up time, most solves fit memory
        from gamesman.solver.disk.folder import WorkFolder
        from gamesman.solver.disk.opening import job_for
        from gamesman.solver.disk.remote import Plan, Remote
        from gamesman.solver.disk.steps import Bench, Threads
        from gamesman.solver.disk.strategy import Disk
        from gamesman.solver.disk.tasks import Room

        assert self._path is not None
        if self.crew is None:
            give_back_at_once()
        self._folder, variant = WorkFolder(self._path), self._variant
        job = job_for(variant, compiler, rules, symmetry, self._folder, self._allowance, has_cycles=has_cycles)
        room = self._room(job, workers.threads, is_stored=is_stored, has_cycles=has_cycles)
        while self.crew is None and workers.threads > 1 and room.keys < min(LEAST_OF_SEVERAL, MOST_KEYS):
            workers.threads -= 1
            room = self._room(job, workers.threads, is_stored=is_stored, has_cycles=has_cycles)
        if room.keys < LEAST_KEYS:
            least = self._least(job, is_stored=is_stored, has_cycles=has_cycles)
            raise TooLarge(
                f"solving {variant.name} in files needs about {size_text(least)} of memory, "
                f"{size_text(self._allowance.limit)} allowed; {ADVICE}",
                least,
            )
        kept = 0 if symmetry is None else symmetry.kept
        begun = self._folder.open({"of": f"{FORMAT} {variant.fingerprint} {kept}", "keys": room.keys})
        bench = Bench(job._replace(room=Room.of(begun["keys"])))
        runner: Runner = Threads(bench, workers)
        if self.crew is not None:
            memory = self._share(is_stored=is_stored)
            more = {"has_classes": symmetry is not None, "memory": memory}
            name = whole_name(variant.name)
            runner = Remote(self.crew, Plan.of(name, variant.fingerprint, self._folder, bench.job.room, **more))
        expand_kernel = expand.kernels(compiler.kernel, compiler.functions)["expand"]
        return Disk(bench, runner, workers, variant, expand_kernel)

    def _room(self, job: "Job", threads: int, *, is_stored: bool, has_cycles: bool) -> "Room":
        """Return how much is taken at once: by each thread, or by each worker of the crew."""
        # lazy: start-up time, most solves fit memory
        from gamesman.solver.disk.tasks import Room, room_for

        if self.crew is None:
            left = int(SHARE * (self._allowance.left - SINK * is_stored))
            return room_for(left // threads, job.shift, MOST_KEYS, has_cycles=has_cycles)
        share = self._share(is_stored=is_stored)
        if share is None:
            return Room.of(min(MOST_KEYS, KEYS_OF_WORKER))
        left = int(SHARE * (share - self._allowance.used()))  # a worker is about as large as this process
        return room_for(left, job.shift, min(MOST_KEYS, KEYS_OF_WORKER), has_cycles=has_cycles)

    def _least(self, job: "Job", *, is_stored: bool, has_cycles: bool) -> int:
        """Return how many bytes are enough for shards with the fewest keys."""
        # lazy: start-up time, most solves fit memory
        from gamesman.solver.disk.tasks import size_of

        used, shard = self._allowance.used(), int(size_of(LEAST_KEYS, job.shift, has_cycles=has_cycles) / SHARE) + 1
        if self.crew is None:
            return used + SINK * is_stored + shard
        return used + SINK * is_stored + max(1, self.crew.workers + self.stays_in_tiers()) * (used + shard)

    def _share(self, *, is_stored: bool) -> int | None:
        """Return how many bytes each worker of the crew may use, None for as many as there are."""
        assert self.crew is not None
        if not self._is_limited:
            return None
        # This process takes the levels of tiers with cycles from one to the next.
        return (self._allowance.left - SINK * is_stored) // max(1, self.crew.workers + self.stays_in_tiers())

    def begin_anew(self, error: "DamagedFile") -> None:
        """Remove all files, of which one is damaged, and say so: the next strategy makes them anew.

        Raises the error where other processes have some of them open.
        """
        assert self._folder is not None
        if self.crew is not None:
            raise error
        said = str(error).partition(";")[0]
        self._tell(f"{said}: all files of {self._variant.name} are made anew; tiers that are stored are kept")
        self._folder.clear()
        self._folder.close()

    def __enter__(self) -> "Beyond":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Remove the files of a solve that is done, or of a game that is at fault; else they are to be gone on with."""
        if self._folder is not None and (kind is None or issubclass(kind, BrokenGame)):
            self._folder.remove()
        elif self._folder is not None:
            self._folder.close()
