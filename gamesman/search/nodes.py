"""A single node is looked at here: whether it is worth something at once, what the table knows, what its moves are."""

from typing import Any

from gamesman.search.scores import (
    CERTAIN,
    ESTIMATE,
    LOST_FOR_0,
    LOWER,
    MATE,
    OPEN,
    QUICK,
    SHARED,
    STATIC,
    UNKNOWN,
    UPPER,
)
from gamesman.search.stack import HAS_TIES, HISTORY, MODE, NEVER, NO_MOVE, Access, Nodes, Stack
from gamesman.values import TIE, UNDECIDED


def build(
    functions: dict[str, Any], access: Access, shared: dict[str, Any], no_repetition: bool, returns: bool, asks: bool
) -> Nodes:
    """Make the functions that look at a node of a game and return them; see gamesman.search.tree.build."""
    primitive, turn, do_move = functions["primitive"], functions["turn"], functions["do_move"]
    generate_moves, evaluate, tier = functions["generate_moves"], functions["evaluate"], functions["tier"]
    take, find, has_been, known = access.take, access.find, access.has_been, access.known
    data_at, move_at, salt_at = access.data_at, access.move_at, access.salt_at
    score_of, left_of, mode_of, bound_of, from_root, outcome = (
        shared[f.__name__] for f in SHARED if f.__name__ not in ("pack", "from_node")
    )
    inline, word = shared["inline"], shared["word"]

    @inline
    def came_back(positions: Any, past: Any, child: Any, ply: int, since: int) -> Any:
        """Return the ply where a child of the node at a ply has been before, 0 if in the game's past, or NEVER."""
        if has_been(past, child):
            return 0
        for earlier in range(since, ply + 1):
            if take(positions, earlier) == child:
                return earlier
        return NEVER

    @inline
    def is_barred(barred: Any, move: int) -> bool:
        """Tell whether a move of the root is to be left out."""
        for other in barred:
            if other == move:
                return True
        return False

    @inline
    def estimate(rules: Any, position: Any) -> Any:
        """Return what the game's own `evaluate` says of a position, within the bounds of an estimate."""
        score = evaluate(rules, position)
        return STATIC if score > STATIC else -STATIC if score < -STATIC else score

    @inline
    def why_stuck(rules: Any, stack: Stack, past: Any, position: Any, ply: int) -> Any:
        """Return -1 if the player to move has a move that brings back nothing; else the first ply that one brings back.

        That ply is NEVER where all of them bring back the root or what was before it: those have been in any case.
        """
        first = NEVER
        for move in generate_moves(rules, position):
            child = do_move(rules, position, move)
            since = stack.since[ply] if tier(rules, child) == stack.tier[ply] else ply + 1
            back = came_back(stack.positions, past, child, ply, since)
            if back == NEVER:
                return -1
            if 0 < back < first:
                first = back
        return first

    @inline
    def worth_at_once(
        rules: Any, stack: Stack, past: Any, state: Any, position: Any, ply: int, left: int
    ) -> tuple[Any, Any]:
        """Judge a node without its moves: return its score, or OPEN if they must be searched, and what that hangs on.

        It has a score where the game is over, where a database or a table knows the position, where it has come back,
        and at the end of the depth.
        """
        over = primitive(rules, position)
        if over != UNDECIDED:
            if over == TIE:
                state[HAS_TIES] = 1
            return outcome(over, ply), NEVER
        # Where none may come back, a value stands if none that has been is of this tier or a lower one: see searcher.
        if asks and (not no_repetition or (ply > 0 and stack.since[ply] == ply)):
            value = known(past, position, ply)
            if value != OPEN:
                return value, NEVER
        back = NEVER
        if returns and ply > 0:
            back = came_back(stack.positions, past, position, ply - 1, stack.since[ply])
        is_back = back != NEVER
        if left and not is_back:
            return OPEN, NEVER
        if back == 0:
            back = NEVER
        if no_repetition:
            stuck = why_stuck(rules, stack, past, position, ply)
            if stuck >= 0:
                return ply - MATE, stuck
        if is_back:
            return 0, back
        mode = state[MODE]
        if mode == ESTIMATE or mode == QUICK:
            return estimate(rules, position), back
        return -UNKNOWN if turn(rules, position) == mode - LOST_FOR_0 else UNKNOWN, back

    @inline
    def look_up(stack: Stack, table: Any, position: Any, ply: int, left: int, mode: int) -> tuple[Any, Any]:
        """Ask the table for a node: return its score, or OPEN, and the move to try first, or NO_MOVE."""
        row = find(table, position)
        if row < 0:
            return OPEN, NO_MOVE
        hint, data = move_at(table, row), data_at(table, row)
        alpha, beta = stack.alpha[ply], stack.beta[ply]
        if ply == 0 or beta - alpha > 1 or mode_of(data) != mode:
            return OPEN, hint
        if salt_at(table, row, position, data, hint) != stack.salt[ply]:
            return OPEN, hint
        score, bound = score_of(data), bound_of(data)
        if left_of(data) != left and not (mode == QUICK and left_of(data) > left):
            if score > CERTAIN and MATE - score <= left:
                bound &= LOWER
            elif score < -CERTAIN and MATE + score <= left:
                bound &= UPPER
            else:
                bound = 0
        score = from_root(score, ply)
        if (bound & LOWER and score >= beta) or (bound & UPPER and score <= alpha):
            return score, hint
        return OPEN, hint

    @inline
    def list_moves(rules: Any, stack: Stack, past: Any, position: Any, ply: int, left: int, hint: Any) -> Any:
        """List a node's moves behind those of its path, weighed; return where they end, or -1 if there is no room.

        Where a depth of more than one is left, the weight is what the move looks like at once; else how often it has
        refuted elsewhere.
        """
        moves, weights, history = stack.moves, stack.weights, stack.history
        room, who = len(moves), turn(rules, position)
        begin = stack.end[ply - 1] if ply else 0
        n = begin
        stack.hang[ply] = NEVER
        for yielded in generate_moves(rules, position):
            move = word(yielded)
            if n == room:
                return -1
            if ply == 0 and is_barred(stack.barred, move):
                continue
            weight = history[(move << 1 | who) & HISTORY - 1]
            if no_repetition or left > 1:
                child = do_move(rules, position, move)
                if no_repetition:
                    since = stack.since[ply] if tier(rules, child) == stack.tier[ply] else ply + 1
                    back = came_back(stack.positions, past, child, ply, since)
                    if back != NEVER:
                        if 0 < back < stack.hang[ply]:
                            stack.hang[ply] = back
                        continue
                if left > 1:
                    over = primitive(rules, child)
                    looks = estimate(rules, child) if over == UNDECIDED else outcome(over, 0)
                    weight = (weight >> 9) + (looks if turn(rules, child) == who else -looks)
            if move == hint:
                weight = 2 * MATE
            elif left == 1:
                if move == stack.killer[ply]:
                    weight = MATE
                elif move == stack.older[ply]:
                    weight = MATE - 1
            moves[n] = move
            weights[n] = weight
            n += 1
        return n

    return Nodes(worth_at_once, look_up, list_moves)
