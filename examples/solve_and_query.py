# %% [markdown]
# # Solve a game, and ask what its positions are worth
#
# The cells of this file are cells of a notebook, in VS Code, Spyder, or in Jupyter by way of jupytext. It runs as
# a program just as well: `python examples/solve_and_query.py`.
#
# A variant is named as at the command line. `solve` solves and stores it if that has not been done yet, and opens
# it; the first time it compiles the game, which takes some seconds.

# %%
import numpy as np

import gamesman
from gamesman.values import LOSE, NAMES, WIN

solved = gamesman.solve("tictactoe")
print(f"{solved.variant.name} begins with {solved.start}, which is worth {solved.probe(solved.start)}")

# %% [markdown]
# X has begun in the middle, O has answered at the edge, and X has taken a corner. What can O do? Moves come best
# first; a move's remoteness counts the moves that are left after it.

# %%
position = "(o xo- -x- ---)"
for move in solved.moves(position):
    print(f"{move.name} {move.value} in {move.remoteness}")
best_line = [move.name for move in solved.line(position).moves]
print("best play:", *best_line)

# %% [markdown]
# Was O's answer the mistake? Let us look at all of his answers to a move in the middle. A tie is all that he can
# hope for.

# %%
answers = {move.name: move.value for move in solved.moves("(o --- -x- ---)")}
print("the corners tie, the edges lose:", answers)

# %% [markdown]
# All positions come as arrays, a block of the database at a time. Here they are counted by value.

# %%
counts = np.zeros(len(NAMES), int)
for part in solved.arrays():
    counts += np.bincount(part.values, minlength=len(NAMES))
print(dict(zip(NAMES, counts.tolist(), strict=True)))

# %% [markdown]
# And the hardest puzzle: among the positions that the player to move wins or loses, the one that takes longest.

# %%
longest, hardest = -1, ""
for part in solved.arrays():
    is_decided = (part.values == WIN) | (part.values == LOSE)
    remoteness = np.where(is_decided, part.remoteness, -1)
    if remoteness.max() > longest:
        longest, hardest = int(remoteness.max()), solved.text(part.keys[remoteness.argmax()])
print(f"{hardest} is decided, and takes {longest} moves")

solved.close()
