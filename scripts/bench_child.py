"""What scripts/bench measures in processes of their own: `bench_child.py solve VARIANT THREADS [FUNCTION,...]`,
`reference VARIANT`, `probe VARIANT FOLDER`. Each prints one JSON object.
"""

import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any


def solve(name: str, threads: str, without: str = "") -> dict[str, Any]:
    """Run the compiled solver, without storing, and as if some functions of the game were not there.

    `compiled` says how many functions had to be compiled for it.
    """
    from gamesman.compiler.compile import cache_folder
    from gamesman.model.variant import variant
    from gamesman.solver.solve import solve

    before = len([*cache_folder().rglob("*.nbc")])
    asked = variant(name)
    for function in filter(None, without.split(",")):
        del asked.game.functions[function]
    result = solve(asked, threads=int(threads)).as_json()
    return {**result, "compiled": len([*cache_folder().rglob("*.nbc")]) - before}


def reference(name: str) -> dict[str, Any]:
    """Run the solver in plain Python."""
    from gamesman.model.variant import variant
    from gamesman.solver.reference import solve

    began = time.process_time()
    summary = solve(variant(name)).summary
    summary.cpu_seconds = time.process_time() - began
    return summary.as_json()


def probe(name: str, folder: str) -> dict[str, Any]:
    """Looking up single positions: the first of each block, and then others of the same blocks; microseconds."""
    from gamesman.db import open_store
    from gamesman.db.reader import CACHED_BLOCKS
    from gamesman.model.variant import variant

    asked, choose = variant(name), random.Random(1)
    store = open_store(folder)
    with store.open(asked) as stored:
        blocks = [keys for _, keys, _ in stored.positions() if len(keys)]
        blocks = choose.sample(blocks, min(len(blocks), CACHED_BLOCKS))
        first, other = ([asked.unhash(int(choose.choice(keys))) for keys in blocks] for _ in range(2))
    with store.open(asked) as stored:
        stored.probe(asked.start())
        return {"blocks": len(blocks), "uncached": _median(stored.probe, first), "cached": _median(stored.probe, other)}


def _median(ask: Callable[[Any], Any], positions: list[Any]) -> float:
    took = []
    for position in positions:
        began = time.perf_counter_ns()
        ask(position)
        took.append(time.perf_counter_ns() - began)
    return statistics.median(took) / 1000


if __name__ == "__main__":
    print(json.dumps({"solve": solve, "reference": reference, "probe": probe}[sys.argv[1]](*sys.argv[2:])))
