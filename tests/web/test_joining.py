"""What a server writes to a connection is joined where it is little, never kept back for long, and never lost."""

import asyncio

from gamesman.web.joining import SMALL, Joining


class Wire:
    """A transport that remembers what is sent at a time."""

    def __init__(self):
        self.sent = []
        self.is_closed = False

    def write(self, data):
        assert not self.is_closed
        self.sent.append(data)

    def close(self):
        self.is_closed = True

    def is_closing(self):
        return self.is_closed


def written(*parts, is_closed=False):
    """What is sent at once of parts written one after the other, and what after all else has been done."""

    async def write():
        wire = Wire()
        joining = Joining(wire)
        for part in parts:
            joining.write(part)
        if is_closed:
            joining.close()
        at_once = [*wire.sent]
        await asyncio.sleep(0)
        assert joining.is_closing() == is_closed
        return at_once, wire.sent[len(at_once) :]

    return asyncio.run(write())


def test_a_head_is_sent_with_its_body():
    assert written(b"head", b"body") == ([b"headbody"], [])


def test_a_head_without_a_body_is_sent_when_all_else_has_been_done():
    assert written(b"head", b"") == ([b"head"], [])
    assert written(b"head") == ([], [b"head"])


def test_much_is_sent_at_once_so_that_who_reads_slowly_makes_us_wait():
    much = bytes(SMALL)
    assert written(much, much) == ([much, much], [])
    assert written(b"head", much, much) == ([b"head" + much, much], [])


def test_what_is_kept_back_is_sent_before_the_connection_is_closed():
    assert written(b"head", is_closed=True) == ([b"head"], [])
