"""The search itself: principal variation search to an exact depth, one source for the interpreter and for machine code.

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
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from gamesman.values import LOSE, TIE, UNDECIDED

MATE = 2_000_000
CERTAIN = MATE - 20_000  # from here on a score is a win for certain
UNKNOWN = 1_500_000
STATIC = 1_000_000  # no estimate is larger
INFINITE = 1 << 30
OPEN = 1 << 40  # not over
NO_MOVE = -(1 << 62)

# How a call ended: the root is done, the nodes are used up, the list of moves is too short, a node has no moves.
DONE, PAUSED, FULL, STUCK = range(4)
# What is kept from call to call.
PLY, PHASE, VALUE, NODES, DEPTH, MODE, HAS_TIES = range(7)
ENTER, NEXT, BACK = range(3)
# What a node at the end of the depth is worth: an estimate, or a loss for player 0, or for player 1.
ESTIMATE, LOST_FOR_0, LOST_FOR_1 = range(3)
UPPER, LOWER, EXACT = 1, 2, 3


class Stack(NamedTuple):
    """A list each, with an entry a ply."""

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
    """How positions, the table and the past are kept: functions."""

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


def pack(score: int, left: int, mode: int, bound: int) -> int:
    """A row's data.

    >>> data = pack(-3, 7, ESTIMATE, LOWER)
    >>> score_of(data), left_of(data), mode_of(data), bound_of(data)
    (-3, 7, 0, 2)
    """
    return (score + INFINITE) << 16 | left << 4 | mode << 2 | bound


def score_of(data: int) -> int:
    return (data >> 16) - INFINITE


def left_of(data: int) -> int:
    return data >> 4 & 4095


def mode_of(data: int) -> int:
    return data >> 2 & 3


def bound_of(data: int) -> int:
    return data & 3


def from_node(score: int, ply: int) -> int:
    """A score that counts plies from the root, as one that counts them from a node."""
    return score + ply if score > CERTAIN else score - ply if score < -CERTAIN else score


def from_root(score: int, ply: int) -> int:
    return score - ply if score > CERTAIN else score + ply if score < -CERTAIN else score


def outcome(value: int, ply: int) -> int:
    """The score of a position that is over.

    >>> outcome(LOSE, 3)
    -1999997
    """
    return 0 if value == TIE else ply - MATE if value == LOSE else MATE - ply


SHARED = (pack, score_of, left_of, mode_of, bound_of, from_node, from_root, outcome)


def build(functions: dict[str, Any], access: Access, shared: dict[str, Any], no_repetition: bool) -> Callable[..., int]:
    """The function that searches.

    `shared` are the functions above, compiled or as they are, and `inline`, which compiles another.
    """
    primitive, turn, do_move = functions["primitive"], functions["turn"], functions["do_move"]
    generate_moves, evaluate, tier = functions["generate_moves"], functions["evaluate"], functions["tier"]
    put, take, find, salt_at, data_at, move_at, keep, fingerprint, has_been, past_salt, known = access
    pack, score_of, left_of, mode_of, bound_of, from_node, from_root, outcome = (shared[f.__name__] for f in SHARED)
    inline = shared["inline"]

    def is_forbidden(positions, past, child, ply, since):
        """Whether a child of the node at a ply has been before, in the game or on the path."""
        if has_been(past, child):
            return True
        for earlier in range(since, ply + 1):
            if take(positions, earlier) == child:
                return True
        return False

    is_forbidden = inline(is_forbidden)

    def can_move(rules, positions, past, position, ply, tiers, since):
        for move in generate_moves(rules, position):
            child = do_move(rules, position, move)
            child_tier = tier(rules, child)
            from_ply = since[ply] if child_tier == tiers[ply] else ply + 1
            if not is_forbidden(positions, past, child, ply, from_ply):
                return True
        return False

    can_move = inline(can_move)

    def is_barred(barred, move):
        for other in barred:
            if other == move:
                return True
        return False

    is_barred = inline(is_barred)

    def estimate(rules, position):
        return max(-STATIC, min(STATIC, evaluate(rules, position)))

    estimate = inline(estimate)

    def run(rules, stack, table, past, state, limit):
        """Go on until the root is done or `limit` nodes have been searched in all."""
        positions, moves, weights, line = stack.positions, stack.moves, stack.weights, stack.line
        alphas, betas, bests, next_move = stack.alpha, stack.beta, stack.best, stack.next
        plies, room = len(stack.best), len(moves)
        ply, phase, value, nodes = state[PLY], state[PHASE], state[VALUE], state[NODES]
        depth, mode = state[DEPTH], state[MODE]
        status = DONE
        while True:
            if phase == ENTER:
                if nodes >= limit:
                    status = PAUSED
                    break
                position = take(positions, ply)
                left = depth - ply
                is_open = betas[ply] - alphas[ply] > 1
                stack.length[ply] = 0
                value = OPEN
                over = primitive(rules, position)
                if over != UNDECIDED:
                    value = outcome(over, ply)
                    if over == TIE:
                        state[HAS_TIES] = 1
                else:
                    value = known(position, ply)
                if value == OPEN and left == 0:
                    if no_repetition and not can_move(rules, positions, past, position, ply, stack.tier, stack.since):
                        value = ply - MATE
                    elif mode == ESTIMATE:
                        value = estimate(rules, position)
                    else:
                        value = -UNKNOWN if turn(rules, position) == mode - LOST_FOR_0 else UNKNOWN
                if value != OPEN:
                    nodes += 1
                    phase = BACK
                    continue

                hint = NO_MOVE
                row = find(table, position)
                if row >= 0:
                    hint = move_at(table, row)
                    data = data_at(table, row)
                    if ply and not is_open and mode_of(data) == mode and salt_at(table, row) == stack.salt[ply]:
                        score, bound = score_of(data), bound_of(data)
                        if left_of(data) != left:
                            if score > CERTAIN and MATE - score <= left:
                                bound &= LOWER
                            elif score < -CERTAIN and MATE + score <= left:
                                bound &= UPPER
                            else:
                                bound = 0
                        score = from_root(score, ply)
                        if (bound & LOWER and score >= betas[ply]) or (bound & UPPER and score <= alphas[ply]):
                            value = score
                            nodes += 1
                            phase = BACK
                            continue

                who = turn(rules, position)
                begin = stack.end[ply - 1] if ply else 0
                n = begin
                is_full = False
                front = begin
                for move in generate_moves(rules, position):
                    if n == room:
                        is_full = True
                        break
                    if ply == 0 and is_barred(stack.barred, move):
                        continue
                    weight = 0
                    if no_repetition or left > 1:
                        child = do_move(rules, position, move)
                        if no_repetition:
                            child_tier = tier(rules, child)
                            since = stack.since[ply] if child_tier == stack.tier[ply] else ply + 1
                            if is_forbidden(positions, past, child, ply, since):
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
                if is_full:
                    status = FULL
                    break
                if n == begin:
                    if not no_repetition:
                        status = STUCK
                        break
                    value = ply - MATE
                    nodes += 1
                    phase = BACK
                    continue
                nodes += 1
                stack.first[ply], next_move[ply], stack.end[ply] = begin, begin, n
                stack.floor[ply] = alphas[ply]
                bests[ply] = -INFINITE
                stack.choice[ply] = NO_MOVE
                phase = NEXT

            if phase == NEXT:
                position = take(positions, ply)
                i = next_move[ply]
                alpha, beta = alphas[ply], betas[ply]
                if bests[ply] >= beta or i == stack.end[ply]:
                    value = bests[ply]
                    bound = LOWER if value >= beta else EXACT if value > stack.floor[ply] else UPPER
                    data = pack(from_node(value, ply), depth - ply, mode, bound)
                    if ply or not len(stack.barred):
                        keep(table, position, stack.salt[ply], data, stack.choice[ply])
                    phase = BACK
                    continue
                if depth - ply > 1:
                    heaviest = i
                    for j in range(i + 1, stack.end[ply]):
                        if weights[j] > weights[heaviest]:
                            heaviest = j
                    weights[i], weights[heaviest] = weights[heaviest], weights[i]
                    moves[i], moves[heaviest] = moves[heaviest], moves[i]
                next_move[ply] = i + 1
                child = do_move(rules, position, moves[i])
                put(positions, ply + 1, child)
                if no_repetition:
                    child_tier = tier(rules, child)
                    stack.tier[ply + 1] = child_tier
                    if child_tier == stack.tier[ply]:
                        stack.since[ply + 1] = stack.since[ply]
                        stack.salt[ply + 1] = stack.salt[ply] ^ fingerprint(child)
                    else:
                        stack.since[ply + 1] = ply + 1
                        stack.salt[ply + 1] = past_salt(past, child_tier) ^ fingerprint(child)
                is_same = turn(rules, child) == turn(rules, position)
                is_narrow = i > stack.first[ply] and beta - alpha > 1
                if is_narrow:
                    beta = alpha + 1
                stack.is_same[ply + 1] = is_same
                stack.is_narrow[ply] = is_narrow
                alphas[ply + 1] = alpha if is_same else -beta
                betas[ply + 1] = beta if is_same else -alpha
                ply += 1
                phase = ENTER
                continue

            # The node at this ply is worth `value`, from the view of the player to move there.
            if ply == 0:
                break
            is_same = stack.is_same[ply] != 0
            score = value if is_same else -value
            alpha, beta = alphas[ply - 1], betas[ply - 1]
            if stack.is_narrow[ply - 1] and alpha < score < beta:
                stack.is_narrow[ply - 1] = 0
                alphas[ply] = alpha if is_same else -beta
                betas[ply] = beta if is_same else -alpha
                phase = ENTER
                continue
            ply -= 1
            phase = NEXT
            if score > bests[ply]:
                move = moves[next_move[ply] - 1]
                bests[ply] = score
                stack.choice[ply] = move
                if score > alpha:
                    alphas[ply] = score
                    if score >= beta and move != stack.killer[ply]:
                        stack.older[ply] = stack.killer[ply]
                        stack.killer[ply] = move
                    if score < beta:
                        count = stack.length[ply + 1]
                        stack.length[ply] = count + 1
                        line[ply * plies] = move
                        for j in range(count):
                            line[ply * plies + 1 + j] = line[(ply + 1) * plies + j]
        state[PLY], state[PHASE], state[VALUE], state[NODES] = ply, phase, value, nodes
        return status

    return run
