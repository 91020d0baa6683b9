"""A game that is a file is named by its path, which is short for people and whole for what keeps it."""

from pathlib import Path


def split_file(name: str) -> tuple[str, str]:
    """Split a name into the path of a game's file, which is empty where the game is no file, and what follows it.

    >>> split_file("./a:b.py:size=3"), split_file("konane:rows=4")
    (('./a:b.py', ':size=3'), ('', ':rows=4'))
    """
    cut = name.find(".py:")
    game, rest = (name[: cut + 3], name[cut + 3 :]) if cut >= 0 else (name, "")
    if game.endswith(".py"):
        return game, rest
    _, colon, options = name.partition(":")
    return "", colon + options


def whole_name(variant: str) -> str:
    """Return a variant's name in which a game that is a file has its whole path: it is stored, and sent, by that name.

    >>> whole_name("konane:rows=4")
    'konane:rows=4'
    >>> whole_name("./mygame.py:size=4") == whole_name("../" + Path.cwd().name + "/mygame.py:size=4")
    True
    """
    game, options = split_file(variant)
    return f"{Path(game).resolve().as_posix()}{options}" if game else variant


def shown_path(path: Path) -> str:
    """Return how a user's file is named: from the current folder on if it is in it, else by its whole path."""
    try:
        return f"./{path.resolve().relative_to(Path.cwd().resolve()).as_posix()}"
    except (OSError, ValueError):
        return path.resolve().as_posix()
