"""What workers do for the play page: everything of variants that are not solved, programs that move, saved games.

Search runs in plain Python here: to compile a variant first takes longer than somebody who clicks will wait.
"""

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gamesman import app
from gamesman.errors import CallError, NoAnswer, shorten
from gamesman.model.variant import Position, Variant
from gamesman.play.players import Program, Strength
from gamesman.play.record import load
from gamesman.search.found import Found
from gamesman.search.searcher import Searcher
from gamesman.values import NAMES
from gamesman.web.catalogue import Named
from gamesman.web.pages_node import estimates, node, read_record, run, scorecard, set_up
from gamesman.web.picture import picture
from gamesman.web.settings import DEEPEST, MOST_SECONDS

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

ESTIMATE_SECONDS = 2.5
# With more keys than this a variant need not be tried to be solved; those of many games are far more than positions.
MOST_KEYS = 10**14
# So many positions of a value are looked at for a random one, beginning anywhere.
MOST_LOOKED_AT = 2_000_000
RECORD_FIELDS = ("p", "start", "moves", "been")


class _Timely(Searcher):
    """Searches for no longer than the network may ask, whatever depth it asks for."""

    def __init__(self, variant: Variant):
        super().__init__(variant, compiled=False)

    def search(
        self,
        position: Position,
        depth: int | None = None,
        seconds: float | None = None,
        past: Iterable[Position] = (),
        barred: Iterable[int] = (),
    ) -> Found:
        depth = DEEPEST if depth is None else min(depth, DEEPEST)
        return super().search(position, depth, min(seconds or MOST_SECONDS, MOST_SECONDS), past, barred)


def beginning(variant: Variant, shown: str) -> dict[str, Any]:
    """Return what a page says of a variant, whatever the position: it is drawn and begun with that."""
    bound = variant.key_bound()
    return {
        "variant": shown,
        "title": variant.game.title,
        "rules": variant.game.rules_text,
        "start": variant.show(variant.start()),
        "noRepetition": variant.game.no_repetition,
        "isSolvable": bound is None or bound <= MOST_KEYS,
        "picture": picture(variant),
    }


class PlayTasks(Named):
    """Has the tasks of the play page, each a method that answers in JSON. A game is told as in `read_record`."""

    @contextmanager
    def _stored(self, variant: Variant) -> "Iterator[SolvedPositions | None]":
        with app.stored_or_none(variant, db=self.db, warn=lambda _: None) as stored:
            yield stored

    def begin(self, variant: str) -> dict[str, Any]:
        """Return what a page says of a variant."""
        found = self._variant(variant)
        return beginning(found, self._shown(found.name))

    def node(self, variant: str, **told: Any) -> dict[str, Any]:
        """Return the position that a game has come to, by the rules alone, and the way there."""
        record = read_record(self._variant(variant), **_record_fields(told))
        return node(record, None) | {"line": run(record, None)}

    def choose(self, variant: str, how: str, **told: Any) -> dict[str, Any]:
        """Let a program move; return its move, what it says of it, and the position that it leads to."""
        found = self._variant(variant)
        record = read_record(found, **_record_fields(told))
        if record.end is not None:
            raise CallError(f"there is no move in {found.show(record.position)}: the game is over")
        with self._stored(found) as stored:
            program = Program(found, Strength.read(how), stored, searcher=_Timely(found))
            chosen = program.choose(record)
            name = found.move_name(record.position, chosen.move)
            record.play(chosen.move)
            return {"move": name, "remark": chosen.remark, "node": node(record, stored)}

    def estimate(self, variant: str, **told: Any) -> dict[str, Any]:
        """Search the moves of a position that is not among the solved ones."""
        found = self._variant(variant)
        record = read_record(found, **_record_fields(told))
        return {"moves": [] if record.end else estimates(record, ESTIMATE_SECONDS, _Timely(found))}

    def scorecard(self, variant: str, **told: Any) -> dict[str, Any]:
        """Return what every move of a game was worth. Raises NotSolved, NotReachable."""
        found = self._variant(variant)
        record = read_record(found, **_record_fields(told))
        with app.open(found, db=self.db) as stored:
            return {"steps": scorecard(record, stored)}

    def setup(self, variant: str, board: str, turn: str, fields: Sequence[str]) -> dict[str, Any]:
        """Return the position that was put together by hand."""
        return {"position": set_up(self._variant(variant), board, turn, fields)}

    def save(self, variant: str, **told: Any) -> dict[str, Any]:
        """Return a game as `play` saves it, but for the path of a game's file, which the network knows by its name."""
        record = read_record(self._variant(variant), **_record_fields(told))
        saved: dict[str, Any] = json.loads(record.save())
        return saved | {"variant": self._shown(saved["variant"])}

    def load(self, variant: str, text: str) -> dict[str, Any]:
        """Return a saved game of the same game: its variant, positions and moves. Raises CallError."""
        own = self._variant(variant)
        record = load(self._own(text), "the game", own)
        with self._stored(record.variant) as stored:
            return {
                "variant": self._shown(record.variant.name),
                "line": run(record, stored),
                "moves": record.names(),
                "been": [record.variant.show(position) for position in record.been],
            }

    def _own(self, text: str) -> str:
        """Return a saved game with its variant by our own name: the network may name those of the catalogue only."""
        try:
            fields = json.loads(text)
            name = fields["variant"].partition(":")[0]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return text  # `load` says what is wrong
        if name in self.catalogue.names:
            fields["variant"] = self.catalogue.own(fields["variant"])
        return json.dumps(fields)

    def random(
        self, variant: str, value: str, remoteness: int | None = None, tier: int | None = None
    ) -> dict[str, Any]:
        """Return any position of a value, perhaps of a remoteness and a tier, out of all that are solved."""
        found = self._variant(variant)
        with app.open(found, db=self.db) as stored:
            key = _random_key(stored, value, remoteness, tier)
        return {"position": found.show(found.unhash(key))}


def _record_fields(told: dict[str, Any]) -> dict[str, Any]:
    names = {"p": "position"}
    return {names.get(field, field): told[field] for field in RECORD_FIELDS if told.get(field)}


def _random_key(stored: "SolvedPositions", value: str, remoteness: int | None, tier: int | None) -> int:
    """Return the key of one of the positions, all of them as likely unless there are very many."""
    # lazy: start-up time
    import numpy as np

    if value not in NAMES:
        raise CallError(f"expected a value: win, lose, tie or draw, got {shorten(value)}")
    number, dice = NAMES.index(value), random.Random()

    def size(histogram: Any) -> int:
        found = histogram.get(number, {})
        return int(sum(found.values()) if remoteness is None else found.get(remoteness, 0))

    tiers = [each for each in stored.summary.tiers if tier is None or each.number == tier]
    sizes = [size(each.histogram) for each in tiers]
    if not sum(sizes):
        at = "" if remoteness is None else f" in {remoteness}"
        raise NoAnswer(f"there is no position of {stored.variant.name} with the value {value}{at}")
    chosen = dice.choices(tiers, sizes)[0]
    kept, seen, looked = -1, 0, 0
    for part in stored.positions(chosen.number, is_classes=True):
        fits = part.values() == number
        if remoteness is not None:
            fits &= part.remotenesses(draw=-1) == remoteness
        keys = part.keys[np.flatnonzero(fits)]
        if len(keys) and dice.random() < len(keys) / (seen + len(keys)):
            kept = int(keys[dice.randrange(len(keys))])
        seen, looked = seen + len(keys), looked + len(part.keys)
        if seen and looked > MOST_LOOKED_AT:
            break
    return kept
