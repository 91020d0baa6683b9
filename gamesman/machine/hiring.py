"""The processes of `--workers` are started here while this process does something else, and ended with it."""

import contextlib
import logging
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from multiprocessing import resource_tracker
from typing import Any

import psutil

from gamesman.errors import ClusterFailed
from gamesman.machine.scratch import Scratch

ATTEMPTS = 5  # to start workers


class Hired:
    """Holds workers on this machine, that nobody else can reach."""

    def __init__(self, distributed: Any, workers: int):
        """Begin to start them."""
        self._distributed, self._workers, self._scratch = distributed, workers, Scratch()
        self._cluster: Future[Any] = Future()
        threading.Thread(target=self._start, name="gamesman-hiring", daemon=True).start()

    def cluster(self) -> Any:
        """Return their cluster, when all of them are there. Raises ClusterFailed."""
        return self._cluster.result()

    def _start(self) -> None:
        try:
            with _deaf():
                self._cluster.set_result(self._started())
        except BaseException as error:
            self._cluster.set_exception(error)

    def _started(self) -> Any:
        for attempt in range(ATTEMPTS):
            try:
                return self._distributed.LocalCluster(
                    n_workers=self._workers,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    scheduler_kwargs={"dashboard": False},
                    worker_dashboard_address=None,
                    memory_limit=0,
                    local_directory=str(self._scratch.path),
                    silence_logs=logging.CRITICAL,
                )
            except (OSError, RuntimeError) as error:  # a worker that is killed before it has begun fails them all
                if attempt == ATTEMPTS - 1:
                    raise ClusterFailed(f"cannot start workers: {error}") from error

    def end(self) -> None:
        """End them at once: what they are asked for is done or not wanted, and half of a file counts for nothing."""
        with contextlib.suppress(Exception):
            cluster = self.cluster()
            for nanny in cluster.workers.values():
                with contextlib.suppress(psutil.Error, AttributeError):  # it may end at this moment
                    nanny.close_gracefully()  # else it starts another one
                    if (pid := nanny.pid) is not None:
                        psutil.Process(pid).kill()
            cluster.close(timeout=5)
        self._scratch.remove()


@contextlib.contextmanager
def _deaf() -> Iterator[None]:
    """Keep Ctrl-C from this thread, and from threads that begin inside, and what they start.

    In a terminal it goes to all processes, and each worker would say in its own way that it was interrupted; they end
    with the driver.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # a thread that starts it would hear again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
