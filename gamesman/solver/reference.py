"""The reference solver solves every reachable position in plain Python: as short as can be, and surely right.

Why it is right. Call a position *settled* when its value and remoteness are final. Positions are settled in rounds,
round r settling exactly those of remoteness r that are won or lost:

- a primitive win or loss is settled in round 0;
- a position with a move to one that its own player wins (for him, after the move) is won; the soonest such win is found
  first, because rounds go up by one: its remoteness is r + 1 when the first such child was settled in round r;
- a position all of whose moves lead to wins of the opponent is lost; its last child settled is its farthest, so its
  remoteness is r + 1 when that one was settled in round r.

By induction over r no position of remoteness r is missed and none is settled wrongly. When no round can settle more,
nobody can force a win from any position left: each has a move to another one left or to a tie, and a player who has
one will not move to a loss. Among those a tie is preferred to going on for ever, by both players, so the ties are those
from which a tie can be reached at all, and their remoteness is the length of the shortest way: again rounds. All that
is left then are draws.

The player to move may stay the same after a move; his value is then not negated. A move that leads back to the same
position is an edge like any other.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from gamesman.errors import BrokenGame, NotReachable, TooLarge, shorten
from gamesman.model.advice import unreachable
from gamesman.model.summary import Summary, TierSummary
from gamesman.model.variant import Position, Variant
from gamesman.values import DRAW, LOSE, TIE, UNDECIDED, WIN


@dataclass
class Solution:
    """Holds every reachable position with its value and remoteness (None for a draw)."""

    values: dict[Position, tuple[int, int | None]]
    summary: Summary
    variant: Variant

    def probe(self, position: Position) -> tuple[int, int | None]:
        """Return the value and remoteness of a position. Raises NotReachable."""
        if position not in self.values:
            raise NotReachable(unreachable(self.variant, position))
        return self.values[position]

    def probe_many(self, positions: Iterable[Position]) -> list[tuple[int, int | None]]:
        """Return the values and remotenesses of positions. Raises NotReachable."""
        return [self.probe(position) for position in positions]


def solve(variant: Variant, limit: int | None = None) -> Solution:
    """Solve a variant in memory and return the solution. Raises TooLarge where there are more than `limit` positions.

    >>> from gamesman.model.variant import variant
    >>> solution = solve(variant("konane"))
    >>> solution.summary.as_json()["counts"]
    {'win': 9, 'lose': 8, 'tie': 0, 'draw': 0}
    """
    primitives, parents, degree = _explore(variant, limit)
    values: dict[Position, tuple[int, int | None]] = {}
    left = dict(degree)
    settled = [(p, value) for p, value in primitives.items() if value != TIE]
    r = 0
    while settled:
        values.update((p, (value, r)) for p, value in settled)
        following: dict[Position, int] = {}
        for child, value in settled:
            for parent in parents[child]:
                if parent in values or parent in following:
                    continue
                same = variant.turn(parent) == variant.turn(child)
                if (value == WIN) == same:
                    following[parent] = WIN
                else:
                    left[parent] -= 1
                    if left[parent] == 0:
                        following[parent] = LOSE
        settled = list(following.items())
        r += 1
    tied = [p for p, value in primitives.items() if value == TIE]
    r = 0
    while tied:
        values.update((p, (TIE, r)) for p in tied)
        tied = list({parent: None for p in tied for parent in parents[p] if parent not in values})
        r += 1
    values.update((p, (DRAW, None)) for p in parents if p not in values)
    return Solution(values, _summary(variant, values, primitives, degree), variant)


def _explore(
    variant: Variant, limit: int | None
) -> tuple[dict[Position, int], dict[Position, list[Position]], dict[Position, int]]:
    """Return the reachable graph: the values of primitive positions, each one's parents and number of moves."""
    start = variant.start()
    primitives: dict[Position, int] = {}
    parents: dict[Position, list[Position]] = {start: []}
    degree: dict[Position, int] = {}
    waiting = [start]
    while waiting:
        position = waiting.pop()
        degree[position] = 0
        value = variant.primitive(position)
        if value not in (LOSE, TIE, WIN, UNDECIDED):
            raise _broken(variant, position, f"primitive must return WIN, LOSE, TIE or UNDECIDED, got {value}")
        if variant.turn(position) not in (0, 1):
            raise _broken(variant, position, f"turn must return 0 or 1, got {variant.turn(position)}")
        if value != UNDECIDED:
            primitives[position] = value
            continue
        for move in variant.generate_moves(position):
            child = variant.do_move(position, move)
            if child not in parents:
                if len(parents) == limit:
                    raise TooLarge(
                        f"{variant.name} has more than {limit:,} positions, too many for the reference solver"
                    )
                parents[child] = []
                waiting.append(child)
            parents[child].append(position)
            degree[position] += 1
        if not degree[position]:
            said = "generate_moves must yield a move where primitive says UNDECIDED, got none"
            raise _broken(variant, position, said)
    return primitives, parents, degree


def _broken(variant: Variant, position: Position, fault: str) -> BrokenGame:
    return BrokenGame(f"{variant.name}: {fault}, at {shorten(variant.show(position), 120)}")


def _summary(
    variant: Variant,
    values: dict[Position, tuple[int, int | None]],
    primitives: dict[Position, int],
    degree: dict[Position, int],
) -> Summary:
    """Return the summary of a solved variant."""
    tiers: dict[int, TierSummary] = {}
    for position, (value, remoteness) in values.items():
        tier = variant.tier(position)
        found = tiers.setdefault(tier, TierSummary(tier, {}))
        found.histogram.setdefault(value, Counter())[remoteness or 0] += 1
        found.primitives += position in primitives
        found.moves += degree[position]
    start = variant.start()
    value, remoteness = values[start]
    ordered = [tiers[tier] for tier in sorted(tiers, reverse=True)]
    return Summary(variant.name, variant.show(start), value, remoteness, ordered)
