"""Workers describe games for the pages around play, and make tables of statistics for other programs."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gamesman import app
from gamesman.errors import CallError, GamesmanError, MissingExtra, NoAnswer, shorten
from gamesman.model.description import described
from gamesman.model.random_play import random_positions
from gamesman.model.variant import Variant
from gamesman.options import Choice
from gamesman.values import NAMES
from gamesman.web.catalogue import Named
from gamesman.web.picture import named_players, picture, placed
from gamesman.web.settings import MOST_SENT

COLUMNS = ("variant", "table", "row", "value", "positions")


def count_rows(variant: str, fields: dict[str, Any]) -> Iterator[tuple[str, str, str, str, int]]:
    """Yield the counts in the fields of `stats --json` as rows of one table, which has COLUMNS.

    >>> fields = {"counts": {"win": 2}, "by_remoteness": {"win": {"1": 2}}, "by_tier": []}
    >>> list(count_rows("konane", fields))
    [('konane', 'value', '', 'win', 2), ('konane', 'remoteness', '1', 'win', 2)]
    """
    for value, count in fields["counts"].items():
        yield variant, "value", "", value, count
    for value, found in fields["by_remoteness"].items():
        for remoteness, count in found.items():
            yield variant, "remoteness", remoteness, value, count
    for tier in fields["by_tier"]:
        for value, count in tier["counts"].items():
            yield variant, "tier", str(tier["tier"]), value, count


def encoded(rows: Iterable[Sequence[Any]], kind: str) -> bytes:
    """Return a table with COLUMNS as a .csv or a .parquet file. Raises MissingExtra."""
    if kind == "csv":
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([COLUMNS, *rows])
        return text.getvalue().encode()
    try:
        # lazy: an extra
        import pyarrow
        from pyarrow import parquet
    except ImportError:
        raise MissingExtra(
            "Parquet needs pyarrow, which is not installed; run: pip install 'gamesman[parquet]'"
        ) from None
    table = [*rows]
    columns = {name: [row[i] for row in table] for i, name in enumerate(COLUMNS)}
    file = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), file)
    return file.getvalue()


class TableTasks(Named):
    """Has the tasks of those pages, each a method that answers in JSON."""

    def gallery(self, names: Sequence[str]) -> list[dict[str, Any]]:
        """Return each game's title and board; of one that cannot be used, why."""
        return [{"name": name} | self._card(name) for name in names]

    def _card(self, name: str) -> dict[str, Any]:
        try:
            found = self._variant(name)
            return {"title": found.game.title} | thumbnail(found)
        except GamesmanError as error:
            return {"error": str(error)}
        except (Exception, SystemExit) as error:  # somebody else's
            return {"error": f"{type(error).__name__}: {shorten(str(error))}"}

    def about(self, variant: str) -> dict[str, Any]:
        """Return what the page of a game shows of a variant: its options and board, and what it is worth if solved."""
        found = self._variant(variant)
        fields = described(found)
        choices = {kind.name: kind.choices for kind in found.game.options if isinstance(kind, Choice)}
        options = [option | {"choices": choices.get(option["name"])} for option in fields["options"]]
        told: dict[str, Any] = {"value": None, "remoteness": None, "positions": None}
        try:
            with app.open(found, db=self.db) as stored:
                summary = stored.summary
                told = {"value": NAMES[summary.value], "remoteness": summary.remoteness}
                told["positions"] = summary.positions
        except NoAnswer:
            pass
        return {
            "game": self._shown(found.game.name),
            "variant": self._shown(found.name),
            "title": fields["title"],
            "rules": fields["rules"],
            "options": options,
            "player": named_players(found)[found.turn(found.start())],
            "isSolved": told["value"] is not None,
            "picture": picture(found),
            "placed": placed(found, found.start()),
            **told,
        }

    def counted(self, variants: Sequence[str], kind: str) -> str:
        """Return the counts of variants as a table, a .csv or a .parquet file in hexadecimal. Raises NotSolved."""
        rows: list[tuple[Any, ...]] = []
        for name in variants:
            found = self._variant(name)
            (profile,) = app.profiles([found], db=self.db, is_walked=False)
            rows += count_rows(self._shown(found.name), profile.stats_json())
        return encoded(rows, kind).hex()

    def exported(self, variant: str, file: str) -> int:
        """Write all positions of a variant to a file, as `export` does; return how many. Raises CallError."""
        found = self._variant(variant)
        with app.open(found, db=self.db) as stored:
            positions = stored.summary.positions
        if positions > MOST_SENT:
            name = self._shown(found.name)
            raise CallError(
                f"{name} has {positions:,} positions, and a file has at most {MOST_SENT:,} here;"
                f" where it is stored run: gamesman export {name} positions.csv"
            )
        return app.export(found, Path(file), db=self.db, threads=1)


def thumbnail(variant: Variant) -> dict[str, Any]:
    """Return a board as the page of all games shows it: some moves into the game where it begins empty."""
    shown = placed(variant, variant.start())
    if not set(shown.get("board", "x")) - {"-"}:
        *_, position = random_positions(variant, 7)
        shown = placed(variant, position)
    return {"picture": picture(variant), "placed": shown}
