"""Values and numbers are put into words here, wherever they are said: win, wins, 12,345 moves."""

NOUNS = {"win": ("win", "wins"), "lose": ("loss", "losses"), "tie": ("tie", "ties"), "draw": ("draw", "draws")}
VERBS = {"win": "wins", "lose": "loses", "tie": "ties", "draw": "draws"}


def count(number: int, one: str, many: str = "") -> str:
    """Return a number of things in words.

    >>> count(1, "move"), count(12345, "move")
    ('1 move', '12,345 moves')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
