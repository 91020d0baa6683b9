"""The kinds of steps there are: of each, the function of a bench and a step that performs it."""

from collections.abc import Callable
from typing import Any

from gamesman.solver.disk import cyclic, tasks
from gamesman.solver.disk.blocks import Blocks
from gamesman.solver.disk.steps import Bench, Step


def expand(bench: Bench, step: Step) -> dict[str, Any]:
    """Merge all runs that lead to a shard into its keys, and find the children of each position."""
    runs = bench.runs(step.tier)
    span = runs.bounds[step.shard], runs.bounds[step.shard + 1] - 1
    with bench.scratch() as scratch:
        return tasks.expand(bench.job, scratch, step.tier, step.shard, *span, runs.files)


def solve(bench: Bench, step: Step) -> dict[str, Any]:
    """Solve the positions of a shard, and write their records."""
    if bench.tier(step.tier)["inner"]:
        return cyclic.solve(bench, step)
    keys = Blocks(bench.paths(step.tier)[step.shard])
    with bench.scratch() as scratch:
        return tasks.solve(bench.job, scratch, keys, bench.lower(step.tier))


STEPS: dict[str, Callable[[Bench, Step], dict[str, Any]]] = {
    "expand": expand,
    "close": cyclic.close,
    "solve": solve,
    "begin": cyclic.begin,
    "link": cyclic.link,
}
