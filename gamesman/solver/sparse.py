"""Tiers whose keys are scattered are enumerated and solved here as sets of keys, found by hashing."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from gamesman.compiler.compile import Compiler
from gamesman.machine.memory import Allowance
from gamesman.machine.workers import Workers
from gamesman.model import culprit, endless
from gamesman.model.ports import Part
from gamesman.model.summary import TierSummary
from gamesman.model.symmetry import Symmetry
from gamesman.solver import levels
from gamesman.solver.forecast import Enumerated, Forecast
from gamesman.solver.frontier import Frontier
from gamesman.solver.kernels import acyclic, beginning, expand, hashing, retrograde
from gamesman.solver.kernels.retrograde import Where
from gamesman.solver.keyset import FEW_KEYS, KeySet, KeyTable, Slots, SpillFolder, Unforeseen, address
from gamesman.solver.leading import leading_to
from gamesman.solver.levels import MOST_COUNTED, Levels, new_due, no_links, nobody, raise_for
from gamesman.values import UNREACHED

KEYS_PER_BUCKET = 1 << 14  # keys a bucket holds
MOST_TARGETS = 16  # tiers that the children of some positions can be in before the buckets are emptied
LEAST_KEYS_PER_BUCKET = 16

# A key below this and its record fit one number, which sorts several times faster than keys with their records.
SORTS_WITH_RECORD = 1 << 47
POSITIONS_PER_PART = 1 << 18  # positions a part handed to the sink has at most


class Tier:
    """Holds what enumerating a tier has found, and while they are needed its keys and records."""

    def __init__(self, number: int, keys: KeySet, tally: np.ndarray, children: set[int]):
        self.number, self.keys, self.children = number, keys, children - {number}
        self.primitives, self.moves, self.inner, self.most_moves = (int(n) for n in tally)
        self.records = np.empty(0, np.uint16)

    def row(self) -> list[int]:
        """Return where the tier's arrays are, for the kernels."""
        k = self.keys
        return [self.number, address(k.keys), address(k.directory), address(self.records), k.size]


class Buffers:
    """Holds the children that one thread meets, in buckets."""

    def __init__(self, room: int = KEYS_PER_BUCKET, targets: int = MOST_TARGETS):
        self.tiers = np.zeros(targets + 1, np.int64)
        self.which = np.zeros(acyclic.ROW_MASK + 1, np.int64)
        self.buckets = np.empty((targets, hashing.SHARDS, room), np.int64)
        self.filled = np.zeros((targets, hashing.SHARDS), np.int64)

    def clear(self) -> None:
        """Empty all buckets."""
        self.filled[: self.tiers[0]] = 0
        self.tiers[0] = 0

    def shape_for_more(self) -> tuple[int, int]:
        """Return the room and targets that a position's children need, of which some found no room here.

        More targets have less room each, so that a position with moves to a thousand tiers costs no more memory.
        """
        targets, _, room = self.buckets.shape
        return (max(room // 4, LEAST_KEYS_PER_BUCKET), targets * 4) if self.tiers[0] == targets else (room * 4, targets)


def _room(threads: int, left: int) -> int:
    """Return how large a bucket can be for the buffers of all threads to take a quarter of the memory left, at most."""
    room = KEYS_PER_BUCKET
    while room > LEAST_KEYS_PER_BUCKET and 8 * room * MOST_TARGETS * hashing.SHARDS * threads > left // 4:
        room //= 2
    return room


class Enumeration:
    """Finds every reachable position, from the highest tier down."""

    def __init__(
        self,
        kernels: dict[str, Any],
        rules: Any,
        workers: Workers,
        allowance: Allowance,
        folder: SpillFolder,
        forecast: Forecast | None = None,
        blame: Callable[..., None] = nobody,
        bound: int | None = None,
        closed: Callable[[int, np.ndarray], object] = lambda number, keys: None,
        at_once: int = 1 << 62,
    ):
        self._at_once, self._at_work = at_once, dict[int, np.ndarray]()  # keys by the thread that expands them
        self._blame, self._bound, self._closed, self._forecast = blame, bound, closed, forecast
        self._found, self._open = dict[int, Tier](), dict[int, KeyTable]()
        self._kernels, self._rules, self._workers, self._allowance = kernels, rules, workers, allowance
        self._memory, self._folder, self._frontier = Slots(kernels, workers, allowance), folder, Frontier()
        self._room = _room(workers.threads, allowance.left)
        self._buffers = [Buffers(self._room)]  # those of further threads when there is work for them

    def run(self, start_tier: int, start_key: int, advanced: Callable[[int, int], None]) -> dict[int, Tier]:
        """Find all tiers from the start's down, and return them."""
        found = self._found
        bucket, filled = np.zeros((hashing.SHARDS, 1), np.int64), np.zeros(hashing.SHARDS, np.int64)
        home = hashing.shard_of(start_key)  # threads that pack a table share it out by what each shard has
        bucket[home, 0], filled[home] = start_key, 1
        self._table(start_tier).insert(bucket, filled)
        with endless.suspected(lambda: chain(*self._at_work.copy().values())):
            while self._open:
                number = max(self._open)
                tier = found[number] = self._close_tier(number, advanced)
                self._closed(number, tier.keys.keys)
                self._frontier.closed(number, tier.keys.keys, tier.children)
                tier.keys.put_away(self._folder)
        return found

    def known(self) -> Enumerated:
        """Return what has been found so far, with keys from which to guess what has not."""
        tiers, met = self._found.values(), {number: len(table) for number, table in self._open.items()}
        ways = {(tier.number, child) for tier in tiers for child in tier.children}
        ways |= {(tier.number, tier.number) for tier in tiers if tier.inner}
        inner = sum(tier.inner for tier in tiers) / max(1, sum(len(tier.keys) for tier in tiers if tier.inner))
        sizes = {tier.number: len(tier.keys) for tier in tiers}
        return Enumerated(sizes, ways, met, self._frontier.pool(self._open), inner, self._frontier.key_bytes)

    def _table(self, tier: int, size: int = hashing.SMALLEST) -> KeyTable:
        """Return the table in which a tier's keys are collected, a new one if there is none."""
        if tier not in self._open:
            self._open[tier] = KeyTable(self._kernels, self._workers, self._memory, size)
        return self._open[tier]

    def _close_tier(self, number: int, advanced: Callable[[int, int], None]) -> Tier:
        """Expand all positions of the highest tier that is open, and return the tier."""
        table = self._open[number]
        tally = np.zeros(4, np.int64)
        targets: set[int] = set()
        keys = table.pack()
        frontier = [keys.keys]
        known = len(keys)
        while frontier:
            fresh: list[np.ndarray] = []
            for part in frontier:
                self._expand(number, part, tally, targets, fresh, advanced)
            frontier = fresh
        if len(table) > known:
            keys = table.pack()
        if self._bound is not None and len(keys) and (last := int(keys.keys.max())) >= self._bound:
            self._blame(last, partial(self._leading_to, number))
        self._open.pop(number).close()
        return Tier(number, keys, tally, targets)

    def _expand(
        self,
        here: int,
        keys: np.ndarray,
        tally: np.ndarray,
        targets: set[int],
        fresh: list[np.ndarray],
        advanced: Callable[[int, int], None],
    ) -> None:
        """Expand some positions of a tier, noting the tiers that moves lead to and the new keys of this one."""
        threads = self._workers.threads if len(keys) >= FEW_KEYS else 1
        held, _, room = self._buffers[0].buckets.shape
        self._buffers += [Buffers(room, held) for _ in range(threads - len(self._buffers))]
        bounds = [len(keys) * i // threads for i in range(threads + 1)]
        at, ends = bounds[:-1], bounds[1:]
        tallies = [np.zeros(4, np.int64) for _ in range(threads)]
        while at != ends:
            before = list(at)
            spans = list(zip(before, ends, tallies, strict=True))
            at = self._workers.run([partial(self._fill, w, here, keys, *span) for w, span in enumerate(spans)])
            if min(at) < 0:
                self._blame(int(keys[~min(at)]), partial(self._leading_to, here))
            shapes = [b.shape_for_more() for b, i, end in zip(self._buffers, at, ends, strict=False) if i < end]
            done, moves = sum(at) - sum(before), sum(int(b.filled.sum()) for b in self._buffers)
            self._empty(here, targets, fresh)
            if at == before:  # one position's children did not find room in empty buckets
                self._enlarge(*shapes[0])
            if self._forecast is not None and self._forecast.count(done, moves):
                self._forecast.look(self.known())
            advanced(here, done)
        tally[:3] += sum(one[:3] for one in tallies)
        tally[3] = max(tally[3], *(one[3] for one in tallies))

    def _leading_to(self, here: int, key: int) -> int | None:
        """Return the key of a position met so far that has a move to the position of another key."""
        self._buffers = []  # their memory is not needed any more

        def tiers() -> Iterator[tuple[int, np.ndarray]]:
            yield here, self._open[here].pack().keys
            for number in sorted(self._found):
                keys = self._found[number].keys
                keys.fetch()
                yield number, keys.keys

        return leading_to(self._kernels["expand"], self._rules, tiers(), key)

    def _enlarge(self, room: int, targets: int) -> None:
        """Make the buffers larger. Raises TooLarge if there is no memory for that."""
        count, self._buffers = len(self._buffers), []
        size = 8 * room * targets * hashing.SHARDS * self._workers.threads
        self._allowance.reserve(size, "expanding a position with so many moves")
        self._buffers = [Buffers(room, targets) for _ in range(count)]

    def _fill(self, w: int, here: int, keys: np.ndarray, begin: int, end: int, tally: np.ndarray) -> int:
        """Put children into a thread's buffers; return the index to go on from when they are full."""
        b, at, stop = self._buffers[w], begin, begin
        while at == stop < end:
            begin, stop = stop, min(end, stop + self._at_once)
            self._at_work[w] = keys[begin:stop]
            out = b.tiers, b.which, b.buckets, b.filled, tally
            at = self._kernels["expand"](self._rules, keys, begin, stop, here, *out)
        return at

    def _empty(self, here: int, targets: set[int], fresh: list[np.ndarray]) -> None:
        """Move the children from the buffers into the tables of their tiers."""
        for buffers in self._buffers:
            for t, number in enumerate(buffers.tiers[1 : buffers.tiers[0] + 1].tolist()):
                # A table begins a good deal smaller than this tier's: neighbouring tiers are of a size.
                table = self._table(number, max(hashing.SMALLEST, self._open[here].size - 2))
                new = table.insert(buffers.buckets[t], buffers.filled[t])
                targets.add(number)
                if number == here and new.any():
                    fresh.append(np.concatenate([buffers.buckets[t, s, :n] for s, n in enumerate(new) if n]))
            buffers.clear()


class Sparse:
    """Enumerates and solves the tiers of a variant one by one."""

    def __init__(
        self,
        compiler: Compiler,
        rules: Any,
        workers: Workers,
        allowance: Allowance,
        folder: SpillFolder,
        forecast: Forecast,
        symmetry: Symmetry | None = None,
        *,
        bound: int | None = None,
        blame: Callable[..., None] = nobody,
        at_once: int = 1 << 62,
    ):
        self._forecast, self._bound, self._blame, self._at_once = forecast, bound, blame, at_once
        functions, kernel = compiler.functions, compiler.kernel
        self._kernels = {
            **hashing.kernels(kernel),
            **expand.kernels(kernel, functions),
            **acyclic.kernels(kernel, functions),
            **beginning.kernels(kernel, functions, dense=False),
            **retrograde.kernels(kernel, functions, dense=False),
        }
        self._rules, self._workers, self._allowance, self._folder = rules, workers, allowance, folder
        self._symmetry = symmetry
        self._tiers: dict[int, Tier] = {}

    def enumerate(self, start_tier: int, start_key: int, advanced: Callable[[int, int], None]) -> None:
        """Find every reachable position, from the start's tier down. Raises TooLarge where they will not fit."""
        given = self._workers, self._allowance, self._folder, self._forecast, self._blame, self._bound
        enumeration = Enumeration(self._kernels, self._rules, *given, at_once=self._at_once)
        try:
            self._tiers = enumeration.run(start_tier, start_key, advanced)
        except Unforeseen as error:
            needed, known = error.needed, enumeration.known()
        else:
            self._forecast.check_solving(enumeration.known())
            return
        del enumeration  # its memory is needed for the games that say how much more it would have to be
        raise self._forecast.refusal(known, needed)

    def positions(self, number: int) -> int:
        """Return how many positions of a tier are held."""
        return len(self._tiers[number].keys)

    def tiers(self) -> list[int]:
        """Return the tiers that were found, the lowest first."""
        return sorted(self._tiers)

    def children(self, number: int) -> set[int]:
        """Return the other tiers that moves from a tier lead to."""
        return self._tiers[number].children

    def solve(self, number: int, advanced: Callable[[int], None]) -> TierSummary:
        """Solve a tier, all of whose children have their records, and return what was found."""
        tier = self._tiers[number]
        self._allowance.reserve(12 * len(tier.keys), f"a tier of {len(tier.keys):,} positions")
        tier.keys.fetch()
        tier.records = np.empty(len(tier.keys), np.uint16)
        lower = np.array([self._tiers[n].row() for n in sorted(tier.children, reverse=True)], np.int64)
        lower = lower.reshape(-1, 5) if len(lower) else acyclic.NO_ROWS
        if tier.inner:
            self._solve_cycles(tier, lower, advanced)
        else:
            self._solve_at_once(tier, lower, advanced)
        found = self._kernels, self._rules, 0, tier.keys.keys, tier.records, self._workers
        pieces = levels.pieces(len(tier.keys))
        histogram, classes = levels.counted(*found, pieces, are_classes=self._symmetry is not None)
        return TierSummary(number, histogram, tier.primitives, tier.moves, classes)

    def _solve_at_once(self, tier: Tier, lower: np.ndarray, advanced: Callable[[int], None]) -> None:
        """Solve a tier without moves inside it, in one pass."""
        scratch = [acyclic.new_scratch() for _ in range(self._workers.threads)]

        def settle_some(w: int, begin: int, end: int) -> None:
            keys = tier.keys.keys
            settle = partial(self._kernels["settle"], self._rules, keys)
            if (wrong := settle(begin, end, tier.records, lower, scratch[w])) < 0:
                self._blame_first(wrong, lambda a, b: settle(a, b, tier.records, lower, scratch[w]), keys, begin, end)
            advanced(end - begin)

        self._workers.share(settle_some, levels.pieces(len(tier.keys)))

    def _solve_cycles(self, tier: Tier, lower: np.ndarray, advanced: Callable[[int], None]) -> None:
        """Solve a tier with moves inside it, backwards from what is decided."""
        n = len(tier.keys)
        if tier.most_moves > MOST_COUNTED:
            raise_for(acyclic.TOO_MANY)
        left = np.empty(n, np.uint8 if tier.most_moves < 250 else np.uint16)
        k = tier.keys
        where = Where(0, k.keys, address(k.keys), address(k.directory), k.size, 0)
        scratch = [acyclic.new_scratch() for _ in range(self._workers.threads)]
        dues = [new_due() for _ in scratch]

        def prepare(w: int, begin: int, end: int) -> None:
            def run(a: int, b: int) -> int:
                place = self._rules, where, tier.number, lower, a, b
                return self._kernels["prepare"](*place, tier.records, left, dues[w], scratch[w])

            if (wrong := run(begin, end)) < 0:
                self._blame_first(wrong, run, k.keys, begin, end)

        self._workers.share(prepare, levels.pieces(n))
        links = no_links()
        if "link" in self._kernels:
            given = self._rules, where, tier.number, left, self._allowance
            links = levels.link(self._kernels["link"], *given, lambda i: self._blame(int(k.keys[i])))
        arrays = where, links, tier.records, left, sum(dues), levels.pieces(n)
        Levels(self._kernels, self._workers, self._rules, *arrays).run(advanced)

    def _blame_first(self, wrong: int, run: Callable[[int, int], int], keys: np.ndarray, begin: int, end: int) -> None:
        """Say what a kernel has found wrong with some positions; whose move leads nowhere is looked for."""
        if wrong == acyclic.MISSING:
            self._blame(int(keys[culprit.first(lambda a, b: run(a, b) < 0, begin, end)]))
        raise_for(wrong)

    def parts(self, number: int) -> Iterator[Part]:
        """Yield the tier's positions in the order of their keys."""
        tier = self._tiers[number]
        keys, records = tier.keys.keys, tier.records
        if not len(keys):
            return
        if keys.max() < SORTS_WITH_RECORD:
            both = keys << 16
            both |= records
            both.sort()
            for begin in range(0, len(both), POSITIONS_PER_PART):
                part = both[begin : begin + POSITIONS_PER_PART] >> 16
                yield Part(int(part[0]), part, (both[begin : begin + POSITIONS_PER_PART] & 0xFFFF).astype(np.uint16))
            return
        order = np.argsort(keys)
        for begin in range(0, len(order), POSITIONS_PER_PART):
            part = keys[order[begin : begin + POSITIONS_PER_PART]]
            yield Part(int(part[0]), part, records[order[begin : begin + POSITIONS_PER_PART]])

    def restore(self, number: int, parts: Iterable[Part]) -> bool:
        """Take the records of a tier solved earlier; return whether they are of just its positions."""
        tier = self._tiers[number]
        tier.keys.fetch()
        tier.records = np.full(len(tier.keys), UNREACHED, np.uint16)
        for part in parts:
            keys = part.keys if part.keys is not None else np.arange(part.first, part.first + len(part.records))
            reached = part.records != UNREACHED
            places = np.empty(np.count_nonzero(reached), np.int64)
            k = tier.keys
            self._kernels["places"](
                address(k.keys), address(k.directory), k.size, np.ascontiguousarray(keys[reached]), places
            )
            if len(places) and places.min() < 0:
                return False
            tier.records[places] = part.records[reached]
        return not np.any(tier.records == UNREACHED)

    def forget(self, number: int) -> None:
        """Free the memory that a tier needs."""
        tier = self._tiers[number]
        tier.keys.drop()
        tier.records = np.empty(0, np.uint16)

    def record(self, number: int, key: int) -> int:
        """Return the record of a position of a tier that is not forgotten."""
        k = self._tiers[number].keys
        place = np.empty(1, np.int64)
        self._kernels["places"](address(k.keys), address(k.directory), k.size, np.array([key], np.int64), place)
        return int(self._tiers[number].records[place[0]])
