"""What it costs to solve in files what does not fit memory, and what several processes are worth."""

import json
import sys
from collections.abc import Iterator

from bench_plan import Plan, Row, folder, stored
from bench_process import Cost


def outofcore(plan: Plan) -> Iterator[Row]:
    """Solve in memory and in files, and hold the databases against each other."""
    for name, limit in plan.sizes.files.items():
        with folder() as memory, folder() as files:
            alone = plan.store(name, memory, "--threads", "1")
            limited = plan.store(name, files, "--threads", "1", "--memory", limit)
            if stored(memory) != stored(files):
                sys.exit(f"bench: {name} is not the same in files")
        yield {"variant": name, "limit": limit, **_both(alone, limited)}


def workers(plan: Plan) -> Iterator[Row]:
    """Solve one variant by its shards with two processes, and several side by side."""
    several = ((name, ("--workers", "1")) for name in plan.sizes.side_by_side)
    for name, before in ((plan.sizes.together, ("--threads", "1")), *several):
        with folder() as one, folder() as two:
            alone, shared = plan.store(name, one, *before), plan.store(name, two, "--workers", "2")
            if stored(one) != stored(two):
                sys.exit(f"bench: {name} is not the same by two processes")
        both = {**_both(alone, shared), "wall_ratio": shared.wall / alone.wall}
        yield {"variant": name, "before": " ".join(before), "wall_alone": alone.wall, "wall": shared.wall, **both}


def _both(alone: Cost, cost: Cost) -> Row:
    counts = [json.loads(line)["positions"] for line in cost.output.splitlines()]
    return {
        "variants": len(counts),
        "positions": sum(counts),
        "cpu_alone": alone.cpu,
        "cpu": cost.cpu,
        "ratio": cost.cpu / alone.cpu,
        "peak_alone": alone.peak,
        "peak": cost.peak,
    }
