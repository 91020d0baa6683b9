"""The database of a location is opened here, and given the compiler that it does not know."""

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


def _compile_images(symmetry: "Symmetry") -> "MakeImages":
    """Return what makes the positions of classes by machine code; only now is numba loaded."""
    # lazy: start-up time
    from gamesman.compiler.images import compile_images

    return compile_images(symmetry)
