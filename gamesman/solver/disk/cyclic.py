"""The steps of a tier with moves inside it: rounds that close its shards, and what comes before it is solved backwards.

Each step finds in the note of its stage what the stage before has left: see gamesman.solver.disk.stages.
"""

from collections.abc import Callable
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
    files: list[Any]


def _stage(bench: Bench, step: Step, what: str, files: Callable[[dict[str, Any]], list[Any]]) -> Stage:
    note = stage_note(step.tier, what, int(step.further[0]))
    stage: Stage = bench.stage(note, lambda found: Stage(found, files(found)))
    return stage


def _name(step: Step, what: str) -> str:
    return f"tier-{step.tier}.shard-{step.shard}.{what}-{step.further[0]}"


def close(bench: Bench, step: Step) -> dict[str, Any]:
    """Close a shard to which runs lead that other shards of the tier have sent."""
    path = bench.job.folder.path
    stage = _stage(bench, step, ROUNDS, lambda found: [Blocks(path / name) for name in found["runs"]])
    span = stage.found["bounds"][step.shard], stage.found["bounds"][step.shard + 1] - 1
    known = [Blocks(path / name) for name in stage.found["known"][step.shard]]
    with bench.scratch() as scratch:
        return Closing(bench.job, scratch, step.tier, _name(step, ROUNDS), *span).run(known, stage.files)


def _keys_file(bench: Bench, step: Step) -> Blocks:
    return Blocks(bench.paths(step.tier)[step.shard])


def begin(bench: Bench, step: Step) -> dict[str, Any]:
    """Note what the positions of a shard know from the tiers below."""
    lower = bench.lower(step.tier)
    with bench.scratch() as scratch:
        return backwards.begin_shard(bench.job, scratch, _keys_file(bench, step), step.tier, lower)


def bases(bench: Bench, number: int) -> list[int]:
    """Return how many positions of a tier are before each shard, and in all."""
    return [0, *np.cumsum(bench.tier(number)["keys"]).tolist()]


def link(bench: Bench, step: Step) -> dict[str, Any]:
    """List the parents of each position of a shard."""
    path, before = bench.job.folder.path, bases(bench, step.tier)

    def opened(found: dict[str, Any]) -> list[tuple[Pairs, int]]:
        return [(Pairs.of(path / name), before[shard]) for shard, names in enumerate(found["links"]) for name in names]

    runs = _stage(bench, step, LEVELS, opened).files
    linked = path / f"{_name(step, LEVELS)}.linked"
    with bench.scratch() as scratch:
        keys = read_all(bench.job, scratch, _keys_file(bench, step))
        return {"files": links.link(bench.job, linked, keys, runs), "linked": linked.name}


def solve(bench: Bench, step: Step) -> dict[str, Any]:
    """Write what the positions of a tier are worth that is one shard; several are solved level by level."""
    with bench.scratch() as scratch:
        return backwards.solve_alone(bench.job, scratch, _keys_file(bench, step), step.tier, bench.lower(step.tier))
