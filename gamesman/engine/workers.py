"""A few threads that run compiled kernels, which do without the interpreter's lock."""

import itertools
import os
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

Result = TypeVar("Result")


class Workers:
    def __init__(self, threads: int | None = None):
        self.threads = threads or len(
            os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1)
        )
        self._pool = ThreadPoolExecutor(self.threads) if self.threads > 1 else None

    def run(self, tasks: list[Callable[[], Result]]) -> list[Result]:
        """Run all tasks; their results in order. The first task's error, if any."""
        if self._pool is None or len(tasks) <= 1:
            return [task() for task in tasks]
        futures = [self._pool.submit(copy_context().run, task) for task in tasks]
        return [future.result() for future in futures]

    def spread(self, task: Callable[[int, int], Result], parts: int, *, least: int, count: int) -> list[Result]:
        """Run task(first, last) over all of range(parts), a share a thread if there are `least` things to do."""
        shares = min(self.threads, parts) if count >= least else 1
        bounds = [parts * i // shares for i in range(shares + 1)]
        return self.run([lambda a=a, b=b: task(a, b) for a, b in itertools.pairwise(bounds)])

    def share(self, task: Callable[..., Result], pieces: Sequence[tuple[int, ...]]) -> list[Result]:
        """Run task(worker, *piece) for all pieces, each worker taking the next one when it is free."""
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
            self.run([lambda w=w: work(w) for w in range(min(self.threads, len(pieces)))])
        finally:
            waiting.clear()  # after an error or Ctrl-C the other workers end with the piece they have
        return results

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
