"""A shard of a tier is expanded here, or solved: a step from files to files that can be done twice and does no harm."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from gamesman.machine.memory import Allowance
from gamesman.solver.disk.blocks import Blocks, write_keys, write_records
from gamesman.solver.disk.folder import WorkFolder
from gamesman.solver.kernels.acyclic import TOO_FAR
from gamesman.solver.kernels.sorting import MOST_BYTES
from gamesman.solver.levels import raise_for
from gamesman.values import KEY_LIMIT, MAX_REMOTENESS

ENTRY, CHILD, LOOSE_CHILD = 14, 18, 58  # bytes that a key of a shard takes, and a child, and one that cannot be packed
CYCLIC_ENTRY, CYCLIC_CHILD = 30, 32  # and more bytes where moves stay in the tier
CHILDREN = 1.5  # that there is room for, for each key of a shard
MAX_RECORDS = 1 << 16
READ_TOGETHER = 1 << 16  # keys of a solved tier
TARGETS = 64  # tiers that children can be in, at first
COUNTED = "primitives", "moves", "inner", "most_inner"  # what `list_children` counts
LEAST_PACKED = 14  # bits there must be for whose a child is


class Room(NamedTuple):
    """Says for how many keys, and how many children of them, there is room in memory at a time."""

    keys: int  # of all runs to a tier, in a shard
    children: int

    @classmethod
    def of(cls, keys: int) -> "Room":
        """Return the room where there is room for so many keys, and the children that these have as a rule."""
        return cls(keys, max(1, int(CHILDREN * keys)))

    @property
    def run_block(self) -> int:
        """Return how many keys are in a block of a run: few, because shards read parts of it."""
        return max(2, min(1 << 13, self.keys // 512))

    @property
    def shard_block(self) -> int:
        """Return how many keys are in a block of a shard."""
        return max(2, min(1 << 14, self.keys // 64))


def room_for(size: int, shift: int, most: int, *, has_cycles: bool = False) -> Room:
    """Return what there is room for in so many bytes, up to a number of keys."""
    return Room.of(max(0, min(most, int(size / size_of(1, shift, has_cycles=has_cycles)))))


def size_of(keys: int, shift: int, *, has_cycles: bool) -> float:
    """Return the bytes that so many keys of a shard take, with the children that these have as a rule."""
    entry, child = ENTRY + CYCLIC_ENTRY * has_cycles, (CHILD if shift else LOOSE_CHILD) + CYCLIC_CHILD * has_cycles
    return keys * (entry + CHILDREN * child)


def shift_for(bound: int | None) -> int:
    """Return the bits that are left beside a key for whose child it is; 0 where they are too few."""
    left = 63 - ((bound or KEY_LIMIT) - 1).bit_length()
    return min(left, 32) if left >= LEAST_PACKED else 0


class Job(NamedTuple):
    """Holds what all steps of a solve share."""

    folder: WorkFolder
    kernels: dict[str, Any]
    rules: Any
    room: Room
    shift: int
    bound: int
    allowance: Allowance
    has_classes: bool


class AtFault(Exception):
    """Says that something is wrong with the position of a key; who can looks for what it is."""

    def __init__(self, key: int):
        super().__init__(key)
        self.key = key


class Scratch:
    """Holds what one thread works in, so that the same memory serves all its steps."""

    def __init__(self, job: Job):
        self._allowance = job.allowance
        self.keys = np.empty(0, np.int64)
        self.tiers = np.zeros(TARGETS + 1, np.int64)
        self._enlarge(job.room.children, has_whose=not job.shift)

    def keys_for(self, count: int) -> np.ndarray:
        """Return room for so many keys of a shard."""
        if len(self.keys) < count:
            self.keys = np.empty(0, np.int64)
            self._allowance.reserve(8 * count, f"a part of a tier with {count:,} keys")
            self.keys = np.empty(count, np.int64)
        return self.keys[:count]

    def enlarge(self) -> None:
        """Make room for a position whose children found none where nothing else was. Raises TooLarge."""
        if self.tiers[0] == len(self.tiers) - 1:
            self.tiers = np.zeros(4 * len(self.tiers), np.int64)
        else:
            self._enlarge(4 * len(self.found), has_whose=len(self.whose) > 0)

    def _enlarge(self, children: int, *, has_whose: bool) -> None:
        self.found = self.whose = self.which = self.parted = self.parted_whose = np.empty(0, np.int64)
        purpose = "expanding a position with so many moves"
        self._allowance.reserve((LOOSE_CHILD if has_whose else CHILD) * children, purpose)
        self.found, self.parted = np.empty(children, np.int64), np.empty(children, np.int64)
        self.which = np.empty(children, np.uint16)
        self.whose = np.empty(children if has_whose else 0, np.int64)
        self.parted_whose = np.empty_like(self.whose)

    def by_tier(self, part: Any, n: int) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yield the first n children found tier by tier, with whose they are; then forget the tiers."""
        tiers = self.tiers[1 : self.tiers[0] + 1].tolist()
        self.tiers[0] = 0
        if not n:
            return
        if len(tiers) == 1:
            yield tiers[0], self.found[:n], self.whose[:n]
            return
        starts = np.zeros(len(tiers) + 2, np.int64)
        part(self.found, self.whose, self.which, n, starts, self.parted, self.parted_whose)
        for tier, (start, end) in zip(tiers, itertools.pairwise(starts[:-1].tolist()), strict=True):
            if start < end:
                yield tier, self.parted[start:end], self.parted_whose[start:end]


def expand(
    job: Job, scratch: Scratch, tier: int, shard: int, low: int, last: int, runs: list[Blocks]
) -> dict[str, Any]:
    """Merge what runs have from `low` to `last` into a shard, and write a run for each tier its moves lead to."""
    name = f"tier-{tier}.shard-{shard}"
    keys = merged(job, scratch.keys_for, low, last, runs)
    if int(keys[-1]) >= job.bound:
        raise AtFault(int(keys[-1]))
    encode = job.kernels["encode"]
    files = {f"{name}.keys": write_keys(job.folder.path / f"{name}.keys", keys, job.room.shard_block, encode)}
    tally, sent, done, part = np.zeros(4, np.int64), dict[str, list[str]](), 0, 0
    while done < len(keys):
        place = job.rules, keys, done, len(keys), tier
        after, n = job.kernels["list_children"](*place, scratch.tiers, scratch.found, scratch.which, tally)
        if after < 0:
            raise AtFault(int(keys[~after]))
        if after == done:
            scratch.enlarge()
        for target, children, _ in scratch.by_tier(job.kernels["part"], n):
            run = f"{name}.{part}.to-{target}.run"
            children.sort()
            children = children[: job.kernels["unique"](children)]
            files[run] = write_keys(job.folder.path / run, children, job.room.run_block, encode)
            sent.setdefault(str(target), []).append(run)
        done, part = after, part + 1
    return {"files": files, "keys": len(keys), "sent": sent, **dict(zip(COUNTED, tally.tolist(), strict=True))}


def merged(job: Job, room_for: Callable[[int], np.ndarray], low: int, last: int, runs: list[Blocks]) -> np.ndarray:
    """Return the keys from `low` to `last` that are in some runs, sorted, each once, at the front of room for them."""
    spans = [(run, *run.between(low, last)) for run in runs]
    room = room_for(sum(int(run.lengths()[begin:end].sum()) for run, begin, end in spans))
    n, several = 0, sum(begin < end for _, begin, end in spans) > 1
    for run, begin, end in spans:
        if begin == end:
            continue
        read = run.read_keys(begin, end, job.kernels["decode"], room[n:])
        first, after = int(np.searchsorted(read, low)), int(np.searchsorted(read, last, "right"))
        if first:
            read[: after - first] = read[first:after]
        n += after - first
    keys = room[:n]
    if not several:
        return keys
    keys.sort()
    return keys[: job.kernels["unique"](keys)]


class Solved(NamedTuple):
    """Finds the records of a tier by the blocks of its shards."""

    keys: list[Blocks]
    records: list[Blocks]
    firsts: np.ndarray  # the first key of each block of all of them
    shards: np.ndarray  # and in which shard it is
    places: np.ndarray  # and at which place there

    @classmethod
    def of(cls, keys: list[Blocks], records: list[Blocks]) -> "Solved":
        """Return what finds the records in the files of a tier's shards."""
        for its_keys, its_records in zip(keys, records, strict=True):
            if not np.array_equal(its_keys.firsts, its_records.firsts):
                raise its_records.damaged()
        shards = np.repeat(np.arange(len(keys)), [len(each.firsts) for each in keys])
        places = np.concatenate([np.arange(len(each.firsts)) for each in keys])
        return cls(keys, records, np.concatenate([each.firsts for each in keys]), shards, places)

    def blocks(self, wanted: np.ndarray, decode: Any) -> Iterator[tuple[int, int, np.ndarray, np.ndarray]]:
        """Yield the first and the end of some blocks, which ascend, with the keys and records of all of these."""
        breaks = np.flatnonzero((np.diff(wanted) != 1) | (np.diff(self.shards[wanted]) != 0)) + 1
        for group in np.split(wanted, breaks):
            keys, records = (files[self.shards[group[0]]] for files in (self.keys, self.records))
            step = max(1, READ_TOGETHER // keys.size)
            room = np.empty(min(step, len(group)) * keys.size, np.int64)
            for first in range(0, len(group), step):
                number, count = int(group[first]), min(step, len(group) - first)
                place = int(self.places[number])
                its_keys = keys.read_keys(place, place + count, decode, room)
                its_records = records.read_records(place, place + count)
                if len(its_keys) != len(its_records):
                    raise records.damaged()
                yield number, number + count, its_keys, its_records


def solve(job: Job, scratch: Scratch, keys_file: Blocks, lower: dict[int, Solved]) -> dict[str, Any]:
    """Solve a shard of a tier, all of whose children are in solved tiers; return how often it has each record."""
    keys = read_all(job, scratch, keys_file)
    records, best, _ = begun(job, scratch, keys, lower)
    job.kernels["conclude"](records, best)
    return write_solved(job, keys_file, keys, records)


def read_all(job: Job, scratch: Scratch, keys_file: Blocks) -> np.ndarray:
    """Return all keys of a shard."""
    return keys_file.read_keys(0, len(keys_file.firsts), job.kernels["decode"], scratch.keys_for(keys_file.items))


# Takes moves that stay in a tier: where they lead, and whose they are, counted from a position on.
Inner = Callable[[np.ndarray, np.ndarray, int], None]


def begun(
    job: Job, scratch: Scratch, keys: np.ndarray, lower: dict[int, Solved], tier: int = -1, inner: Inner | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the records of primitive positions, the best score of the others by children in solved tiers, and moves.

    These are those that stay in the tier, of which `inner` hears where un-moves are not told.
    """
    kernels = job.kernels
    records, best = np.empty(len(keys), np.uint16), np.empty(len(keys), np.int32)
    stay = np.zeros(len(keys) if tier >= 0 else 0, np.int32)
    begin, most = 0, 1 << max(0, job.shift - 1) if job.shift else len(keys)
    while begin < len(keys):
        end = min(len(keys), begin + most)
        place = job.rules, keys, begin, end, tier, job.shift
        lists = scratch.tiers, scratch.found, scratch.whose, scratch.which
        after, n = kernels["list_questions"](*place, *lists, records, best, stay)
        if after == begin:
            scratch.enlarge()
        for target, asked, whose in scratch.by_tier(kernels["part"], n):
            if inner is not None and target == tier:
                inner(asked, whose, begin)
                continue
            wrong = _tell(job, asked, whose, lower.get(target), begin, best)
            if wrong is not None:
                raise AtFault(int(keys[wrong]))
        begin = after
    return records, best, stay


def write_solved(job: Job, keys_file: Blocks, keys: np.ndarray, records: np.ndarray) -> dict[str, Any]:
    """Write the records of a shard beside its keys; return how often it has each, of all positions."""
    path = keys_file.path.with_suffix(".records")
    size = write_records(path, keys, records, keys_file.size)
    histogram = np.zeros(MAX_RECORDS, np.int64)
    if job.has_classes:
        job.kernels["weigh"](job.rules, 0, keys, records, histogram)
    else:
        job.kernels["count"](records, histogram)
    found = {str(record): int(histogram[record]) for record in np.flatnonzero(histogram)}
    return {"files": {path.name: size}, "keys": len(keys), "records": found}


def _tell(
    job: Job, asked: np.ndarray, whose: np.ndarray, lower: Solved | None, begin: int, best: np.ndarray
) -> int | None:
    """Tell positions from `begin` on the records of the children they ask for; return who gets no answer."""
    if len(whose):
        order = np.argsort(asked)
        asked, whose = asked[order], whose[order]
    else:
        asked.sort()

    def parent(i: int) -> int:
        return begin + (int(whose[i] if len(whose) else asked[i] & (1 << job.shift) - 1) >> 1)

    if lower is None:
        return parent(0)
    cuts = np.append(np.searchsorted(asked, lower.firsts << job.shift), len(asked))
    if cuts[0]:
        return parent(0)
    decode, tell = job.kernels["decode"], job.kernels["tell"]
    for number, after, keys, records in lower.blocks(np.flatnonzero(np.diff(cuts)), decode):
        i, end = int(cuts[number]), int(cuts[after])
        farthest = tell(keys, records, asked, whose, i, end, job.shift, begin, best)
        if farthest < 0:
            return parent(~farthest)
        if farthest == MAX_REMOTENESS:
            raise_for(TOO_FAR)
    return None


def warm_up(job: Job, key: int) -> None:
    """Have all kernels compiled, so that it is seen how much memory is left beside them."""
    kernels, keys, few = job.kernels, np.array([key], np.int64), np.zeros(4, np.int64)
    tiers, which, whose = (
        np.zeros(TARGETS + 1, np.int64),
        np.zeros(4, np.uint16),
        np.zeros(0 if job.shift else 4, np.int64),
    )
    records, best, told = np.zeros(1, np.uint16), np.zeros(1, np.int32), np.frombuffer(b"\0\0", np.uint16)
    kernels["list_children"](job.rules, keys, 0, 0, 0, tiers, few, which, few)
    place = job.rules, keys, 0, 0, -1, job.shift
    kernels["list_questions"](*place, tiers, few, whose, which, records, best, np.zeros(0, np.int32))
    kernels["unique"](keys)
    kernels["part"](few, whose, which, 0, few.copy(), few, whose)
    size, total = kernels["encode"](keys, np.zeros(MOST_BYTES, np.uint8))
    block = np.array([size]), keys, np.array([total])
    kernels["decode"](np.frombuffer(bytes(size), np.uint8), *block, 1, keys.copy())
    kernels["tell"](keys, told, few, whose, 0, 0, job.shift, 0, best)
    kernels["conclude"](records, best)
    histogram = np.zeros(MAX_RECORDS, np.int64)
    if job.has_classes:
        kernels["weigh"](job.rules, 0, keys, records, histogram)
    else:
        kernels["count"](records, histogram)
