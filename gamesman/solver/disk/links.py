"""Without undo_moves the moves that stay in a tier are written down, sorted by where they lead: who leads to whom.

A shard's own moves are runs of links, of which each shard of the tier takes what leads to it.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gamesman.solver.disk.blocks import Blocks, write_links
from gamesman.solver.disk.pairs import Pairs, write_pairs
from gamesman.solver.disk.tasks import Job, Scratch

LINK_BLOCK = 1 << 10  # positions whose links are in a block
READ_TOGETHER = 32  # blocks

Messages = Iterator[tuple[np.ndarray, np.ndarray]]


class Following:
    """Tells the parents that are listed in a file of links."""

    def __init__(self, job: Job, scratch: Scratch, links: Blocks):
        self._job, self._scratch, self._links = job, scratch, links
        self._held: tuple[np.ndarray, np.ndarray] | None = None

    def messages(self, records: np.ndarray, decided: np.ndarray) -> Messages:
        """Yield the messages of positions that were decided, in ascending order, as many as there is room for."""
        scratch, size = self._scratch, self._links.size
        numbers = decided // size
        for number, heads, links in self._blocks(np.unique(numbers)):
            at, end = (int(np.searchsorted(numbers, number, side)) for side in ("left", "right"))
            while at < end:
                place = heads, links, number * size, decided, at, end, records, self._job.shift
                after, n = self._job.kernels["follow"](*place, scratch.found, scratch.whose)
                if after == at:
                    scratch.enlarge()
                elif n:
                    yield scratch.found[:n], scratch.whose[:n]
                at = after

    def _blocks(self, wanted: np.ndarray) -> Iterator[tuple[int, np.ndarray, np.ndarray]]:
        """Yield the numbers of some blocks with what is in each: where the links of each position begin, and links."""
        if len(self._links.firsts) == 1 and len(wanted):
            if self._held is None:
                self._held = self._unpacked(*next(self._links.contents(0, 1, np.int64)))[1:]
            yield 0, *self._held
            return
        breaks = np.flatnonzero(np.diff(wanted) != 1) + 1
        for group in np.split(wanted, breaks):
            for begin in range(0, len(group), READ_TOGETHER):
                part = group[begin : begin + READ_TOGETHER].tolist()
                for number, found in self._links.contents(part[0], part[-1] + 1, np.int64):
                    yield self._unpacked(number, found)

    def _unpacked(self, number: int, found: np.ndarray) -> tuple[int, np.ndarray, np.ndarray]:
        count = min(self._links.size, self._links.items - number * self._links.size) + 1
        if len(found) < count or len(found) != count + found[count - 1]:
            raise self._links.damaged()
        return number, found[:count], found[count:]


class Links:
    """Writes down whose moves stay in the tier, as runs sorted by where they lead."""

    def __init__(self, job: Job, name: str):
        self._job, self._name = job, name
        self.files: dict[str, int] = {}
        self.runs: list[str] = []

    def take(self, asked: np.ndarray, whose: np.ndarray, begin: int) -> None:
        """Write moves that stay in the tier as a run: where each leads, and from which position."""
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
