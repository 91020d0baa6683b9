# %% [markdown]
# # Write a game
#
# Two players take turns to eat from a bar of chocolate, `rows` by `cols` pieces. A move breaks the bar along a
# line and eats the part that is above it, or to the right of it. The piece at the lower left is poisoned: who has
# only that left has lost.
#
# A game is a file of functions; there is nothing to inherit. This is all of it. CONTRIBUTING.md says what each
# one has to do.

# %%
import tempfile
from pathlib import Path

import gamesman
from gamesman.model.check import check
from gamesman.model.variant import variant
from gamesman.solver.reference import solve
from gamesman.values import NAMES

GAME = '''"""Chocolate: break the bar and eat a part; who has only the poisoned piece left has lost."""

from typing import NamedTuple

from gamesman.errors import PositionError
from gamesman.options import Number
from gamesman.values import LOSE, UNDECIDED

options = [
    Number("rows", default=4, low=1, high=100, help="rows of the bar"),
    Number("cols", default=5, low=1, high=100, help="columns of the bar"),
]


class Rules(NamedTuple):
    rows: int
    cols: int


def setup(o):
    return Rules(o.rows, o.cols)


# A position: the rows and columns that are left, and whose turn it is.
def start(rules):
    return rules.rows, rules.cols, 0


def hash(rules, position):
    rows, cols, who = position
    return (rows * (rules.cols + 1) + cols) * 2 + who


def unhash(rules, key):
    bar = key // 2
    return bar // (rules.cols + 1), bar % (rules.cols + 1), key % 2


def turn(rules, position):
    return position[2]


def primitive(rules, position):
    return LOSE if position[0] == 1 and position[1] == 1 else UNDECIDED


# A move is the number of rows that stay, or, negative, that of the columns.
def generate_moves(rules, position):
    for rows in range(1, position[0]):
        yield rows
    for cols in range(1, position[1]):
        yield -cols


def do_move(rules, position, move):
    rows, cols, who = position
    if move > 0:
        return move, cols, 1 - who
    return rows, -move, 1 - who


# Optional: what no move raises. The solver then needs to hold only a part of all positions.
def tier(rules, position):
    return position[0] + position[1]


def show(rules, position):
    return f"({position[2] + 1} {position[0]}x{position[1]})"


def parse(rules, text):
    for who in (0, 1):
        for rows in range(1, rules.rows + 1):
            for cols in range(1, rules.cols + 1):
                if show(rules, (rows, cols, who)) == text:
                    return rows, cols, who
    raise PositionError(f"expected a position like {show(rules, start(rules))}, got {text}")


def move_name(rules, position, move):
    return f"{move}x{position[1]}" if move > 0 else f"{position[0]}x{-move}"
'''

file = Path(tempfile.mkdtemp()) / "chocolate.py"
file.write_text(GAME)

# %% [markdown]
# Is it right? `check` holds the functions against each other, on positions from the start on, and raises an error
# that names the function and the position at fault; it returns how many it has looked at.

# %%
chocolate = variant(f"{file}:rows=4,cols=5")
print(f"{check(chocolate)} positions checked")

# %% [markdown]
# It cannot know the rules we meant, so let us solve small bars whose values we know. The reference solver needs
# nothing but the functions as they are. A square is lost: whatever one does, the other makes it a square again.
# Every other bar is won. One that the first player never has before him is none of the game's positions.

# %%
reference = solve(chocolate)
for rows in range(1, 5):
    bars = [(rows, cols, 0) for cols in range(1, 6)]
    values = [NAMES[reference.probe(bar)[0]] if bar in reference.values else "never" for bar in bars]
    print(f"{rows} rows by 1 to 5:", *values)

# %% [markdown]
# Now compiled, solved and stored, and asked like any other game. From a bar of four rows by five, make it a
# square:

# %%
with gamesman.solve(f"{file}:rows=4,cols=5") as solved:
    for move in solved.moves():
        print(move.name, move.value, move.remoteness)
    best = solved.moves()[0]

# %% [markdown]
# At the command line the file is named in the same way: `gamesman solve ./chocolate.py:rows=4,cols=5`.
