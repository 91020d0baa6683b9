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
LANES = 8  # places that take in together
AT_ONCE = 2048  # numbers of a vector that stay in the cache
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


def product_of(one: np.ndarray, other: np.ndarray) -> float:
    """Multiply two vectors, in eight sums that do not wait for each other."""
    a = b = c = d = w = x = y = z = one[0] - one[0]
    whole = one.shape[0] // 8
    for n in range(whole):
        i = 8 * n
        a += one[i] * other[i]
        b += one[i + 1] * other[i + 1]
        c += one[i + 2] * other[i + 2]
        d += one[i + 3] * other[i + 3]
        w += one[i + 4] * other[i + 4]
        x += one[i + 5] * other[i + 5]
        y += one[i + 6] * other[i + 6]
        z += one[i + 7] * other[i + 7]
    for i in range(8 * whole, one.shape[0]):
        a += one[i] * other[i]
    return a + b + c + d + w + x + y + z


def take_share(one: np.ndarray, other: np.ndarray, share: float) -> None:
    """Take a share of another vector out of one."""
    for i in range(one.shape[0]):
        one[i] -= share * other[i]


def flow_kernels(kernel: Callable[[Any], Any], inline: Callable[[Any], Any]) -> dict[str, Any]:
    """Make the kernels of what flows along edges; `at`, `edge` are those of a graph, rates[who, column] the errors.

    Where the bit of a column's kind is set in `closed` play goes on for ever, and what has come to that row stays.
    """
    product, lessen = inline(product_of), inline(take_share)

    def count_sources(edge: np.ndarray, place: np.ndarray, met: np.ndarray) -> None:
        """Count the edges that lead to each place, where rows have the places `place`."""
        for e in range(edge.shape[0]):
            met[place[int(edge[e]) & ROW]] += 1

    def list_sources(
        at: np.ndarray, edge: np.ndarray, order: np.ndarray, place: np.ndarray, starts: np.ndarray, met: np.ndarray,
        sources: np.ndarray,
    ) -> int:  # fmt: skip
        """List where the edges to each place come from, with the lowest bit set where a best move does.

        The sources of LANES places side by side begin at `starts`. Returns the first place that one leads back from.
        """
        first = order.shape[0]
        for k in range(order.shape[0]):
            row = order[k]
            for e in range(at[row], at[row + 1]):
                to = int(place[int(edge[e]) & ROW])
                lanes = to // LANES
                sources[starts[lanes] + int(met[to]) * LANES + to - lanes * LANES] = k << 1 | int(edge[e]) >> 31
                met[to] += 1
                if k // LANES >= lanes and k < first:
                    first = k
        return first

    def let_flow(carried: np.ndarray, first: int, erring: np.ndarray, best: np.ndarray, flowing: np.ndarray) -> None:
        """Let what is carried from the place `first` on flow, along a move and along a best one."""
        for i in range(carried.shape[0]):
            flowing[2 * (first + i)] = carried[i] * erring[first + i]
            flowing[2 * (first + i) + 1] = carried[i] * best[first + i]

    def take_in(
        starts: np.ndarray, sources: np.ndarray, erring: np.ndarray, best: np.ndarray, came: np.ndarray,
        carried: np.ndarray, first: int, into: np.ndarray, sums: np.ndarray, flowing: np.ndarray,
    ) -> None:  # fmt: skip
        """Add up at each place what flows to it and what came there, and let it flow on.

        Where nothing came, `into` gets instead what was carried less what is there now, from the place `first` on.
        """
        has_come = came.shape[0] > 0
        for lanes in range(starts.shape[0] - 1):
            a = b = c = d = w = x = y = z = flowing[2 * erring.shape[0]]  # nothing, in the precision of the others
            for e in range(starts[lanes], starts[lanes + 1], LANES):
                a += flowing[sources[e]]
                b += flowing[sources[e + 1]]
                c += flowing[sources[e + 2]]
                d += flowing[sources[e + 3]]
                w += flowing[sources[e + 4]]
                x += flowing[sources[e + 5]]
                y += flowing[sources[e + 6]]
                z += flowing[sources[e + 7]]
            sums[0], sums[1], sums[2], sums[3] = a, b, c, d
            sums[4], sums[5], sums[6], sums[7] = w, x, y, z
            i = lanes * LANES
            for k in range(LANES):
                place = i + k
                if has_come:
                    sums[k] += came[place]
                    into[place] = sums[k]
                elif place >= first:
                    into[place - first] = carried[place - first] - sums[k]
                flowing[2 * place] = sums[k] * erring[place]
                flowing[2 * place + 1] = sums[k] * best[place]

    def take_away(basis: np.ndarray, count: int, shares: np.ndarray) -> float:
        """Take the `shares` that row `count` has of the rows before out of it; return the square of what is left."""
        size, square = basis.shape[1], 0.0
        shares[:count] = 0
        for begin in range(0, size, AT_ONCE):
            row = basis[count, begin : begin + AT_ONCE]
            for j in range(count):
                shares[j] += product(basis[j, begin : begin + AT_ONCE], row)
        for begin in range(0, size, AT_ONCE):
            row = basis[count, begin : begin + AT_ONCE]
            for j in range(count):
                lessen(row, basis[j, begin : begin + AT_ONCE], shares[j])
            square += product(row, row)
        return square

    def add_up(basis: np.ndarray, shares: np.ndarray, to: np.ndarray) -> None:
        """Add shares of the first rows."""
        for begin in range(0, to.shape[0], AT_ONCE):
            for j in range(shares.shape[0]):
                lessen(to[begin : begin + AT_ONCE], basis[j, begin : begin + AT_ONCE], -shares[j])

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

    return {
        f.__name__: kernel(f)
        for f in (count_sources, list_sources, let_flow, take_in, take_away, add_up, spread, open_up, chain)
    }
