"""Tiers with moves inside them are closed here round by round, and solved level by level, in batches of steps."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gamesman.solver.disk.blocks import Blocks
from gamesman.solver.disk.cutting import cut
from gamesman.solver.disk.cyclic import LEVELS, ROUNDS, bases
from gamesman.solver.disk.stages import Stages
from gamesman.solver.disk.steps import Bench, Step
from gamesman.solver.disk.tasks import COUNTED
from gamesman.solver.kernels.retrograde import BY_FORCE, BY_TIE

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
        """Cut shards in which there will be too much; note which ones have something to do."""
        path, most = self._bench.job.folder.path, self._bench.job.room.keys
        runs = [Blocks(path / name) for name in stage["runs"]]
        bounds, known, keys, due = [0], list[list[str]](), list[int](), list[int]()
        for shard, names in enumerate(stage["known"]):
            low, end = stage["bounds"][shard : shard + 2]
            come = sum(int(run.lengths()[slice(*run.between(low, end - 1))].sum()) for run in runs)
            parts = [low, end]
            if come and come + stage["keys"][shard] > most:
                parts = cut([*runs, *(Blocks(path / name) for name in names)], most, low, end)
            if come:
                due += range(len(known), len(known) + len(parts) - 1)
            known += [names] * (len(parts) - 1)
            keys += [stage["keys"][shard]] * (len(parts) - 1)
            bounds += parts[1:]
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


class Levels:
    """Solves a tier of several shards, level after level."""

    def __init__(self, bench: Bench, run: Run, number: int):
        self._bench, self._run, self._number = bench, run, number
        self._of = len(bench.tier(number)["keys"])
        self._stages = Stages(bench.job.folder, number, LEVELS)

    def run(self) -> None:
        """Decide all positions."""
        if self._stages.stage < 0:
            self._begin()
        if "level" not in self._stages.found:
            self._link()
        while self._stages.found["kind"] in (BY_FORCE, BY_TIE):
            self._level()

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
        if "ask" not in self._bench.job.kernels:
            number = self._stages.stage
            found = batch(self._run, "link", self._number, range(self._of), self._of, number)
            firsts, linked = bases(self._bench, self._number)[:-1], [each["linked"] for each in found.values()]
            files |= {name: size for each in found.values() for name, size in each["files"].items()}
            done = notes("link", self._number, found, self._of, number)
        kept = {"state": stage["state"], "due": stage["due"], "firsts": firsts, "linked": linked, "files": files}
        self._stages.advance({**kept, "told": [], "to": [], **self._following(stage["due"], BY_FORCE, 0)}, done)

    def _following(self, due: list[list[list[int]]], kind: int, least: int) -> dict[str, int]:
        """Return the next kind and level at which positions are due; there is a kind beyond the last."""
        levels = (level for of_shard in due for level in of_shard[kind] if level >= least)
        level = min(levels, default=-1)
        if level >= 0:
            return {"kind": kind, "level": level}
        return self._following(due, BY_TIE, 0) if kind == BY_FORCE else {"kind": BY_TIE + 1, "level": 0}

    def _level(self) -> None:
        stage, number = self._stages.found, self._stages.stage
        kind, level = stage["kind"], stage["level"]
        due = {shard for shard, levels in enumerate(stage["due"]) if level in levels[kind]}
        busy = sorted(due | {*stage["to"]})
        found = batch(self._run, "level", self._number, busy, self._of, number)
        state = [found[shard]["state"] if shard in found else name for shard, name in enumerate(stage["state"])]
        told = [name for each in found.values() for name in each["sent"]]
        to = sorted({shard for each in found.values() for shard in each["to"]})
        following = {"kind": kind, "level": level + 1} if to else self._following(stage["due"], kind, level + 1)
        sizes = {**stage["files"], **{name: size for each in found.values() for name, size in each["files"].items()}}
        kept = [*state, *stage["linked"], *told, *(f"{name}.what" for name in told)]
        after = {**stage, "state": state, "told": told, "to": to, **following}
        files = {name: sizes[name] for name in kept}
        self._stages.advance({**after, "files": files}, notes("level", self._number, busy, self._of, number))
