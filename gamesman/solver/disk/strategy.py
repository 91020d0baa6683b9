"""Tiers that do not fit memory are enumerated and solved here shard by shard, in files of sorted keys.

Every step is a task from files to files, of which a note says that it was done: what was killed goes on with the rest.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from gamesman.errors import TooLarge
from gamesman.machine.workers import Workers
from gamesman.model.ports import Part
from gamesman.model.summary import TierSummary
from gamesman.solver.disk import tasks
from gamesman.solver.disk.blocks import Blocks, write_keys
from gamesman.solver.disk.tasks import Job, Scratch, Solved
from gamesman.solver.leading import leading_to
from gamesman.solver.levels import by_value
from gamesman.values import KEY_LIMIT, UNREACHED

START = "start.run"
POSITIONS_PER_PART = 1 << 16


class Disk:
    """Enumerates and solves the tiers of a variant one by one, shard by shard."""

    def __init__(self, job: Job, workers: Workers, refused: TooLarge, expand: Any):
        """Begin, or go on, to end with what was `refused` where there are moves within a tier.

        `expand` is the kernel with which it is looked who leads to a position at fault.
        """
        self._refused, self._expand = refused, expand
        self._job = job._replace(blame=partial(self._blame, job.blame))
        self._folder, self._workers = job.folder, workers
        self._scratch: dict[int, Scratch] = {}
        self._tiers: dict[int, dict[str, Any]] = {}  # the notes of those that are enumerated
        self._solved: dict[int, Solved] = {}

    def enumerate(self, start_tier: int, start_key: int, advanced: Callable[[int, int], None]) -> None:
        """Find every reachable position, from the start's tier down. Raises TooLarge if moves stay within a tier."""
        start = np.array([start_key], np.int64)
        size = write_keys(self._folder.path / START, start, self._job.room.run_block, self._job.kernels["encode"])
        runs = {start_tier: {START: size}}
        while runs:
            number = max(runs)
            mine = runs.pop(number)
            tier = self._folder.read(f"tier-{number}.json")
            if tier is None:
                tier = self._expand_tier(number, mine, advanced)
            else:
                advanced(number, sum(tier["keys"]))
            for name in (*mine, *(_note(number, shard, "expanded") for shard in range(len(tier["keys"])))):
                self._folder.drop(name)
            self._tiers[number] = tier
            for target, sent in tier["sent"].items():
                runs.setdefault(int(target), {}).update(sent)

    def _expand_tier(self, number: int, files: dict[str, int], advanced: Callable[[int, int], None]) -> dict[str, Any]:
        """Cut a tier, all runs to which are there, into shards, and expand these; return the note of the tier."""
        self._folder.check(files)
        runs = [Blocks(self._folder.path / name) for name in files]
        bounds = _cut(runs, self._job.room.keys)
        found: dict[int, dict[str, Any]] = {}

        def expand(worker: int, shard: int) -> None:
            note = _note(number, shard, "expanded")
            done = self._folder.read(note)
            if done is None:
                span = number, shard, bounds[shard], bounds[shard + 1] - 1
                done = tasks.expand(self._job, self._scratch_of(worker), *span, runs)
                self._folder.note(note, done)
            if done["inner"]:
                self._folder.remove()
                raise self._refused
            found[shard] = done
            advanced(number, done["keys"])

        self._workers.share(expand, [(shard,) for shard in range(len(bounds) - 1)])
        shards = [found[shard] for shard in range(len(bounds) - 1)]
        sent: dict[str, dict[str, int]] = {}
        for done in shards:
            for target, names in done["sent"].items():
                sent.setdefault(target, {}).update({name: done["files"][name] for name in names})
        keys = {name: size for done in shards for name, size in done["files"].items() if name.endswith(".keys")}
        counted = {what: sum(done[what] for done in shards) for what in ("primitives", "moves")}
        note = {"files": keys, "keys": [done["keys"] for done in shards], "sent": sent, **counted}
        self._folder.note(f"tier-{number}.json", note)
        return note

    def _scratch_of(self, worker: int) -> Scratch:
        if worker not in self._scratch:
            self._scratch[worker] = Scratch(self._job)
        return self._scratch[worker]

    def _blame(self, blame: Callable[..., None], key: int) -> None:
        """Raise what is wrong with a position, whose tier is the lowest that is known."""
        self._scratch.clear()

        def tiers() -> Iterator[tuple[int, np.ndarray]]:
            for number in sorted(self._tiers):
                for file in self._files(number):
                    yield (
                        number,
                        file.read_keys(
                            0, len(file.firsts), self._job.kernels["decode"], np.empty(file.items, np.int64)
                        ),
                    )

        blame(key, partial(leading_to, self._expand, self._job.rules, tiers()))

    def tiers(self) -> list[int]:
        """Return the tiers that were found, the lowest first."""
        return sorted(self._tiers)

    def positions(self, number: int) -> int:
        """Return how many positions of a tier are held."""
        return sum(self._tiers[number]["keys"])

    def children(self, number: int) -> set[int]:
        """Return the other tiers that moves from a tier lead to."""
        return {int(target) for target in self._tiers[number]["sent"]}

    def solve(self, number: int, advanced: Callable[[int], None]) -> TierSummary:
        """Solve a tier, all of whose children have their records, and return what was found."""
        files, found, lock = self._files(number), Counter[int](), threading.Lock()

        def solve(worker: int, shard: int) -> None:
            note = _note(number, shard, "solved")
            done = self._folder.read(note)
            if done is None:
                with lock:
                    lower = {child: self._open(child) for child in self.children(number)}
                done = tasks.solve(self._job, self._scratch_of(worker), files[shard], lower)
                self._folder.note(note, done)
            with lock:
                found.update({int(record): count for record, count in done["records"].items()})
            advanced(done["keys"])

        self._workers.share(solve, [(shard,) for shard in range(len(files))])
        tier = self._tiers[number]
        classes = self.positions(number) if self._job.has_classes else None
        return TierSummary(number, by_value(found), tier["primitives"], tier["moves"], classes)

    def _files(self, number: int) -> list[Blocks]:
        """Return the files of a tier's keys, in ascending order."""
        return [Blocks(self._folder.path / name) for name in self._tiers[number]["files"]]

    def _open(self, number: int) -> Solved:
        """Return what finds the records of a solved tier."""
        if number not in self._solved:
            keys = self._files(number)
            self._solved[number] = Solved.of(keys, [Blocks(file.path.with_suffix(".records")) for file in keys])
        return self._solved[number]

    def parts(self, number: int) -> Iterator[Part]:
        """Yield the positions of a solved tier with their records, in the order of their keys."""
        tier = self._open(number)
        for keys_file, records_file in zip(tier.keys, tier.records, strict=True):
            step = max(1, POSITIONS_PER_PART // keys_file.size)
            for begin in range(0, len(keys_file.firsts), step):
                end = min(begin + step, len(keys_file.firsts))
                room = np.empty((end - begin) * keys_file.size, np.int64)
                keys = keys_file.read_keys(begin, end, self._job.kernels["decode"], room)
                yield Part(int(keys[0]), keys, records_file.read_records(begin, end))

    def restore(self, number: int, parts: Iterable[Part]) -> bool:
        """Take the records of a tier solved earlier, if they are not here; return whether they are of its positions."""
        files = self._files(number)
        notes = [_note(number, shard, "solved") for shard in range(len(files))]
        if all(self._folder.read(note) is not None for note in notes):
            return True
        come = _Joined(parts)
        for note, file in zip(notes, files, strict=True):
            room = np.empty(file.items, np.int64)
            keys = file.read_keys(0, len(file.firsts), self._job.kernels["decode"], room)
            its_keys, records = come.take(len(keys))
            if not np.array_equal(keys, its_keys):
                return False
            self._folder.note(note, tasks.write_solved(self._job, file, keys, records))
        return not len(come.take(1)[0])

    def forget(self, number: int) -> None:
        """Free the memory of a tier; its files stay until the solve is over, which may be killed and go on."""
        self._solved.pop(number, None)

    def record(self, number: int, key: int) -> int:
        """Return the record of a position of a solved tier."""
        tier = self._open(number)
        block = np.searchsorted(tier.firsts, [key], "right") - 1
        ((_, keys, records),) = tier.blocks(block, self._job.kernels["decode"])
        return int(records[np.searchsorted(keys, key)])


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


def _note(number: int, shard: int, what: str) -> str:
    return f"tier-{number}.shard-{shard}.{what}.json"


def _cut(runs: list[Blocks], most: int) -> list[int]:
    """Return the first key of each shard, of up to so many keys of runs where that can be, and the end of keys."""
    firsts = np.concatenate([run.firsts for run in runs])
    lengths = np.concatenate([run.lengths() for run in runs])
    order = np.argsort(firsts, kind="stable")
    firsts, ends = firsts[order], np.cumsum(lengths[order])
    straddling = sum(min(run.size, run.items) for run in runs)  # of each run a block may have begun in the shard before
    step = max(most - straddling, most // 2, 1)
    bounds, place = [0], 0
    while True:
        before = int(ends[place - 1]) if place else 0
        following = firsts[min(int(np.searchsorted(ends, before + step, "right")), len(firsts) - 1)]
        side = "left" if following > firsts[place] else "right"
        cut = int(np.searchsorted(firsts, following, side))
        if cut >= len(firsts) or before + step >= ends[-1]:
            return [*bounds, KEY_LIMIT]
        bounds.append(int(firsts[cut]))
        place = cut
