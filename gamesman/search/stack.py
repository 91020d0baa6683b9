"""What the search of gamesman.search.tree goes by: its stack, how it reaches what is kept, and how a call ends."""

from collections.abc import Callable
from typing import Any, NamedTuple

NO_MOVE = -(1 << 62)
NEVER = 1 << 30  # no ply

# How a call ended: the root is done, the nodes are used up, the list of moves is too short, a node has no moves.
DONE, PAUSED, FULL, STUCK = range(4)
# What is kept from call to call.
PLY, PHASE, VALUE, NODES, DEPTH, MODE, HAS_TIES, HANG = range(8)
# Which phase comes next: a node is entered, its next move is followed, its value is taken back to the node above.
ENTER, NEXT, BACK = range(3)

# How often moves have refuted is counted by their lowest bits and who makes them.
HISTORY = 1 << 12


class Stack(NamedTuple):
    """Holds the path from the root to the node being searched: each field is a list with an entry a ply."""

    positions: Any
    alpha: Any
    beta: Any
    floor: Any  # alpha as it was when the node was entered
    best: Any
    choice: Any  # the move that is worth `best`
    left: Any  # how many plies are to be searched below the node
    is_same: Any  # whether the player of the node above is to move
    is_narrow: Any  # whether the move being searched is only tested against alpha
    is_reduced: Any  # whether the move being searched is looked at less deep
    first: Any  # where the node's moves begin in `moves`, the next one to be searched, and the end
    next: Any
    end: Any
    killer: Any  # the last move that refuted a node of this ply, and the one before
    older: Any
    tier: Any
    since: Any  # the first ply of the same tier
    salt: Any
    hang: Any  # the first ply above that the node's value so far hangs on, or NEVER
    length: Any  # of the principal variation from this ply
    line: Any  # the principal variations, `plies` entries each
    moves: Any
    weights: Any
    history: Any  # how well moves did elsewhere, not by ply
    barred: Any  # moves of the root that are left out, or none


class Access(NamedTuple):
    """Holds the functions that reach positions, the table and the past, kept in plain Python or in arrays."""

    put: Callable[..., Any]  # (positions, ply, position)
    take: Callable[..., Any]  # (positions, ply) -> position
    find: Callable[..., Any]  # (table, position) -> row, or -1
    data_at: Callable[..., Any]  # (table, row)
    move_at: Callable[..., Any]
    salt_at: Callable[..., Any]  # (table, row, position, data, move)
    keep: Callable[..., Any]  # (table, position, salt, data, move)
    fingerprint: Callable[..., Any]  # (position) -> what `^` gathers to a salt
    has_been: Callable[..., Any]  # (past, position)
    past_salt: Callable[..., Any]  # (past, tier): of the past positions of that tier or a lower one
    known: Callable[..., Any]  # (past, position, ply) -> what one that is not over is known to be worth, or OPEN


class Nodes(NamedTuple):
    """Holds the functions that look at one node, made by gamesman.search.nodes."""

    worth_at_once: Callable[..., Any]
    look_up: Callable[..., Any]
    list_moves: Callable[..., Any]
