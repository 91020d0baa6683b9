"""Strong solutions of abstract two-player games whose rules are one short file of plain Python."""

# Not from typing: with python -m this runs before the current folder, and a typing.py in it, is off the module path.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from gamesman.api import compare, estimate, open, solve

__version__ = "0.1.0"
__all__ = ["compare", "estimate", "open", "solve"]


def __getattr__(name: str) -> object:
    """Import what docs/python.md describes when it is first asked for, and return it."""
    if name in __all__:
        # lazy: start-up time
        from gamesman import api

        return getattr(api, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
