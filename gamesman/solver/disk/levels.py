"""A tier with cycles that is several shards is solved here level by level: the shards take turns, and tell each other.

What is known of the positions of a shard stays in memory while there is room, else it is read and written whenever it
is its turn. That is not noted step by step: from time to time all of it is, and a solve that is killed goes on there.
"""

import itertools
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from gamesman.machine.memory import give_back
from gamesman.machine.workers import Workers
from gamesman.solver.disk.backwards import Course, Keys, Shard, State, finish, read_state, state_chunks, turn
from gamesman.solver.disk.blocks import Blocks, damaged, named, overwrite, write
from gamesman.solver.disk.cyclic import LEVELS, bases
from gamesman.solver.disk.mail import Mail
from gamesman.solver.disk.rounds import Run, batch, notes
from gamesman.solver.disk.stages import Stages
from gamesman.solver.disk.steps import Bench, Step
from gamesman.solver.disk.tasks import read_all, write_solved
from gamesman.solver.kernels.retrograde import BY_FORCE

NOTED = 600.0  # seconds between two notes of all that is known
HELD, POSTED = 0.35, 0.08  # shares of the memory that is left for what is known, and for messages posted at a level
NOW = "now.state"  # what the name of a file ends in that is written at each level
STATE_BYTES = 4  # of a position
KEY_BYTES = 8


class States:
    """Keeps what is known of the positions of each shard: in memory, as far as there is room, or in a file."""

    def __init__(self, paths: list[Path], counts: list[int], room: int):
        """Begin with what is in files, which stay as they are."""
        self._paths, self._counts = paths, counts
        totals = np.cumsum(counts) * STATE_BYTES
        self._held: dict[int, State] = {
            shard: self._read(shard) for shard in range(len(counts)) if int(totals[shard]) <= room
        }

    def _read(self, shard: int) -> State:
        return read_state(self._paths[shard], self._counts[shard])

    def take(self, shard: int) -> State:
        """Return what is known, which may be changed, and then is put back."""
        return self._held[shard] if shard in self._held else self._read(shard)

    def put(self, shard: int, state: State, name: str) -> None:
        """Keep what is known; in a file of that name, where there is no room for it in memory."""
        if shard not in self._held:
            self._paths[shard] = self._paths[shard].with_name(name)
            overwrite(self._paths[shard], state_chunks(self._paths[shard], *state))

    def note(self, shard: int, name: str) -> int:
        """Write what is known to a file of that name, which stays as it is; return its size."""
        state = self.take(shard)
        self._paths[shard] = self._paths[shard].with_name(name)
        return write(self._paths[shard], state_chunks(self._paths[shard], *state))


def _write_rows(path: Path, parts: Iterator[np.ndarray]) -> int:
    """Write rows of numbers with a checksum; return the size of the file."""
    return write(path, _with_checksum(parts, named(path)))


def _with_checksum(parts: Iterator[np.ndarray], checksum: int) -> Iterator[bytes | memoryview]:
    for part in parts:
        checksum = zlib.crc32(part.data, checksum)
        yield part.data
    yield checksum.to_bytes(4, "little")


def _read_rows(path: Path, width: int) -> np.ndarray:
    """Return what was written with a checksum. Raises Damaged."""
    try:
        content = bytearray(path.read_bytes())
    except OSError as error:
        raise damaged(path) from error
    checksum = zlib.crc32(memoryview(content)[:-4], named(path)).to_bytes(4, "little")
    if len(content) % (8 * width) != 4 or checksum != content[-4:]:
        raise damaged(path)
    return np.frombuffer(content, np.int64, len(content) // 8).reshape(-1, width)


class Levels:
    """Solves a tier of several shards."""

    def __init__(self, bench: Bench, run: Run, workers: Workers, number: int):
        self._bench, self._run, self._workers, self._number = bench, run, workers, number
        self._job, self._path = bench.job, bench.job.folder.path
        self._of = len(bench.tier(number)["keys"])
        self._stages = Stages(bench.job.folder, number, LEVELS)

    def run(self) -> None:
        """Decide all positions, and write and note what they are worth."""
        if self._stages.stage < 0:
            self._begin()
        if "linked" not in self._stages.found:
            self._link()
        self._bench.give_up_scratch()
        give_back()
        _Backwards(self._bench, self._workers, self._stages, self._number).run()

    def end(self) -> None:
        """Remove what is not needed any more when all records are written."""
        self._stages.end()

    def _begin(self) -> None:
        found = batch(self._run, "begin", self._number, range(self._of), self._of)
        shards = list(found.values())
        stage = {what: [done[what] for done in shards] for what in ("state", "due", "links")}
        stage["firsts"] = [done["first"] for done in shards]
        files = {name: size for done in shards for name, size in done["files"].items()}
        self._stages.advance({**stage, "files": files}, notes("begin", self._number, found, self._of))

    def _link(self) -> None:
        stage, done = self._stages.found, list[str]()
        files, firsts, linked = {name: stage["files"][name] for name in stage["state"]}, stage["firsts"], list[str]()
        if "ask" not in self._job.kernels:
            number = self._stages.stage
            found = batch(self._run, "link", self._number, range(self._of), self._of, number)
            firsts, linked = bases(self._bench, self._number)[:-1], [each["linked"] for each in found.values()]
            files |= {name: size for each in found.values() for name, size in each["files"].items()}
            done = notes("link", self._number, found, self._of, number)
        kept = {"state": stage["state"], "due": stage["due"], "firsts": firsts, "linked": linked, "files": files}
        self._stages.advance({**kept, "told": {}, "course": (BY_FORCE, 0)}, done)


class _Backwards:
    """Takes a tier of which all is known that the tiers below say from level to level, to the end."""

    def __init__(self, bench: Bench, workers: Workers, stages: Stages, number: int):
        self._bench, self._workers, self._stages, self._number = bench, workers, stages, number
        self._job, self._path, self._counts = bench.job, bench.job.folder.path, bench.tier(number)["keys"]
        self._bases, self._files = bases(bench, number), bench.files(number)
        found, room = stages.found, max(0, self._job.allowance.left)
        self._states = States([self._path / name for name in found["state"]], self._counts, int(HELD * room))
        self._links = [Blocks(self._path / name) for name in found["linked"]]
        self._mail = Mail(self._path / self._named(), np.array(found["firsts"]), self._job.shift, int(POSTED * room))
        self._keys = list(self._keys_held(int(HELD * room) - STATE_BYTES * sum(self._counts)))

    def _named(self, shard: int | None = None, what: str = "") -> str:
        return f"tier-{self._number}" + (f".shard-{shard}.levels-{what}" if shard is not None else "")

    def _keys_held(self, room: int) -> Iterator[Keys]:
        """Yield what reads the keys of each shard, which are in memory where there is so much room; links need none."""
        for file, count in zip(self._files, self._counts, strict=True):
            room -= KEY_BYTES * count
            held = None
            if room >= 0 and not self._links:
                held = file.read_keys(0, len(file.firsts), self._job.kernels["decode"], np.empty(count, np.int64))
            yield Keys(self._job, file, held)

    def run(self) -> None:
        """Decide all positions, and write and note what they are worth."""
        found, course = self._stages.found, Course(self._stages.found["due"], *self._stages.found["course"])
        for shard, name in found["told"].items():
            self._mail.put(int(shard), _read_rows(self._path / name, self._mail.width))
        noted, told = time.monotonic(), self._mail.deliver()
        for after in itertools.chain([0], itertools.repeat(1)):
            if not (busy := course.go_on(told, after)):
                break
            self._workers.share(lambda _, shard: self._turn(shard, course), [(shard,) for shard in sorted(busy)])
            if time.monotonic() > noted + NOTED:
                self._note(course)
                noted = time.monotonic()
            told = self._mail.deliver()
        self._mail.end()
        self._workers.share(lambda _, shard: self._finish(shard), [(shard,) for shard in range(len(self._counts))])

    def _turn(self, shard: int, course: Course) -> None:
        state = self._states.take(shard)
        links = self._links[shard] if self._links else None
        with self._bench.scratch() as scratch:
            mine = Shard(self._job, scratch, self._keys[shard], state, links, self._bases[shard])
            turn(mine, shard, self._mail, course.kind, course.level, is_due=course.is_due(shard))
        self._states.put(shard, state, self._named(shard, NOW))

    def _note(self, course: Course) -> None:
        """Note all that is known when a level is done, and what is to be heard at the next."""
        found, stage = self._stages.found, self._stages.stage + 1
        files, state, told = {name: found["files"][name] for name in found["linked"]}, list[str](), dict[str, str]()
        for shard in range(len(self._counts)):
            state.append(self._named(shard, f"{stage}.state"))
            files[state[-1]] = self._states.note(shard, state[-1])
        for shard, rows in self._mail.posted(self._job.room.children):
            told[str(shard)] = self._named(shard, f"{stage}.told")
            files[told[str(shard)]] = _write_rows(self._path / told[str(shard)], rows)
        after = {"state": state, "told": told, "course": (course.kind, course.level + 1), "files": files}
        self._stages.advance({**found, **after})

    def _finish(self, shard: int) -> None:
        step = Step("solve", self._number, shard, len(self._counts))
        with self._bench.scratch() as scratch:
            keys = self._keys[shard].held
            if keys is None:
                keys = read_all(self._job, scratch, self._files[shard])
            found = write_solved(self._job, self._files[shard], keys, finish(*self._states.take(shard)))
        self._job.folder.note(step.note, found)
        self._job.folder.drop(self._named(shard, NOW))
