"""Python programs open, solve and compare variants here: `gamesman.open`, `gamesman.solve`, `gamesman.compare`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from gamesman import app
from gamesman.model.advice import asking
from gamesman.model.answers import LineAnswer, MoveAnswer, PositionAnswer, line, query
from gamesman.model.summary import Summary
from gamesman.model.variant import Position, Variant, variants
from gamesman.model.variant import variant as read_variant
from gamesman.values import NAMES

if TYPE_CHECKING:
    import numpy as np

    from gamesman.db.reader import Reader


class Answer(NamedTuple):
    """Says what a position is worth to the player to move."""

    value: str  # win, lose, tie or draw
    remoteness: int | None  # moves to the end; None for a draw


class Arrays(NamedTuple):
    """Holds some positions of one tier, in ascending order of their keys."""

    tier: int
    keys: "np.ndarray"  # int64
    values: "np.ndarray"  # uint8, into gamesman.values.NAMES
    remoteness: "np.ndarray"  # int16; -1 for draws


class Solved:
    """Answers what there is to ask of a solved variant, until it is closed, as `with` does.

    Positions are given as texts, or as the tuples of the game.
    """

    def __init__(self, stored: "Reader"):
        self._stored = stored
        self.variant: Variant = stored.variant

    @property
    def summary(self) -> Summary:
        """Return what solving has yielded: the start's value, the positions counted tier by tier."""
        return self._stored.summary

    @property
    def start(self) -> str:
        """Return the text of the position that the game begins with."""
        return self.variant.show(self.variant.start())

    def probe(self, position: str | Position) -> Answer:
        """Return what a position is worth. Raises PositionError, NotReachable."""
        value, remoteness = self._stored.probe(self._read(position))
        return Answer(NAMES[value], remoteness)

    def get(self, position: str | Position, default: Any = None) -> Any:
        """Return what a position is worth, or `default` if the start does not lead to it. Raises PositionError."""
        found = self._stored.get(self._read(position))
        return default if found is None else Answer(NAMES[found[0]], found[1])

    def query(self, position: str | Position | None = None) -> PositionAnswer:
        """Return what a position (the start) and its moves are worth, as `query` shows it. Raises like `probe`."""
        return query(self.variant, self._stored, self._read(position))

    def moves(self, position: str | Position | None = None) -> list[MoveAnswer]:
        """Return the moves of a position (the start), best first. Raises like `probe`."""
        return self.query(position).moves

    def line(self, position: str | Position | None = None) -> LineAnswer:
        """Return a line of best play from a position (the start). Raises like `probe`."""
        return line(self.variant, self._stored, self._read(position))

    def arrays(self, *, is_classes: bool = False) -> Iterator[Arrays]:
        """Yield all positions, as many at a time as a block of the database holds; `text` shows the one of a key.

        With `is_classes` there is one of each class of positions that are the same game turned or mirrored.
        """
        for part in self._stored.positions(is_classes=is_classes):
            yield Arrays(part.tier, part.keys, part.values(), part.remotenesses(draw=-1))

    def text(self, key: int) -> str:
        """Return the text of the position that has a key, one of those that `arrays` gives."""
        return self.variant.show(self.variant.unhash(int(key)))

    def stats(self) -> dict[str, Any]:
        """Return the fields of `gamesman stats --json`."""
        # lazy: start-up time
        from gamesman.analysis.profile import profile

        return profile(self._stored).stats_json()

    def close(self) -> None:
        """Close the database; nothing can be asked any more."""
        self._stored.close()

    def __enter__(self) -> "Solved":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, position: str | Position | None) -> Position:
        if position is None:
            return self.variant.start()
        return self.variant.parse(position) if isinstance(position, str) else position


def open(variant: str, db: str | None = None) -> Solved:
    """Open a solved variant, like "konane:rows=4", and return it. Raises NotSolved, or CallError if there is none."""
    with asking(db):
        return Solved(app.open(read_variant(variant), db=db))


def solve(variant: str, db: str | None = None, threads: int | None = None, memory: int | None = None) -> Solved:
    """Solve a variant and store it, if that has not been done yet; open and return it. `memory` is in bytes."""
    with asking(db):
        app.solve(read_variant(variant), db=db, threads=threads, memory=memory)
    return open(variant, db)


def compare(*names: str, db: str | None = None) -> dict[str, Any]:
    """Compare solved variants; return the fields of `gamesman compare --json`.

    Names may have ranges, lists and stars: "konane:rows=3..4,misere=*".
    """
    found = {each.name: each for name in names for each in variants(name)}
    with asking(db):
        return app.compare(list(found.values()), db=db).as_json()
