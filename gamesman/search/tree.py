"""A position is searched here to an exact depth, by principal variation search, written once for all ways to run it.

It keeps its own stack instead of calling itself, so that it can be left after any number of nodes and taken up again.
`build` is given a game's functions, and those that reach positions, the table and the past as they are kept in plain
Python or in arrays; the function it returns indexes nothing but flat lists, and so compiles as it stands.

What a node is worth is what plain minimax to the same depth says, exactly:

- Nothing is searched deeper or less deep than the depth asked for. A node at its end is worth what `evaluate` says.
- A win is worth MATE less the plies to it from the root, a loss the negative of that: sooner wins are larger.
- The same player may move again: then neither the value nor the window changes its sign.
- What the table holds of a node counts only at the very depth left, or where it is a win or loss that is certain: a
  win in r plies that some search has proved is one in every search of r plies or more. The scores in the table count
  plies from their own node. Nodes with an open window are searched anyway, so that the principal variation is whole.
- Where no position may come back (`no_repetition`), a node's value depends on those that have been. They are part of
  what the table knows a node by: a *salt*, the exclusive or of the fingerprints of all earlier positions, of the game
  and of the path, that are of this tier or a lower one. Those of a higher tier cannot come back whatever is played, and
  so a move to a lower tier clears them out. In plain Python a fingerprint is a set of the position alone, and the salt
  the set of all; in machine code they are scrambles of 64 bits, which two histories share once in 2**64 pairs. A player
  who has moves, but none that is allowed, has lost.
- Where positions can come back (`returns`; see gamesman.search.returns) one that does, on the path or from the game's
  past, is a draw there and then, worth 0, if it is not over; as a tie it does not count. `play` calls it a draw when it
  is there for the third time, but who may bring it back once may do so again. The table knows the past by its salt.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from gamesman.search.scores import (
    CERTAIN,
    ESTIMATE,
    EXACT,
    INFINITE,
    LOST_FOR_0,
    LOWER,
    MATE,
    OPEN,
    SHARED,
    STATIC,
    UNKNOWN,
    UPPER,
)
from gamesman.values import TIE, UNDECIDED

NO_MOVE = -(1 << 62)

# How a call ended: the root is done, the nodes are used up, the list of moves is too short, a node has no moves.
DONE, PAUSED, FULL, STUCK = range(4)
# What is kept from call to call.
PLY, PHASE, VALUE, NODES, DEPTH, MODE, HAS_TIES = range(7)
# Which phase comes next: a node is entered, its next move is followed, its value is taken back to the node above.
ENTER, NEXT, BACK = range(3)


class Stack(NamedTuple):
    """Holds the path from the root to the node being searched: each field is a list with an entry a ply."""

    positions: Any
    alpha: Any
    beta: Any
    floor: Any  # alpha as it was when the node was entered
    best: Any
    choice: Any  # the move that is worth `best`
    is_same: Any  # whether the player of the node above is to move
    is_narrow: Any  # whether the move being searched is only tested against alpha
    first: Any  # where the node's moves begin in `moves`, the next one to be searched, and the end
    next: Any
    end: Any
    killer: Any  # the last move that refuted a node of this ply, and the one before
    older: Any
    tier: Any
    since: Any  # the first ply of the same tier
    salt: Any
    length: Any  # of the principal variation from this ply
    line: Any  # the principal variations, `plies` entries each
    moves: Any
    weights: Any
    barred: Any  # moves of the root that are left out, or none


class Access(NamedTuple):
    """Holds the functions that reach positions, the table and the past, kept in plain Python or in arrays."""

    put: Callable[..., Any]  # (positions, ply, position)
    take: Callable[..., Any]  # (positions, ply) -> position
    find: Callable[..., Any]  # (table, position) -> row, or -1
    salt_at: Callable[..., Any]  # (table, row)
    data_at: Callable[..., Any]
    move_at: Callable[..., Any]
    keep: Callable[..., Any]  # (table, position, salt, data, move)
    fingerprint: Callable[..., Any]  # (position) -> what `^` gathers to a salt
    has_been: Callable[..., Any]  # (past, position)
    past_salt: Callable[..., Any]  # (past, tier): of the past positions of that tier or a lower one
    known: Callable[..., Any]  # (position, ply) -> what a position that is not over is known to be worth, or OPEN


def build(
    functions: dict[str, Any], access: Access, shared: dict[str, Any], no_repetition: bool, returns: bool, asks: bool
) -> Callable[..., int]:
    """Make the function that searches a game and return it: `run`, the last one in here, which goes through the phases.

    `shared` are the functions of SHARED, compiled or as they are, `inline`, which compiles another, and `word`, which
    makes a move that is a wide integer a word.
    Where it `asks`, a database says of each node what it knows.
    """
    primitive, turn, do_move = functions["primitive"], functions["turn"], functions["do_move"]
    generate_moves, evaluate, tier = functions["generate_moves"], functions["evaluate"], functions["tier"]
    put, take, find, salt_at, data_at, move_at, keep, fingerprint, has_been, past_salt, known = access
    pack, score_of, left_of, mode_of, bound_of, from_node, from_root, outcome = (shared[f.__name__] for f in SHARED)
    inline, word = shared["inline"], shared["word"]

    @inline
    def has_come_back(positions: Any, past: Any, child: Any, ply: int, since: int) -> bool:
        """Tell whether a child of the node at a ply has been before, in the game or on the path."""
        if has_been(past, child):
            return True
        for earlier in range(since, ply + 1):
            if take(positions, earlier) == child:
                return True
        return False

    @inline
    def can_move(rules: Any, stack: Stack, past: Any, position: Any, ply: int) -> bool:
        """Tell whether the player to move has a move that brings back nothing that has been."""
        for move in generate_moves(rules, position):
            child = do_move(rules, position, move)
            since = stack.since[ply] if tier(rules, child) == stack.tier[ply] else ply + 1
            if not has_come_back(stack.positions, past, child, ply, since):
                return True
        return False

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
    def worth_at_once(rules: Any, stack: Stack, past: Any, state: Any, position: Any, ply: int, left: int) -> Any:
        """Judge a node without its moves: return its score, or OPEN if the moves must be searched.

        It has a score where the game is over, where the database knows the position, where it has come back, and at the
        end of the depth.
        """
        over = primitive(rules, position)
        if over != UNDECIDED:
            if over == TIE:
                state[HAS_TIES] = 1
            return outcome(over, ply)
        if asks:
            value = known(position, ply)
            if value != OPEN:
                return value
        is_back = False
        if returns:
            is_back = ply > 0 and has_come_back(stack.positions, past, position, ply - 1, stack.since[ply])
        if left and not is_back:
            return OPEN
        if no_repetition and not can_move(rules, stack, past, position, ply):
            return ply - MATE
        mode = state[MODE]
        if mode == ESTIMATE:
            return 0 if is_back else estimate(rules, position)
        return -UNKNOWN if turn(rules, position) == mode - LOST_FOR_0 else UNKNOWN

    @inline
    def look_up(stack: Stack, table: Any, position: Any, ply: int, left: int, mode: int) -> tuple[Any, Any]:
        """Ask the table for a node: return its score, or OPEN, and the move to try first, or NO_MOVE."""
        row = find(table, position)
        if row < 0:
            return OPEN, NO_MOVE
        hint, data = move_at(table, row), data_at(table, row)
        alpha, beta = stack.alpha[ply], stack.beta[ply]
        if ply == 0 or beta - alpha > 1 or mode_of(data) != mode or salt_at(table, row) != stack.salt[ply]:
            return OPEN, hint
        score, bound = score_of(data), bound_of(data)
        if left_of(data) != left:
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

        Where a depth of more than one is left, the weight is what the move looks like at once; else the few that have
        refuted others come first.
        """
        moves, weights = stack.moves, stack.weights
        room, who = len(moves), turn(rules, position)
        begin = stack.end[ply - 1] if ply else 0
        n = begin
        front = begin
        for yielded in generate_moves(rules, position):
            move = word(yielded)
            if n == room:
                return -1
            if ply == 0 and is_barred(stack.barred, move):
                continue
            weight = 0
            if no_repetition or left > 1:
                child = do_move(rules, position, move)
                if no_repetition:
                    since = stack.since[ply] if tier(rules, child) == stack.tier[ply] else ply + 1
                    if has_come_back(stack.positions, past, child, ply, since):
                        continue
                if left > 1:
                    over = primitive(rules, child)
                    weight = estimate(rules, child) if over == UNDECIDED else outcome(over, 0)
                    if turn(rules, child) != who:
                        weight = -weight
                    if move == hint:
                        weight = MATE + 1
            moves[n] = move
            weights[n] = weight
            if left == 1 and (move == hint or move == stack.killer[ply] or move == stack.older[ply]):
                moves[n] = moves[front]
                moves[front] = move
                if move == hint:
                    moves[front] = moves[begin]
                    moves[begin] = move
                front += 1
            n += 1
        return n

    @inline
    def take_heaviest(stack: Stack, i: int, end: int) -> None:
        """Let the heaviest of a node's moves from i on, the first of them, change places with the i-th."""
        moves, weights = stack.moves, stack.weights
        heaviest = i
        for j in range(i + 1, end):
            if weights[j] > weights[heaviest]:
                heaviest = j
        weights[i], weights[heaviest] = weights[heaviest], weights[i]
        moves[i], moves[heaviest] = moves[heaviest], moves[i]

    @inline
    def close(stack: Stack, table: Any, position: Any, ply: int, left: int, mode: int) -> Any:
        """Keep in the table what a node with all its moves searched is worth, or is worth at least; return that."""
        value = stack.best[ply]
        bound = LOWER if value >= stack.beta[ply] else EXACT if value > stack.floor[ply] else UPPER
        data = pack(from_node(value, ply), left, mode, bound)
        if ply or not len(stack.barred):
            keep(table, position, stack.salt[ply], data, stack.choice[ply])
        return value

    @inline
    def enter_tier(stack: Stack, past: Any, child: Any, child_tier: Any, ply: int) -> None:
        """Note a child's tier, the ply since which the path is in it, and the salt that comes of that."""
        stack.tier[ply + 1] = child_tier
        if child_tier == stack.tier[ply]:
            stack.since[ply + 1] = stack.since[ply]
            stack.salt[ply + 1] = stack.salt[ply] ^ fingerprint(child)
        else:
            stack.since[ply + 1] = ply + 1
            stack.salt[ply + 1] = past_salt(past, child_tier) ^ fingerprint(child)

    @inline
    def improve(stack: Stack, ply: int, score: Any) -> None:
        """Let the move that was searched last, worth a score above all before, be the choice of its node."""
        move = stack.moves[stack.next[ply] - 1]
        stack.best[ply] = score
        stack.choice[ply] = move
        if score <= stack.alpha[ply]:
            return
        stack.alpha[ply] = score
        if score < stack.beta[ply]:
            line, plies = stack.line, len(stack.best)
            count = stack.length[ply + 1]
            stack.length[ply] = count + 1
            line[ply * plies] = move
            for j in range(count):
                line[ply * plies + 1 + j] = line[(ply + 1) * plies + j]
        elif move != stack.killer[ply]:
            stack.older[ply] = stack.killer[ply]
            stack.killer[ply] = move

    def run(rules: Any, stack: Stack, table: Any, past: Any, state: Any, limit: int) -> int:
        """Go on with a search until the root is done or `limit` nodes have been searched in all; return the status.

        Before: `state` is where a search begins (ply 0, phase ENTER, the root's position, window and past on the stack)
        or where a call has left it; after FULL, `moves` and `weights` have become longer.

        After DONE, state[VALUE] is the root's minimax value at state[DEPTH] if that lies inside its window, else a
        bound on the window's side of it; stack.choice[0] is a move worth it and `line` begins with the principal
        variation. After PAUSED and FULL, nothing is lost: another call goes on with the same node. After STUCK, the
        position at state[PLY] is undecided and has no move, which no game may have.

        What holds in between: the path is positions[0..ply], and the moves of its nodes follow one another in `moves`.
        Of each node on it `best` is the largest score of its moves so far, and `alpha` the larger of that and `floor`.
        """
        ply, phase, value, nodes = state[PLY], state[PHASE], state[VALUE], state[NODES]
        depth, mode = state[DEPTH], state[MODE]
        positions, alphas, betas, bests, next_move = stack.positions, stack.alpha, stack.beta, stack.best, stack.next
        while True:
            if phase == ENTER:
                if nodes >= limit:
                    status = PAUSED
                    break
                position = take(positions, ply)
                stack.length[ply] = 0
                phase = BACK
                left = depth - ply
                value = worth_at_once(rules, stack, past, state, position, ply, left)
                if value == OPEN:
                    value, hint = look_up(stack, table, position, ply, left, mode)
                    if value == OPEN:
                        begin = stack.end[ply - 1] if ply else 0
                        end = list_moves(rules, stack, past, position, ply, left, hint)
                        if end < 0 or (end == begin and not no_repetition):
                            status = FULL if end < 0 else STUCK
                            phase = ENTER
                            break
                        if end == begin:
                            value = ply - MATE
                        else:
                            stack.first[ply], next_move[ply], stack.end[ply] = begin, begin, end
                            stack.floor[ply] = alphas[ply]
                            bests[ply] = -INFINITE
                            stack.choice[ply] = NO_MOVE
                            phase = NEXT
                nodes += 1

            if phase == NEXT:
                position = take(positions, ply)
                i = next_move[ply]
                if bests[ply] >= betas[ply] or i == stack.end[ply]:
                    value = close(stack, table, position, ply, depth - ply, mode)
                    phase = BACK
                else:
                    if depth - ply > 1:
                        take_heaviest(stack, i, stack.end[ply])
                    next_move[ply] = i + 1
                    # Follow the move: put its child on the stack, with the window that it is to be searched in. But
                    # for the first move of a node with an open window it is only tested against alpha.
                    alpha, beta = alphas[ply], betas[ply]
                    child = do_move(rules, position, stack.moves[i])
                    put(positions, ply + 1, child)
                    if no_repetition or (returns and depth - ply > 1):
                        enter_tier(stack, past, child, tier(rules, child), ply)
                    elif returns:  # the end of the depth is not kept in the table, and needs no salt
                        stack.since[ply + 1] = stack.since[ply]
                    is_same = turn(rules, child) == turn(rules, position)
                    is_narrow = i > stack.first[ply] and beta - alpha > 1
                    if is_narrow:
                        beta = alpha + 1
                    stack.is_narrow[ply] = is_narrow
                    ply += 1
                    stack.is_same[ply] = is_same
                    alphas[ply] = alpha if is_same else -beta
                    betas[ply] = beta if is_same else -alpha
                    phase = ENTER
                    continue

            # BACK: the node at this ply is worth `value`, from the view of the player to move there.
            if ply == 0:
                status = DONE
                break
            score = value if stack.is_same[ply] else -value
            ply -= 1
            if stack.is_narrow[ply] and alphas[ply] < score < betas[ply]:
                # Better than was tested for: the same move once more, in the whole window.
                stack.is_narrow[ply] = 0
                is_same = stack.is_same[ply + 1]
                alpha, beta = alphas[ply], betas[ply]
                alphas[ply + 1] = alpha if is_same else -beta
                betas[ply + 1] = beta if is_same else -alpha
                ply += 1
                phase = ENTER
                continue
            phase = NEXT
            if score > bests[ply]:
                improve(stack, ply, score)
        state[PLY], state[PHASE], state[VALUE], state[NODES] = ply, phase, value, nodes
        return status

    return run
