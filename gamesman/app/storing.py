"""What is stored is listed, exported and deleted here."""

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

from gamesman.app.location import open_store, work_folder
from gamesman.app.sources import open
from gamesman.errors import CallError, NotSolved
from gamesman.model.variant import variant
from gamesman.solver.disk import BEGUN

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


def is_stored(name: str, *, db: str | None = None) -> bool:
    """Tell whether anything is stored of a variant, be it the files of a solve that was killed."""
    return (work_folder(name, db, None) / BEGUN).is_file() or name in (entry.variant for entry in list(db=db))


def delete(name: str, *, db: str | None = None) -> None:
    """Remove what is stored of a variant, with the files of a solve that was killed, beside the database.

    Raises NotSolved where nothing of it is there, InUse while it is being solved.
    """
    folder = work_folder(name, db, None)
    has_files = (folder / BEGUN).is_file()
    try:
        open_store(db).delete(name)
    except NotSolved:
        if not has_files:
            raise
    if has_files:
        shutil.rmtree(folder, ignore_errors=True)
