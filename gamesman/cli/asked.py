"""What can be typed while a game is played is told and understood here, on a screen of 80 by 24 letters."""

import textwrap
from collections.abc import Sequence

COMMANDS = """  moves          the legal moves
  show           the position and its board; names: with a name on each cell
  hint           a good move, and what it is worth
  values         what every move is worth
  history        the moves so far; if the game is solved, who went wrong where
  undo [N]       take back your last N moves
  strength HOW   how the program plays: perfect, depth=N, time=S, mistakes=RATE
                 or random
  side SIDE      change sides: 1, 2, both or none
  clock          the time that each player has used, or has left
  save FILE      load FILE
  resign         quit; Ctrl-C comes back here, a second one quits
Capital letters or small ones, it is all the same."""
HELP_SIDE = """Player 1 moves first. both: you type the moves of both players; none: the
program plays against itself; a player's letter or name will do. quit ends."""
RIGHT = 79  # letters a line of help may have, so that it fits a screen of 80


def help_page(moves: Sequence[str], rules: str) -> str:
    """Say how moves are written, with the first and the last of those that are legal, and what else can be typed.

    >>> print(help_page(["b2-d2", "pass"], "Konane\\n\\nNotation\\n    b2-d2 is a jump.\\n\\nHistory").splitlines()[0])
    Type a move like b2-d2 or pass, or one of these:
    >>> help_page(["b2-d2"], "Konane\\n\\nNotation\\n    b2-d2 is a jump.\\n\\nHistory").splitlines()[-1]
    'b2-d2 is a jump.'
    """
    some = " or ".join(dict.fromkeys((moves[0], moves[-1])))
    notation = " ".join(rules.partition("\nNotation\n")[2].partition("\n\n")[0].split())
    told = [textwrap.fill(notation, RIGHT, subsequent_indent="  ")] if notation else []
    return "\n".join([f"Type a move like {some}, or one of these:", COMMANDS, *told])


def as_written(line: str, names: Sequence[str]) -> str:
    """Return what is typed as moves of these names are written: with their capital or small letters, and their marks.

    What stands between the cells does not matter where it is clear which move is meant.

    >>> [as_written(typed, ["A4 B4", "A4 B3"]) for typed in ("a4 b4", "A4B3", "a4-b3", "a9 b9")]
    ['A4 B4', 'A4 B3', 'A4 B3', 'A9 B9']
    """
    for alike in (str.lower, _bare):
        meant = {name for name in names if alike(name) == alike(line)}
        if len(meant) == 1:
            return meant.pop()
    for case in (str.lower, str.upper):
        if all(name == case(name) for name in names):
            return case(line)
    return line


def _bare(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalnum())
