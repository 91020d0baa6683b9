"""Processes on this machine, or on others, call functions for this one, by Dask; loaded only where that is asked for.

`--workers N` starts a cluster of N processes that end with this one, however it ends. `--cluster ADDRESS` goes to a
scheduler that runs. Dask finds out whose worker has died, and has its calls made by others: every call is made at least
once, and may be made twice. Where the scheduler itself is gone for a while, what was not answered is asked anew.
"""

import contextlib
import itertools
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from functools import cached_property
from typing import Any, NamedTuple

from gamesman.errors import AddressError, ClusterFailed, GamesmanError, MissingExtra, shorten
from gamesman.machine import memory
from gamesman.machine.hiring import Hired

PATIENCE = 120.0  # seconds to wait for a scheduler that is gone, or for a first worker
CONNECTING = 10.0  # seconds to try a scheduler once
POLL = 0.5  # seconds between two looks at who is alive, or whether a scheduler is

# Many kills must not make a healthy task suspicious, and files are all that is kept: nothing is spilled to disk, or
# paused, by Dask. A worker asks for its next task a moment before it is free.
SETTINGS = {
    "distributed.scheduler.allowed-failures": 1000,
    "distributed.scheduler.worker-saturation": 1.1,
    "distributed.worker.memory.target": False,
    "distributed.worker.memory.spill": False,
    "distributed.worker.memory.pause": False,
    "distributed.worker.memory.terminate": False,
    "distributed.admin.tick.limit": "1h",
    # Workers let arrays of some MB be memory of their own, and do not give back every page at once.
    "distributed.nanny.pre-spawn-environ.MALLOC_ARENA_MAX": 1,
    "distributed.nanny.pre-spawn-environ.MALLOC_MMAP_THRESHOLD_": 32 << 20,
    "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": 64 << 20,
    "distributed.nanny.pre-spawn-environ.OMP_NUM_THREADS": 1,
}


class Call(NamedTuple):
    """Says what is to be called, under a name for people; both the function and what it takes must be picklable.

    Of calls of one kind Dask knows how long they take, and a worker is given the next ones when it is about to be free.
    """

    kind: str
    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class Crew:
    """Has functions called in other processes."""

    def __init__(self, connect: Callable[[], Any], where: str, workers: int | None = None):
        """Begin; `connect` makes a client of a scheduler, when one is needed, and `where` says whose it is.

        How many workers there are is asked unless it is told.
        """
        self._connect, self._where, self._told = connect, where, workers
        self._held: Any = None
        self._connecting = threading.Lock()
        self._mark, self._numbers = os.urandom(3).hex(), itertools.count()  # tell this call from any before it
        self._alive, self._asked_at = 0, 0.0
        self._latest: Asked | None = None
        self._seconds_before = 0.0
        if workers is None:
            self._seconds_before = self.cpu_seconds()

    @property
    def _client(self) -> Any:
        """Return a client. Raises ClusterFailed."""
        with self._connecting:
            if self._held is None:
                try:
                    self._held = self._connect()
                except OSError as error:
                    said = f"no Dask scheduler answers at {shorten(self._where)}; start one: dask scheduler"
                    raise ClusterFailed(said) from error
            return self._held

    @cached_property
    def workers(self) -> int:
        """Return how many workers there were at the start."""
        return self._told or self.alive()

    def alive(self) -> int:
        """Return how many workers there are now, or have been a moment ago."""
        if time.monotonic() > self._asked_at + POLL:
            try:
                self._alive = len(self._client.scheduler_info(n_workers=-1)["workers"])
            except (OSError, ValueError, TypeError, KeyError):
                self._alive = 0
            self._asked_at = time.monotonic()
        return self._alive

    def everywhere(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """Call a function once in each worker there is; return by address what it returned, or its exception."""
        while True:
            try:
                found: dict[str, Any] = self._client.run(function, *arguments, on_error="return")
                return found
            except (OSError, ValueError):  # the scheduler is gone, or the client has noticed that
                self.find_again()

    def meanwhile(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Call a function once in each worker as soon as there are some, and go on; what it meets does not matter."""

        def call() -> None:
            with contextlib.suppress(Exception):
                self._client.run(function, *arguments, on_error="return")

        threading.Thread(target=call, name="gamesman-meanwhile", daemon=True).start()

    def cpu_seconds(self) -> float:
        """Return how long all workers there are have computed for this crew so far."""
        found = sum(found for found in self.everywhere(time.process_time).values() if isinstance(found, float))
        return max(0.0, found - self._seconds_before)

    def peak_memory(self) -> int:
        """Return the most memory that a worker has had, in bytes."""
        return max((found for found in self.everywhere(memory.peak).values() if isinstance(found, int)), default=0)

    def begin(self, calls: Sequence[Call]) -> "Asked":
        """Ask for some calls."""
        self._latest = asked = Asked(self, calls)  # what was answered before is forgotten now
        return asked

    def run(self, calls: Sequence[Call], heard: Callable[[int, Any], None]) -> None:
        """Have calls made, in any order; `heard` is told the number of each, once, and what it has returned.

        Raises what a call raises, and ClusterFailed.
        """
        self.begin(calls).finish(heard)

    def submit(self, call: Call) -> Any:
        """Ask for a call; return its future. What was asked for before it is begun before it."""
        number = next(self._numbers)
        key = call.kind, f"{call.name} #{self._mark}-{number}"  # Dask mixes up calls of one name
        return self._client.submit(call.function, *call.arguments, key=key, pure=False, priority=-number)

    def cancel(self, futures: Sequence[Any]) -> None:
        """Take back what has not been answered."""
        with contextlib.suppress(Exception):
            self._client.cancel(futures, force=True)

    def answers(self, futures: Sequence[Any]) -> Any:
        """Yield futures as they are done."""
        # lazy: an extra
        from distributed import as_completed

        answered: Any = as_completed
        return answered(futures, loop=self._client.loop)

    def find_again(self) -> None:
        """Wait until the scheduler is there again. Raises ClusterFailed."""
        _let_go(self._held, 1)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                self._held = self._connect()
                break
            except OSError:
                if time.monotonic() > end:
                    raise ClusterFailed(
                        f"the Dask scheduler {self._where} is gone; start it, and give the same command again: "
                        "it goes on where it stopped"
                    ) from None
                time.sleep(POLL)

    def close(self) -> None:
        """Let go of the scheduler."""
        if self._held is not None:
            _let_go(self._held, 2)


class Asked:
    """Holds calls that have been asked for.

    Futures that are answered are kept until something else has been asked for: a client writes to its scheduler every
    10 ms at the most, and what it forgets would go before what it asks. Of calls that do nothing four at a time took
    18.1 ms, and 22.5 otherwise; sixteen 41 and 46, and a single one, whose future is held anyway, 10.6 both ways.
    """

    def __init__(self, crew: Crew, calls: Sequence[Call]):
        self._crew, self._calls = crew, list(calls)
        self._answered = list[Any]()
        self._futures = self._submit(range(len(self._calls)))

    def _submit(self, numbers: Sequence[int] | range) -> dict[Any, int]:
        return {self._crew.submit(self._calls[number]): number for number in numbers}

    def finish(self, heard: Callable[[int, Any], None]) -> None:
        """Wait for all answers; `heard` is told of each. Raises what a call raises, and ClusterFailed."""
        for number, found in self.each():
            heard(number, found)

    def each(self) -> Iterator[tuple[int, Any]]:
        """Yield the number of each call that is answered, and what it has returned. Raises as `finish` does."""
        try:
            while self._futures:
                for future in self._crew.answers(list(self._futures)):
                    if future.status in ("cancelled", "lost"):  # the scheduler has forgotten it, or is gone
                        break
                    try:
                        found = _result(future)
                    except _Gone:
                        break
                    self._answered.append(future)
                    yield self._futures.pop(future), found
                if self._futures:
                    self._crew.find_again()
                    self._futures = self._submit(list(self._futures.values()))
        finally:
            self.cancel()

    def cancel(self) -> None:
        """Take back what has not been answered."""
        if self._futures:
            self._crew.cancel(list(self._futures))
            self._futures = {}


class _Gone(Exception):
    """Says that an answer was there, and its worker died with it, or the scheduler."""


def memory_of_worker(share: int | None) -> int | None:
    """Return how many bytes this process, a worker, may use: its share, or what Dask says; None for what is free."""
    # lazy: an extra
    from distributed import get_worker

    try:
        limit = get_worker().memory_manager.memory_limit
    except (ValueError, AttributeError):
        limit = None
    return min(filter(None, (share, limit)), default=None)


def address_of_worker() -> str:
    """Return by what others reach this process, a worker."""
    # lazy: an extra
    from distributed import get_worker

    return str(get_worker().address)


def _result(future: Any) -> Any:
    """Return what a call has returned. Raises what it has raised, and ClusterFailed."""
    # lazy: an extra
    from distributed import CancelledError, KilledWorker
    from distributed.comm.core import CommClosedError

    error = future.exception() if future.status == "error" else None
    if isinstance(error, KilledWorker):
        raise ClusterFailed(
            f"workers have died over and over at {future.key[-1].rpartition(' #')[0]}; have they enough memory? "
            "the same command goes on where it stopped"
        )
    if isinstance(error, ImportError) and not isinstance(error, GamesmanError):
        raise ClusterFailed(f"a worker cannot load gamesman: {error}; install the same version there")
    if error is not None:
        raise error
    try:
        return future.result()
    except (CommClosedError, CancelledError) as gone:
        raise _Gone from gone


@contextlib.contextmanager
def crew(workers: int | None, address: str | None) -> Iterator[Crew]:
    """Start so many processes, which are ended afterwards, or go to a running scheduler.

    Raises MissingExtra, AddressError and ClusterFailed.
    """
    try:
        # lazy: an extra
        import dask
        import distributed
    except ImportError:
        raise MissingExtra(
            "--workers and --cluster need Dask, which is not installed; run: pip install 'gamesman[cluster]'"
        ) from None
    for name in [name for name in logging.root.manager.loggerDict if name.startswith(("distributed", "tornado"))]:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)  # what it says is for its developers
    with contextlib.ExitStack() as stack:
        stack.enter_context(dask.config.set({**SETTINGS, "logging.distributed": "critical"}))
        if address is None:
            place, where = Hired(distributed, workers or 1), "of this solve"
            stack.callback(place.end)
            found = Crew(lambda: _connect(distributed, place.cluster(), where), where, workers or 1)
        else:
            _check_address(address)
            found = Crew(lambda: _connect(distributed, address, address), address)
        stack.callback(found.close)
        yield found


def _check_address(address: str) -> None:
    """Raise AddressError where this is no address: a client that finds that out does not end."""
    # lazy: an extra
    from distributed.comm.addressing import normalize_address, parse_address, parse_host_port
    from distributed.comm.registry import get_backend

    try:
        scheme, place = parse_address(normalize_address(address))
        get_backend(scheme)
        parse_host_port(place)
    except ValueError as error:
        said = f"expected the address of a Dask scheduler, like tcp://HOST:8786, got {shorten(address) or 'nothing'}"
        raise AddressError(f"{said}: {error}") from None


def _connect(distributed: Any, place: Any, where: str) -> Any:
    """Return a client of a scheduler that has a worker. Raises OSError and ClusterFailed."""
    client = _client(distributed, place)
    try:
        client.wait_for_workers(1, timeout=PATIENCE)
    except BaseException as error:
        _let_go(client, 1)
        if isinstance(error, TimeoutError):
            said = f"no worker has joined the Dask scheduler {where}; start: dask worker {where}"
            raise ClusterFailed(said) from None
        raise
    return client


def _client(distributed: Any, place: Any) -> Any:
    """Return a client of a scheduler. Raises OSError where none answers, or what answers is none, and ClusterFailed.

    A client waits without end for what says nothing, or not what a scheduler says. So a thread makes it, which is left
    alone when this one waits no more.
    """
    made: Future[Any] = Future()

    def make() -> None:
        client = object.__new__(distributed.Client)
        try:
            client.__init__(place, set_as_default=False, timeout=CONNECTING)
            made.set_result(client)
        except BaseException as error:
            client.close = _nothing
            if not isinstance(error, (OSError, MemoryError)):  # the length that somebody else's first letters are
                error = ClusterFailed(f"cannot join the Dask scheduler: {type(error).__name__}: {error}")
            made.set_exception(OSError() if isinstance(error, MemoryError) else error)

    threading.Thread(target=make, name="gamesman-connecting", daemon=True).start()
    return made.result(CONNECTING + POLL)


def _let_go(client: Any, seconds: float) -> None:
    """Close a client, which has so long for it; it would try that for longer when it is forgotten."""
    try:
        with contextlib.suppress(Exception):
            client.close(timeout=seconds)
    finally:
        client.close = _nothing


def _nothing(*words: Any, **more: Any) -> None:
    """Do nothing."""
