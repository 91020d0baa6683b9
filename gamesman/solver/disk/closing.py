"""A shard of a tier with moves inside it is closed here: what leads to more of its positions is expanded to the end.

What leads out of the shard is sent as runs, also those within the tier: the next round goes on with them.
"""

from typing import Any

import numpy as np

from gamesman.solver.disk.blocks import Blocks, write_keys
from gamesman.solver.disk.tasks import COUNTED, AtFault, Job, Scratch, merged


class Outbox:
    """Collects children by their tiers, and writes them as runs when they are many."""

    def __init__(self, job: Job, name: str):
        self._job, self._name, self._part, self._count = job, name, 0, 0
        self._held: dict[int, list[np.ndarray]] = {}
        self.files: dict[str, int] = {}
        self.sent: dict[str, list[str]] = {}

    def add(self, target: int, children: np.ndarray) -> None:
        """Collect children of the tier `target`, given as sorted keys; write runs if they have become many."""
        if len(children):
            self._held.setdefault(target, []).append(children.copy())
            self._count += len(children)
        if self._count > self._job.room.children:
            self.flush()

    def flush(self) -> None:
        """Write the children collected, a run for each tier, and forget them."""
        for target in list(self._held):
            children = joined(self._job, self._held.pop(target))
            run = f"{self._name}.{self._part}.to-{target}.run"
            path, block = self._job.folder.path / run, self._job.room.run_block
            self.files[run] = write_keys(path, children, block, self._job.kernels["encode"])
            self.sent.setdefault(str(target), []).append(run)
        self._part, self._count = self._part + 1, 0


def joined(job: Job, parts: list[np.ndarray]) -> np.ndarray:
    """Return sorted keys that are in some parts, each once."""
    if len(parts) == 1:
        return parts[0]
    keys = np.concatenate(parts)
    keys.sort()
    return keys[: job.kernels["unique"](keys)]


class Closing:
    """Closes one shard, the keys from `low` to `last`: expands what is new until nothing new is found in it."""

    def __init__(self, job: Job, scratch: Scratch, tier: int, name: str, low: int, last: int):
        self._job, self._scratch, self._tier, self._name = job, scratch, tier, name
        self._low, self._last = low, last
        self._outbox = Outbox(job, name)
        self._tally = np.zeros(4, np.int64)

    def run(self, known: list[Blocks], runs: list[Blocks]) -> dict[str, Any]:
        """Add what runs bring to the keys known, which are expanded already, and whatever these lead to."""
        job, kernels = self._job, self._job.kernels
        come = merged(job, self._new, self._low, self._last, runs)
        room = sum(int(file.lengths()[slice(*file.between(self._low, self._last))].sum()) for file in known)
        self._room = self._scratch.keys_for(max(job.room.keys, room + len(come)))
        self._n = len(merged(job, lambda count: self._room[:count], self._low, self._last, known))
        before = self._n
        fresh = come[: kernels["absent"](come, self._room[: self._n])]
        while len(fresh):
            kernels["merge"](self._room, self._n, fresh)
            self._n += len(fresh)
            fresh = self._expand(fresh)
        keys = self._room[: self._n]
        counted = dict(zip(COUNTED, self._tally.tolist(), strict=True))
        if not len(keys):
            return {"files": {}, "known": "", "sent": {}, "keys": 0, "fresh": 0, **counted}
        if int(keys[-1]) >= job.bound:
            raise AtFault(int(keys[-1]))
        self._outbox.flush()
        file = f"{self._name}.keys"
        size = write_keys(job.folder.path / file, keys, job.room.shard_block, kernels["encode"])
        found = {"known": file, "sent": self._outbox.sent, "keys": len(keys), "fresh": len(keys) - before}
        return {"files": {file: size, **self._outbox.files}, **found, **counted}

    def _new(self, count: int) -> np.ndarray:
        self._job.allowance.reserve(8 * count, f"a part of a tier with {count:,} keys")
        return np.empty(count, np.int64)

    def _expand(self, keys: np.ndarray) -> np.ndarray:
        """Expand some keys; return which of the shard are new, as far as there is room for them."""
        job, scratch, kernels = self._job, self._scratch, self._job.kernels
        fresh: list[np.ndarray] = []
        done = count = 0
        while done < len(keys):
            place = job.rules, keys, done, len(keys), self._tier
            after, n = kernels["list_children"](*place, scratch.tiers, scratch.found, scratch.which, self._tally)
            if after < 0:
                raise AtFault(int(keys[~after]))
            if after == done:
                scratch.enlarge()
            for target, children, _ in scratch.by_tier(kernels["part"], n):
                children.sort()
                found = children[: kernels["unique"](children)]
                if target != self._tier:
                    self._outbox.add(target, found)
                    continue
                first = int(np.searchsorted(found, self._low))
                last = int(np.searchsorted(found, self._last, "right"))
                self._outbox.add(target, found[:first])
                self._outbox.add(target, found[last:])
                own = found[first:last]
                own = own[: kernels["absent"](own, self._room[: self._n])]
                if self._n + count + len(own) > len(self._room) or count + len(own) > job.room.children:
                    self._outbox.add(target, own)  # for the next round, when the shard is cut
                elif len(own):
                    fresh.append(own.copy())
                    count += len(own)
            done = after
        return joined(job, fresh) if fresh else np.empty(0, np.int64)
