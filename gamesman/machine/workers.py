"""A few threads run compiled kernels, which do not hold the interpreter's lock."""

import itertools
import math
import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import TypeVar

Result = TypeVar("Result")


# The files in which Linux says how much of the processors a group of processes may use: both numbers are in one file,
# or each is in one.
QUOTAS = (
    ("/sys/fs/cgroup/cpu.max",),
    ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
)


def cores() -> int:
    """Return how many threads of this process can run at once: its processors, or its group's share of them."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    for files in QUOTAS:
        try:
            quota, period = (int(n) for file in files for n in Path(file).read_text().split())
        except (OSError, ValueError):  # there is no such file, or it holds the word max
            continue
        if quota > 0 and period > 0:
            count = min(count, math.ceil(quota / period))
    return max(1, count)


class Workers:
    """Runs tasks on at most `threads` threads, and on no more than can run at once: more would cost only memory."""

    def __init__(self, threads: int | None = None):
        self.threads = min(threads or cores(), cores())
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None

    def run(self, tasks: list[Callable[[], Result]]) -> list[Result]:
        """Run all tasks; return their results in order. Raises the error of the first task that has one."""
        if self._pool is None or len(tasks) <= 1:
            return [task() for task in tasks]
        futures = [self._pool.submit(copy_context().run, task) for task in tasks]
        return [future.result() for future in futures]

    def spread(self, task: Callable[[int, int], Result], parts: int, *, least: int, count: int) -> list[Result]:
        """Run task(first, last) on shares of range(parts), one a thread, or on all of it if `count` is below `least`.

        Return the results in order.
        """
        shares = min(self.threads, parts) if count >= least else 1
        bounds = [parts * i // shares for i in range(shares + 1)]
        return self.run([partial(task, first, last) for first, last in itertools.pairwise(bounds)])

    def share(self, task: Callable[..., Result], pieces: Sequence[tuple[int, ...]]) -> list[Result]:
        """Run task(worker, *piece) for all pieces, each worker taking the next when it is free; return the results."""
        waiting = deque(pieces)
        results: list[Result] = []

        def work(worker: int) -> None:
            while True:
                try:
                    piece = waiting.popleft()
                except IndexError:
                    return
                results.append(task(worker, *piece))

        try:
            self.run([partial(work, w) for w in range(min(self.threads, len(pieces)))])
        finally:
            waiting.clear()  # after an error or Ctrl-C the other workers end with the pieces that they have
        return results

    def close(self) -> None:
        """End the threads; tasks that have not begun are dropped."""
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
