"""A solved variant is walked over once, position by position, to count what its summary does not tell.

Positions are streamed from the database tier by tier. Their moves are followed to the positions they lead to, whose
records are looked up in the tiers these belong to.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gamesman.analysis.kernels import walking
from gamesman.analysis.lookup import SPARE_BYTES, TIER_BYTES, Lookup, array_on_disk
from gamesman.errors import Damaged
from gamesman.machine.memory import Allowance
from gamesman.model.advice import command
from gamesman.model.game import no_tier
from gamesman.model.progress import Progress, Silent
from gamesman.model.symmetry import Symmetry
from gamesman.model.variant import Variant
from gamesman.values import DRAW, LOSE, REMOTENESS_BITS, TIE, WIN, pack

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

# Walking fewer positions than this in plain Python is done before the compiler would be.
MOST_INTERPRETED = 20_000

MOVES_AT_ONCE = 1 << 18  # moves followed at a time, at first
MOST_TIERS = 1 << 10  # tiers that the moves followed at a time may lead to, at first


@dataclass
class Census:
    """Holds what a walk over a variant has counted; values are those of the player to move."""

    turns: np.ndarray  # turns[player, value]: positions that are not over, by whose turn it is
    only: Counter[int] = field(default_factory=Counter)  # value -> positions in which one move alone keeps it
    single: int = 0  # positions with one move, which keeps the value whatever it is
    examples: dict[int, int] = field(default_factory=dict)  # record -> the first key that has it
    kept: "Kept | None" = None


class Kept:
    """Holds what a walk keeps of each position, by tier and key: its best moves, and its class's size.

    Bit i of a row is set where the i-th move that the game yields is a best one.
    """

    def __init__(self, count: int, allowance: Allowance | None):
        is_in_memory = allowance is None or allowance.has(9 * count + SPARE_BYTES)
        make = np.zeros if is_in_memory else array_on_disk
        self.best = make(max(1, count), np.uint64)[:, None]
        self.sizes = make(max(1, count), np.uint8)
        self._place = 0

    def widen(self, count: int) -> np.ndarray:
        """Make room for twice as many moves a position; return the last rows that were taken."""
        self.best = np.hstack([self.best, np.zeros_like(self.best)])
        return self.best[self._place - count : self._place]

    def take(self, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows and the sizes of so many positions more, to be filled in."""
        here = slice(self._place, self._place + count)
        self._place += count
        return self.best[here], self.sizes[here]


def take_census(
    stored: "SolvedPositions",
    wanted: Sequence[int] = (),
    memory: int | None = None,
    progress: Progress | None = None,
    *,
    is_walked: bool = True,
    is_kept: bool = False,
    is_classes: bool = True,
) -> Census:
    """Walk over a solved variant, and find an example of each record `wanted`; with `is_walked` off do only that.

    One position of each class is walked, or with `is_classes` off all of them. `is_kept` keeps the best moves of each.
    """
    progress = progress or Silent()
    census = Census(np.zeros((2, 4), np.int64))
    allowance = allowance_for(stored, memory, is_walked=is_walked)
    symmetry = stored.symmetry if is_classes else None
    sizes = {tier.number: tier.classes if is_classes else tier.positions for tier in stored.summary.tiers}
    kernels, rules = kernels_for(stored.variant, sum(sizes.values()), symmetry)
    if is_walked and is_kept:
        census.kept = Kept(sum(sizes.values()), allowance)
    walker = _Walker(stored, census, allowance, kernels, rules, sizes, is_classes=is_classes) if is_walked else None
    found_in: dict[int, int] = {}  # record -> the first tier that has it
    progress.start(f"walking {stored.variant.name}", sum(sizes.values()))
    before = None
    for tier, keys, records in stored.positions(is_classes=is_classes):
        for record in wanted:
            if found_in.get(record, tier) != tier:
                continue
            found = keys[records == record]
            if len(found):
                key, _ = kernels["lowest_key"](rules, found)
                census.examples[record] = min(key, census.examples.get(record, key))
                found_in[record] = tier
        if tier != before:
            if walker is not None:
                walker.lower.begin_tier()
            elif len(found_in) == len(wanted) and tier not in found_in.values():
                break
        if walker is not None:
            walker.walk(keys, records)
        before = tier
        progress.advance(len(keys))
    progress.finish()
    return census


class Counting:
    """Counts what a walk does of tiers whose moves are known already, from the lowest one up."""

    def __init__(self, stored: "SolvedPositions", census: Census):
        self._census, self._wanted = census, longest_records(stored)
        kernels, rules = kernels_for(stored.variant, class_count(stored), stored.symmetry)
        self._lowest_key = partial(kernels["lowest_key"], rules)

    def add(self, keys: np.ndarray, records: np.ndarray, who: np.ndarray, sizes: np.ndarray, facts: np.ndarray) -> None:
        """Add a tier: `who` is 0 where the first player moves; facts are moves, best ones, and those that keep."""
        census, values = self._census, records >> REMOTENESS_BITS
        moves, keeping = facts[:, 0], facts[:, 2]

        def count(which: np.ndarray) -> np.ndarray:
            kinds = values[which].astype(np.int64) + 4 * who[which]
            return np.bincount(kinds, sizes[which], minlength=8).astype(np.int64).reshape(2, 4)

        census.turns += count(moves > 0)
        for value, number in enumerate(count((moves > 0) & (keeping == 1)).sum(axis=0).tolist()):
            census.only[value] += number
        census.single += int(sizes[moves == 1].sum())
        for record in self._wanted:
            found = keys[records == record] if record not in census.examples else ()
            if len(found):
                census.examples[record] = self._lowest_key(found)[0]


def class_count(stored: "SolvedPositions") -> int:
    """Return how many positions are stored: of those that are the same game turned or mirrored, one."""
    return sum(tier.classes for tier in stored.summary.tiers)


def allowance_for(stored: "SolvedPositions", memory: int | None, *, is_walked: bool = True) -> Allowance | None:
    """Return the memory for a walk, or None where nobody says how much. Raises TooLarge where it is too little."""
    if memory is None:
        return None
    allowance, variant = Allowance(memory), stored.variant
    code = code_size(variant, class_count(stored), "walking.children") if is_walked else 0
    allowance.begin(SPARE_BYTES + code, f"walking {variant.name}")
    return allowance


def code_size(variant: Variant, count: int, kernel: str) -> int:
    """Return the memory that compiled code takes; none where a walk over so many positions is interpreted."""
    if count <= MOST_INTERPRETED:
        return 0
    # lazy: start-up time
    from gamesman.compiler import agreement
    from gamesman.compiler.compile import Compiler

    return agreement.code_size(variant, Compiler(variant.game), kernel)


def longest_records(stored: "SolvedPositions", value: int = WIN, most: int = 5) -> list[int]:
    """Return the records of a value with the largest remotenesses there are, the largest first."""
    found = stored.summary.histogram[value]
    return [pack(value, remoteness) for remoteness in sorted(found, reverse=True)[:most] if remoteness]


Form = tuple[dict[str, Any], Any]  # the kernels of walking, and the rules for them


def kernels_for(variant: Variant, count: int, symmetry: Symmetry | None) -> Form:
    """Return the kernels of walking and the rules for them; interpreted where there is little to do.

    With `symmetry` they are for one position of each class.
    """
    kernel, functions, rules = form_for(variant, count, symmetry)
    kernels = {
        **walking.walk_kernels(kernel, functions),
        **walking.find_kernels(kernel, functions),
        **walking.match_kernels(kernel, functions),
    }
    if symmetry is not None:
        return kernels | walking.class_kernels(kernel, functions), rules
    return kernels | {"lowest_key": _lowest_key}, rules


def _lowest_key(rules: Any, keys: np.ndarray) -> tuple[int, int]:
    """Return the lowest of some keys, and its number; what `lowest_key` is without symmetry."""
    which = int(keys.argmin())
    return int(keys[which]), which


def form_for(
    variant: Variant,
    count: int,
    symmetry: Symmetry | None = None,
    *,
    is_bounded: bool = False,
    is_tested: bool = False,
) -> tuple[Callable[[Any], Any], dict[str, Any], Any]:
    """Return what makes a kernel, a game's functions for it and the rules; interpreted where there is little to do.

    With `symmetry` the functions are those that take positions up to it. One beside the game's, `inline`, makes what
    kernels can call of other functions. What `is_bounded` raises an error for an index outside of its table, and for a
    division by zero; what `is_tested`, for a number beyond a machine word.
    """
    rules, width = (variant.rules, 0) if symmetry is None else (symmetry.rules, len(variant.start()))
    if count <= MOST_INTERPRETED:
        # lazy: start-up time
        from gamesman.compiler import quotient

        functions: dict[str, Any] = {"tier": no_tier, "least": quotient.itself, "size": quotient.one}
        functions |= {"is_apart": variant.game.is_apart, **variant.game.functions}
        if symmetry is not None:
            functions |= quotient.plain(functions["symmetries"], width)
        return lambda kernel: kernel, functions | {"inline": lambda function: function}, rules
    # lazy: start-up time
    from gamesman.compiler.compile import Compiler, inlined, native_rules

    compiler = Compiler(variant.game, width, is_bounded=is_bounded, is_tested=is_tested)
    return compiler.kernel, compiler.functions | {"inline": inlined}, native_rules(rules)


class _Walker:
    """Follows the moves of positions to the tiers these lead to, and adds what it finds to a census."""

    def __init__(
        self,
        stored: "SolvedPositions",
        census: Census,
        allowance: Allowance | None,
        kernels: dict[str, Any],
        rules: Any,
        sizes: dict[int, int],
        *,
        is_classes: bool,
    ):
        self._variant, self._census, self._kernels, self._rules = stored.variant, census, kernels, rules
        room, left = TIER_BYTES, lambda: 1 << 62
        if allowance is not None:
            code = code_size(stored.variant, class_count(stored), "walking.children")
            room, left = max(0, allowance.left - SPARE_BYTES - code), lambda: allowance.left
        self.lower = Lookup(
            stored,
            kernels,
            room,
            partial(stored.positions, is_classes=is_classes),
            sizes=sizes,
            left=left,
        )
        self._first_player = stored.variant.turn(stored.variant.start())
        self._make_room(MOVES_AT_ONCE, MOST_TIERS)

    def _make_room(self, size: int, tiers: int) -> None:
        self._tiers = np.zeros(tiers + 1, np.int64)
        self._wanted = np.empty(size, np.int64)
        self._which = np.empty(size, np.int32)
        self._whose = np.empty(size, np.int32)
        self._found = np.empty(size, np.uint16)

    def walk(self, keys: np.ndarray, records: np.ndarray) -> None:
        tally = np.zeros(5, np.int64)
        turns = np.zeros((2, 4), np.int64)
        kept, best = self._census.kept, np.empty((len(keys), 0), np.uint64)
        sizes = np.empty(len(keys), np.uint8)
        if kept is not None:
            best, sizes = kept.take(len(keys))
        i = 0
        while i < len(keys):
            self._tiers[0] = 0
            following, n = self._kernels["children"](
                self._rules, keys, records, i, self._tiers, self._wanted, self._which, self._whose, sizes, turns
            )
            if following == i:  # one position's moves do not find room
                self._make_room(2 * len(self._wanted), 2 * len(self._tiers))
                continue
            for t, tier in enumerate(self._tiers[1 : self._tiers[0] + 1].tolist()):
                self.lower.find(tier, t, n, self._wanted, self._which, self._found)
            judged = self._whose, self._found, n, records[i:], sizes[i:], tally
            while (lost := self._kernels["judge"](*judged, best[i:])) == walking.NARROW:
                assert kept is not None
                best = kept.widen(len(keys))
            if lost >= 0:
                raise self._incomplete(int(keys[i + (self._whose[lost] >> 1)]))
            i = following
        self._census.turns += turns if self._first_player == 0 else turns[::-1]
        for value in (LOSE, DRAW, TIE, WIN):
            self._census.only[value] += int(tally[value])
        self._census.single += int(tally[walking.SINGLE])

    def _incomplete(self, key: int) -> Damaged:
        name = self._variant.name
        text = self._variant.show(self._variant.unhash(key))
        return Damaged(f"{name} lacks a position that {text} leads to; run: {command('verify', name)}")
