"""Tiers with moves inside them are closed here round by round, in batches of steps."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from gamesman.solver.disk.blocks import Blocks
from gamesman.solver.disk.cutting import cut
from gamesman.solver.disk.cyclic import ROUNDS
from gamesman.solver.disk.stages import Stages
from gamesman.solver.disk.steps import Bench, Step
from gamesman.solver.disk.tasks import COUNTED

Found = dict[str, Any]
Run = Callable[[list[Step], Callable[[Step, Found], None]], None]  # has a batch of steps performed


def _counted(shards: Iterable[Found]) -> Found:
    """Return what has been counted in all shards, or in all rounds."""
    several = list(shards)
    return {what: (max if what == "most_inner" else sum)(each[what] for each in several) for what in COUNTED}


def batch(run: Run, kind: str, number: int, shards: Iterable[int], of: int, *further: int) -> dict[int, Found]:
    """Have a step of some shards of a tier performed; return what each has yielded."""
    found: dict[int, Found] = {}
    run(
        [Step(kind, number, shard, of, further) for shard in shards],
        lambda step, done: found.update({step.shard: done}),
    )
    return dict(sorted(found.items()))


def notes(kind: str, number: int, shards: Iterable[int], of: int, *further: int) -> list[str]:
    """Return the names of the notes of such steps."""
    return [Step(kind, number, shard, of, further).note for shard in shards]


FULL = 0.75  # of what there is room for in a shard: so much is joined in one


class Rounds:
    """Closes a tier, all of whose runs from above have been expanded."""

    def __init__(self, bench: Bench, run: Run, number: int, advanced: Callable[[int, int], None]):
        self._bench, self._run, self._number, self._advanced = bench, run, number, advanced
        self._stages = Stages(bench.job.folder, number, ROUNDS)

    @property
    def are_begun(self) -> bool:
        """Return whether a solve that was stopped has left a round."""
        return self._stages.stage >= 0

    def begin(self, bounds: list[int], shards: Sequence[Found], done: Iterable[str]) -> None:
        """Begin with what expanding the shards has yielded, of which there are notes."""
        known = [[name for name in done["files"] if name.endswith(".keys")] for done in shards]
        stage = {"bounds": bounds, "known": known, "keys": [done["keys"] for done in shards], **_counted(shards)}
        self._advance({**stage, "sent": {}}, shards, done)

    def _advance(self, stage: Found, shards: Sequence[Found], done: Iterable[str] = ()) -> None:
        """Note the next round: what shards have sent to the tier is to be merged into it."""
        sizes = {name: size for found in shards for name, size in found["files"].items()}
        sent = {target: dict(names) for target, names in stage["sent"].items()}
        for found in shards:
            for target, names in found["sent"].items():
                sent.setdefault(target, {}).update({name: sizes[name] for name in names})
        runs = sent.pop(str(self._number), {})
        before = self._stages.found.get("files", {})
        keys = {name: sizes.get(name, before.get(name)) for names in stage["known"] for name in names}
        further = {name: size for names in sent.values() for name, size in names.items()}
        stage = {**stage, "sent": sent, "runs": list(runs), "due": []}
        if runs:
            stage = self._cut(stage)
        self._stages.advance({**stage, "files": {**keys, **runs, **further}}, done)

    def _cut(self, stage: Found) -> Found:
        """Cut shards in which there will be too much, and join small ones; note which ones have something to do."""
        path, most = self._bench.job.folder.path, self._bench.job.room.keys
        runs = [Blocks(path / name) for name in stage["runs"]]
        bounds, known, keys, due = [0], list[list[str]](), list[int](), list[int]()
        before = np.array(stage["bounds"])
        sizes = sum(run.about(before) for run in runs) + np.array(stage["keys"])
        has_some = np.any([run.may_have(before) for run in runs], axis=0)
        last = most  # how much there will be in the shard before, if that may be joined with this one
        for shard, names in enumerate(stage["known"]):
            parts, size = stage["bounds"][shard : shard + 2], sizes[shard]
            if has_some[shard] and last + size <= FULL * most:
                known[-1] = [*dict.fromkeys(known[-1] + names)]
                keys[-1] += stage["keys"][shard]
                bounds[-1] = parts[1]
                last += size
                continue
            if has_some[shard] and size > most:
                parts = cut([*runs, *(Blocks(path / name) for name in names)], most, *parts)
            if has_some[shard]:
                due += range(len(known), len(known) + len(parts) - 1)
            known += [names] * (len(parts) - 1)
            keys += [stage["keys"][shard]] * (len(parts) - 1)
            bounds += parts[1:]
            last = size if has_some[shard] and size <= most else most
        return {**stage, "bounds": bounds, "known": known, "keys": keys, "due": due}

    def run(self) -> Found:
        """Merge and expand, round by round, until nothing new is found; return the note of the tier."""
        while due := self._stages.found["due"]:
            of, stage = len(self._stages.found["known"]), self._stages.stage
            found = batch(self._run, "close", self._number, due, of, stage)
            self._next(found, notes("close", self._number, due, of, stage))
        stage = self._stages.found
        sizes = stage["files"]
        keys = {name: sizes[name] for names in stage["known"] for name in names}
        return {"files": keys, "keys": stage["keys"], "sent": stage["sent"], **{what: stage[what] for what in COUNTED}}

    def _next(self, found: dict[int, Found], done: list[str]) -> None:
        stage = self._stages.found
        bounds, known, keys = [0], list[list[str]](), list[int]()
        for shard, names in enumerate(stage["known"]):
            count = found[shard]["keys"] if shard in found else stage["keys"][shard]
            if count:
                known.append([found[shard]["known"]] if shard in found else names)
                keys.append(count)
                bounds.append(stage["bounds"][shard + 1])
            elif known:  # the shard before has its keys from now on, of which there are none
                bounds[-1] = stage["bounds"][shard + 1]
        self._advanced(self._number, sum(each["fresh"] for each in found.values()))
        counted = _counted([stage, *found.values()])
        after = {"bounds": bounds, "known": known, "keys": keys, "sent": stage["sent"], **counted}
        self._advance(after, list(found.values()), done)

    def end(self, note: Found) -> None:
        """Remove what the note of the tier does not name."""
        self._stages.end({*note["files"], *(name for names in note["sent"].values() for name in names)})
