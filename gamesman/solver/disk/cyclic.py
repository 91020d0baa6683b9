"""The steps of a tier with moves inside it: rounds that close its shards, and levels that go back from what is decided.

Each step finds in the note of its stage what the stage before has left: see gamesman.solver.disk.stages.
"""

from typing import Any, NamedTuple

import numpy as np

from gamesman.solver.disk import backwards
from gamesman.solver.disk.backwards import Asking, Following, Shard
from gamesman.solver.disk.blocks import Blocks
from gamesman.solver.disk.closing import Closing
from gamesman.solver.disk.pairs import Pairs
from gamesman.solver.disk.stages import Stages, stage_note
from gamesman.solver.disk.steps import Bench, Step
from gamesman.solver.disk.tasks import read_all, write_solved

ROUNDS, LEVELS = "rounds", "levels"  # what stages are called


class Stage(NamedTuple):
    """Holds the note of a stage, with the files open that all its steps read."""

    found: dict[str, Any]
    runs: list[Blocks]
    told: list[Pairs]


def _stage(bench: Bench, step: Step, what: str) -> Stage:
    path = bench.job.folder.path

    def read(found: dict[str, Any]) -> Stage:
        runs = [Blocks(path / name) for name in found.get("runs", ())]
        return Stage(found, runs, [Pairs.of(path / name) for name in found.get("told", ())])

    stage: Stage = bench.stage(stage_note(step.tier, what, int(step.further[0])), read)
    return stage


def _name(step: Step, what: str) -> str:
    return f"tier-{step.tier}.shard-{step.shard}.{what}-{step.further[0]}"


def close(bench: Bench, step: Step) -> dict[str, Any]:
    """Close a shard, which runs within the tier lead to."""
    stage = _stage(bench, step, ROUNDS)
    span = stage.found["bounds"][step.shard], stage.found["bounds"][step.shard + 1] - 1
    known = [Blocks(bench.job.folder.path / name) for name in stage.found["known"][step.shard]]
    return Closing(bench.job, bench.scratch(), step.tier, _name(step, ROUNDS), *span).run(known, stage.runs)


def _keys_file(bench: Bench, step: Step) -> Blocks:
    return Blocks(bench.paths(step.tier)[step.shard])


def begin(bench: Bench, step: Step) -> dict[str, Any]:
    """Note what the positions of a shard know from the tiers below."""
    lower = bench.lower(step.tier)
    return backwards.begin_shard(bench.job, bench.scratch(), _keys_file(bench, step), step.tier, lower)


def bases(bench: Bench, number: int) -> list[int]:
    """Return how many positions of a tier are before each shard, and in all."""
    return [0, *np.cumsum(bench.tier(number)["keys"]).tolist()]


def link(bench: Bench, step: Step) -> dict[str, Any]:
    """List the parents of each position of a shard."""
    stage, path = _stage(bench, step, LEVELS), bench.job.folder.path
    before = bases(bench, step.tier)
    runs = [
        (Pairs.of(path / name), before[shard]) for shard, names in enumerate(stage.found["links"]) for name in names
    ]
    keys = read_all(bench.job, bench.scratch(), _keys_file(bench, step))
    linked = path / f"{_name(step, LEVELS)}.linked"
    return {"files": backwards.link(bench.job, linked, keys, runs), "linked": linked.name}


def level(bench: Bench, step: Step) -> dict[str, Any]:
    """Take a shard through one level."""
    stage, job, scratch = _stage(bench, step, LEVELS), bench.job, bench.scratch()
    found, path = stage.found, bench.job.folder.path
    base, end = bases(bench, step.tier)[step.shard : step.shard + 2]
    records, left = backwards.read_state(path / found["state"][step.shard], end - base)
    teller: Asking | Following
    if found["linked"]:
        keys, span = np.empty(0, np.int64), (base, end - 1)
        teller = Following(job, scratch, Blocks(path / found["linked"][step.shard]))
    else:
        keys = read_all(job, scratch, _keys_file(bench, step))
        span, teller = (int(keys[0]), int(keys[-1])), Asking(job, scratch)
    kind, number = found["kind"], found["level"]
    return backwards.advance(
        job,
        teller,
        Shard(job, keys, records, left, base),
        stage.told,
        span,
        kind,
        number,
        _name(step, LEVELS),
        np.array(found["firsts"]),
        is_due=number in found["due"][step.shard][kind],
    )


def solve(bench: Bench, step: Step) -> dict[str, Any]:
    """Write what the positions of a shard are worth, which is known but for draws if the tier has several shards."""
    keys_file = _keys_file(bench, step)
    if step.shards == 1:
        return backwards.solve_alone(bench.job, bench.scratch(), keys_file, step.tier, bench.lower(step.tier))
    stage = Stages(bench.job.folder, step.tier, LEVELS).found
    keys = read_all(bench.job, bench.scratch(), keys_file)
    state = bench.job.folder.path / stage["state"][step.shard]
    return write_solved(
        bench.job, keys_file, keys, Shard(bench.job, keys, *backwards.read_state(state, len(keys))).finish()
    )
