"""A process that works for another one must have the same gamesman, and the same game."""

from importlib.metadata import version

from gamesman.model.paths import whole_name
from gamesman.model.variant import Variant, variant


def marks(wanted: Variant) -> tuple[str, str, str]:
    """Return what the other process must have: the name of a variant, the version of gamesman, and the fingerprint."""
    return whole_name(wanted.name), version("gamesman"), wanted.fingerprint


def difference(name: str, wanted: str, fingerprint: str) -> str:
    """Say what of these this process has not; return "" where it has all.

    >>> difference(*marks(variant("konane")))
    ''
    >>> difference("konane", version("gamesman"), "another")
    'has other rules of konane; install the same game there'
    """
    if version("gamesman") != wanted:
        return f"has gamesman {version('gamesman')}, not {wanted}; install the same version there"
    try:
        found = variant(name).fingerprint
    except Exception as error:
        return f"cannot load {name}: {error}"
    return "" if found == fingerprint else f"has other rules of {name}; install the same game there"
