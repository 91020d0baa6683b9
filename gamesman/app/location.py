"""The database of a location is opened here, given the compiler that it does not know; files have a place beside it."""

from pathlib import Path
from typing import TYPE_CHECKING

from gamesman.errors import AddressError, shorten

if TYPE_CHECKING:
    from gamesman.db.store import Store
    from gamesman.model.ports import MakeImages
    from gamesman.model.symmetry import Symmetry


def open_store(db: str | None) -> "Store":
    """Return the store that `--db` names."""
    # lazy: start-up time
    from gamesman.db import open_store

    return open_store(db, _compile_images)


def work_folder(variant: str, db: str | None, work: str | None) -> Path:
    """Return the folder for the files of a variant that does not fit memory: in `work`, else beside the database."""
    # lazy: start-up time
    from platformdirs import user_data_path

    from gamesman.db.location import file_name, read_location

    place = read_location(db) if work is None else _folder(work)
    if not isinstance(place, Path):
        is_file = place.database and place.get_backend_name() == "sqlite"
        place = Path(place.database or "").parent if is_file else user_data_path("gamesman", appauthor=False)
    return place / f"{file_name(variant)}-work"


def _folder(text: str) -> Path:
    """Read the name of a folder that is there or may be made. Raises AddressError."""
    try:
        folder = Path(text).expanduser()
        is_wrong = not text.strip() or "\0" in text or (folder.exists() and not folder.is_dir())
    except (OSError, RuntimeError, ValueError):  # too long a name, no such user's home
        is_wrong = True
    if is_wrong:
        raise AddressError(f"--work must be a folder, got {shorten(text) or 'nothing'}")
    return folder


def kept_game(variant: str, db: str | None) -> Path:
    """Return the file that a game of a variant is kept in when it is left: in the folder of the databases.

    Where `--db` names a file or a server, it is the user's own folder.
    """
    # lazy: start-up time
    from platformdirs import user_data_path

    from gamesman.db.location import SUFFIX, file_name, read_location

    place = read_location(db)
    folder = place if isinstance(place, Path) else user_data_path("gamesman", appauthor=False)
    return folder / "unfinished" / (file_name(variant).removesuffix(SUFFIX) + ".json")


def kept_last(db: str | None) -> Path | None:
    """Return the file of the game that was left last, or None where none is kept."""
    kept = list(kept_game("", db).parent.glob("*.json"))
    return max(kept, key=lambda file: file.stat().st_mtime, default=None)


def _compile_images(symmetry: "Symmetry") -> "MakeImages":
    """Return what makes the positions of classes by machine code; only now is numba loaded."""
    # lazy: start-up time
    from gamesman.compiler.images import compile_images

    return compile_images(symmetry)
