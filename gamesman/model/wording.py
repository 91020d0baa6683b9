"""Values and numbers are put into words here, wherever they are said: win, wins, 12,345 moves."""

from typing import Any

NOUNS = {"win": ("win", "wins"), "lose": ("loss", "losses"), "tie": ("tie", "ties"), "draw": ("draw", "draws")}
VERBS = {"win": "wins", "lose": "loses", "tie": "ties", "draw": "draws"}


def agreeing(verb: str, is_plural: bool) -> str:
    """Return what somebody does, given in the singular, or what they do.

    >>> agreeing("wins", False), agreeing("wins", True), agreeing("has won", True), agreeing("does not win", True)
    ('wins', 'win', 'have won', 'do not win')
    """
    first, space, rest = verb.partition(" ")
    many = {"has": "have", "does": "do", "is": "are"}.get(first, first.removesuffix("s"))
    return (many if is_plural else first) + space + rest


def count(number: int, one: str, many: str = "") -> str:
    """Return a number of things in words.

    >>> count(1, "move"), count(12345, "move")
    ('1 move', '12,345 moves')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def read_again(verified: dict[str, Any]) -> str:
    """Say, from the fields of `verify --json`, of how many positions what is written was read again.

    >>> read_again({"positions": 1, "texts": 1}), read_again({"positions": 3_000_000, "texts": 50_000})
    ('what it writes of 1 position was read again', 'what it writes of 50,000 of 3,000,000 positions was read again')
    """
    texts, positions = verified["texts"], verified["positions"]
    of = "" if texts == positions else f"{texts:,} of "
    return f"what it writes of {of}{count(positions, 'position')} was read again"
