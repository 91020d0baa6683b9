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


def tried_as_well(verified: dict[str, Any]) -> str:
    """Say, from the fields of `verify --json`, at how many positions what no proof asks for was tried.

    >>> tried_as_well({"positions": 1, "texts": 1})
    'what it writes of 1 position was read again'
    >>> tried_as_well({"positions": 3000, "undone": 3000, "texts": 500})
    'what it writes of 500 of 3,000 positions was read again, un-moves of 3,000 positions compared with moves'
    """
    positions = verified["positions"]

    def tried(name: str) -> str:
        of = "" if verified[name] == positions else f"{verified[name]:,} of "
        return f"{of}{count(positions, 'position')}"

    read = f"what it writes of {tried('texts')} was read again"
    return f"{read}, un-moves of {tried('undone')} compared with moves" if "undone" in verified else read
