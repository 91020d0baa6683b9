"""The question whether a player can force as much as a win, or a tie, is searched here; compiled over arrays.

It is alpha-beta with two values. A node is a position at the beginning of a turn; its candidates are all positions at
the end of that turn, each once, however many moves of the same player lead there. A player has what he wants if one of
his candidates gives it to him, else the other has it. The search keeps its own stack, so that it can be left and taken
up.

- The order: first the candidate that leaves the other the least `mobility`, where the game does not tell it the fewest
  moves, for it is refuted with the least work if at all; among equals the one whose `evaluate` is worst for him. Before
  any is searched, all are looked up.
- What is over is judged by `primitive` at once, and is neither a node nor in the table.
- Without a depth the tier must fall with every move, or the game say that no position comes back (`no_return`): then
  the search ends, and what it answers holds. A move that does not keep to that ends the search with RISES.
- What a database has of a position is taken from it (`told`) where the table has nothing.
- With a depth the player must have it within so many moves, and the nodes are single moves, not turns. Only that he can
  is a proof then.
- Threads have a stack each and share the table. What another one is searching (`busy`) is put off, as long as there is
  something else, at nodes where a candidate has not been enough: there the others are likely to be needed. Where none
  has been tried, the first may well be enough, and the threads search it together.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from gamesman.prover.table import keep, look_up
from gamesman.values import DRAW, LOSE, MAX_REMOTENESS, REMOTENESS_BITS, TIE, UNDECIDED, WIN

# How a call ended: all is done, the nodes are used up, there is no room for candidates, or for plies; the tier does not
# fall; a position has come back in a game that says none does; a position has no moves.
DONE, PAUSED, FULL, DEEP, RISES, CAME_BACK, STUCK = range(7)
# What is kept from call to call.
PLY, PHASE, RESULT, NODES, DEPTH, PLAYER, LEAST, SALT, HAS_TIES, ROOT, SHARES = range(11)
BEGIN, ENTER, NEXT, BACK = range(4)
FOUND = -1  # no number of candidates: one of them, or a move that ends the game, gives the player what he wants

TURN_ROOM = 64  # positions within a turn; further ones are candidates as they are
BUSY = 4096
LATER = 1 << 56


class Stack(NamedTuple):
    """Holds the path from the root to the node being searched, and the candidates of its nodes."""

    path: Any  # by ply: the position
    first: Any  # its mark
    second: Any
    is_mine: Any  # whether the player asked about is to move
    choice: Any  # the number of the move that leads to what is being searched, or has been found
    next: Any  # the next candidate and the end, in `order`
    end: Any
    before: Any  # nodes when it was entered
    tier: Any
    is_split: Any  # whether a candidate has not been enough: then another thread may as well search other ones
    order: Any  # by candidate: its row in what follows
    candidates: Any
    weights: Any  # the least is searched first
    firsts: Any
    seconds: Any
    origins: Any  # the number of the move of the node that leads there
    turn: Any  # positions within the turn of the node being entered
    turn_origins: Any


class Access(NamedTuple):
    """Holds the compiled functions that reach positions in rows, and their marks."""

    put: Callable[..., Any]
    take: Callable[..., Any]
    first: Callable[..., int]
    second: Callable[..., int]
    least: Callable[..., Any]  # (rules, position) -> the position that stands for its class
    told: Callable[..., int]  # (leaves, position) -> the record that is stored of it, or -1


def build(functions: dict[str, Any], access: Access, inline: Any, must_fall: bool) -> Callable[..., int]:
    """Make the function that searches a game and return it: `run`, the last one in here.

    `must_fall` is whether the tier must fall with every move.
    """
    primitive, turn, do_move = functions["primitive"], functions["turn"], functions["do_move"]
    generate_moves, evaluate, tier = functions["generate_moves"], functions["evaluate"], functions["tier"]

    def count_moves(rules: Any, position: Any) -> int:
        """Count the moves of a position."""
        moves = 0
        for _ in generate_moves(rules, position):
            moves += 1
        return moves

    mobility = functions.get("mobility") or inline(count_moves)
    put, take, first_of, second_of, least_of, told = access
    known, note = inline(look_up), inline(keep)

    @inline
    def is_enough(over: int, is_mine: bool, least: int) -> bool:
        """Tell whether a game that is over is worth as much to the player, who is to move there or is not."""
        return (over if is_mine or over == TIE else 3 - over) >= least

    @inline
    def stored_answer(record: int, is_mine: bool, least: int, left: int) -> int:
        """Return what a record says of the question, 1 or 0, or -1 where it says nothing."""
        value, remoteness = record >> REMOTENESS_BITS, record & MAX_REMOTENESS
        if left:
            return int(value == (WIN if is_mine else LOSE) and remoteness <= left)
        return -1 if value == DRAW else int(is_enough(value, is_mine, least))

    @inline
    def list_candidates(rules: Any, stack: Stack, table: Any, leaves: Any, state: Any, position: Any, ply: int) -> int:
        """List a node's candidates behind those of its path; return where they end, FOUND, or why there is no list."""
        begin = stack.end[ply - 1] if ply else 0
        n, room = begin, len(stack.order)
        depth, player, least, salt = state[DEPTH], state[PLAYER], state[LEAST], state[SALT]
        left = depth - ply - 1 if depth else 0
        who = turn(rules, position)
        is_mine = who == player
        put(stack.turn, 0, position)
        turns, at = 1, 0
        while at < turns:
            here = take(stack.turn, at)
            here_tier = tier(rules, here)
            number = -1
            for move in generate_moves(rules, here):
                number += 1
                origin = stack.turn_origins[at] if at else number
                child = do_move(rules, here, move)
                over = primitive(rules, child)
                whose = turn(rules, child)
                if over != UNDECIDED:
                    if over == TIE:
                        state[HAS_TIES] = 1
                    if is_enough(over, whose == player, least) == is_mine:
                        stack.choice[ply] = origin
                        return FOUND
                    continue
                if depth:
                    if not left:  # beyond the depth nobody has forced anything
                        if not is_mine:
                            stack.choice[ply] = origin
                            return FOUND
                        continue
                else:
                    child_tier = tier(rules, child)
                    if child_tier >= here_tier:
                        if must_fall or child_tier > here_tier:
                            return -2 - RISES
                        earlier = ply
                        while earlier >= 0 and stack.tier[earlier] == child_tier:
                            if take(stack.path, earlier) == child:
                                return -2 - CAME_BACK
                            earlier -= 1
                    if whose == who and turns < len(stack.turn):
                        is_new = True
                        for j in range(turns):
                            if take(stack.turn, j) == child:
                                is_new = False
                                break
                        if is_new:
                            put(stack.turn, turns, child)
                            stack.turn_origins[turns] = origin
                            turns += 1
                        continue
                image = least_of(rules, child)
                first, second = first_of(image) ^ salt, second_of(image) + salt
                is_so = known(table, first, second, left)
                if is_so < 0:
                    record = told(leaves, child)
                    if record >= 0:
                        is_so = stored_answer(record, whose == player, least, left)
                        if record >> REMOTENESS_BITS == TIE:
                            state[HAS_TIES] = 1
                if is_so >= 0:
                    if (is_so == 1) == is_mine:
                        stack.choice[ply] = origin
                        return FOUND
                    stack.is_split[ply] = 1
                    continue
                is_new = True
                for j in range(begin, n):
                    if stack.firsts[j] == first and stack.seconds[j] == second:
                        is_new = False
                        break
                if not is_new:
                    continue
                if n == room:
                    return -2 - FULL
                put(stack.candidates, n, child)
                stack.firsts[n], stack.seconds[n], stack.origins[n], stack.order[n] = first, second, origin, n
                weight = evaluate(rules, child)
                if whose == who:
                    weight = -weight
                else:
                    weight += mobility(rules, child) << 32
                stack.weights[n] = weight
                n += 1
            if number < 0:
                return -2 - STUCK
            at += 1
        return n

    @inline
    def take_lightest(stack: Stack, busy: Any, i: int, end: int, shares: int) -> int:
        """Let the candidate to be searched first, of those from i on, change places with the i-th; return its row."""
        order, weights = stack.order, stack.weights
        lightest, weight = i, LATER << 2
        for j in range(i, end):
            row = order[j]
            its = weights[row]
            if shares and busy[stack.firsts[row] & BUSY - 1] == stack.firsts[row]:
                its += LATER
            if its < weight:
                lightest, weight = j, its
        row = order[lightest]
        order[lightest] = order[i]
        order[i] = row
        return row

    def run(
        rules: Any,
        stack: Stack,
        table: Any,
        leaves: Any,
        busy: Any,
        state: Any,
        roots: Any,
        results: Any,
        limit: int,
    ) -> int:
        """Go on with a search until all roots are done or `limit` nodes have been searched in all; return the status.

        Before: `state` is where a search begins (ROOT 0, phase BEGIN) or where a call has left it. After DONE, results
        has for each root whether the player can force as much, and the number of the move that shows it: of his moves
        where he can, of the other's where he cannot; -1 where that takes all moves. After FULL and DEEP the stack has
        to become longer, and the root is begun anew.
        """
        ply, phase, result, nodes = state[PLY], state[PHASE], state[RESULT], state[NODES]
        depth, player, salt, shares = state[DEPTH], state[PLAYER], state[SALT], state[SHARES]
        while True:
            if phase == BEGIN:
                root = state[ROOT]
                if root == len(roots):
                    status = DONE
                    break
                ply = 0
                position = take(roots, root)
                put(stack.path, 0, position)
                image = least_of(rules, position)
                stack.first[0], stack.second[0] = first_of(image) ^ salt, second_of(image) + salt
                phase = ENTER

            if phase == ENTER:
                if nodes >= limit:
                    status = PAUSED
                    break
                position = take(stack.path, ply)
                stack.is_mine[ply] = turn(rules, position) == player
                stack.tier[ply] = tier(rules, position)
                stack.choice[ply] = -1
                stack.is_split[ply] = 0
                stack.before[ply] = nodes
                nodes += 1
                n = list_candidates(rules, stack, table, leaves, state, position, ply)
                if n < FOUND:
                    status = -2 - n
                    if status == FULL:
                        phase = BEGIN
                    break
                if n == FOUND:
                    result = stack.is_mine[ply]
                    phase = BACK
                else:
                    stack.next[ply] = stack.end[ply - 1] if ply else 0
                    stack.end[ply] = n
                    phase = NEXT
                    if shares:
                        busy[stack.first[ply] & BUSY - 1] = stack.first[ply]

            if phase == NEXT:
                is_mine = stack.is_mine[ply]
                i, end = stack.next[ply], stack.end[ply]
                result = 1 - is_mine
                phase = BACK
                while i < end:
                    row = take_lightest(stack, busy, i, end, shares and stack.is_split[ply])
                    i += 1
                    stack.choice[ply] = stack.origins[row]
                    first, second = stack.firsts[row], stack.seconds[row]
                    is_so = known(table, first, second, depth - ply - 1 if depth else 0)
                    if is_so < 0:
                        phase = ENTER
                        break
                    if is_so == is_mine:
                        result = is_mine
                        break
                if phase == ENTER:
                    if ply + 1 == len(stack.next):
                        status = DEEP
                        phase = BEGIN
                        break
                    stack.next[ply] = i
                    ply += 1
                    put(stack.path, ply, take(stack.candidates, row))
                    stack.first[ply], stack.second[ply] = first, second
                    continue

            # BACK: `result` is what holds of the node at this ply.
            first, second = stack.first[ply], stack.second[ply]
            note(table, first, second, depth - ply if depth else 0, result, nodes - stack.before[ply])
            if shares and busy[first & BUSY - 1] == first:
                busy[first & BUSY - 1] = 0
            if ply == 0:
                root = state[ROOT]
                results[root, 0] = result
                results[root, 1] = stack.choice[0] if result == stack.is_mine[0] else -1
                state[ROOT] = root + 1
                phase = BEGIN
            else:
                ply -= 1
                phase = BACK if result == stack.is_mine[ply] else NEXT
                stack.is_split[ply] = 1
        state[PLY], state[PHASE], state[RESULT], state[NODES] = ply, phase, result, nodes
        return status

    return run
