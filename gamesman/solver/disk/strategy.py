"""Tiers that do not fit memory are enumerated and solved here shard by shard, in files of sorted keys.

Every step is a task from files to files, of which a note says that it was done: what was killed goes on with the rest.
It is said here which steps there are, batch after batch; who performs them is said in gamesman.solver.disk.steps.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from gamesman.machine.workers import Workers
from gamesman.model import culprit
from gamesman.model.ports import Part
from gamesman.model.summary import TierSummary
from gamesman.model.variant import Variant
from gamesman.solver import upfront
from gamesman.solver.disk import tasks
from gamesman.solver.disk.blocks import Blocks, write_keys
from gamesman.solver.disk.cutting import cut
from gamesman.solver.disk.levels import Levels
from gamesman.solver.disk.rounds import Rounds
from gamesman.solver.disk.steps import Bench, Runner, Step, Threads, runs_note, tier_note
from gamesman.solver.disk.tasks import AtFault
from gamesman.solver.kernels.places import MOST_INNER
from gamesman.solver.leading import leading_to
from gamesman.solver.levels import by_value
from gamesman.values import UNREACHED

START = "start.run"
POSITIONS_PER_PART = 1 << 16
KEYS_PER_PART = 1 << 18
FEW = 1 << 13  # keys of a step that is done here sooner than it is heard that another process has done it


class Disk:
    """Enumerates and solves the tiers of a variant one by one, shard by shard."""

    def __init__(self, bench: Bench, runner: Runner, workers: Workers, variant: Variant, expand: Any):
        """Begin, or go on; with the kernel `expand` it is looked who leads to a position at fault."""
        self._bench, self._runner, self._workers, self._variant, self._expand = bench, runner, workers, variant, expand
        self._job, self._folder, self._here = bench.job, bench.job.folder, Threads(bench, workers)
        self._numbers: list[int] = []  # of the tiers that are enumerated
        self._with_records: set[int] = set()  # those that have their records in files, as far as is known

    def enumerate(self, start_tier: int, start_key: int, advanced: Callable[[int, int], None]) -> None:
        """Find every reachable position, from the start's tier down."""
        start = np.array([start_key], np.int64)
        size = write_keys(self._folder.path / START, start, self._job.room.run_block, self._job.kernels["encode"])
        runs = {start_tier: {START: size}}
        while runs:
            number = max(runs)
            mine = runs.pop(number)
            tier = self._folder.read(tier_note(number))
            if tier is None:
                tier = self._expand_tier(number, mine, advanced)
            else:
                advanced(number, sum(tier["keys"]))
            for name in (*mine, runs_note(number)):
                self._folder.drop(name)
            self._numbers.append(number)
            for target, sent in tier["sent"].items():
                runs.setdefault(int(target), {}).update(sent)

    def _expand_tier(self, number: int, files: dict[str, int], advanced: Callable[[int, int], None]) -> dict[str, Any]:
        """Cut a tier, all runs to which are there, into shards, and expand these; return the note of the tier."""
        rounds = Rounds(self._bench, self._run, number, advanced)
        if not rounds.are_begun:
            bounds, keys = self._cut(number, files)
            found: dict[int, dict[str, Any]] = {}

            def heard(step: Step, done: dict[str, Any]) -> None:
                found[step.shard] = done
                advanced(number, done["keys"])

            steps = _steps("expand", number, bounds[1:])
            self._run(steps, heard, keys)
            rounds.begin(bounds, [found[step.shard] for step in steps], [step.note for step in steps])
        note = rounds.run()
        self._folder.note(tier_note(number), note)
        rounds.end(note)
        return note

    def _cut(self, number: int, files: dict[str, int]) -> tuple[list[int], int]:
        """Return where the shards of a tier begin, and how many keys there are in all runs.

        A tier that was cut before is cut as it was: steps that are done are of those shards.
        """
        noted = self._folder.read(runs_note(number))
        if noted is None or noted["files"] != files:
            self._folder.check(files)
            self._folder.drop(*self._folder.names(f"tier-{number}.shard-", ".json"))
            runs = [Blocks(self._folder.path / name) for name in files]
            bounds = cut(runs, self._job.room.keys, at_once=self._runner.at_once)
            noted = {"files": files, "bounds": bounds, "keys": sum(run.items for run in runs)}
            self._folder.note(runs_note(number), noted)
        return noted["bounds"], noted["keys"]

    def _run(self, steps: list[Step], heard: Callable[[Step, dict[str, Any]], None], keys: int | None = None) -> None:
        """Have a batch of steps performed, of so many keys. Raises BrokenGame where the game is at fault."""
        try:
            (self._here if _is_few(steps, keys) else self._runner).run(steps, heard)
        except AtFault as error:
            self._bench.give_up_scratch()
            culprit.blame(
                self._variant, error.key, partial(leading_to, self._expand, self._job.rules, self._all_keys())
            )

    def _all_keys(self) -> Iterator[tuple[int, np.ndarray]]:
        """Yield the keys of all tiers that are enumerated, from the lowest up."""
        decode = self._job.kernels["decode"]
        for number in self.tiers():
            for file in self._bench.files(number):
                yield number, file.read_keys(0, len(file.firsts), decode, np.empty(file.items, np.int64))

    @property
    def _is_dense(self) -> bool:
        """Return whether solving in memory would hold these positions in arrays, and so is how they are stored."""
        game, rules = self._variant.game, self._variant.rules
        return upfront.is_dense(self._variant) and all(
            game.functions["tier_keys"](rules, number)[1] and self._bench.tier(number)["most_inner"] <= MOST_INNER
            for number in self._numbers
        )

    def tiers(self) -> list[int]:
        """Return the tiers that were found, the lowest first."""
        return sorted(self._numbers)

    def positions(self, number: int) -> int:
        """Return how many positions of a tier are held."""
        return sum(self._bench.tier(number)["keys"])

    def children(self, number: int) -> set[int]:
        """Return the other tiers that moves from a tier lead to."""
        return self._bench.children(number)

    def solve(self, number: int, advanced: Callable[[int], None]) -> TierSummary:
        """Solve a tier, all of whose children have their records, and return what was found."""
        found, tier = Counter[int](), self._bench.tier(number)

        def heard(step: Step, done: dict[str, Any]) -> None:
            found.update({int(record): count for record, count in done["records"].items()})
            advanced(done["keys"])

        steps = _steps("solve", number, tier["keys"])
        levels = Levels(self._bench, self._run, self._workers, number) if self._has_levels(number) else None
        if levels is not None and any(self._folder.read(step.note) is None for step in steps):
            levels.run()
        self._run(steps, heard, sum(tier["keys"]))
        if levels is not None:
            levels.end()
        self._begin_after(number)
        classes = self.positions(number) if self._job.has_classes else None
        return TierSummary(number, by_value(found), tier["primitives"], tier["moves"], classes)

    def _begin_after(self, number: int) -> None:
        """Have the next tier begun with while this one is handed over, if it is to be solved."""
        self._with_records.add(number)
        for other in [other for other in self.tiers() if other > number][:1]:
            steps, keys = _steps("solve", other, self._bench.tier(other)["keys"]), self.positions(other)
            is_due = self.children(other) <= self._with_records and not self._has_levels(other)
            if is_due and not _is_few(steps, keys):
                self._runner.begin(steps)

    def _has_levels(self, number: int) -> bool:
        """Return whether a tier is solved level by level, because it has cycles and several shards."""
        tier = self._bench.tier(number)
        return bool(tier["inner"]) and len(tier["keys"]) > 1

    def parts(self, number: int) -> Iterator[Part]:
        """Yield the positions of a solved tier with their records, in the order of their keys."""
        self._bench.hold([number])
        tier, is_dense = self._bench.solved(number), self._is_dense
        for keys_file, records_file in zip(tier.keys, tier.records, strict=True):
            step = max(1, POSITIONS_PER_PART // keys_file.size)
            for begin in range(0, len(keys_file.firsts), step):
                end = min(begin + step, len(keys_file.firsts))
                room = np.empty((end - begin) * keys_file.size, np.int64)
                keys = keys_file.read_keys(begin, end, self._job.kernels["decode"], room)
                records = records_file.read_records(begin, end)
                yield from _as_array(keys, records) if is_dense else (Part(int(keys[0]), keys, records),)

    def restore(self, number: int, parts: Iterable[Part]) -> bool:
        """Take the records of a tier solved earlier, if they are not here; return whether they are of its positions."""
        files = self._bench.files(number)
        notes = [step.note for step in _steps("solve", number, files)]
        if all(self._folder.read(note) is not None for note in notes):
            self._with_records.add(number)
            return True
        come = _Joined(parts)
        for note, file in zip(notes, files, strict=True):
            room = np.empty(file.items, np.int64)
            keys = file.read_keys(0, len(file.firsts), self._job.kernels["decode"], room)
            its_keys, records = come.take(len(keys))
            if not np.array_equal(keys, its_keys):
                return False
            self._folder.note(note, tasks.write_solved(self._job, file, keys, records))
        self._with_records.add(number)
        return not len(come.take(1)[0])

    def forget(self, number: int) -> None:
        """Do nothing: a tier's files stay until the solve is over, which may be killed and go on."""

    def record(self, number: int, key: int) -> int:
        """Return the record of a position of a solved tier."""
        tier = self._bench.solved(number)
        block = np.searchsorted(tier.firsts, [key], "right") - 1
        ((*_, keys, records),) = tier.blocks(block, self._job.kernels["decode"])
        return int(records[np.searchsorted(keys, key)])


def _as_array(keys: np.ndarray, records: np.ndarray) -> Iterator[Part]:
    """Yield the records of ascending keys as those of consecutive ones, of which some are not reached."""
    first, last = int(keys[0]), int(keys[-1])
    for begin in range(first, last + 1, KEYS_PER_PART):
        low, high = np.searchsorted(keys, [begin, begin + KEYS_PER_PART])
        found = np.full(min(KEYS_PER_PART, last + 1 - begin), UNREACHED, np.uint16)
        found[keys[low:high] - begin] = records[low:high]
        yield Part(begin, None, found)


class _Joined:
    """Takes positions out of parts, as many at a time as are wanted."""

    def __init__(self, parts: Iterable[Part]):
        self._parts = iter(parts)
        self._keys, self._records = np.empty(0, np.int64), np.empty(0, np.uint16)

    def take(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the next keys and records, fewer where there are no more."""
        keys, records, n = [self._keys], [self._records], len(self._keys)
        while n < count and (part := next(self._parts, None)) is not None:
            reached = part.records != UNREACHED
            its = part.keys if part.keys is not None else np.arange(part.first, part.first + len(part.records))
            keys.append(its[reached])
            records.append(part.records[reached])
            n += len(keys[-1])
        all_keys, all_records = np.concatenate(keys), np.concatenate(records)
        self._keys, self._records = all_keys[count:], all_records[count:]
        return all_keys[:count], all_records[:count]


def _steps(kind: str, number: int, shards: Sequence[object]) -> list[Step]:
    """Return the steps of a kind of all shards of a tier."""
    return [Step(kind, number, shard, len(shards)) for shard in range(len(shards))]


def _is_few(steps: list[Step], keys: int | None) -> bool:
    """Return whether a batch of steps, of so many keys, is sooner done here than it is asked for."""
    return len(steps) == 1 and keys is not None and keys <= FEW
