"""A shard of a tier with moves inside it is solved here, level by level: what is decided at one is told to the parents.

The positions of a shard, what their records are to be, and what can still happen to them (`left`), are as in
gamesman.solver.kernels.retrograde. Only messages go from one shard to another: see gamesman.solver.kernels.messages.
"""

import itertools
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from gamesman.solver.disk.blocks import Blocks, damaged, named, write
from gamesman.solver.disk.links import Following, Links, Messages, link
from gamesman.solver.disk.mail import Mail
from gamesman.solver.disk.pairs import Pairs
from gamesman.solver.disk.tasks import Job, Scratch, Solved, begun, read_all, write_solved
from gamesman.solver.kernels.acyclic import TOO_FAR, TOO_MANY
from gamesman.solver.kernels.retrograde import BY_FORCE, BY_TIE, DECIDED
from gamesman.solver.levels import MOST_COUNTED, new_due, raise_for
from gamesman.values import DRAW, MAX_REMOTENESS, REMOTENESS_BITS

HEARD = 1 << 18  # messages that are heard together
SKIPPED = 4  # blocks are read as quickly as one is looked for

State = tuple[np.ndarray, np.ndarray]  # records, and what is left
Around = Iterator[tuple[int, np.ndarray, slice]]
Due = list[list[int]]  # kinds with the levels at which positions are decided by what was known from the beginning


class Keys:
    """Reads the keys of a shard, as far as they are asked for, or has them."""

    def __init__(self, job: Job, file: Blocks, held: np.ndarray | None = None):
        self._job, self.file, self.held = job, file, held

    def around(self, asked: np.ndarray, firsts: np.ndarray, scratch: Scratch) -> Around:
        """Yield keys with the place of the first of them, and which of those asked for may be among them.

        What is asked for ascends, and `firsts` says it of the first key of each block.
        """
        if self.held is not None:
            yield 0, self.held, slice(0, len(asked))
            return
        cuts = np.append(np.searchsorted(asked, firsts), len(asked))
        wanted, file = np.flatnonzero(np.diff(cuts)), self.file
        is_dense = len(wanted) and SKIPPED * len(wanted) > wanted[-1] - wanted[0]
        for group in [wanted] if is_dense else np.split(wanted, np.flatnonzero(np.diff(wanted) != 1) + 1):
            if len(group):
                begin, end = int(group[0]), int(group[-1]) + 1
                room = scratch.keys_for(file.size * (end - begin))
                keys = file.read_keys(begin, end, self._job.kernels["decode"], room)
                yield begin * file.size, keys, slice(int(cuts[begin]), int(cuts[end]))

    def at(self, places: np.ndarray, scratch: Scratch) -> np.ndarray:
        """Return the keys at some places, which ascend."""
        firsts = np.arange(len(self.file.firsts)) * self.file.size
        found = [keys[places[which] - base] for base, keys, which in self.around(places, firsts, scratch)]
        return np.concatenate(found) if found else np.empty(0, np.int64)


class Shard:
    """Holds what a shard's positions are worth, as far as that is known, for the time in which it hears and tells."""

    def __init__(self, job: Job, scratch: Scratch, keys: Keys, state: State, links: Blocks | None, base: int):
        """The shard's positions have the places from `base` on in the tier, and without undo_moves links."""
        self._job, self._scratch, self._keys, self._base = job, scratch, keys, base
        self._records, self._left = state
        self._links = None if links is None else Following(job, scratch, links)

    def hear(self, where: np.ndarray, what: np.ndarray, kind: int, level: int) -> Messages:
        """Take messages, sorted, of children that were decided at a level; yield what those say whom this decides."""
        decided = np.empty(min(len(where), len(self._records)), np.int64)
        given = self._job.shift, level, kind
        if self._links is not None:
            none = where[:0]
            n = self._job.kernels["hear"](none, self._base, where, what, *given, self._records, self._left, decided)
            yield from self._told(decided[:n], where[:n], level + 1)
            return
        firsts = self._keys.file.firsts << self._job.shift
        for base, keys, which in self._keys.around(where, firsts, self._scratch):
            part, state = where[which], (self._records[base : base + len(keys)], self._left[base : base + len(keys)])
            n = self._job.kernels["hear"](keys, 0, part, what[which], *given, *state, decided)
            decided[:n] += base
            yield from self._told(decided[:n], part[:n], level + 1)

    def release(self, kind: int, level: int) -> Messages:
        """Decide the positions that are due at a level. Yields the messages that tell their parents."""
        decided = np.empty(len(self._records), np.int64)
        n = self._job.kernels["release_all"](level, kind, self._records, self._left, decided)
        places = decided[:n]
        keys = places if self._links is not None else self._keys.at(places, self._scratch)
        yield from self._told(places, keys, level)

    def _told(self, decided: np.ndarray, keys: np.ndarray, level: int) -> Messages:
        """Yield the messages of positions decided at a level, as many at a time as there is room for."""
        if len(decided) and level > MAX_REMOTENESS:
            raise_for(TOO_FAR)
        if self._links is not None:
            yield from self._links.messages(self._records, decided)
            return
        scratch, ask, i = self._scratch, self._job.kernels["ask"], 0
        while i < len(decided):
            room = self._job.shift, scratch.found, scratch.whose
            after, n = ask(self._job.rules, keys, decided, i, len(decided), self._records, *room)
            if after == i:
                scratch.enlarge()
            elif n:
                yield scratch.found[:n], scratch.whose[:n]
            i = after


def turn(shard: Shard, number: int, mail: Mail, kind: int, level: int, *, is_due: bool) -> None:
    """Take a shard through one level: let it hear what was told at the level before, and post what it tells."""
    for where, what in mail.heard(number, HEARD):
        for message in shard.hear(where, what, kind, level - 1):
            mail.post(*message)
    if is_due:
        for message in shard.release(kind, level):
            mail.post(*message)


class Course:
    """Says which level comes after which, and which shards take part in it."""

    def __init__(self, due: Iterable[Due], kind: int = BY_FORCE, level: int = 0):
        """Begin at a level, or, if none is due there, at the first one that is."""
        self._due = [[{*levels} for levels in of_shard] for of_shard in due]
        self.kind, self.level = kind, level

    def go_on(self, told: set[int], after: int = 1) -> set[int]:
        """Go to the next level at which some shards hear or decide something; return these, none at the end."""
        self.level += after
        while not told and self.kind in (BY_FORCE, BY_TIE):
            levels = (level for of_shard in self._due for level in of_shard[self.kind] if level >= self.level)
            if (level := min(levels, default=-1)) >= 0:
                self.level = level
                break
            self.kind, self.level = self.kind + 1, 0
        return told | {shard for shard in range(len(self._due)) if self.is_due(shard)}

    def is_due(self, shard: int) -> bool:
        """Return whether something was known from the beginning that decides positions of a shard at this level."""
        return self.kind in (BY_FORCE, BY_TIE) and self.level in self._due[shard][self.kind]


def finish(records: np.ndarray, left: np.ndarray) -> np.ndarray:
    """Return the records, now that no level is left: who is open is a draw."""
    records[left != DECIDED] = DRAW << REMOTENESS_BITS
    return records


def begin(
    job: Job, scratch: Scratch, keys: np.ndarray, tier: int, lower: dict[int, Solved], links: Links | None
) -> tuple[np.ndarray, np.ndarray, Due]:
    """Return what positions know from the tiers below: their records, what is left, and the levels that are due."""
    kernels = job.kernels
    records, best, stay = begun(job, scratch, keys, lower, tier, None if links is None else links.take)
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
    files, linked = dict[str, int](), None
    if links is not None:
        path = keys_file.path.with_suffix(".linked")
        runs = [(Pairs.of(path.with_name(name)), 0) for name in links.runs]
        files = {**links.files, **link(job, path, keys, runs)}
        linked = Blocks(path)
    shard = Shard(job, scratch, Keys(job, keys_file, keys), (records, left), linked, 0)
    mail = Mail(keys_file.path.with_suffix(""), np.zeros(1, np.int64), job.shift, 8 * job.room.children)
    course, told = Course([due]), set[int]()
    for after in itertools.chain([0], itertools.repeat(1)):
        if not course.go_on(told, after):
            break
        turn(shard, 0, mail, course.kind, course.level, is_due=course.is_due(0))
        told = mail.deliver()
    mail.end()
    for name in files:
        job.folder.drop(name)
    return write_solved(job, keys_file, keys, finish(records, left))


def begin_shard(job: Job, scratch: Scratch, keys_file: Blocks, tier: int, lower: dict[int, Solved]) -> dict[str, Any]:
    """Begin to solve a shard of a tier that has several; return the levels that are due, and where links are."""
    keys = read_all(job, scratch, keys_file)
    links = None if "ask" in job.kernels else Links(job, keys_file.path.stem)
    records, left, due = begin(job, scratch, keys, tier, lower, links)
    state = keys_file.path.with_suffix(".state")
    files = {state.name: write(state, state_chunks(state, records, left)), **(links.files if links else {})}
    found = {"state": state.name, "due": due, "links": links.runs if links else [], "first": int(keys[0])}
    return {"files": files, **found}


def state_chunks(path: Path, records: np.ndarray, left: np.ndarray) -> list[bytes | memoryview]:
    """Return what is written to a file of what a shard's positions are worth, as far as that is known."""
    chunks = records.data, left.data
    checksum = zlib.crc32(chunks[1], zlib.crc32(chunks[0], named(path)))
    return [*chunks, checksum.to_bytes(4, "little")]


def read_state(path: Path, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return what was written of so many positions. Raises Damaged."""
    try:
        content = bytearray(path.read_bytes())
    except OSError:
        content = bytearray()
    if len(content) != 4 * count + 4 or zlib.crc32(content[:-4], named(path)).to_bytes(4, "little") != content[-4:]:
        raise damaged(path)
    records, left = np.frombuffer(content, np.uint16, 2 * count).reshape(2, count)
    return records, left


def warm_up(job: Job) -> None:
    """Have all kernels compiled, so that it is seen how much memory is left beside them."""
    kernels, none, few = job.kernels, np.empty(0, np.int64), np.zeros(4, np.int64)
    records, left, stay = np.empty(0, np.uint16), np.empty(0, np.uint16), np.empty(0, np.int32)
    kernels["absent"](none, none)
    kernels["merge"](none, 0, none)
    kernels["open_all"](stay, stay, records, left, new_due())
    kernels["hear"](none, 0, none, none, job.shift, 0, 0, records, left, none)
    kernels["release_all"](0, 0, records, left, none)
    if "ask" in kernels:
        kernels["ask"](job.rules, none, none, 0, 0, records, job.shift, few, few)
        return
    kernels["find_places"](none, none, few, few)
    kernels["fill_links"](none, none, few, few)
    kernels["follow"](few, few, 0, none, 0, 0, records, job.shift, few, few)
