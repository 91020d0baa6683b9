"""Kernels follow play here: they find where the moves of a tier lead, and let chances flow along them.

A *row* is a position of a tier by its place among those stored. An edge is the row that a move leads to, with its
highest bit set where the move is one of the best. Chances come in as many columns as there are kinds of players.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from gamesman.analysis.kernels.finding import number_met, place_listed
from gamesman.values import DRAW, LOSE, MAX_REMOTENESS, REMOTENESS_BITS, WIN

BEST = 1 << 31
ROW = BEST - 1
ALL_KINDS = 0b1111  # of players: bit 0 if none errs, 1 the first, 2 the second, 3 both
ERRING = (0b1010, 0b1100)  # the kinds in which the first, or the second player errs


def edge_kernels(kernel: Callable[[Any], Any], functions: dict[str, Any]) -> dict[str, Any]:
    unhash, hash, do_move = (functions[name] for name in ("unhash", "hash", "do_move"))
    generate_moves, turn, tier = (functions[name] for name in ("generate_moves", "turn", "tier"))
    least, size, number_of = functions["least"], functions["size"], functions["inline"](number_met)
    place_of = functions["inline"](place_listed)

    def edges(
        rules: Any,
        keys: np.ndarray,
        records: np.ndarray,
        i: int,
        first: int,
        tiers: np.ndarray,
        wanted: np.ndarray,
        which: np.ndarray,
        whose: np.ndarray,
        who: np.ndarray,
        sizes: np.ndarray,
    ) -> tuple[int, int]:
        """Write down where the moves of keys[i:] lead: key, number among `tiers`, parent and if the turn stays.

        `tiers` holds how many tiers were met and then the tiers; `who` gets 0 where it is the turn of the player
        `first`, else 1, and `sizes` how many positions a key stands for. Returns the next index to go on from, and how
        many edges there are. It stops before a position whose edges find no room.
        """
        n = 0
        tiers[0] = 0
        while i < keys.shape[0]:
            position = unhash(rules, int(keys[i]))
            me = turn(rules, position)
            who[i] = me ^ first
            sizes[i] = size(rules, position)
            begin = n
            if int(records[i]) >> REMOTENESS_BITS == DRAW or (records[i] & MAX_REMOTENESS) != 0:
                for move in generate_moves(rules, position):
                    child = least(rules, do_move(rules, position, move))
                    where = tier(rules, child)
                    t = -1 if n == wanted.shape[0] else number_of(tiers, where)
                    if t < 0:
                        return i, begin
                    wanted[n] = hash(rules, child)
                    which[n] = t
                    whose[n] = i << 1 | (turn(rules, child) == me)
                    n += 1
            i += 1
        return i, n

    def row_dense(
        wanted: np.ndarray, which: np.ndarray, t: int, n: int, first: int, ranks: np.ndarray, records: np.ndarray,
        row: np.ndarray, found: np.ndarray,
    ) -> None:  # fmt: skip
        """Find the rows of the edges into tier number t, where the key `first` + k has the row ranks[k], or -1."""
        for i in range(n):
            if which[i] == t:
                place = wanted[i] - first
                row[i] = ranks[place] if 0 <= place < ranks.shape[0] else -1
                if row[i] >= 0:
                    found[i] = records[row[i]]

    def row_sparse(
        wanted: np.ndarray, which: np.ndarray, t: int, n: int, keys: np.ndarray, directory: np.ndarray, shift: int,
        records: np.ndarray, row: np.ndarray, found: np.ndarray,
    ) -> None:  # fmt: skip
        """Find them where keys are listed, with a directory as `place_listed` has it; -1 where there is none."""
        for i in range(n):
            if which[i] == t:
                row[i] = place_of(keys, directory, shift, wanted[i])
                if row[i] >= 0:
                    found[i] = records[row[i]]

    def note(
        n: int, numbers: np.ndarray, which: np.ndarray, whose: np.ndarray, row: np.ndarray, found: np.ndarray,
        records: np.ndarray, facts: np.ndarray, at: np.ndarray, edge: np.ndarray, m: int, lower_at: np.ndarray,
        lower_edge: np.ndarray, slots: np.ndarray, below: int,
    ) -> tuple[int, int]:  # fmt: skip
        """Note edges behind those there are: m within the tier, whose number is -1, and `below` into lower ones.

        at[row + 1] counts a row's edges, and `facts` its moves, the best ones, those that keep the value, and the half
        points all of them give away. Returns how many edges there are then, -1 where one leads nowhere.
        """
        for i in range(n):
            if row[i] < 0:
                return -1, -1
            parent = whose[i] >> 1
            value = int(records[parent]) >> REMOTENESS_BITS
            worth = int(found[i]) >> REMOTENESS_BITS
            if not whose[i] & 1 and (worth == WIN or worth == LOSE):
                worth = WIN + LOSE - worth
            further = (int(found[i]) & MAX_REMOTENESS) + 1
            is_kept = worth == value
            is_best = is_kept and (value == DRAW or further == int(records[parent]) & MAX_REMOTENESS)
            facts[parent, 0] += 1
            facts[parent, 1] += is_best
            facts[parent, 2] += is_kept
            facts[parent, 3] += (value != LOSE) + (value == WIN) - (worth != LOSE) - (worth == WIN)
            number = numbers[which[i]]
            if number < 0:
                edge[m] = row[i] | is_best << 31
                at[parent + 1] += 1
                m += 1
            else:
                lower_edge[below] = row[i] | is_best << 31
                slots[below] = number
                lower_at[parent + 1] += 1
                below += 1
        return m, below

    made = {"edges": edges, "row_dense": row_dense, "row_sparse": row_sparse, "note": note}
    return {name: kernel(function) for name, function in made.items()}


def flow_kernels(kernel: Callable[[Any], Any]) -> dict[str, Any]:
    """Make the kernels of what flows along edges; `at`, `edge` are those of a graph, rates[who, column] the errors.

    Where the bit of a column's kind is set in `closed` play goes on for ever, and what has come to that row stays.
    """

    def sweep(
        at: np.ndarray, edge: np.ndarray, who: np.ndarray, facts: np.ndarray, closed: np.ndarray, rates: np.ndarray,
        kinds: np.ndarray, left: np.ndarray, found: np.ndarray, moved: np.ndarray, scratch: np.ndarray,
    ) -> None:  # fmt: skip
        """Let what is `left` in each row flow on once within the tier, one player's rows first.

        It is added to `found`, and written into `moved` where that has room.
        """
        columns = left.shape[1]
        for turn in range(2):
            for i in range(left.shape[0]):
                if who[i] != turn:
                    continue
                is_empty = True
                for k in range(columns):
                    scratch[0, k] = left[i, k]
                    found[i, k] += left[i, k]
                    is_empty &= left[i, k] == 0.0
                    left[i, k] = 0.0
                if moved.shape[0]:
                    for k in range(columns):
                        moved[i, k] = scratch[0, k]
                if is_empty or at[i] == at[i + 1]:
                    continue
                for k in range(columns):
                    rate = rates[turn, k]
                    goes_on = 0.0 if closed[i] >> kinds[k] & 1 else scratch[0, k]
                    scratch[0, k] = goes_on * rate / facts[i, 0]
                    scratch[1, k] = scratch[0, k] + goes_on * (1.0 - rate) / facts[i, 1]
                for e in range(at[i], at[i + 1]):
                    to = int(edge[e]) & ROW
                    best = int(edge[e]) >> 31
                    for k in range(columns):
                        left[to, k] += scratch[best, k]

    def spread(
        at: np.ndarray, edge: np.ndarray, slots: np.ndarray, slot: int, who: np.ndarray, facts: np.ndarray,
        closed: np.ndarray, rates: np.ndarray, kinds: np.ndarray, flow: np.ndarray, into: np.ndarray,
        scratch: np.ndarray,
    ) -> None:  # fmt: skip
        """Let what flows through the rows flow on into the lower tier of number `slot`."""
        columns = flow.shape[1]
        for i in range(flow.shape[0]):
            is_empty = at[i] == at[i + 1]
            if is_empty:
                continue
            for k in range(columns):
                rate = rates[who[i], k]
                goes_on = 0.0 if closed[i] >> kinds[k] & 1 else flow[i, k]
                scratch[0, k] = goes_on * rate / facts[i, 0]
                scratch[1, k] = scratch[0, k] + goes_on * (1.0 - rate) / facts[i, 1]
            for e in range(at[i], at[i + 1]):
                if slots[e] == slot:
                    to = int(edge[e]) & ROW
                    best = int(edge[e]) >> 31
                    for k in range(columns):
                        into[to, k] += scratch[best, k]

    def open_up(at: np.ndarray, edge: np.ndarray, who: np.ndarray, is_open: np.ndarray) -> int:
        """Mark the kinds of players with whom play gets from a row to one that is marked. Returns how many are new."""
        new = 0
        for i in range(who.shape[0]):
            before = is_open[i]
            if before == ALL_KINDS:
                continue
            after = int(before)
            erring = ERRING[0] if who[i] == 0 else ERRING[1]
            for e in range(at[i], at[i + 1]):
                after |= is_open[int(edge[e]) & ROW] & (ALL_KINDS if int(edge[e]) >> 31 else erring)
            is_open[i] = after
            new += after != before
        return new

    def gram(changes: np.ndarray, left: np.ndarray, sums: np.ndarray) -> None:
        """Multiply the changes that sweeps made with each other, and in the last place of a row with what is left."""
        most, columns = changes.shape[0], left.shape[1]
        sums[:] = 0.0
        for i in range(left.shape[0]):
            for j in range(most):
                for other in range(j + 1):
                    for k in range(columns):
                        sums[j, other, k] += changes[j, i, k] * changes[other, i, k]
                for k in range(columns):
                    sums[j, most, k] += changes[j, i, k] * left[i, k]

    def extrapolate(
        shares: np.ndarray, changes: np.ndarray, moved: np.ndarray, left: np.ndarray, found: np.ndarray,
        sizes: np.ndarray,
    ) -> None:  # fmt: skip
        """Add shares of sweeps that were made, and leave what they leave; `sizes` gets the sums of its sizes."""
        most, columns = changes.shape[0], left.shape[1]
        sizes[:] = 0.0
        for i in range(left.shape[0]):
            for j in range(most):
                for k in range(columns):
                    left[i, k] -= shares[j, k] * changes[j, i, k]
                    found[i, k] += shares[j, k] * moved[j, i, k]
            for k in range(columns):
                sizes[k] += abs(left[i, k])

    def chain(
        order: np.ndarray, records: np.ndarray, facts: np.ndarray, at: np.ndarray, edge: np.ndarray,
        lower_at: np.ndarray, lower_edge: np.ndarray, slots: np.ndarray, offsets: np.ndarray, below: np.ndarray,
        chains: np.ndarray,
    ) -> None:  # fmt: skip
        """Find the longest chains of only-moves, in the order of remoteness; `below` has those of lower tiers."""
        for n in range(order.shape[0]):
            row = order[n]
            is_won = int(records[row]) >> REMOTENESS_BITS == WIN
            if facts[row, 0] == 0 or (is_won and facts[row, 2] != 1):
                continue
            longest = 0
            for e in range(at[row], at[row + 1]):
                if not is_won or int(edge[e]) >> 31:
                    longest = max(longest, int(chains[int(edge[e]) & ROW]))
            for e in range(lower_at[row], lower_at[row + 1]):
                if not is_won or int(lower_edge[e]) >> 31:
                    longest = max(longest, int(below[offsets[slots[e]] + (int(lower_edge[e]) & ROW)]))
            chains[row] = longest + (is_won and facts[row, 0] > 1)

    return {f.__name__: kernel(f) for f in (sweep, spread, open_up, gram, extrapolate, chain)}
