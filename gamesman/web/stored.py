"""Solved variants that are kept open, and answers that are kept ready, both as many as memory has room for."""

import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from gamesman import app
from gamesman.errors import PositionError
from gamesman.model.answers import PositionAnswer, Worth, query, weighed
from gamesman.model.variant import variant as read_variant
from gamesman.web.position_text import PositionWriter
from gamesman.web.settings import LONGEST_POSITION

if TYPE_CHECKING:
    from gamesman.model.variant import Position, Variant

MOST_OPEN = 16
MOST_BYTES = 24 << 20  # of answers that are kept ready
MOST_BLOCKS, FEWEST_BLOCKS = 768, 48  # that are kept decoded, in all and of each variant, about 50 KB each
LOOKS_SECONDS = 1.0  # how often at most it is asked whether what is open is still what is stored


class Answer:
    """Holds an answer in JSON, ready to be sent."""

    __slots__ = ("body", "etag")

    def __init__(self, body: bytes, fingerprint: str):
        self.body = body
        self.etag = f'"{hashlib.blake2b(body, digest_size=12, key=fingerprint.encode()[:64]).hexdigest()}"'


class Opened:
    """Holds a solved variant that is open."""

    def __init__(self, own: str, shown: str, db: str | None):
        self.variant: Variant = read_variant(own)
        self.shown = shown
        self.fingerprint = self.variant.fingerprint
        self.reader = app.open(self.variant, db=db)
        self._source = self.reader.following()
        self._writer = PositionWriter(self.variant, self.fingerprint)
        self._looked = time.monotonic()

    def is_current(self) -> bool:
        """Tell whether it is still what is stored; that is looked at once a second."""
        now = time.monotonic()
        if now - self._looked > LOOKS_SECONDS:
            self._looked = now
            return self.reader.is_current()
        return True

    def parse(self, text: str | None) -> "Position":
        """Read a position from the network; the start without one. Raises PositionError."""
        if text is None:
            return self.variant.start()
        if len(text) > LONGEST_POSITION:
            raise PositionError(f"expected a position in at most {LONGEST_POSITION} letters, got {len(text)}")
        return self.variant.parse(text)

    def query(self, text: str | None) -> PositionAnswer:
        """Look up a position from the network and its moves. Raises PositionError, NotReachable."""
        return query(self.variant, self._source, self.parse(text))

    def position_json(self, text: str | None) -> bytes:
        """Return the fields of `query --json`, and what a page draws. Raises PositionError, NotReachable."""
        position, worth = self._known(text)
        if worth is None:
            position = self.parse(text)
            worth = self._source.probe(position)
        return self._writer.write(position, *worth, weighed(self.variant, self._source, position))

    def _known(self, text: str | None) -> "tuple[Position, Worth | None]":
        """Return the position that is written exactly so and what it is worth: what is stored needs no other proof."""
        position = None if text is None else self.variant.unshow(text)
        return ((), None) if position is None else (position, self.reader.get(position))

    def close(self) -> None:
        self.reader.close()


class Store:
    """Keeps what is open and what is ready."""

    def __init__(self, db: str | None):
        self._db = db
        self._open: OrderedDict[str, Opened] = OrderedDict()  # by our own name
        self._by_text: dict[str, Opened] = {}  # by the texts that the network has named them with
        self._ready: OrderedDict[tuple[Opened, Hashable], Answer] = OrderedDict()
        self._bytes = 0

    def get(self, text: str) -> Opened | None:
        """Return the variant that a text of the network names, if it is open and still what is stored."""
        found = self._by_text.get(text)
        if found is not None and not found.is_current():
            self._drop(found)
            return None
        return found

    def open(self, text: str, own: str, shown: str) -> Opened:
        """Open a variant that is solved and keep it open. Raises NotSolved, DatabaseError."""
        found = self._open.get(own)
        if found is not None and not found.is_current():
            self._drop(found)
            found = None
        if found is None:
            found = Opened(own, shown, self._db)
            while len(self._open) >= MOST_OPEN:
                self._drop(next(iter(self._open.values())))
            self._open[own] = found
            self._share_blocks()
        self._open.move_to_end(own)
        if len(self._by_text) > 50 * MOST_OPEN:
            self._by_text.clear()
        self._by_text[text] = found
        return found

    def look(self) -> None:
        """Close what is no longer stored, by asking the database."""
        for each in list(self._open.values()):
            if not each.reader.is_stored():
                self._drop(each)

    def _drop(self, gone: Opened) -> None:
        # What is gone through is a copy: on a thread of its own this happens while others are answered.
        self._by_text = {text: each for text, each in list(self._by_text.items()) if each is not gone}
        for key in [key for key in list(self._ready) if key[0] is gone]:
            self._bytes -= len(self._ready.pop(key).body)
        self._open = OrderedDict((name, each) for name, each in list(self._open.items()) if each is not gone)
        gone.close()
        self._share_blocks()

    def _share_blocks(self) -> None:
        """Let those that are open keep as many blocks of their databases in all as there is memory for."""
        for each in self._open.values():
            each.reader.most_blocks = max(FEWEST_BLOCKS, MOST_BLOCKS // len(self._open))

    def answer(self, opened: Opened, text: str | None) -> Answer:
        """Return the answer to a position. Raises PositionError, NotReachable, DatabaseError."""
        return self.ready(opened, text) or self.keep(opened, text, opened.position_json(text))

    def ready(self, opened: Opened, key: Hashable) -> Answer | None:
        """Return an answer that is kept ready, or None."""
        found = self._ready.get((opened, key))
        if found is not None:
            self._ready.move_to_end((opened, key))
        return found

    def keep(self, opened: Opened, key: Hashable, fields: Any) -> Answer:
        """Make an answer of fields, or of JSON, and keep it as long as there is room; return it."""
        body = fields if isinstance(fields, bytes) else json.dumps(fields, separators=(",", ":")).encode()
        found = Answer(body, opened.fingerprint)
        if len(body) > MOST_BYTES // 8:
            return found
        before = self._ready.get((opened, key))
        self._bytes += len(body) - (len(before.body) if before else 0)
        self._ready[opened, key] = found
        while self._bytes > MOST_BYTES:
            self._bytes -= len(self._ready.popitem(last=False)[1].body)
        return found

    def close(self) -> None:
        for each in self._open.values():
            each.close()
        self._open.clear()
        self._by_text.clear()
