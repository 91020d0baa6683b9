"""An enumeration is watched here, and refused as soon as it is sure that the solve does not fit the memory allowed."""

import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from gamesman.errors import TooLarge
from gamesman.machine.memory import ADVICE, LOADING, Allowance, give_back
from gamesman.machine.sizes import size_text
from gamesman.solver import curve, estimate, need
from gamesman.solver.estimate import Sampler, Seen, TierSize

FIRST = 2_000_000  # positions expanded before it is first looked: less is done before it is looked
TIMES_AS_MANY = 4  # times as many before it is looked again
LOOKS = 32  # tiers, at most, at whose turn it is asked what there is beside them
LOOK = (20_000, 0.05), (100_000, 0.4), (1_000_000, 1.5)  # games, and seconds, at most, until it is clear
# Where it most likely does not fit, and that is not sure: less than what would be enumerated before it is looked again.
AGAIN = 4_000_000, 4.5
REFUSED = 1_000_000, 0.3  # to say what would be enough
FROM_START = 100_000, 0.4  # games from the start, at most: only the tiers that are known are looked at
AHEAD = [(20_000 << 2 * i, 0.8) for i in range(4)]  # the same before anything is compiled
HELPED = 2  # times as many positions as before that games must be sure of for more of them to be played
MOVES = 16  # of a position, on the average: more make it as much work as several positions
UNSURE = 4  # what is likely may be so many times too little
# Too large, though not surely: where what is likely is so many times what is allowed, and what is sure such a part.
# What is sure has been a tenth of the truth and less wherever the truth is known.
LIKELY_ENOUGH, SURE_ENOUGH = 3, 6
ROWS = 1 << 22  # tiers passed, at most, that are written down before they are summed up
ROW = 128  # bytes for one of them, while they are summed up

# Where a part 1/n of the positions has been counted there may be LEAST_OFF * n**OFF times as many as is likely, or as
# few. Measured on solved variants: see docs/scaling.md.
LEAST_OFF, OFF = 1.3, 0.15
MOST_MORE = 2  # times as much memory as is likely, at the most, is said to be needed

# So many times as many positions as a curve says have been found; and never less than that, where less than a
# fiftieth of them had been enumerated, or more.
ABOVE, LEAST_EARLY, LEAST_LATE = 2.0, 1.3, 0.7
EARLY = 50


class Enumerated(NamedTuple):
    """Holds what an enumeration has found so far."""

    sizes: dict[int, int]  # of the tiers that are complete
    ways: set[tuple[int, int]]  # from which of them to which tiers moves lead
    met: dict[int, int]  # positions of the other tiers that have been met
    pool: np.ndarray  # keys, as evenly spread as there are
    inner: float = 0.0  # moves of a position within its tier, on the average
    key_bytes: float = 0.0  # of a position in a file, where some tier is complete


class Told(NamedTuple):
    """Holds what is known of tiers that have not all been enumerated."""

    by_games: dict[int, TierSize]
    by_curve: dict[int, TierSize] | None  # None where they lie on none
    ways: set[tuple[int, int]]
    sure: float  # positions there are at least, in all
    is_seen: bool  # whether games have met often enough to say more than that
    games: Sampler  # those that go on from the last known tier


class Forecast:
    def __init__(
        self,
        name: str,
        kernel: Any,
        functions: dict[str, Any],
        rules: Any,
        start_key: int,
        allowance: Allowance,
        *,
        is_stored: bool,
        counted: str = "positions",
        bound: int | None = None,
        tell: Callable[[int], None] | None = None,
    ):
        """Begin to look ahead; there are fewer than `bound` positions, and `tell` hears how many there are about."""
        self._counted, self._bound, self._tell = counted, bound, tell
        self._name, self._allowance, self._is_stored = name, allowance, is_stored
        self._given = kernel, functions, rules
        self._start = np.array([start_key], np.int64)
        give_back()  # what games from the start have taken before is no part of what the solve needs
        self._base = max(allowance.used() + LOADING, allowance.begun)
        self._expanded, self._moves, self._next = 0, 0, FIRST
        self._links = 0.0  # bytes of a position for who leads to it within its tier
        self._from_start: dict[tuple[int, float], dict[int, Seen]] = {}  # games, by how many and how long
        self._is_over = False  # whether it was last seen most likely not to fit
        self._is_on_curve = False  # whether tiers were last seen to lie on one
        self._by_games: dict[int, TierSize] = {}  # what the last games alone have shown
        self._found = 0.0, 0.0  # how many positions there are at least, and most likely
        self._key_bytes: float | None = None  # of one of them in a file

    def count(self, positions: int, moves: int) -> bool:
        """Count so many more positions as expanded, with so many moves; return whether it is time to look."""
        self._expanded, self._moves = self._expanded + positions, self._moves + moves
        return max(self._expanded, self._moves // MOVES) >= self._next

    def look(self, known: Enumerated) -> None:
        """Raise TooLarge where even the least that is left to do does not fit."""
        self._next = TIMES_AS_MANY * max(sum(known.sizes.values()), self._next)
        # More games than are needed to see that it fits are played only where it most likely does not.
        for games, seconds in LOOK:
            if self._is_clear(*self._guess(known, games, seconds), known):
                return
        if self._is_over:
            self._is_clear(*self._guess(known, *AGAIN), known)

    def _is_clear(
        self, sizes: dict[int, TierSize], ways: set[tuple[int, int]], seen: dict[int, Seen], known: Enumerated
    ) -> bool:
        """Return whether it most likely fits. Raises TooLarge where it surely, or as good as surely, does not."""
        least = self._base + self._least(sizes, ways, seen)
        likely = self._base + self._likely(sizes, ways)
        limit = self._allowance.limit
        if self._tell is not None:
            self._tell(int(sum(size.likely for size in sizes.values())))
        if least > limit or (likely > LIKELY_ENOUGH * limit and least > limit / SURE_ENOUGH):
            raise self._refusal(*self._guess(known, *REFUSED, max(self._from_start, default=FROM_START)), known)
        self._is_over = likely > limit
        return UNSURE * likely <= limit and estimate.have_met(seen.values())

    def _rows(self) -> int:
        """Return how many tiers passed there is memory to write down."""
        return max(2 * estimate.LONGEST, min(ROWS, self._allowance.left // ROW))

    def look_ahead(self) -> None:
        """Look before anything is compiled, by games from the start alone. Raises TooLarge as `look` does."""
        known, before = Enumerated({}, set(), {}, self._start), 0.0
        for games, seconds in AHEAD:
            sizes, ways, seen = self._guess(known, games, seconds)
            if self._is_clear(sizes, ways, seen, known):
                return
            sure = self._least(sizes, ways, seen)
            if sure < HELPED * before:
                return
            before = sure

    def refusal(self, known: Enumerated, failed: int) -> TooLarge:
        """Return the error of an allocation that was refused, with what the whole needs, not that one thing."""
        give_back()  # there is room for more games then
        return self._refusal(*self._guess(known, *REFUSED), known, failed)

    def check_solving(self, known: Enumerated) -> None:
        """Raise TooLarge where what has been enumerated cannot be solved in the memory allowed."""
        links = need.links(known.inner, self._given[1])
        needed = self._base + int(need.solving(known.sizes, known.ways, is_stored=self._is_stored, links=links))
        if needed > self._allowance.limit:
            count = sum(known.sizes.values())
            raise TooLarge(
                f"{self._name}, which has {count:,} {self._counted}, needs {size_text(needed * 1.1)} of memory, "
                f"{size_text(self._allowance.limit)} allowed; {ADVICE}",
                needed,
                (count, count),
                known.key_bytes,
            )

    def told(self, known: Enumerated) -> "Told":
        """Return what is known of all tiers in as many games as are worth their time."""
        sizes, ways, seen = self._guess(known, *LOOK[-1])
        sure = sum(known.sizes.values()) + max(estimate.pooled(seen.values()), sum(known.met.values()))
        is_seen = estimate.have_met(seen.values())
        return Told(self._by_games, sizes if self._is_on_curve else None, ways, sure, is_seen, self._sampler)

    def _guess(
        self, known: Enumerated, games: int, seconds: float, few: tuple[int, float] = FROM_START
    ) -> tuple[dict[int, TierSize], set[tuple[int, int]], dict[int, Seen]]:
        """Guess by so many games what there is beyond what is known, and by as many from the start, or few."""
        sampler = self._sampler = Sampler(*self._given)
        rows = self._rows()
        few = min(games, few[0]), min(seconds, few[1])
        if (known.sizes or known.met) and few not in self._from_start:
            self._from_start[few], _ = sampler.play(self._start, *few, rows)
        seen, ways = sampler.play(known.pool, games, seconds, rows)
        from_start = self._from_start.get(few, seen)
        self._links = need.links(known.inner, self._given[1])
        on_curve = along_a_curve(from_start, seen, known.sizes)
        self._is_on_curve, self._by_games = on_curve is not None, estimate.sizes(from_start, seen, known.sizes)
        sizes = on_curve or dict(self._by_games)
        for number, met in known.met.items():
            size = sizes.get(number, TierSize(0, 0))
            sizes[number] = TierSize(max(size.low, met), max(size.likely, met))
        return sizes, known.ways | ways, {number: each for number, each in seen.items() if number not in known.sizes}

    def _likely(self, sizes: dict[int, TierSize], ways: set[tuple[int, int]]) -> float:
        return self._memory({number: size.likely for number, size in sizes.items()}, ways)

    def _memory(self, counts: dict[int, float], ways: set[tuple[int, int]]) -> float:
        """Return the bytes for tables, keys and records of so many positions of each tier."""
        solving = need.solving(counts, ways, is_stored=self._is_stored, links=self._links)
        return max(need.enumerating(counts, ways), solving)

    def _refusal(
        self,
        sizes: dict[int, TierSize],
        ways: set[tuple[int, int]],
        seen: dict[int, Seen],
        known: Enumerated,
        failed: int = 0,
    ) -> TooLarge:
        counts = between(self._by_games, sizes if self._is_on_curve else None)
        counts |= {number: max(met, counts.get(number, 0.0)) for number, met in known.met.items()}
        likely, count = sum(counts.values()), sum(known.sizes.values())
        sure = count + max(estimate.pooled(seen.values()), sum(known.met.values()))
        self._found, self._key_bytes = (sure, max(sure, likely)), known.key_bytes or None
        limit, least = self._allowance.limit, max(self._base + self._least(sizes, ways, seen), failed)
        is_seen = self._is_on_curve or (known.sizes and estimate.have_met(seen.values()))
        if least > limit and not is_seen:
            # What is likely is often far too little here: only what is sure is told.
            return self._error(f"at least {rounded(sure)} {self._counted}", "at least", least)
        # With so much more that it is enough where what is likely is somewhat too little.
        factor = min(MOST_MORE, off(likely / max(1, count)))
        needed = max(self._base + factor * self._memory(counts, ways), least, 1.25 * failed, 1.25 * limit)
        most = math.inf if self._bound is None else self._bound
        has = f"about {rounded(min(max(sure, likely), most))} {self._counted}"
        return self._error(has, "about", needed)

    def _least(self, sizes: dict[int, TierSize], ways: set[tuple[int, int]], seen: dict[int, Seen]) -> float:
        """Return the least memory for tables and records: by the curve, or for the positions there are for sure."""
        sure = need.least_table(max(map(estimate.pooled, _open_together(seen, ways)), default=0.0))
        if not self._is_on_curve:
            return sure
        low = {number: size.low for number, size in sizes.items()}
        return max(sure, need.enumerating(low, ways), need.solving(low, ways, is_stored=False))

    def _error(self, has: str, surely: str, needed: float) -> TooLarge:
        bound = "" if self._bound is None else f" (at most {rounded(self._bound)} by their numbers)"
        return TooLarge(
            f"{self._name}, which has {has}{bound}, needs {surely} {size_text(needed)} of memory, "
            f"{size_text(self._allowance.limit)} allowed; {ADVICE}",
            int(needed),
            self._found,
            self._key_bytes,
        )


def along_a_curve(
    from_start: dict[int, Seen], seen: dict[int, Seen], known: dict[int, int]
) -> dict[int, TierSize] | None:
    """Return the size of every tier, where those that are known lie on a curve that goes on to the end of the game."""
    plies = curve.plies(from_start, seen, known)
    if not plies:
        return None
    end = max(plies, key=lambda number: plies[number])
    found = curve.curve(plies, known, max(games[end].even for games in (from_start, seen) if end in games))
    if found is None:
        return None
    sizes = {number: TierSize(count, count) for number, count in known.items()}
    on_it = {number: found.after(ply) for number, ply in plies.items() if number not in known}
    if estimate.pooled(each for number, each in seen.items() if number in on_it) > sum(on_it.values()):
        return None  # there are more for sure: it is not that curve
    is_early = EARLY * sum(known.values()) < sum(on_it.values())
    for number, count in on_it.items():
        least = max(games[number].least for games in (from_start, seen) if number in games)
        low = max(least, count * (LEAST_EARLY if is_early else LEAST_LATE))
        sizes[number] = TierSize(low, max(low, count * ABOVE))
    return sizes


def between(by_games: dict[int, TierSize], by_curve: dict[int, TierSize] | None) -> dict[int, float]:
    """Return how many positions each tier most likely has: between what games say and a curve, if there is one."""
    curve = by_curve or {}
    return {
        number: math.sqrt(max(1.0, size.likely) * max(1.0, curve.get(number, size).likely))
        for number, size in by_games.items()
    }


def off(uncounted: float) -> float:
    """Return how many times too much or too little is told, at the most, where one of so many has been counted."""
    return LEAST_OFF * uncounted**OFF


def _open_together(seen: dict[int, Seen], ways: set[tuple[int, int]]) -> Iterator[list[Seen]]:
    """Yield what is seen of tiers that have tables at the same time, when it is the turn of one tier or another."""
    first_met = {number: number for number in seen}
    for above, below in ways:
        if below in seen:
            first_met[below] = max(first_met[below], above)
    for turn in sorted(seen)[:: 1 + len(seen) // LOOKS]:
        yield [each for number, each in seen.items() if number <= turn <= first_met[number]]


def rounded(count: float) -> str:
    """Write a number of which two digits are known.

    >>> rounded(123456)
    '120,000'
    """
    digits = max(0, len(str(int(count))) - 2)
    return f"{round(count / 10**digits) * 10**digits:,}"
