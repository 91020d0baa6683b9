"""The steps of a tier with moves inside it: rounds that close its shards, and what comes before it is solved backwards.

Each step finds in the note of its stage what the stage before has left: see gamesman.solver.disk.stages.
"""

from typing import Any, NamedTuple

import numpy as np

from gamesman.solver.disk import backwards, links
from gamesman.solver.disk.blocks import Blocks
from gamesman.solver.disk.closing import Closing
from gamesman.solver.disk.pairs import Pairs
from gamesman.solver.disk.stages import stage_note
from gamesman.solver.disk.steps import Bench, Step
from gamesman.solver.disk.tasks import read_all

ROUNDS, LEVELS = "rounds", "levels"  # what stages are called


class Stage(NamedTuple):
    """Holds the note of a stage, with the files open that all its steps read."""

    found: dict[str, Any]
    runs: list[Blocks]


def _stage(bench: Bench, step: Step, what: str) -> Stage:
    path = bench.job.folder.path

    def read(found: dict[str, Any]) -> Stage:
        runs = [Blocks(path / name) for name in found.get("runs", ())]
        return Stage(found, runs)

    stage: Stage = bench.stage(stage_note(step.tier, what, int(step.further[0])), read)
    return stage


def _name(step: Step, what: str) -> str:
    return f"tier-{step.tier}.shard-{step.shard}.{what}-{step.further[0]}"


def close(bench: Bench, step: Step) -> dict[str, Any]:
    """Close a shard to which runs lead that other shards of the tier have sent."""
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
    return {"files": links.link(bench.job, linked, keys, runs), "linked": linked.name}


def solve(bench: Bench, step: Step) -> dict[str, Any]:
    """Write what the positions of a tier are worth that is one shard; several are solved level by level."""
    return backwards.solve_alone(bench.job, bench.scratch(), _keys_file(bench, step), step.tier, bench.lower(step.tier))
