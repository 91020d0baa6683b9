"""What some sorted files have is cut into shards here, each so small that it fits memory."""

import numpy as np

from gamesman.solver.disk.blocks import Blocks
from gamesman.values import KEY_LIMIT

LEAST_SHARED = 1 << 15  # keys that are worth a step of their own


def cut(runs: list[Blocks], most: int, low: int = 0, end: int = KEY_LIMIT, at_once: int = 1) -> list[int]:
    """Return the first key of each shard, of up to so many keys of runs where that can be, and the end of keys.

    They are about equal, and as many as can be done `at_once`, or a multiple. Only keys from `low` to before the `end`
    count.
    """
    parts = [np.maximum(run.firsts[slice(*run.between(low, end - 1))], low) for run in runs]
    firsts = np.concatenate(parts)
    lengths = np.concatenate([run.about(np.append(part, end)) for run, part in zip(runs, parts, strict=True)])
    order = np.argsort(firsts, kind="stable")
    firsts, ends = firsts[order], np.cumsum(lengths[order])
    straddling = sum(min(run.size, run.items) for run in runs)  # of each run a block may have begun in the shard before
    full, total = max(most - straddling, most // 2, 1), int(ends[-1])
    shards = -(-total // full)
    shards = max(shards, min(-(-shards // at_once) * at_once, total // LEAST_SHARED))
    bounds, place = [low], 0
    while True:
        before = int(ends[place - 1]) if place else 0
        step = min(full, -(-(total - before) // max(1, shards + 1 - len(bounds))))
        following = firsts[min(int(np.searchsorted(ends, before + step, "right")), len(firsts) - 1)]
        side = "left" if following > firsts[place] else "right"
        cut = int(np.searchsorted(firsts, following, side))
        if cut >= len(firsts) or before + step >= total:
            return [*bounds, end]
        bounds.append(int(firsts[cut]))
        place = cut
