"""What a variant is like to play is estimated here from games, for variants too large to solve.

The games are those of gamesman.analysis.playouts, at random, and of gamesman.analysis.searching, in which players who
search stand where perfect ones would; each number has the interval of gamesman.analysis.intervals. No database is
asked, so no number is exact, but for what a search of the start has found for certain.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from gamesman.analysis import intervals
from gamesman.analysis.complexity import by_depth
from gamesman.analysis.grid import find_grid
from gamesman.analysis.intervals import CONFIDENCE, Difference, Estimate
from gamesman.analysis.judging import Judge, Judged
from gamesman.analysis.kernels.playouts import CUT, FIRST, NOBODY, RETURNED, SECOND
from gamesman.analysis.playouts import Games, Playouts
from gamesman.analysis.searching import SearchingGames
from gamesman.analysis.treesize import tree_size
from gamesman.errors import CallError
from gamesman.machine.memory import COMPILING, Allowance
from gamesman.model.progress import Progress
from gamesman.model.variant import Variant
from gamesman.search.deepening import MOST_DEPTH
from gamesman.search.found import Found
from gamesman.search.searcher import TABLE_BYTES, Searcher
from gamesman.values import NAMES

MOST_MOVES = 10_000  # of a game at random, which is cut off after them
MOST_SEARCHED = 1_000  # the same of a game in which a player searches
FEWEST_GAMES = 10  # fewer do not tell how far they vary
GAMES_A_SEARCH = 50  # of so many games at random there is one in which a player searches

SHARES = {"first": FIRST, "second": SECOND, "tie": NOBODY, "unfinished": RETURNED}
NUMBERS = ("length", "length_sd", "choices", "branching")
MEASURES = (*SHARES, *NUMBERS)
JUDGED = ("blunders_per_move", "traps")  # shares, of moves and of positions in games at random
COMPARED = (*MEASURES, *JUDGED)
# Fields of `stats --json` that only a solved variant has.
UNKNOWN = (
    "positions counts primitives moves max_remoteness tiers by_remoteness by_tier branching_factor classes play"
).split()
SIZES = ("log10_positions", "log10_classes", "log10_games", "log10_tree")
TREE = ("log10_games", "log10_tree")
RATES = (0.0, 0.2, 0.4, 0.6, 0.8)
# Kinds of players of whom one or both search: the rates at which the first and the second one err.
ERRING = {
    "first_searching": (0.0, 1.0),
    "second_searching": (1.0, 0.0),
    **{f"errors {rate}": (rate, rate) for rate in RATES},
}
KINDS = ("random", "first_searching", "second_searching")
PLAYERS = (*KINDS, "searching")  # whom variants are compared by; the last are two who search and never err
SHARE_JUDGING = 0.125  # of the time that is given, for each of: the start, moves, positions; the rest is for games


class Asked(NamedTuple):
    """Says how variants are estimated."""

    playouts: int = 10_000
    depth: int = 2  # moves that searches look ahead
    seed: int = 1
    seconds: float | None = None  # that searches may take; without a limit None

    def check(self) -> None:
        """Raise CallError where there would be too few games, or too deep searches."""
        if self.playouts < FEWEST_GAMES:
            raise CallError(f"playouts must be {FEWEST_GAMES} or more, to tell how far they vary; got {self.playouts}")
        if not 1 <= self.depth <= MOST_DEPTH:
            raise CallError(f"depth must be 1 to {MOST_DEPTH}, got {self.depth}")
        if self.seconds is not None and not 0 < self.seconds < float("inf"):
            raise CallError(f"the time must be more than 0 seconds, got {self.seconds}")

    @property
    def searched(self) -> int:
        """Return in how many games of each kind a player searches."""
        return max(FEWEST_GAMES, self.playouts // GAMES_A_SEARCH)


@dataclass
class Played:
    """Holds what is estimated of one kind of players: by measure, None where no game tells."""

    games: int
    cut: int  # games cut off
    most_moves: int
    found: dict[str, Estimate | None]

    @classmethod
    def of(cls, games: Games, most_moves: int) -> "Played":
        """Estimate all measures from some games."""
        is_cut = games.outcomes == CUT
        cut, returned = int(is_cut.sum()), games.count(RETURNED)
        found: dict[str, Estimate | None] = {}
        for name, outcome in SHARES.items():
            found[name] = intervals.share(games.count(outcome), len(games), cut)
        if cut:
            # A game that was cut off may end.
            low = intervals.share(returned, len(games)).low
            found["unfinished"] = intervals.share(returned + cut, len(games))._replace(low=low, error=None)
        ended = games.lengths[~is_cut & (games.outcomes != RETURNED)].astype(np.float64)
        found["length"] = intervals.mean(ended, ended if cut else None)
        found["length_sd"] = intervals.spread(ended, is_cut=bool(cut))
        choices = games.choices.astype(np.float64)
        found["choices"] = intervals.mean(choices, np.where(is_cut, 0.0, choices) if cut else None)
        found["branching"] = intervals.ratio(games.offered.astype(np.float64), games.lengths.astype(np.float64))
        return cls(len(games), cut, most_moves, found)

    def as_json(self) -> dict[str, Any]:
        """Return the fields of a kind of players in `estimated` of `stats --estimate --json`."""
        numbers = {name: None if each is None else each.as_json() for name, each in self.found.items()}
        return {"games": self.games, "cut_off": self.cut, "most_moves": self.most_moves, **numbers}


@dataclass
class Estimated:
    """Holds what is estimated of a variant, and what a search of its start has found."""

    variant: Variant
    asked: Asked
    start: Found
    kinds: dict[str, Played]
    errors: list[tuple[float, Played]]  # by the rate at which both players err; the last one is 1
    blunders: Estimate | None  # of a move at random; None where no move is made
    traps: Estimate | None  # of a position in which one is made
    tree: dict[str, Estimate] | None  # see tree_size
    is_interrupted: bool = False  # so that there are fewer games than were asked for

    def number(self, name: str, players: str = "random") -> Estimate | None:
        """Return one of the numbers that variants are compared by, of one of PLAYERS."""
        judged = {"blunders_per_move": self.blunders, "traps": self.traps}
        return judged[name] if name in judged else self.played(players).found[name]

    def played(self, players: str) -> Played:
        """Return what came of games of some of PLAYERS."""
        return self.errors[0][1] if players == "searching" else self.kinds[players]

    @property
    def searched(self) -> int:
        """Return how many games there are of each kind of players who search."""
        return min(each.games for each in [*(self.kinds[name] for name in KINDS[1:]), *(e for _, e in self.errors)])

    def as_json(self) -> dict[str, Any]:
        """Return the fields of `stats --estimate --json`."""
        value = None if self.start.value is None else NAMES[self.start.value]
        return {
            "variant": self.variant.name,
            "status": "estimated",
            "position": self.variant.show(self.variant.start()),
            "value": value,
            "remoteness": self.start.remoteness,
            **dict.fromkeys(UNKNOWN),
            # Moves from the start are counted, solved or not.
            "complexity": {**dict.fromkeys(SIZES), "by_depth": by_depth(self.variant)},
            "estimated": {
                "confidence": CONFIDENCE,
                "seed": self.asked.seed,
                "depth": self.asked.depth,
                "seconds": self.asked.seconds,
                "interrupted": self.is_interrupted,
                **{name: played.as_json() for name, played in self.kinds.items()},
                "errors": [{"rate": rate, **played.as_json()} for rate, played in self.errors],
                "blunders_per_move": None if self.blunders is None else self.blunders.as_json(),
                "traps": None if self.traps is None else self.traps.as_json(),
                **{name: None if self.tree is None else self.tree[name].as_json() for name in TREE},
            },
        }


def estimate(variant: Variant, asked: Asked, memory: int | None = None, progress: Progress | None = None) -> Estimated:
    """Estimate what a variant is like to play. Raises CallError, TooLarge, BrokenGame."""
    asked.check()
    table = TABLE_BYTES
    if memory is not None:
        allowance = Allowance(memory)
        allowance.begin(2 * COMPILING, f"estimating {variant.name}")
        table = min(table, max(1 << 16, (allowance.left - 2 * COMPILING) // 2))
    playouts = Playouts(variant, asked.seed, MOST_MOVES)
    random = playouts.play(asked.playouts, progress)
    kinds = {"random": Played.of(random, MOST_MOVES)}
    tree = tree_size(variant, asked.searched, asked.seed, progress)
    searcher, end = Searcher(variant, None, table), None if asked.seconds is None else time.monotonic() + asked.seconds
    a_part = None if asked.seconds is None else asked.seconds * SHARE_JUDGING
    start = searcher.search(variant.start(), asked.depth, a_part)
    how = searcher, asked.depth, asked.searched, asked.seed, a_part, progress
    judge = Judge(variant, playouts, random.lengths.tolist(), *how)
    judged = _share(judge.moves()), _share(judge.traps())
    games = SearchingGames(variant, searcher, ERRING, asked.depth, asked.seed, MOST_SEARCHED, FEWEST_GAMES)
    played = games.play(asked.searched, None if end is None else end - time.monotonic(), progress)
    found = {name: Played.of(each, MOST_SEARCHED) for name, each in played.items()}
    kinds |= {name: found[name] for name in KINDS[1:]}
    errors = [*((rate, found[f"errors {rate}"]) for rate in RATES), (1.0, kinds["random"])]
    return Estimated(variant, asked, start, kinds, errors, *judged, tree, games.is_interrupted)


def _share(judged: Judged) -> Estimate | None:
    return intervals.share(judged.sure, judged.of, judged.unknown) if judged.of else None


@dataclass
class EstimatedComparison:
    """Holds several variants that were estimated; from a baseline, the first, there are only the pairs it is in."""

    variants: list[Estimated]
    is_from_baseline: bool = False

    @property
    def pairs(self) -> list[tuple[int, int]]:
        every = combinations(range(len(self.variants)), 2)
        return [(i, j) for i, j in every if i == 0 or not self.is_from_baseline]

    def differences(self, i: int, j: int, players: str = "random") -> dict[str, Difference | None]:
        """Return how much of each measure of games of some players there is more in the second one of two variants."""
        return {name: self._combined(name, players, [(i, -1.0), (j, 1.0)]) for name in compared(players)}

    def effects(self, players: str = "random") -> list[dict[str, Any]] | None:
        """Return what each option does to games of some players, and two together, in a full grid of variants."""
        grid = find_grid([each.variant for each in self.variants])
        if grid is None:
            return None
        found: list[dict[str, Any]] = []
        for name in compared(players):
            entry: dict[str, Any] = {"measure": name, "players": players, "options": [], "interactions": []}
            for i, factor in enumerate(grid.factors):
                signs = [_end(place[i], len(factor.levels)) for place in grid.places]
                effect = self._combined(name, players, _weighed(signs))
                ends = {"from": factor.said(factor.levels[0]), "to": factor.said(factor.levels[-1])}
                entry["options"].append({"option": factor.name, **ends, **_effect(effect)})
            for i, j in combinations(range(len(grid.factors)), 2):
                one, other = grid.factors[i], grid.factors[j]
                signs = [_end(p[i], len(one.levels)) * _end(p[j], len(other.levels)) for p in grid.places]
                # Each of the four corners is a mean of its own.
                effect = self._combined(name, players, _weighed(signs, 2.0))
                entry["interactions"].append({"options": [one.name, other.name], **_effect(effect)})
            found.append(entry)
        return found

    def _combined(self, name: str, players: str, weights: Sequence[tuple[int, float]]) -> Difference | None:
        estimates = []
        for i, _ in weights:
            found = self.variants[i].number(name, players)
            if found is None:
                return None
            estimates.append(found)
        if len(estimates) == 2 and name not in NUMBERS:
            return intervals.difference(estimates[0], estimates[1], is_share=True)
        return intervals.combined(estimates, [weight for _, weight in weights])

    def as_json(self) -> dict[str, Any]:
        """Return the fields of `compare --estimate --json`."""
        differences = []
        for i, j in self.pairs:
            entry: dict[str, Any] = {"first": self.variants[i].variant.name, "second": self.variants[j].variant.name}
            for players in PLAYERS:
                found = self.differences(i, j, players)
                entry[players] = {name: None if d is None else d.as_json() for name, d in found.items()}
            differences.append(entry)
        effects = self.effects()
        return {
            "status": "estimated",
            "confidence": CONFIDENCE,
            "variants": [each.as_json() for each in self.variants],
            "differences": differences,
            "effects": None if effects is None else [*effects, *(self.effects("searching") or [])],
            "note": NOTE,
        }


NOTE = (
    "All numbers are estimated from games, with intervals of 95 % confidence. p is how likely a difference as large "
    "would be if there were none; of 20 differences that are none, one has a p below 0.05 by chance."
)


def compared(players: str) -> tuple[str, ...]:
    """Return the measures of games of some players by which variants are compared."""
    return COMPARED if players == "random" else MEASURES


def _end(place: int, levels: int) -> float:
    """Return the sign that a value of an option has in its effect: the last one less the first one."""
    return float(place == levels - 1) - float(place == 0)


def _weighed(signs: Sequence[float], scale: float = 1.0) -> list[tuple[int, float]]:
    """Return weights that make the mean of all with a plus less the mean of all with a minus, times `scale`."""
    sides = {sign: sum(1 for each in signs if each == sign) for sign in (-1.0, 1.0)}
    return [(i, scale * sign / sides[sign]) for i, sign in enumerate(signs) if sign]


def _effect(found: Difference | None) -> dict[str, Any]:
    """Return an effect as JSON has it."""
    if found is None:
        return {"effect": None, "low": None, "high": None, "p": None}
    fields = found.as_json()
    return {"effect": fields.pop("difference"), **fields}
