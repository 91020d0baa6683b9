"""What a variant is like to play: chances, lengths and errors of games from its start, by kinds of players, exactly.

The chance of being at each position is followed from the start down, tier by tier, for all kinds of players side by
side. Beside how often play is at a position (the sum over all moves t of the chance) that sum is taken weighted with t,
which gives the spread of lengths; and weighted with t squared for kinds of players with whom play may never end.

    random       both players choose evenly among all moves
    perfect      evenly among the best moves: what wins or ties soonest, loses latest; in a draw, what keeps the draw
    erring at e  at random among all moves with the chance e, else perfect
"""

from dataclasses import dataclass, field
from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from gamesman.analysis.circles import ARRAYS, SOURCE_BYTES
from gamesman.analysis.complexity import complexity, opening
from gamesman.analysis.difficulty import Difficulty
from gamesman.analysis.flow import MANY_ROWS, Flow, Players, closed_rows
from gamesman.analysis.graph import Graphs
from gamesman.analysis.lookup import SPARE_BYTES
from gamesman.analysis.walk import Census, Counting, class_count, code_size
from gamesman.errors import TooLarge
from gamesman.machine.memory import Allowance
from gamesman.machine.sizes import size_text
from gamesman.model.progress import Progress, Silent
from gamesman.values import DRAW, TIE, WIN

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

MOST_UNASKED = 1_000_000  # positions of a variant that is walked without being asked to
DEFAULT_ROOM = 4 << 30  # bytes, if nobody says how much memory there is
# Of each probability, where tiers are large; of smaller ones a negligible part comes to it.
MOST_ERROR = 5e-7

ROUNDING = 1e-12  # of a number that comes of many sums

# Fields of `stats --json` that need the graphs of moves.
FURTHER = ("keeping", "traps", "hardest", "most_moves", "examples", "complexity", "opening")

RATES = tuple(e / 10 for e in range(11))
# The error rates of the first and the second player.
KINDS = {
    "random": (1.0, 1.0),
    "first_perfect": (0.0, 1.0),
    "second_perfect": (1.0, 0.0),
    **{f"errors {rate}": (rate, rate) for rate in RATES[:-1]},
}


@dataclass
class Outcome:
    """Says what comes of games between two players; shares and means over all games, each as likely as it is."""

    first: float  # the chance that the first player wins
    second: float
    tie: float
    unfinished: float  # that play never ends
    length: float | None  # in moves, of games that end
    length_sd: float | None
    moves: float  # a game, until it ends or cannot end any more
    blunders: float  # moves a game that give the value away
    points: float  # given away a game: a win is one, a tie or a draw half of one
    choices: float  # moves a game made where there are two or more
    only_moves: float  # of these, made where one alone keeps the value

    def as_json(self) -> dict[str, Any]:
        """Return the fields of a kind of players in `play` of `stats --json`."""
        return {
            "first": self.first,
            "second": self.second,
            "tie": self.tie,
            "unfinished": self.unfinished,
            "length": self.length,
            "length_sd": self.length_sd,
            "blunders_per_move": self.blunders / self.moves if self.moves else None,
            "points_per_move": self.points / self.moves if self.moves else None,
            "value_changes": self.blunders,
            "choices": self.choices,
            "only_moves": self.only_moves,
        }


@dataclass
class Play:
    """Holds the outcomes by kind of players, a bound of each probability's error, and a census of all positions."""

    outcomes: dict[str, Outcome] = field(default_factory=dict)
    error_bound: float = 0.0
    further: dict[str, Any] = field(default_factory=dict)  # what the same graphs tell: FURTHER
    census: Census = field(default_factory=lambda: Census(np.zeros((2, 4), np.int64)))  # as a walk would have it

    @property
    def errors(self) -> list[tuple[float, Outcome]]:
        """Return the outcome for each rate at which both players err."""
        found = [(rate, self.outcomes[f"errors {rate}"]) for rate in RATES[:-1]]
        return [*found, (1.0, self.outcomes["random"])]

    def as_json(self) -> dict[str, Any]:
        """Return the field `play` of `stats --json`."""
        return {
            **{name: self.outcomes[name].as_json() for name in ("random", "first_perfect", "second_perfect")},
            "errors": [{"rate": rate, **outcome.as_json()} for rate, outcome in self.errors],
            "error_bound": self.error_bound,
        }


def follow(stored: "SolvedPositions", memory: int | None = None, progress: Progress | None = None) -> Play:
    """Follow play from the start of a solved variant. Raises TooLarge where there is no room for it."""
    room = room_for(stored, memory)
    graphs = Graphs(stored, room // 2)
    found, again = Play(), []
    # By rate, since the solution for one is begun from those for lower ones; what is unlike comes last.
    names = sorted(KINDS, key=lambda name: (KINDS[name][0] != KINDS[name][1], KINDS[name][0]))
    check_room(stored, room // 2)
    walker = _Walker(stored, graphs, progress or Silent(), found)
    found.further = walker.look_at_moves()
    found.further["complexity"] = complexity(stored, graphs)
    found.further["opening"] = opening(stored.variant, stored)
    parts = _parts(names, walker.width(2, room // 2))
    for number, part in enumerate(parts):
        walker.walk(part, 2, is_last=number == len(parts) - 1)
        again += [name for name in part if found.outcomes[name].unfinished > 0]
    for part in _parts(again, walker.width(3, room // 2)):
        walker.walk(part, 3, is_last=False)
    walker.progress.finish()
    return found


def room_for(stored: "SolvedPositions", memory: int | None) -> int:
    """Return the bytes there are for following play."""
    if memory is None:
        return DEFAULT_ROOM
    allowance = Allowance(memory)
    code = code_size(stored.variant, class_count(stored), "playing.")
    allowance.begin(SPARE_BYTES + code, f"following play of {stored.variant.name}")
    return allowance.left - SPARE_BYTES - code


def check_room(stored: "SolvedPositions", room: int) -> None:
    """Raise TooLarge where not even one kind of players finds room."""
    sizes = [tier.classes for tier in stored.summary.tiers]
    least = _once(stored) + 8 * 2 * (sum(sizes) + max(sizes))
    if least > room:
        said = f"{size_text(2 * least)} of memory, {size_text(2 * room)} left"
        raise TooLarge(f"following play of {stored.variant.name} needs {said}; allow more with --memory", least)


def _once(stored: "SolvedPositions") -> int:
    """Return the bytes that a system takes, of whatever kind of players."""
    tiers = stored.summary.tiers
    return 8 * ARRAYS * max(tier.classes for tier in tiers) + SOURCE_BYTES * max(tier.moves for tier in tiers)


def _parts(names: list[str], width: int) -> list[list[str]]:
    """Divide kinds of players into parts of about the same number, none above `width`."""
    count = -(-len(names) // width)
    return [names[i * len(names) // count : (i + 1) * len(names) // count] for i in range(count)]


class _Walker:
    """Follows some kinds of players at a time through all tiers."""

    def __init__(self, stored: "SolvedPositions", graphs: Graphs, progress: Progress, found: Play):
        self._stored, self._graphs, self.progress, self._found = stored, graphs, progress, found
        self._tiers = {tier.number: tier.classes for tier in stored.summary.tiers}
        self._closed: dict[int, np.ndarray] = {}  # by tier, see gamesman.analysis.flow
        self._lower: dict[int, list[int]] = {}  # by tier, those that moves lead to
        large = sum(count >= MANY_ROWS for count in self._tiers.values())
        self._tolerance = MOST_ERROR / max(1, large)

    def look_at_moves(self) -> dict[str, Any]:
        """Find out from where play never ends, from the lowest tier up; return how easy it is to go wrong."""
        found = Difficulty(self._stored.variant)
        counting = Counting(self._stored, self._found.census)
        has_draws = bool(self._stored.summary.histogram[DRAW])
        self.progress.start(f"looking at moves of {self._stored.variant.name}", sum(self._tiers.values()))
        for tier, count in sorted(self._tiers.items()):
            graph = self._graphs.tier(tier)
            self._lower[tier] = graph.lower
            found.add(graph, self._graphs.flow)
            counting.add(graph.keys, graph.records, graph.who, graph.sizes, graph.facts)
            if has_draws:
                self._closed[tier] = closed_rows(graph, self._graphs.flow, self._closed)
            else:
                self._closed[tier] = np.zeros(count, np.uint8)
            self.progress.advance(count)
        return found.as_json()

    def width(self, moments: int, room: int) -> int:
        """Return how many kinds of players find room side by side, all tiers having been looked at."""
        alive, most = {max(self._tiers)}, 0
        for tier in sorted(self._tiers, reverse=True):
            alive |= {tier, *self._lower[tier]}
            # What flows through a tier is held twice while it is turned.
            most = max(most, self._tiers[tier] + sum(self._tiers[each] for each in alive))
            alive.remove(tier)
        return int(max(1, (room - _once(self._stored)) // (8 * moments * most)))

    def walk(self, names: list[str], moments: int, *, is_last: bool) -> None:
        """Follow these kinds of players, with so many weights for the lengths."""
        players = Players(np.array([KINDS[name] for name in names]).T)
        sums = _Sums(players, moments)
        variant = self._stored.variant
        start = variant.start()
        first_tier = variant.tier(start)
        self.progress.start(f"following play of {variant.name}", class_count(self._stored))
        entering = {first_tier: self._room(first_tier, len(players), moments)}
        entering[first_tier][0][self._graphs.row(first_tier, variant.hash(start))] = 1.0
        bound = 0.0
        for tier in sorted(self._tiers, reverse=True):
            if tier in entering:
                graph = self._graphs.tier(tier, is_last_use=is_last)
                given = graph, self._closed[tier], self._graphs.flow, self._tolerance
                flow = Flow(*given, is_compiled=self._graphs.is_compiled)
                through, left = flow.through(entering.pop(tier), players)
                bound += left
                sums.add(flow, through)
                for lower in graph.lower:
                    if lower not in entering:
                        entering[lower] = self._room(lower, len(players), moments)
                    for flowing, into in zip(_a_move_later(through), entering[lower], strict=True):
                        flow.spread(flowing, players, lower, into)
                del graph, flow, through
            if is_last:
                self._graphs.drop(tier)
            self.progress.advance(self._tiers[tier])
        self._found.error_bound = max(self._found.error_bound, bound)
        self._found.outcomes.update(zip(names, sums.outcomes(), strict=True))

    def _room(self, tier: int, columns: int, moments: int) -> list[np.ndarray]:
        return [np.zeros((self._tiers[tier], columns)) for _ in range(moments)]


def _a_move_later(through: list[np.ndarray]) -> list[np.ndarray]:
    """Return what flows through rows, weighted with the number of the move after: t + 1 and its square."""
    later = [through[0]]
    if len(through) > 1:
        later.append(through[1] + through[0])
    if len(through) > 2:
        later.append(through[2] + 2 * through[1] + through[0])
    return later


class _Sums:
    """Adds up, tier by tier, what there is to say of some kinds of players."""

    def __init__(self, players: Players, moments: int):
        self._players, self._moments = players, moments
        columns = len(players)
        self._ends = np.zeros((moments, 3, columns))  # by who wins: the first, the second, nobody
        self._never, self._counts, self._squares = np.zeros(columns), np.zeros((7, columns)), np.zeros(columns)

    def add(self, flow: Flow, through: list[np.ndarray]) -> None:
        """Add what flows through the rows of a tier."""
        graph, players = flow.graph, self._players
        moves, _, keeping, halves = (graph.facts[:, i].astype(np.float64) for i in range(4))
        is_over = moves == 0
        wins = (graph.values == WIN) ^ (graph.who == 1)
        tied = graph.values == TIE
        ends = np.stack([is_over & wins & ~tied, is_over & ~wins & ~tied, is_over & tied]).astype(np.float64)
        for number, each in enumerate(through):
            self._ends[number] += ends @ each
        at, weighted = through[0], through[1]
        if flow.closed.any():
            is_closed = flow.closed[:, None] >> players.kinds & 1 == 1
            self._never += np.where(is_closed, at, 0.0).sum(axis=0)
            at, weighted = np.where(is_closed, 0.0, at), np.where(is_closed, 0.0, weighted)
        goes_on, has_choice = ~is_over, moves > 1
        moves[is_over] = 1.0
        giving, points = (moves - keeping) / moves * goes_on, halves / moves / 2
        mine = [graph.who == who for who in range(2)]
        weights = [goes_on, has_choice, has_choice & (keeping == 1)]
        counts = np.stack([*weights, *(giving * who for who in mine), *(points * who for who in mine)]) @ at
        self._counts += counts
        self._squares += 2 * (goes_on.astype(np.float64) @ weighted) + counts[0]

    def outcomes(self) -> list[Outcome]:
        """Return what has come out, for each kind of players."""
        found = []
        for k in range(len(self._players)):
            first, second, tie = self._ends[0, :, k].tolist()
            ending, never = first + second + tie, float(self._never[k])
            total = ending + never
            length = spread = None
            if ending:
                mean = float(self._ends[1, :, k].sum()) / ending
                square = float(self._squares[k]) / ending if not never else nan
                if not never:  # what has not been weighted is nearer to the truth
                    mean = float(self._counts[0, k]) / ending
                elif self._moments > 2:
                    square = float(self._ends[2, :, k].sum()) / ending
                length, spread = mean, _spread(square, mean) if square == square else None
            moves, choices, only, *erring = self._counts[:, k].tolist()
            rates = self._players.rates[:, k].tolist()
            blunders, points = (rates[0] * erring[i] + rates[1] * erring[i + 1] for i in (0, 2))
            first, second, tie, never = (x / total for x in (first, second, tie, never))
            lengths = length, spread, moves
            found.append(Outcome(first, second, tie, never, *lengths, blunders, points, choices, only))
        return found


def _spread(square: float, mean: float) -> float:
    """Return the standard deviation of lengths, given their mean and that of their squares; 0 for mere rounding.

    >>> _spread(25.0, 4.0), _spread(529.000000000008, 23.0)
    (3.0, 0.0)
    """
    found = square - mean * mean
    return sqrt(found) if found > ROUNDING * square else 0.0
