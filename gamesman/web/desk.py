"""A process beside the server works positions out where many are asked for, so that two cores share the work.

It is started once there is use for it. Questions stand in line: the process is given the next whenever it has few, and
the server takes one whenever it has nothing else to do. So both are always at work; and what the process cannot answer
the server works out, so nothing depends on it.

    to the process      the variant's own name, a tab, the position, a line break
    from it             the answer in JSON and a line break, in the order they were asked for; an empty line for none
"""

import asyncio
import os
import sys
from collections import deque
from typing import Any, NamedTuple, cast

from gamesman.web.settings import Settings

BUSY = 64  # positions worked out, after which a process is worth its memory
MOST_GIVEN = 4  # and not yet answered: it must not run out of work while the server works out a position itself
PATIENCE = 5.0  # seconds for an answer, before the process is ended
OPENING_PATIENCE = 60.0
WATCH_SECONDS = 1.0
FEWEST_CORES = 2

Answered = asyncio.Future[bytes | None]


class _Given(NamedTuple):
    """Holds who waits for a question that the process has been given."""

    answered: Answered
    until: float  # by when there must be an answer


class Desk(asyncio.SubprocessProtocol):
    """Is the server's side of that process."""

    def __init__(self, settings: Settings):
        self._settings = settings
        self._transport: asyncio.SubprocessTransport | None = None
        self._to: asyncio.WriteTransport | None = None
        self._is_open = False
        self._line: deque[tuple[bytes, Answered]] = deque()
        self._given: deque[_Given] = deque()
        self._is_our_turn = False
        self._received = b""
        self._asked = 0
        self._starting: asyncio.Task[None] | None = None
        self._is_gone = asyncio.Event()

    async def ask(self, own: str, position: str) -> bytes | None:
        """Return the answer to a position, or None where the server is to work it out."""
        if not self._is_open:
            self._asked += 1
            if self._asked == BUSY and (os.cpu_count() or 1) >= FEWEST_CORES:
                self._starting = asyncio.create_task(self._start(own))
            return None
        text = f"{own}\t{position}"
        if not text.isascii() or "\n" in text or text.count("\t") > 1:
            return None
        answered: Answered = asyncio.get_running_loop().create_future()
        self._line.append((f"{text}\n".encode(), answered))
        self._hand_on()
        return await answered

    async def _start(self, own: str) -> None:
        """Start the process; it opens a variant before it is given what somebody waits for."""
        words = [sys.executable, "-P", "-m", "gamesman.web.clerk", *([self._settings.db] if self._settings.db else [])]
        pipes: dict[str, Any] = {"stdin": asyncio.subprocess.PIPE, "stdout": asyncio.subprocess.PIPE, "stderr": None}
        loop = asyncio.get_running_loop()
        self._is_gone.clear()
        # Ctrl-C is for the server, which ends its processes itself.
        self._transport, _ = await loop.subprocess_exec(lambda: self, *words, start_new_session=True, **pipes)
        self._to = cast(asyncio.WriteTransport, self._transport.get_pipe_transport(0))
        opened: Answered = loop.create_future()
        opened.add_done_callback(self._opened)
        self._give([(f"{own}\t\n".encode(), opened)], OPENING_PATIENCE)
        self._watch()

    def _watch(self) -> None:
        """Look once a second whether an answer is late, and end the process then."""
        loop = asyncio.get_running_loop()
        if self._given and loop.time() > self._given[0].until:
            self._end()
        elif self._to is not None:
            loop.call_later(WATCH_SECONDS, self._watch)

    def _opened(self, answered: Answered) -> None:
        self._is_open = self._to is not None

    def _hand_on(self) -> None:
        """Give the process what it has room for; of what is left the server takes one when all else is done."""
        if self._line and self._to is not None and len(self._given) < MOST_GIVEN:
            count = min(len(self._line), MOST_GIVEN - len(self._given))
            self._give([self._line.popleft() for _ in range(count)], PATIENCE)
        if self._line and not self._is_our_turn:
            self._is_our_turn = True
            asyncio.get_running_loop().call_soon(self._take_our_turn)

    def _give(self, questions: list[tuple[bytes, Answered]], patience: float) -> None:
        assert self._to is not None
        until = asyncio.get_running_loop().time() + patience
        self._given += [_Given(answered, until) for _, answered in questions]
        self._to.write(b"".join([line for line, _ in questions]))

    def _take_our_turn(self) -> None:
        self._is_our_turn = False
        if self._line:
            _settle(self._line.popleft()[1], None)
        self._hand_on()

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Hand on the answers that have come."""
        *lines, self._received = (self._received + data).split(b"\n")
        for line in lines:
            self._answer(line or None)
        self._hand_on()

    def _answer(self, answer: bytes | None) -> None:
        """Answer the question that the process was given first."""
        if self._given:
            _settle(self._given.popleft().answered, answer)

    def process_exited(self) -> None:
        """Leave to the server what the process was given, and then what is in line."""
        self._to, self._is_open = None, False
        while self._given:
            self._answer(None)
        self._hand_on()

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


def _settle(answered: Answered, answer: bytes | None) -> None:
    if not answered.done():  # by then nobody may be waiting
        answered.set_result(answer)
