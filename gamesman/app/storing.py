"""What is stored is listed, exported and deleted here."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gamesman.app.location import open_store
from gamesman.app.sources import open
from gamesman.errors import CallError
from gamesman.model.variant import variant

if TYPE_CHECKING:
    from pathlib import Path

    from gamesman.db.store import Entry
    from gamesman.model.progress import Progress
    from gamesman.model.variant import Variant


def list(*, db: str | None = None) -> Iterator["Entry"]:
    """Return an entry for each stored variant, sorted by game, then by options."""
    return open_store(db).list()


def stored_name(text: str, *, db: str | None = None) -> str:
    """Return a variant's canonical name, or the name as it is of a stored one whose game is gone. Raises CallError."""
    try:
        return variant(text).name
    except CallError:
        if text in (entry.variant for entry in list(db=db)):
            return text
        raise


def export(
    variant: "Variant",
    file: "Path",
    *,
    db: str | None = None,
    threads: int | None = None,
    has_positions: bool = True,
    is_classes: bool = False,
    progress: "Progress | None" = None,
) -> int:
    """Write all positions of a solved variant, or one of each class, to a .parquet or .csv file; return how many."""
    # lazy: start-up time
    from gamesman.export import export
    from gamesman.machine.workers import Workers

    with open(variant, db=db) as stored:
        return export(stored, file, has_positions, Workers(threads).threads, progress, is_classes=is_classes)


def delete(name: str, *, db: str | None = None) -> None:
    """Remove what is stored of a variant. Raises NotSolved where it is not there, InUse while it is being solved."""
    open_store(db).delete(name)
