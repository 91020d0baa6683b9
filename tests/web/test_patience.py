"""A connection is closed when its client keeps the server waiting, and not when the server keeps the client."""

import asyncio
from types import SimpleNamespace

import pytest

from gamesman.web import patience

LOOKS = 6


class Cycle:
    """A request that is answered, or has been."""

    def __init__(self, response_complete):
        self.response_complete = response_complete


class Below:
    """What uvicorn's protocols have that is looked at."""

    def connection_made(self, transport):
        self.transport = transport
        self.cycle, self.flow = None, SimpleNamespace(write_paused=False)

    def resume_writing(self):
        pass

    def connection_lost(self, exc):
        pass


class Protocol(patience.Patient, Below):
    pass


class Wire:
    def __init__(self):
        self.is_aborted, self.left = False, 0

    def abort(self):
        self.is_aborted = True

    def get_write_buffer_size(self):
        return self.left


def is_closed(monkeypatch, what):
    """Whether a connection is closed while `what` happens to the protocol between two looks."""
    monkeypatch.setattr(patience, "PATIENCE_SECONDS", 0.01)

    async def watch():
        wire, protocol = Wire(), Protocol()
        protocol.connection_made(wire)
        what(protocol)
        for _ in range(LOOKS * 4):
            await asyncio.sleep(0.005)
            if wire.is_aborted:
                return True
            going = getattr(what, "goes_on", None)
            if going is not None:
                going(protocol)
        protocol.connection_lost(None)
        await asyncio.sleep(0.03)
        return wire.is_aborted

    return asyncio.run(watch())


def nothing(protocol):
    """The head of a request does not come, or not whole."""


def answered(protocol):
    protocol.cycle = Cycle(True)


def at_work(protocol):
    protocol.cycle = Cycle(False)


def not_taken(protocol):
    at_work(protocol)
    protocol.flow.write_paused = True


def taken_slowly(protocol):
    not_taken(protocol)


def sent_slowly(protocol):
    answered(protocol)
    protocol.transport.left = 60_000


def asked_again(protocol):
    answered(protocol)


def _less(protocol):
    protocol.transport.left -= 100


taken_slowly.goes_on = Protocol.resume_writing
sent_slowly.goes_on = _less
asked_again.goes_on = answered


@pytest.mark.parametrize("what", [nothing, answered, not_taken])
def test_who_keeps_us_waiting_is_not_waited_for(monkeypatch, what):
    assert is_closed(monkeypatch, what)


@pytest.mark.parametrize("what", [at_work, taken_slowly, sent_slowly, asked_again])
def test_who_waits_for_us_or_is_slow_is_waited_for(monkeypatch, what):
    assert not is_closed(monkeypatch, what)
