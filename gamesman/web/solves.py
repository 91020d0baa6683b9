"""Variants are solved here for visitors: one at a time, each in a process of its own, which can be cancelled.

A solve that is cancelled or broken off goes on where it stopped when it is asked for again.
"""

import asyncio
import contextlib
import json
import secrets
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from gamesman.web.pool import Asked, Worker
from gamesman.web.problems import Problem, Refused
from gamesman.web.settings import Settings

MOST_QUEUED = 8
MOST_KEPT = 50  # that are over
CANCEL_SECONDS = 10.0  # to store what there is, before the process is ended


@dataclass
class Solve:
    """Is a solve that a visitor has asked for: queued, running, solved, failed or cancelled."""

    variant: str
    id: str = field(default_factory=lambda: secrets.token_urlsafe(9))
    status: str = "queued"
    progress: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    problem: Problem | None = None
    since: float = field(default_factory=time.time)
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None] | None" = None

    @property
    def is_over(self) -> bool:
        return self.status in ("solved", "failed", "cancelled")

    def tell(self, **changes: Any) -> None:
        """Change fields, and wake those who watch."""
        for name, value in changes.items():
            setattr(self, name, value)
        self.changed.set()
        self.changed = asyncio.Event()

    def as_json(self) -> dict[str, Any]:
        """Return what is told of it."""
        return {
            "id": self.id,
            "variant": self.variant,
            "status": self.status,
            "progress": self.progress,
            "result": self.result,
            "problem": self.problem.as_json() if self.problem else None,
        }


class Solves:
    """Knows all solves that have been asked for since the start."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self._all: dict[str, Solve] = {}
        self._turn = asyncio.Lock()

    def list(self) -> list[Solve]:
        return [*self._all.values()]

    def get(self, id: str) -> Solve:
        """Return the solve of that id. Raises Refused."""
        if id not in self._all:
            raise Refused(404, "there is no such solve: it may have been long ago")
        return self._all[id]

    def begin(self, variant: str) -> Solve:
        """Ask for a solve; return it, or the one of the same variant that is not over. Raises Refused."""
        going = [each for each in self._all.values() if not each.is_over]
        for each in going:
            if each.variant == variant:
                return each
        if len(going) >= MOST_QUEUED:
            raise Refused(503, f"{len(going)} solves are waiting already; try again later")
        for id in [each.id for each in self._all.values() if each.is_over][: -MOST_KEPT or None]:
            del self._all[id]
        solve = Solve(variant)
        self._all[solve.id] = solve
        solve.task = asyncio.create_task(self._run(solve))
        return solve

    async def _run(self, solve: Solve) -> None:
        worker = Worker(self._settings, is_solving=True)
        try:
            async with self._turn:
                solve.tell(status="running")
                try:
                    await self._follow(solve, worker)
                except asyncio.CancelledError:
                    await self._stop(solve, worker)
        except asyncio.CancelledError:  # while it was waiting
            solve.tell(status="cancelled")
        except Asked as error:
            solve.tell(status="failed", problem=error.problem)
        except Refused as error:
            solve.tell(status="failed", problem=Problem(error.status, "refused", "Something is broken", str(error)))
        finally:
            await worker.end()

    async def _follow(self, solve: Solve, worker: Worker) -> None:
        async for kind, said in worker.lines("solve", variant=solve.variant, memory=self._settings.memory):
            if kind == b"P":
                solve.tell(progress=json.loads(said))
            else:
                solve.tell(status="solved", result=json.loads(said))

    async def _stop(self, solve: Solve, worker: Worker) -> None:
        """Let the process store what there is, and end it; before it has told of anything there is nothing to store."""
        if solve.progress is not None:
            worker.interrupt()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CANCEL_SECONDS):
                    await worker.wait()
        solve.tell(status="cancelled")

    def cancel(self, id: str) -> Solve:
        """Cancel a solve that is not over. Raises Refused."""
        solve = self.get(id)
        if not solve.is_over and solve.task is not None:
            solve.task.cancel()
        return solve

    async def events(self, solve: Solve) -> AsyncIterator[bytes]:
        """Yield server-sent events: the solve as it is, whenever that changes, up to its end."""
        while True:
            changed = solve.changed
            data = json.dumps(solve.as_json(), separators=(",", ":"))
            yield f"event: {solve.status}\ndata: {data}\n\n".encode()
            if solve.is_over:
                return
            try:
                async with asyncio.timeout(15):
                    await changed.wait()
            except TimeoutError:
                yield b": still there\n\n"  # or a proxy would end the connection

    async def close(self) -> None:
        """Cancel all that is not over, so that what is stored of it stays; return when their processes have ended."""
        for each in self._all.values():
            if each.task is not None and not each.is_over:
                each.task.cancel()
        tasks = [each.task for each in self._all.values() if each.task is not None and not each.task.done()]
        if tasks:
            await asyncio.wait(tasks, timeout=CANCEL_SECONDS)
