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
  past, is a draw there and then, worth 0, if it is not over. `play` calls it a draw when it is there for the third
  time, but who may bring it back once may do so again. The table knows the past by its salt.

All this is so where the mode is not QUICK. A quick search looks at late moves less deep at first, takes from the table
what has been searched deeper, too, and has one salt for a whole game. So the table must not keep what hangs on a path:
where a position came back, or was forbidden, the ply at which it had been goes up with the value (`hang`), and a node
whose value hangs on a ply above it is kept as a move to try first, no more. What came back from the root or from the
game's past stays so in all of the game. A value that is kept may still be another on another path, on which one of the
positions below has been; to play well it is good enough, and what is to be certain is searched exactly.
"""

from collections.abc import Callable
from typing import Any

from gamesman.search import nodes as single
from gamesman.search.scores import EXACT, INFINITE, LOWER, MATE, OPEN, QUICK, UPPER
from gamesman.search.stack import (
    BACK,
    DONE,
    ENTER,
    FULL,
    HANG,
    HISTORY,
    MODE,
    NEVER,
    NEXT,
    NO_MOVE,
    NODES,
    PAUSED,
    PHASE,
    PLY,
    STUCK,
    VALUE,
    Access,
    Stack,
)

# Where a search is quick: from which move of a node on, and with how much left, a move is looked at less deep at first.
LATE, VERY_LATE = 3, 10
DEEP, VERY_DEEP = 3, 6


def build(
    functions: dict[str, Any], access: Access, shared: dict[str, Any], no_repetition: bool, returns: bool, asks: bool
) -> Callable[..., int]:
    """Make the function that searches a game and return it: `run`, the last one in here, which goes through the phases.

    `shared` are the functions of SHARED, compiled or as they are, `inline`, which compiles another, and `word`, which
    makes a move that is a wide integer a word.
    Where it `asks`, a database says of each node what it knows.
    """
    turn, do_move, tier = functions["turn"], functions["do_move"], functions["tier"]
    put, take, keep, fingerprint, past_salt = access.put, access.take, access.keep, access.fingerprint, access.past_salt
    pack, from_node, inline = shared["pack"], shared["from_node"], shared["inline"]
    worth_at_once, look_up, list_moves = single.build(functions, access, shared, no_repetition, returns, asks)

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
    def close(stack: Stack, table: Any, position: Any, ply: int, mode: int) -> Any:
        """Keep in the table what a node with all its moves searched is worth, or is worth at least; return that."""
        value = stack.best[ply]
        bound = LOWER if value >= stack.beta[ply] else EXACT if value > stack.floor[ply] else UPPER
        if mode == QUICK and stack.hang[ply] < ply:
            bound = 0
        data = pack(from_node(value, ply), stack.left[ply], mode, bound)
        if ply or not len(stack.barred):
            keep(table, position, stack.salt[ply], data, stack.choice[ply])
        return value

    @inline
    def enter_tier(stack: Stack, past: Any, child: Any, child_tier: Any, ply: int, mode: int) -> None:
        """Note a child's tier, the ply since which the path is in it, and the salt that comes of that."""
        stack.tier[ply + 1] = child_tier
        is_same = child_tier == stack.tier[ply]
        stack.since[ply + 1] = stack.since[ply] if is_same else ply + 1
        if mode == QUICK:
            stack.salt[ply + 1] = stack.salt[ply]
        elif is_same:
            stack.salt[ply + 1] = stack.salt[ply] ^ fingerprint(child)
        else:
            stack.salt[ply + 1] = past_salt(past, child_tier) ^ fingerprint(child)

    @inline
    def credit(stack: Stack, ply: int, who: int) -> None:
        """Count for the move that has just refuted its node, and against those that were tried before it.

        A count moves towards one of the ends, 1 << 14, by a share of what it is away from it.
        """
        history, gain = stack.history, min(stack.left[ply] * stack.left[ply], 256)
        last = stack.next[ply] - 1
        for i in range(stack.first[ply], last + 1):
            at = (stack.moves[i] << 1 | who) & HISTORY - 1
            history[at] += (gain if i == last else -gain) - (history[at] * gain >> 14)

    @inline
    def improve(stack: Stack, ply: int, score: Any, who: int) -> None:
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
            return
        credit(stack, ply, who)
        if move != stack.killer[ply]:
            stack.older[ply] = stack.killer[ply]
            stack.killer[ply] = move

    @inline
    def set_window(stack: Stack, ply: int) -> None:
        """Give the child of the node at a ply the window that its move is to be searched in."""
        alpha, beta = stack.alpha[ply], stack.beta[ply]
        if stack.is_narrow[ply]:
            beta = alpha + 1
        is_same = stack.is_same[ply + 1]
        stack.alpha[ply + 1] = alpha if is_same else -beta
        stack.beta[ply + 1] = beta if is_same else -alpha

    @inline
    def reduction(stack: Stack, ply: int, i: int) -> int:
        """Return how many plies less deep the i-th move is looked at first, in a search that is quick."""
        left, late = stack.left[ply], i - stack.first[ply]
        if left < DEEP or late < LATE or stack.is_same[ply + 1]:
            return 0
        return 2 if left >= VERY_DEEP and late >= VERY_LATE else 1

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
        ply, phase, value, nodes, hang = state[PLY], state[PHASE], state[VALUE], state[NODES], state[HANG]
        mode = state[MODE]
        positions, alphas, betas, bests, next_move = stack.positions, stack.alpha, stack.beta, stack.best, stack.next
        lefts, reduced, hangs = stack.left, stack.is_reduced, stack.hang
        while True:
            if phase == ENTER:
                if nodes >= limit:
                    status = PAUSED
                    break
                position = take(positions, ply)
                stack.length[ply] = 0
                phase = BACK
                left = lefts[ply]
                value, hang = worth_at_once(rules, stack, past, state, position, ply, left)
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
                            value, hang = ply - MATE, hangs[ply]
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
                    value = close(stack, table, position, ply, mode)
                    hang = hangs[ply] if hangs[ply] < ply else NEVER
                    phase = BACK
                else:
                    take_heaviest(stack, i, stack.end[ply])
                    next_move[ply] = i + 1
                    # Follow the move: put its child on the stack, with the window that it is to be searched in. But
                    # for the first move of a node with an open window it is only tested against alpha.
                    child = do_move(rules, position, stack.moves[i])
                    put(positions, ply + 1, child)
                    left = lefts[ply] - 1
                    if no_repetition or (returns and left > 0):
                        enter_tier(stack, past, child, tier(rules, child), ply, mode)
                    elif returns:  # the end of the depth is not kept in the table, and needs no salt
                        stack.since[ply + 1] = stack.since[ply]
                    else:
                        stack.salt[ply + 1] = stack.salt[ply]
                    stack.is_same[ply + 1] = turn(rules, child) == turn(rules, position)
                    stack.is_narrow[ply] = i > stack.first[ply] and betas[ply] - alphas[ply] > 1
                    reduced[ply] = reduction(stack, ply, i) if mode == QUICK else 0
                    lefts[ply + 1] = left - reduced[ply]
                    set_window(stack, ply)
                    ply += 1
                    phase = ENTER
                    continue

            # BACK: the node at this ply is worth `value`, from the view of the player to move there.
            if ply == 0:
                status = DONE
                break
            score = value if stack.is_same[ply] else -value
            ply -= 1
            if score > alphas[ply] and (reduced[ply] or (stack.is_narrow[ply] and score < betas[ply])):
                # Better than was tested for: the same move once more, in full depth, and then in the whole window.
                if reduced[ply]:
                    lefts[ply + 1] = lefts[ply] - 1
                    reduced[ply] = 0
                else:
                    stack.is_narrow[ply] = 0
                set_window(stack, ply)
                ply += 1
                phase = ENTER
                continue
            phase = NEXT
            if score > bests[ply]:
                improve(stack, ply, score, turn(rules, take(positions, ply)))
            # A refutation hangs on what it hangs on, whatever the moves before it did.
            if bests[ply] >= betas[ply] or hang < hangs[ply]:
                hangs[ply] = hang
        state[PLY], state[PHASE], state[VALUE], state[NODES], state[HANG] = ply, phase, value, nodes, hang
        return status

    return run
