"""What some sorted files have is cut into shards here, each so small that it fits memory."""

import numpy as np

from gamesman.solver.disk.blocks import Blocks
from gamesman.values import KEY_LIMIT


def cut(runs: list[Blocks], most: int, low: int = 0, end: int = KEY_LIMIT) -> list[int]:
    """Return the first key of each shard, of up to so many keys of runs where that can be, and the end of keys.

    Only keys from `low` to before the `end` count.
    """
    spans = [(run, *run.between(low, end - 1)) for run in runs]
    firsts = np.concatenate([np.maximum(run.firsts[begin:stop], low) for run, begin, stop in spans])
    lengths = np.concatenate([run.lengths()[begin:stop] for run, begin, stop in spans])
    order = np.argsort(firsts, kind="stable")
    firsts, ends = firsts[order], np.cumsum(lengths[order])
    straddling = sum(min(run.size, run.items) for run in runs)  # of each run a block may have begun in the shard before
    step = max(most - straddling, most // 2, 1)
    bounds, place = [low], 0
    while True:
        before = int(ends[place - 1]) if place else 0
        following = firsts[min(int(np.searchsorted(ends, before + step, "right")), len(firsts) - 1)]
        side = "left" if following > firsts[place] else "right"
        cut = int(np.searchsorted(firsts, following, side))
        if cut >= len(firsts) or before + step >= ends[-1]:
            return [*bounds, end]
        bounds.append(int(firsts[cut]))
        place = cut
