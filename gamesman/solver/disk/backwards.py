"""A shard of a tier with moves inside it is solved here, level by level: what is decided at one is told to the parents.

The positions of a shard, what their records are to be, and what can still happen to them (`left`), are as in
gamesman.solver.kernels.retrograde. Only messages go from one shard to another: see gamesman.solver.kernels.messages.
"""

import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gamesman.solver.disk.blocks import Blocks, damaged, write, write_links
from gamesman.solver.disk.pairs import Pairs, sort_pairs, write_pairs
from gamesman.solver.disk.tasks import Job, Scratch, Solved, begun, read_all, write_solved
from gamesman.solver.kernels.acyclic import TOO_FAR, TOO_MANY
from gamesman.solver.kernels.retrograde import BY_FORCE, BY_TIE, DECIDED
from gamesman.solver.levels import MOST_COUNTED, new_due, raise_for
from gamesman.values import DRAW, MAX_REMOTENESS, REMOTENESS_BITS

LINK_BLOCK = 1 << 10  # positions whose links are in a block
READ_TOGETHER = 32  # blocks

Due = list[list[int]]  # kinds with the levels at which positions are decided by what was known from the beginning


class Shard:
    """Holds what a shard's positions are worth, as far as that is known."""

    def __init__(self, job: Job, keys: np.ndarray, records: np.ndarray, left: np.ndarray, base: int = 0):
        """The shard's positions have the places from `base` on in the tier; without undo_moves no keys are needed."""
        self._job, self.keys, self.records, self.left, self._base = job, keys, records, left, base
        self._decided = np.empty(len(records), np.int64)
        self._n = 0

    def hear(self, where: np.ndarray, what: np.ndarray, kind: int, level: int) -> None:
        """Take messages of children that were decided at a level."""
        place = (
            self.keys if "ask" in self._job.kernels else self.keys[:0],
            self._base,
            where,
            what.astype(np.int64, copy=False),
            level,
            kind,
        )
        self._n = self._job.kernels["hear"](*place, self.records, self.left, self._decided, self._n)

    @property
    def has_decided(self) -> bool:
        """Return whether positions have been decided and not been taken."""
        return self._n > 0

    def release(self, kind: int, level: int) -> None:
        """Decide what is due at a level."""
        given = level, kind, self.records, self.left, self._decided, self._n
        self._n = self._job.kernels["release_all"](*given)

    def take(self, level: int) -> np.ndarray:
        """Return the positions decided at a level, in ascending order, and forget them. Raises TooLarge."""
        found, self._n = np.sort(self._decided[: self._n]), 0
        if len(found) and level == MAX_REMOTENESS:
            raise_for(TOO_FAR)
        return found

    def finish(self) -> np.ndarray:
        """Return the records, now that no level is left: who is open is a draw."""
        self.records[self.left != DECIDED] = DRAW << REMOTENESS_BITS
        return self.records


class Asking:
    """Tells the parents, whose keys the game's undo_moves says."""

    def __init__(self, job: Job, scratch: Scratch):
        self._job, self._scratch = job, scratch

    def messages(self, shard: Shard, decided: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the messages of positions that were decided, sorted, as many at a time as there is room for."""
        scratch, ask, i = self._scratch, self._job.kernels["ask"], 0
        while i < len(decided):
            room = scratch.found, scratch.parted
            after, n = ask(self._job.rules, shard.keys, decided, i, len(decided), shard.records, *room)
            if after == i:
                scratch.enlarge()
            elif n:
                yield sort_pairs(scratch.found[:n], scratch.parted[:n])
            i = after


class Following:
    """Tells the parents that are listed in a file of links."""

    def __init__(self, job: Job, scratch: Scratch, links: Blocks):
        self._job, self._scratch, self._links = job, scratch, links
        self._held: tuple[np.ndarray, np.ndarray] | None = None

    def messages(self, shard: Shard, decided: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the messages of positions that were decided, sorted, as many at a time as there is room for."""
        scratch, size = self._scratch, self._links.size
        numbers = decided // size
        for number, heads, links in self._blocks(np.unique(numbers)):
            at, end = (int(np.searchsorted(numbers, number, side)) for side in ("left", "right"))
            while at < end:
                place = heads, links, number * size, decided, at, end, shard.records
                after, n = self._job.kernels["follow"](*place, scratch.found, scratch.parted)
                if after == at:
                    scratch.enlarge()
                elif n:
                    yield sort_pairs(scratch.found[:n], scratch.parted[:n])
                at = after

    def _blocks(self, wanted: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yield the numbers of some blocks with what is in each: where the links of each position begin, and links."""
        if len(self._links.firsts) == 1 and len(wanted):
            if self._held is None:
                self._held = self._unpacked(0, *self._links.contents(0, 1))
            yield 0, *self._held
            return
        breaks = np.flatnonzero(np.diff(wanted) != 1) + 1
        for group in np.split(wanted, breaks):
            for begin in range(0, len(group), READ_TOGETHER):
                part = group[begin : begin + READ_TOGETHER].tolist()
                for number, content in zip(part, self._links.contents(part[0], part[-1] + 1), strict=True):
                    yield number, *self._unpacked(number, content)

    def _unpacked(self, number: int, content: memoryview) -> tuple[np.ndarray, np.ndarray]:
        found = self._links.records(number, content, np.int64)
        count = min(self._links.size, self._links.items - number * self._links.size) + 1
        if len(found) < count or len(found) != count + found[count - 1]:
            raise self._links.damaged()
        return found[:count], found[count:]


class Links:
    """Writes down whose moves stay in the tier, as runs sorted by where they lead."""

    def __init__(self, job: Job, name: str):
        self._job, self._name = job, name
        self.files: dict[str, int] = {}
        self.runs: list[str] = []

    def take(self, asked: np.ndarray, whose: np.ndarray, begin: int) -> None:
        """Take moves that stay in the tier."""
        if self._job.shift:
            asked.sort()
            asked, whose = asked >> self._job.shift, asked & (1 << self._job.shift) - 1
        else:
            order = np.argsort(asked, kind="stable")
            asked, whose = asked[order], whose[order]
        name = f"{self._name}.{len(self.runs)}.links"
        path, block = self._job.folder.path / name, self._job.room.run_block
        self.files |= write_pairs(path, asked, whose + 2 * begin, block, self._job.kernels["encode"])
        self.runs.append(name)


def link(job: Job, path: Path, keys: np.ndarray, runs: list[tuple[Pairs, int]]) -> dict[str, int]:
    """Write the links of a shard, its parents, from runs of which it is said where the places of their shard begin."""
    total = sum(pairs.most(int(keys[0]), int(keys[-1])) for pairs, _ in runs)
    fits = max(1, len(keys) * (job.room.children // 2) // max(1, total))
    block = len(keys) if fits >= len(keys) else min(LINK_BLOCK, fits)

    def parts() -> Iterator[bytes]:
        begin = 0
        while begin < len(keys):
            end = min(len(keys), begin + max(block, fits // block * block))
            heads, links = _linked(job, keys[begin:end], runs)
            for first in range(0, end - begin, block):
                span = heads[first : min(first + block, end - begin) + 1]
                yield (span - span[0]).tobytes() + links[span[0] : span[-1]].tobytes()
            begin = end

    return {path.name: write_links(path, keys, parts(), block)}


def _linked(job: Job, keys: np.ndarray, runs: list[tuple[Pairs, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Return where the links of each of some positions begin, and where the last one's end; and the links."""
    heads, found = np.zeros(len(keys) + 2, np.int64), []
    for pairs, base in runs:
        where, what = pairs.read(int(keys[0]), int(keys[-1]), job.kernels["decode"])
        places = np.empty(len(where), np.int64)
        if job.kernels["find_places"](keys, where, heads, places) < 0:
            raise pairs.where.damaged()
        found.append((places, what.astype(np.int64) + 2 * base))
    np.cumsum(heads, out=heads)
    links = np.empty(int(heads[-1]), np.int64)
    for places, parents in found:
        job.kernels["fill_links"](places, parents, heads, links)
    return heads[:-1], links


def begin(
    job: Job, scratch: Scratch, keys: np.ndarray, tier: int, lower: dict[int, Solved], links: Links | None
) -> tuple[np.ndarray, np.ndarray, Due]:
    """Return what positions know from the tiers below: their records, what is left, and the levels that are due."""
    kernels = job.kernels
    records, best, stay = begun(job, scratch, keys, lower, tier, None if links is None else links.take)
    if links is None and job.has_classes:
        kernels["weigh_inner"](job.rules, keys, stay)
    if int(stay.max()) > MOST_COUNTED:
        raise_for(TOO_MANY)
    left, due = np.empty(len(keys), np.uint16), new_due()
    kernels["open_all"](best, stay, records, left, due)
    return records, left, [np.flatnonzero(due[kind]).tolist() for kind in (BY_FORCE, BY_TIE)]


def solve_alone(job: Job, scratch: Scratch, keys_file: Blocks, tier: int, lower: dict[int, Solved]) -> dict[str, Any]:
    """Solve a tier that is one shard."""
    keys = read_all(job, scratch, keys_file)
    links = None if "ask" in job.kernels else Links(job, keys_file.path.stem)
    records, left, due = begin(job, scratch, keys, tier, lower, links)
    shard = Shard(job, keys, records, left)
    teller: Asking | Following = Asking(job, scratch)
    if links is not None:
        path = keys_file.path.with_suffix(".linked")
        runs = [(Pairs.of(path.with_name(name)), 0) for name in links.runs]
        files = {**links.files, **link(job, path, keys, runs)}
        teller = Following(job, scratch, Blocks(path))
    for kind in (BY_FORCE, BY_TIE):
        level = next_level(due[kind], 0)
        while level is not None:
            if level in due[kind]:
                shard.release(kind, level)
            for where, what in teller.messages(shard, shard.take(level)):
                shard.hear(where, what, kind, level)
            level = level + 1 if shard.has_decided else next_level(due[kind], level + 1)
    if links is not None:
        for name in files:
            job.folder.drop(name)
    return write_solved(job, keys_file, keys, shard.finish())


def next_level(due: list[int], least: int) -> int | None:
    """Return the first level from this one on that is due, or None."""
    return min((level for level in due if level >= least), default=None)


def begin_shard(job: Job, scratch: Scratch, keys_file: Blocks, tier: int, lower: dict[int, Solved]) -> dict[str, Any]:
    """Begin to solve a shard of a tier that has several; return the levels that are due, and where links are."""
    keys = read_all(job, scratch, keys_file)
    links = None if "ask" in job.kernels else Links(job, keys_file.path.stem)
    records, left, due = begin(job, scratch, keys, tier, lower, links)
    state = keys_file.path.with_suffix(".state-0")
    files = {state.name: write_state(state, records, left), **(links.files if links else {})}
    found = {"state": state.name, "due": due, "links": links.runs if links else [], "first": int(keys[0])}
    return {"files": files, **found}


def advance(
    job: Job, teller: Asking | Following, shard: Shard, told: list[Pairs], span: tuple[int, int], kind: int, level: int,
    name: str, firsts: np.ndarray, *, is_due: bool
) -> dict[str, Any]:  # fmt: skip
    """Take a shard through one level: hear what was told to the places of a span, and tell who is decided by that.

    `firsts` says where each shard of the tier begins, so that it can be told to which ones there are messages.
    """
    for pairs in told:
        for where, what in pairs.parts(*span, job.room.children, job.kernels["decode"]):
            shard.hear(where, what, kind, level - 1)
    if is_due:
        shard.release(kind, level)
    decided = shard.take(level)
    state = job.folder.path / f"{name}.state"
    files, sent, to = {state.name: write_state(state, shard.records, shard.left)}, list[str](), set[int]()
    for where, what in teller.messages(shard, decided):
        message = job.folder.path / f"{name}.{len(sent)}.told"
        files |= write_pairs(message, where, what, job.room.run_block, job.kernels["encode"])
        sent.append(message.name)
        to |= {*np.unique(np.searchsorted(firsts, where, "right") - 1).tolist()}
    return {"files": files, "state": state.name, "sent": sent, "to": sorted(to - {-1})}


def write_state(path: Path, records: np.ndarray, left: np.ndarray) -> int:
    """Write what a shard's positions are worth, as far as that is known; return the size of the file."""
    chunks = records.tobytes(), left.tobytes()
    return write(path, [*chunks, zlib.crc32(chunks[1], zlib.crc32(chunks[0])).to_bytes(4, "little")])


def read_state(path: Path, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what was written of so many positions. Raises Damaged."""
    try:
        content = bytearray(path.read_bytes())
    except OSError:
        content = bytearray()
    if len(content) != 4 * count + 4 or zlib.crc32(content[:-4]).to_bytes(4, "little") != content[-4:]:
        raise damaged(path)
    records, left = np.frombuffer(content, np.uint16, 2 * count).reshape(2, count)
    return records, left


def warm_up(job: Job) -> None:
    """Have all kernels compiled, so that it is seen how much memory is left beside them."""
    kernels, none, few = job.kernels, np.empty(0, np.int64), np.zeros(4, np.int64)
    records, left, stay = np.empty(0, np.uint16), np.empty(0, np.uint16), np.empty(0, np.int32)
    kernels["absent"](none, none)
    kernels["merge"](none, 0, none)
    kernels["count_inner"](none, -1, 0, stay)
    kernels["open_all"](stay, stay, records, left, new_due())
    kernels["hear"](none, 0, none, none, 0, 0, records, left, none, 0)
    kernels["release_all"](0, 0, records, left, none, 0)
    if "ask" in kernels:
        kernels["weigh_inner"](job.rules, none, stay)
        kernels["ask"](job.rules, none, none, 0, 0, records, few, few)
        return
    kernels["find_places"](none, none, few, few)
    kernels["fill_links"](none, none, few, few)
    kernels["follow"](few, few, 0, none, 0, 0, records, few, few)
