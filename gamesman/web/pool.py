"""Worker processes, each of which does one task at a time and is ended when that takes too long."""

import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

from gamesman.web.problems import Problem, Refused, named_problem
from gamesman.web.settings import Settings

MOST_WAITING = 64
PATIENCE = 5  # seconds of the clock for one of the processor, before a worker is ended
TASKS_EACH = 2000  # after so many a worker is replaced, so that nothing it keeps can grow for ever
# What a worker may keep in memory between tasks. One that searches in machine code takes 165 MB, and each game that it
# compiles adds 40.
MOST_KEPT = 200_000_000
LONGEST_ANSWER = 64 << 20  # bytes


class Asked(Exception):
    """Carries what a worker has answered instead of an answer."""

    def __init__(self, problem: Problem):
        super().__init__(problem.detail)
        self.problem = problem


class Worker:
    """Is a process that is asked one thing after the other."""

    def __init__(self, settings: Settings, *, is_solving: bool = False):
        self._settings = settings
        self._is_solving = is_solving
        self._process: asyncio.subprocess.Process | None = None
        self._left = 0

    async def start(self) -> None:
        """Start the process, if there is none that can be asked."""
        if self._process is not None and self._process.returncode is None and self._left > 0:
            return
        await self.end()
        self._left = TASKS_EACH
        self._process = await asyncio.create_subprocess_exec(
            *[sys.executable, "-P", "-m", "gamesman.web.worker"],
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_ANSWER,
            start_new_session=True,  # Ctrl-C is for the server, which ends its workers itself
        )
        settings = self._settings
        told = {"files": settings.files, "db": settings.db, "is_local": settings.is_local}
        await self._send({**told, "is_solving": self._is_solving})

    async def _send(self, what: dict[str, Any]) -> None:
        assert self._process is not None and self._process.stdin is not None
        self._process.stdin.write(json.dumps(what).encode() + b"\n")
        await self._process.stdin.drain()

    async def lines(self, task: str, *, cpu: float = 0, **asked: Any) -> AsyncIterator[tuple[bytes, bytes]]:
        """Ask for a task; yield the kind and the JSON of each line up to the answer. Raises Asked for an error.

        `cpu` is how many seconds of the processor it may take, 0 for any.
        """
        await self.start()
        self._left -= 1
        try:
            await self._send({"task": task, "cpu": cpu, **asked})
        except (BrokenPipeError, ConnectionResetError):
            raise Refused(503, "a worker has ended; try again") from None
        assert self._process is not None and self._process.stdout is not None
        while True:
            try:
                line = await self._process.stdout.readline()
            except ValueError:
                await self.end()
                raise Refused(413, "the answer is too long") from None
            if not line:
                raise Refused(503, "a worker has ended over this: it crashed, or was short of memory")
            kind, said = line[:1], line[1:-1]
            if kind == b"E":
                error = json.loads(said)
                raise Asked(named_problem(error["error"], error["said"], is_local=self._settings.is_local))
            yield kind, said
            if kind == b"A":
                return

    async def ask(self, task: str, **asked: Any) -> bytes:
        """Return the JSON that answers a task. Raises Asked, Refused."""
        async for kind, said in self.lines(task, **asked):
            if kind == b"A":
                return said
        raise AssertionError("a worker ends with an answer")

    def is_large(self) -> bool:
        """Tell whether the process keeps so much that a new one had better take its place."""
        # lazy: start-up time
        import psutil

        if self._process is None:
            return False
        try:
            return bool(psutil.Process(self._process.pid).memory_info().rss > MOST_KEPT)
        except psutil.Error:  # it has ended
            return True

    def interrupt(self) -> None:
        """Let the task be ended as Ctrl-C ends it, so that what is stored of it stays."""
        if self._process is not None and self._process.returncode is None:
            # lazy: start-up time
            import signal

            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGINT)

    async def wait(self) -> None:
        """Wait until the task has been ended, or the process."""
        if self._process is not None and self._process.stdout is not None:
            while (line := await self._process.stdout.readline()) and line[:1] == b"P":
                pass

    async def end(self) -> None:
        """End the process at once."""
        process, self._process = self._process, None
        if process is None:
            return
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()


class Pool:
    """Has a few workers, and those who wait for one, no more than so many."""

    def __init__(self, settings: Settings, workers: int):
        self._free: asyncio.LifoQueue[Worker] = asyncio.LifoQueue()
        self._workers = [Worker(settings) for _ in range(workers)]
        for worker in self._workers:
            self._free.put_nowait(worker)
        self._waiting = 0

    async def warm(self) -> None:
        """Start one worker, so that the first who asks need not wait for it."""
        worker = await self._free.get()
        try:
            await worker.start()
        finally:
            self._free.put_nowait(worker)

    async def ask(self, task: str, *, seconds: float, **asked: Any) -> bytes:
        """Return the JSON that answers a task, within so many seconds of the processor. Raises Asked, Refused.

        Where the machine is busy with other things that may be some more seconds of the clock.
        """
        if self._waiting >= MOST_WAITING:
            raise Refused(503, "too many ask at once; try again in a while")
        self._waiting += 1
        try:
            worker = await self._free.get()
        finally:
            self._waiting -= 1
        is_done = False
        try:
            async with asyncio.timeout(seconds * PATIENCE):
                answer = await worker.ask(task, cpu=seconds, **asked)
            is_done = True
            return answer
        except TimeoutError:
            raise Refused(503, f"it takes longer than the {seconds:g} seconds that one request may take") from None
        except Asked:
            is_done = True
            raise
        finally:
            try:
                if not is_done or worker.is_large():  # it may still be at work, or gone
                    await asyncio.shield(worker.end())
            finally:
                self._free.put_nowait(worker)

    async def close(self) -> None:
        """End all workers."""
        await asyncio.gather(*(worker.end() for worker in self._workers))
