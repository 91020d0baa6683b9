"""Python programs open, solve and compare variants here: `gamesman.open`, `solve`, `compare`, `estimate`."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from gamesman import app
from gamesman.errors import MissingExtra, NotReachable, OptionError
from gamesman.model.advice import asking
from gamesman.model.answers import LineAnswer, MoveAnswer, PositionAnswer, line, query
from gamesman.model.summary import Summary
from gamesman.model.variant import Position, Variant, variants
from gamesman.model.variant import variant as read_variant
from gamesman.model.wording import VERBS
from gamesman.values import NAMES

if TYPE_CHECKING:
    import numpy as np

    from gamesman.analysis.asking import Asker, Children
    from gamesman.db.reader import Reader
    from gamesman.model.progress import Progress


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


class Worths(NamedTuple):
    """Says what some positions are worth, each to its player to move."""

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

    @overload
    def probe(self, position: str | Position) -> Answer: ...

    @overload
    def probe(self, position: "np.ndarray") -> Worths: ...

    def probe(self, position: "str | Position | np.ndarray") -> "Answer | Worths":
        """Return what a position is worth, or what those are whose keys an array has.

        Raises PositionError, NotReachable.
        """
        if not isinstance(position, str | tuple):
            return self._probe_keys(position)
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

    def _probe_keys(self, keys: "np.ndarray") -> Worths:
        # lazy: start-up time
        from gamesman.analysis.asking import remotenesses
        from gamesman.values import REMOTENESS_BITS, UNREACHED

        records = self._asker.records(keys)
        missing = (records == UNREACHED).nonzero()[0]
        if len(missing):
            raise NotReachable(f"{self.variant.name}: no position that was solved has the key {keys[missing[0]]}")
        return Worths((records >> REMOTENESS_BITS).astype("u1"), remotenesses(records))

    @cached_property
    def _asker(self) -> "Asker":
        # lazy: start-up time
        from gamesman.analysis.asking import Asker

        return Asker(self._stored)

    def children(self, keys: "np.ndarray") -> "Children":
        """Return the moves of positions given by their keys, where they lead and what they are worth, as arrays."""
        self._probe_keys(keys)
        return self._asker.children(keys)

    def sample(
        self, count: int = 1, value: str | None = None, remoteness: int | None = None, seed: int | None = None
    ) -> "np.ndarray":
        """Return the keys of random positions, all as likely, or of those of a value and a remoteness; none twice.

        There are fewer where there are not so many. The same seed draws the same ones.
        """
        # lazy: start-up time
        from gamesman.analysis.asking import sample

        if value is not None and value not in NAMES:
            raise OptionError(f"value must be one of {', '.join(NAMES)}, got {value}")
        if count < 0 or (value == "draw" and remoteness is not None):
            raise OptionError("expected a count, 0 or more, and no remoteness of draws")
        return sample(self._stored, count, None if value is None else NAMES.index(value), remoteness, seed)

    def cells(self, keys: "np.ndarray") -> "np.ndarray":
        """Return the letter on each cell of the boards of positions given by their keys, a row a position.

        The cells are in the order of the game's own numbers. Raises OptionError for a game without a layout.
        """
        # lazy: start-up time
        import numpy as np

        from gamesman.compiler.unfolding import unfolder
        from gamesman.model.texts import writer

        found = writer(self.variant)
        if found is None:
            raise OptionError(f"{self.variant.game.name} declares no layout, so its cells are not known")
        return found.cells(unfolder(self.variant, len(keys))(np.asarray(keys, np.int64))[0])

    def arrow(self, *, has_positions: bool = True, is_classes: bool = False) -> Any:
        """Return all positions as a pyarrow table: key, position, value, remoteness (null for a draw), tier.

        pandas and polars take it. Without texts it takes a tenth of the memory. Raises MissingExtra.
        """
        # lazy: start-up time
        from gamesman.export import table

        return table(self._stored, has_positions, is_classes=is_classes)

    def frame(self, *, has_positions: bool = True, is_classes: bool = False) -> Any:
        """Return the same as a data frame: of polars where that is installed, else of pandas. Raises MissingExtra."""
        found = self.arrow(has_positions=has_positions, is_classes=is_classes)
        if find_spec("polars"):
            return import_module("polars").from_arrow(found)
        if find_spec("pandas"):
            return found.to_pandas()
        raise MissingExtra("a frame needs polars or pandas, neither is installed; run: pip install polars")

    def __repr__(self) -> str:
        found = self.summary.as_json()
        ends = "" if found["remoteness"] is None else f" in {found['remoteness']}"
        player = self.variant.player(self.variant.start())
        return f"<Solved {self.variant.name}: {player} {VERBS[found['value']]}{ends}, {found['positions']:,} positions>"

    def text(self, key: int) -> str:
        """Return the text of the position that has a key, one of those that `arrays` gives."""
        return self.variant.show(self.variant.unhash(int(key)))

    def stats(
        self,
        *,
        quick: bool = False,
        play: bool | None = None,
        memory: int | None = None,
        progress: "Progress | None" = None,
    ) -> dict[str, Any]:
        """Return the fields of `gamesman stats --json`; `quick` ones without a walk. `memory` is in bytes.

        Play is followed with `play`, not without; left open, up to a million positions and unless `quick`.
        """
        # lazy: start-up time
        from gamesman.analysis.profile import described

        return described(self._stored, memory, progress, is_walked=not quick, is_played=play).stats_json()

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


def solve(
    variant: str,
    db: str | None = None,
    threads: int | None = None,
    memory: int | None = None,
    work: str | None = None,
) -> Solved:
    """Solve a variant and store it, if that has not been done yet; open and return it.

    `memory` is in bytes; what does not fit it goes on in files in the folder `work`, by default beside the database.
    """
    with asking(db):
        app.solve(read_variant(variant), db=db, threads=threads, memory=memory, work=work)
    return open(variant, db)


def compare(
    *names: str,
    db: str | None = None,
    quick: bool = False,
    memory: int | None = None,
    progress: "Progress | None" = None,
    measures: Sequence[str] = (),
    sort: str | None = None,
    baseline: str | None = None,
) -> dict[str, Any]:
    """Compare solved variants; return the fields of `gamesman compare --json`, of which the options are these, too.

    Names may have ranges, lists and stars: "konane:rows=3..4,misere=*". `memory` is in bytes; `progress` is told how
    far the work is, see gamesman.model.progress.
    """
    # lazy: start-up time
    from gamesman.analysis.comparison import Question

    base = None if baseline is None else read_variant(baseline)
    question = Question(measures, sort, None if base is None else base.name, is_walked=not quick)
    found = {each.name: each for each in [*([] if base is None else [base]), *(v for n in names for v in variants(n))]}
    with asking(db):
        return app.compare(list(found.values()), db=db, memory=memory, progress=progress, question=question).as_json()


def estimate(
    *names: str,
    playouts: int = 10_000,
    depth: int = 2,
    seconds: float | None = None,
    seed: int = 1,
    memory: int | None = None,
    progress: "Progress | None" = None,
) -> dict[str, Any]:
    """Estimate variants from games, solved or not; return the fields of `gamesman stats --estimate --json`.

    Of several variants, or a name that stands for several, those of `gamesman compare --estimate --json`. So many
    games are played at random, and searches look `depth` moves ahead and take so many `seconds`. Raises CallError.
    """
    # lazy: start-up time
    from gamesman.analysis.estimating import Asked, EstimatedComparison

    asked = Asked(playouts, depth, seed, seconds)
    asked.check()
    found = {each.name: each for name in names for each in variants(name)}
    if not found:
        raise OptionError("expected a variant to estimate, got none")
    estimates = list(app.estimates(list(found.values()), asked, memory=memory, progress=progress))
    return estimates[0].as_json() if len(estimates) == 1 else EstimatedComparison(estimates).as_json()
