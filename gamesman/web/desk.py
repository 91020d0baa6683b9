"""A process beside the server works positions out where many are asked for, so that two cores share the work.

It is started once there is use for it, and is asked as long as it does not fall behind; what it is not asked, and
whatever it cannot answer, the server works out itself. So nothing depends on it.

    to the process      the variant's own name, a tab, the position, a line break
    from it             the answer in JSON and a line break, in the order they were asked for; an empty line for none
"""

import asyncio
import os
import sys
from collections import deque
from typing import Any, cast

from gamesman.web.settings import Settings

BUSY = 64  # positions worked out, after which a process is worth its memory
MOST_WAITING = 4  # asked and not yet answered; beyond that it is quicker to answer oneself
PATIENCE = 5.0  # seconds for an answer, before the process is ended
FEWEST_CORES = 2


class Desk(asyncio.SubprocessProtocol):
    """Is the server's side of that process."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self._transport: asyncio.SubprocessTransport | None = None
        self._to: asyncio.WriteTransport | None = None
        self._waiting: deque[asyncio.Future[bytes | None]] = deque()
        self._received = b""
        self._asked = 0
        self._starting: asyncio.Task[None] | None = None
        self._is_gone = asyncio.Event()

    async def ask(self, own: str, position: str) -> bytes | None:
        """Return the answer to a position, or None where it is not had from here."""
        self._asked += 1
        if self._to is None:
            if self._asked == BUSY and (os.cpu_count() or 1) >= FEWEST_CORES:
                self._starting = asyncio.create_task(self._start())
            return None
        line = f"{own}\t{position}"
        if len(self._waiting) >= MOST_WAITING or not line.isascii() or "\n" in line or line.count("\t") > 1:
            return None
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[bytes | None] = loop.create_future()
        self._waiting.append(answered)
        late = loop.call_later(PATIENCE, self._end)
        self._to.write(f"{line}\n".encode())
        try:
            return await answered
        finally:
            late.cancel()

    async def _start(self) -> None:
        words = [sys.executable, "-P", "-m", "gamesman.web.clerk", *([self._settings.db] if self._settings.db else [])]
        pipes: dict[str, Any] = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE, "stderr": None}
        loop = asyncio.get_running_loop()
        self._is_gone.clear()
        # Ctrl-C is for the server, which ends its processes itself.
        self._transport, _ = await loop.subprocess_exec(lambda: self, *words, start_new_session=True, **pipes)
        self._to = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Hand on the answers that have come."""
        *lines, self._received = (self._received + data).split(b"\n")
        for line in lines:
            if self._waiting and not (answered := self._waiting.popleft()).done():
                answered.set_result(line or None)

    def process_exited(self) -> None:
        """Leave those who wait to the server."""
        self._to = None
        while self._waiting:
            if not (answered := self._waiting.popleft()).done():
                answered.set_result(None)

    def connection_lost(self, error: Exception | None) -> None:
        """Forget the process; another is started when as much has been asked again."""
        if self._transport is not None:
            self._transport.close()
        self._asked, self._received, self._transport = 0, b"", None
        self._is_gone.set()

    def _end(self) -> None:
        if self._transport is not None and self._transport.get_returncode() is None:
            self._transport.kill()

    async def close(self) -> None:
        """End the process."""
        if self._starting is None:
            return
        await asyncio.gather(self._starting, return_exceptions=True)
        if self._transport is not None:
            self._end()
            await self._is_gone.wait()
