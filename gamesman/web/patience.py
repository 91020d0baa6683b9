"""A connection over which nothing goes on is closed, so that those who keep many of them open keep nobody out.

What takes us long is waited for; what a client keeps us waiting for, the head of a request or that it takes what it has
asked for, is not.
"""

import asyncio
from typing import Any

PATIENCE_SECONDS = 15.0


class Patient:
    """Is a protocol of uvicorn's that looks now and then whether its client does anything: to be put before it."""

    cycle: Any  # the request that is being answered, or the last one
    flow: Any
    transport: Any

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)  # type: ignore[misc]
        self._resumed = 0
        self._look(None)

    def resume_writing(self) -> None:
        """Go on writing: the client has taken something."""
        self._resumed += 1
        super().resume_writing()  # type: ignore[misc]

    def connection_lost(self, exc: Exception | None) -> None:
        self._next_look.cancel()
        super().connection_lost(exc)  # type: ignore[misc]

    def _look(self, before: tuple[Any, int, int] | None) -> None:
        """Close the connection if it waits for the client and has since the last look."""
        now = self.cycle, self._resumed, self.transport.get_write_buffer_size()
        is_answered = self.cycle is None or self.cycle.response_complete
        if now == before and (is_answered or self.flow.write_paused):
            self.transport.abort()  # `close` would wait until all has been taken
            return
        self._next_look = asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._look, now)
