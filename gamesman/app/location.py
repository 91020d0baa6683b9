"""The database of a location is opened here, and given the compiler that it does not know."""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gamesman.db.store import Store
    from gamesman.model.ports import MakeImages
    from gamesman.model.symmetry import Symmetry


def open_store(db: str | None) -> "Store":
    """Return the store that `--db` names."""
    # lazy: start-up time
    from gamesman.db import open_store

    return open_store(db, _compile_images)


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


def _compile_images(symmetry: "Symmetry") -> "MakeImages":
    """Return what makes the positions of classes by machine code; only now is numba loaded."""
    # lazy: start-up time
    from gamesman.compiler.images import compile_images

    return compile_images(symmetry)
