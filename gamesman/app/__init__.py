"""The program opens, solves, compares, verifies, exports, lists and deletes here, where a database meets the rest.

The commands and `gamesman.api` call these functions; no other room knows both a database and what works with it.

    checking     are a game's functions worth solving?
    sources      solved positions, to look up
    solving      a variant is solved, and proved
    crews        several processes solve one variant, or several
    describing   the profile of variants, their comparison, estimates
    needing      what a solve will need
    storing      what is stored is listed, exported, deleted

What starts the solver, the database or numpy is imported inside the functions to keep the start short: a look-up must
not wait for numba, nor `gamesman games` for a database. Nor is any of these files read before one of its functions is
asked for: see `__getattr__`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gamesman.app.checking import check, check_foreign, seeking
    from gamesman.app.crews import absolute, in_order, solve_each, solve_missing
    from gamesman.app.describing import compare, estimates, profiles, puzzles
    from gamesman.app.location import kept_game, kept_last
    from gamesman.app.needing import needs
    from gamesman.app.solving import solve, verify
    from gamesman.app.sources import open, reference, source, stored_or_none, tables_or_none
    from gamesman.app.storing import delete, export, is_stored, list, stored_name

__all__ = [
    "absolute",
    "check",
    "check_foreign",
    "compare",
    "delete",
    "estimates",
    "export",
    "in_order",
    "is_stored",
    "kept_game",
    "kept_last",
    "list",
    "needs",
    "open",
    "profiles",
    "puzzles",
    "reference",
    "seeking",
    "solve",
    "solve_each",
    "solve_missing",
    "source",
    "stored_name",
    "stored_or_none",
    "tables_or_none",
    "verify",
]

# From what every command needs to what few do: a function is looked for in this order.
_FILES = "location", "checking", "sources", "storing", "solving", "crews", "describing", "needing"


def __getattr__(name: str) -> Any:
    """Return a function of this room, of the first file that has it.

    >>> from gamesman import app
    >>> app.source.__module__, app.solve.__module__
    ('gamesman.app.sources', 'gamesman.app.solving')
    """
    if name in __all__:
        for file in _FILES:
            # lazy: start-up time
            found = vars(import_module(f"gamesman.app.{file}"))
            if name in found:
                return found[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
