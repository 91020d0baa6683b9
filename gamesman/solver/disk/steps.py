"""A step of a solve is a task from files to files that anybody may perform who has the work folder and the game.

The strategy says *which* steps there are: batch after batch, all steps of a batch independent of each other, a step no
more than a name, a tier, a shard and a few numbers or names of files. A runner says *who* performs them: threads of
this process, see `Threads`, or other processes on this machine or elsewhere. Either performs a step at a *bench*, which
holds the compiled game, the folder, room to work in, and files that are open.

What a step needs beyond its few words it reads from notes in the folder: which runs lead to a tier and where its shards
begin (`Bench.runs`), which files a tier has (`Bench.tier`). What it yields it returns, small and fit for JSON, and that
is its note, too; "files" in it are the files it has written, with their sizes. So a step with a sound note was done,
wherever and by whom, and one that is performed twice, even at once, does no harm: it writes the same bytes.

A new kind of step is a function of a bench and a step, entered in gamesman.solver.disk.kinds.
"""

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from gamesman.machine.workers import Workers
from gamesman.solver.disk.blocks import Blocks, damaged
from gamesman.solver.disk.tasks import Job, Scratch, Solved


class Step(NamedTuple):
    """Says what is to be done: a kind of step, of a shard of a tier; small, as it may travel."""

    kind: str  # see gamesman.solver.disk.kinds
    tier: int
    shard: int
    shards: int  # of the tier, for people
    further: tuple[int | str, ...] = ()  # whatever else tells it from other steps

    @property
    def note(self) -> str:
        """Return the name of the note that says it was done."""
        return f"tier-{self.tier}.shard-{self.shard}.{'-'.join(map(str, (self.kind, *self.further)))}.json"

    def told(self, variant: str) -> str:
        """Say which step it is.

        >>> Step("expand", 40, 2, 16).told("konane:rows=5,cols=6")
        'expand konane:rows=5,cols=6 tier 40 shard 3/16'
        """
        words = [self.kind, variant, "tier", self.tier, "shard", f"{self.shard + 1}/{self.shards}", *self.further]
        return " ".join(map(str, words))


class Runs(NamedTuple):
    """Says of what a tier will be made: all runs to it, and the first key of each of its shards, and the end."""

    files: list[Blocks]
    bounds: list[int]


class Bench:
    """Holds what steps are performed with; several threads may share one."""

    def __init__(self, job: Job):
        self.job = job
        self._lock = threading.RLock()
        self._idle: list[Scratch] = []
        self._tiers: dict[int, dict[str, Any]] = {}
        self._runs: tuple[int, Runs] | None = None
        self._solved: dict[int, Solved] = {}
        self._stage: tuple[str, Any] = "", None

    def perform(self, step: Step) -> dict[str, Any]:
        """Do a step, unless there is a sound note of it, and note it; return what it yields."""
        # lazy: they are functions of a bench
        from gamesman.solver.disk.kinds import STEPS

        found = self.job.folder.read(step.note)
        if found is None:
            found = STEPS[step.kind](self, step)
            self.job.folder.note(step.note, found)
        return found

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Scratch]:
        """Yield room to work in, what is idle of it first: there is never more than is worked in at once."""
        try:
            mine = self._idle.pop()
        except IndexError:
            mine = Scratch(self.job)
        try:
            yield mine
        finally:
            self._idle.append(mine)

    def give_up_scratch(self) -> None:
        """Free the room that is idle, which all of it is when no thread is at work any more, and what a stage keeps."""
        self._idle.clear()
        self._stage = "", None

    def runs(self, number: int) -> Runs:
        """Return of what a tier will be made that is about to be enumerated. Raises Damaged."""
        with self._lock:
            if self._runs is None or self._runs[0] != number:
                found = self._read(runs_note(number))
                files = [Blocks(self.job.folder.path / name) for name in found["files"]]
                self._runs = number, Runs(files, found["bounds"])
            return self._runs[1]

    def stage(self, name: str, read: Callable[[dict[str, Any]], Any]) -> Any:
        """Return what is read from the note of a stage, which is kept until the next one is asked for."""
        with self._lock:
            if self._stage[0] != name:
                self._stage = name, read(self._read(name))
            return self._stage[1]

    def lower(self, number: int) -> dict[int, Solved]:
        """Return the tiers that moves from a tier lead to, which are solved; let go of all others."""
        children = self.children(number)
        self.hold(children)
        return {child: self.solved(child) for child in children}

    def tier(self, number: int) -> dict[str, Any]:
        """Return the note of a tier that is enumerated. Raises Damaged."""
        with self._lock:
            if number not in self._tiers:
                self._tiers[number] = self._read(tier_note(number))
            return self._tiers[number]

    def children(self, number: int) -> set[int]:
        """Return the other tiers that moves from a tier lead to."""
        return {int(target) for target in self.tier(number)["sent"]}

    def files(self, number: int) -> list[Blocks]:
        """Return the files of a tier's keys, in ascending order."""
        return [Blocks(path) for path in self.paths(number)]

    def paths(self, number: int) -> list[Path]:
        """Return where the files of a tier's keys are, in ascending order."""
        return [self.job.folder.path / name for name in self.tier(number)["files"]]

    def solved(self, number: int) -> Solved:
        """Return what finds the records of a solved tier."""
        with self._lock:
            if number not in self._solved:
                keys = self.files(number)
                records = [Blocks(file.path.with_suffix(".records")) for file in keys]
                self._solved[number] = Solved.of(keys, records)
            return self._solved[number]

    def hold(self, numbers: Iterable[int]) -> None:
        """Let go of the files of all solved tiers but these."""
        with self._lock:
            self._solved = {number: self._solved[number] for number in {*numbers} & self._solved.keys()}

    def _read(self, note: str) -> dict[str, Any]:
        found = self.job.folder.read(note)
        if found is None:
            raise damaged(self.job.folder.path / note)
        return found


def tier_note(number: int) -> str:
    """Return the name of the note of a tier that is enumerated."""
    return f"tier-{number}.json"


def runs_note(number: int) -> str:
    """Return the name of the note of what a tier will be made of."""
    return f"tier-{number}.runs.json"


class Runner(Protocol):
    """Has steps performed."""

    @property
    def at_once(self) -> int:
        """Return how many shards are better than one where a tier would fit it."""

    def run(self, steps: Sequence[Step], heard: Callable[[Step, dict[str, Any]], None]) -> None:
        """Have all steps of a batch performed, in any order; return when all are done.

        `heard` is called with each step that is done and what it has yielded, once, and never twice at a time. Raises
        the error of a step that has one, and what `heard` raises; then no further step is begun.
        """

    def begin(self, steps: Sequence[Step]) -> None:
        """Begin with the batch that will be run next, if that costs nothing of what is done meanwhile."""


class Threads:
    """Performs steps on threads of this process."""

    def __init__(self, bench: Bench, workers: Workers):
        self._bench, self._workers, self._lock = bench, workers, threading.Lock()
        self.at_once = 1  # a tier with cycles is solved sooner whole

    def run(self, steps: Sequence[Step], heard: Callable[[Step, dict[str, Any]], None]) -> None:
        """Have each thread perform the next step when it is free."""

        def perform(worker: int, number: int) -> None:
            found = self._bench.perform(steps[number])
            with self._lock:
                heard(steps[number], found)

        self._workers.share(perform, [(number,) for number in range(len(steps))])

    def begin(self, steps: Sequence[Step]) -> None:
        """Do nothing: the threads are needed for what is done meanwhile."""
