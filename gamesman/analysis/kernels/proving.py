"""Kernels that verify solved positions look at keys and moves again, and derive the records anew from those.

Like the kernels of walking.py they are written for compiled code and run interpreted as well. They share no
code with the solver: what a record must be is said here a second time, in the words of the definitions.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gamesman.analysis.kernels.finding import number_met
from gamesman.analysis.kernels.walking import CHUNK_BITS
from gamesman.values import DRAW, LOSE, MAX_REMOTENESS, REMOTENESS_BITS, TIE, UNDECIDED, UNREACHED, WIN

# What `expand` counts, in this order.
PRIMITIVES, MOVES = range(2)

FAR = MAX_REMOTENESS + 1

MOVES_AT_ONCE = 1 << 15  # moves followed at a time, at first
MOST_TIERS = 1 << 8  # tiers that the moves followed at a time may lead to, at first


class Moves(NamedTuple):
    """Holds the moves that one thread follows at a time: their children, and their parents; and counts them."""

    tiers: np.ndarray  # how many tiers the moves lead to, and then the tiers
    wanted: np.ndarray  # the children: the key of each,
    which: np.ndarray  # the number of its tier among `tiers`,
    whose: np.ndarray  # and the number of its parent among `parents`, times 2, plus 1 if the player stays the same
    parents: np.ndarray  # the places of the parents
    yielded: np.ndarray  # the moves themselves
    tally: np.ndarray  # by PRIMITIVES and MOVES, all that there were so far


class Buffers:
    """Makes the arrays for the moves that one thread follows at a time, and larger ones where these do not do."""

    def __init__(self) -> None:
        self._make(MOVES_AT_ONCE, MOST_TIERS, np.zeros(2, np.int64))

    def grow(self) -> None:
        self._make(2 * len(self.found), 2 * len(self.moves.tiers), self.moves.tally)

    def _make(self, size: int, tiers: int, tally: np.ndarray) -> None:
        wanted, parents = np.empty(size, np.int64), np.empty(size, np.int64)
        which, whose = np.empty(size, np.int32), np.empty(size, np.int32)
        yielded = np.empty(size, np.int64)
        self.moves = Moves(np.zeros(tiers + 1, np.int64), wanted, which, whose, parents, yielded, tally)
        self.found = np.empty(size, np.uint16)


def kernels(kernel: Callable[[Any], Any], functions: dict[str, Any]) -> dict[str, Any]:
    unhash, hash, do_move, primitive = (functions[name] for name in ("unhash", "hash", "do_move", "primitive"))
    generate_moves, turn, tier = (functions[name] for name in ("generate_moves", "turn", "tier"))
    least, size, is_apart = functions["least"], functions["size"], functions["is_apart"]
    number_of = functions["inline"](number_met)

    def expand(rules: Any, loaded: Any, i: int, end: int, moves: Moves) -> tuple[int, int, int, int]:
        """Expand the positions in the places from i to `end` of a loaded tier that are reached and not done.

        Writes their moves down. Stops before a position whose children find no room. Returns the next place, how many
        children and how many parents there are, and the place of a position that is not what its key or its record
        says, or -1.
        """
        keys, records = loaded.keys, loaded.records
        reached, done, dirty = loaded.reached, loaded.done, loaded.dirty
        tiers, wanted, which, whose, parents, yielded, tally = moves
        n = 0
        count = 0
        tiers[0] = 0
        chunk = (1 << CHUNK_BITS) - 1
        while i < end:
            if i & chunk == 0:
                if dirty[i >> CHUNK_BITS] == 0:
                    i += chunk + 1
                    continue
                dirty[i >> CHUNK_BITS] = 0
            if done[i] != 0 or reached[i] == 0:
                i += 1
                continue
            key = int(keys[i]) if keys.shape[0] else loaded.first + i
            position = unhash(rules, key)
            if (
                hash(rules, position) != key
                or tier(rules, position) != loaded.number
                or least(rules, position) != position
            ):
                return i, n, count, i
            value = primitive(rules, position)
            if value != UNDECIDED:
                if int(records[i]) != value << REMOTENESS_BITS:
                    return i, n, count, i
                tally[PRIMITIVES] += size(rules, position)
                done[i] = 1
                i += 1
                continue
            if count == parents.shape[0]:
                dirty[i >> CHUNK_BITS] |= i & chunk == 0
                return i, n, count, -1
            me = turn(rules, position)
            begin = n
            seen = 0  # of each move the lowest six bits: where they are another's, too, all before it are looked at
            for move in generate_moves(rules, position):
                bit = 1 << (move & 63)
                if seen & bit:
                    for before in range(begin, n):
                        if yielded[before] == move:
                            return i, begin, count, i
                seen |= bit
                child = least(rules, do_move(rules, position, move))
                where = tier(rules, child)
                t = -1 if n == wanted.shape[0] else number_of(tiers, where)
                if t < 0:
                    dirty[i >> CHUNK_BITS] |= i & chunk == 0
                    return i, begin, count, -1
                yielded[n] = move
                wanted[n] = hash(rules, child)
                if unhash(rules, wanted[n]) != child or not is_apart(rules, child):
                    return i, begin, count, i
                which[n] = t
                whose[n] = count << 1 | (turn(rules, child) == me)
                n += 1
            if n == begin:
                return i, n, count, i
            tally[MOVES] += (n - begin) * size(rules, position)
            parents[count] = i
            count += 1
            done[i] = 1
            i += 1
        return i, n, count, -1

    def derive(
        records: np.ndarray, parents: np.ndarray, count: int, whose: np.ndarray, found: np.ndarray, n: int
    ) -> Any:
        """Return the place of the first parent whose record does not follow from those of its children, or -1."""
        c = 0
        for p in range(count):
            won = FAR
            tied = FAR
            lost = -1
            is_drawn = False
            while c < n and whose[c] >> 1 == p:
                record = int(found[c])
                if record == UNREACHED:
                    return parents[p]
                remoteness = record & MAX_REMOTENESS
                value = record >> REMOTENESS_BITS
                if whose[c] & 1 == 0 and (value == WIN or value == LOSE):
                    value = WIN + LOSE - value
                if value == WIN:
                    won = min(won, remoteness)
                elif value == TIE:
                    tied = min(tied, remoteness)
                elif value == LOSE:
                    lost = max(lost, remoteness)
                else:
                    is_drawn = True
                c += 1
            if won < FAR:
                value = WIN
                remoteness = won + 1
            elif tied < FAR:
                value = TIE
                remoteness = tied + 1
            elif is_drawn:
                value = DRAW
                remoteness = 0
            else:
                value = LOSE
                remoteness = lost + 1
            if remoteness == FAR or int(records[parents[p]]) != value << REMOTENESS_BITS | remoteness:
                return parents[p]
        return -1

    return {"expand": kernel(expand), "derive": kernel(derive)}
