"""One solved variant walked once, position by position: what its summary does not tell.

Positions are streamed from the database tier by tier. Their moves are followed to the positions they lead to, whose
records are looked up in the tiers these belong to. Those are held in memory, or where they are too large for that in a
file of which the system keeps what it has room for: memory does not grow with the variant.
"""

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gamesman.engine import walk
from gamesman.errors import Damaged
from gamesman.progress import Progress, Silent
from gamesman.values import DRAW, LOSE, NAMES, TIE, WIN, pack
from gamesman.variant import Variant

if TYPE_CHECKING:
    from db.stored import Stored

# Walking fewer positions than this in plain Python is done before the compiler would be.
FEW = 20_000

# Bytes of tiers held in memory, if nobody says otherwise.
ROOM = 1 << 28

BATCH = 1 << 18  # moves followed at a time
MOST_TIERS = 1 << 10  # that the moves of one batch lead to


@dataclass
class Census:
    """What a walk over a variant counts; values are those of the player to move."""

    turns: np.ndarray  # turns[player, value]: positions by whose turn it is
    only: Counter[int] = field(default_factory=Counter)  # value -> positions in which one move alone keeps it
    single: int = 0  # positions with one move, which keeps the value whatever it is
    examples: dict[int, int] = field(default_factory=dict)  # record -> the first key that has it


def take(
    stored: "Stored",
    wanted: Sequence[int] = (),
    memory: int | None = None,
    progress: Progress | None = None,
    *,
    is_walked: bool = True,
) -> Census:
    """Walk over a solved variant, finding an example of each of the records `wanted`; or only that, without moves."""
    progress = progress or Silent()
    census = Census(np.zeros((2, 4), np.int64))
    missing = list(wanted)
    walker = _Walker(stored, census, memory or ROOM) if is_walked else None
    progress.start(f"walking {stored.variant.name}", sum(tier.positions for tier in stored.summary.tiers))
    before = None
    for tier, keys, records in stored.parts():
        for record in list(missing):
            found = np.flatnonzero(records == record)
            if len(found):
                census.examples[record] = int(keys[found[0]])
                missing.remove(record)
        if walker is not None:
            if tier != before:
                walker.lower.begin_tier()
            walker.walk(keys, records)
        elif not missing:
            break
        before = tier
        progress.advance(len(keys))
    progress.finish()
    return census


def longest(stored: "Stored", value: int = WIN, most: int = 5) -> list[int]:
    """The records of a value with the largest remotenesses there are, the largest first."""
    found = stored.summary.histogram[value]
    return [pack(value, remoteness) for remoteness in sorted(found, reverse=True)[:most] if remoteness]


def kernels_for(variant: Variant, count: int) -> tuple[dict[str, Any], Any]:
    """The kernels of gamesman.engine.walk and the rules for them; interpreted where there is little to do."""
    functions = dict(variant.game.functions)
    if count <= FEW:
        functions.setdefault("tier", walk.no_tiers)
        return _all_kernels(lambda kernel: kernel, functions), variant.rules
    from gamesman.engine.compile import Compiler, inlined, native_rules

    compiler = Compiler(variant.game)
    functions = dict(compiler.functions)
    functions.setdefault("tier", inlined(walk.no_tiers))
    return _all_kernels(compiler.kernel, functions), native_rules(variant.rules)


def _all_kernels(kernel: Any, functions: dict[str, Any]) -> dict[str, Any]:
    return {
        **walk.walk_kernels(kernel, functions),
        **walk.find_kernels(kernel),
        **walk.match_kernels(kernel, functions),
    }


class _Walker:
    def __init__(self, stored: "Stored", census: Census, room: int):
        self._variant = stored.variant
        self._census = census
        positions = sum(tier.positions for tier in stored.summary.tiers)
        self._kernels, self._rules = kernels_for(stored.variant, positions)
        self.lower = _Tiers(stored, self._kernels, room)
        self._first_player = stored.variant.turn(stored.variant.start())
        self._make_room(BATCH, MOST_TIERS)

    def _make_room(self, size: int, tiers: int) -> None:
        self._tiers = np.zeros(tiers + 1, np.int64)
        self._wanted = np.empty(size, np.int64)
        self._which = np.empty(size, np.int32)
        self._whose = np.empty(size, np.int32)
        self._found = np.empty(size, np.uint16)

    def walk(self, keys: np.ndarray, records: np.ndarray) -> None:
        tally = np.zeros(5, np.int64)
        turns = np.zeros((2, 4), np.int64)
        i = 0
        while i < len(keys):
            self._tiers[0] = 0
            following, n = self._kernels["children"](
                self._rules, keys, records, i, self._tiers, self._wanted, self._which, self._whose, turns
            )
            if following == i:  # one position's moves do not find room
                self._make_room(2 * len(self._wanted), 2 * len(self._tiers))
                continue
            for t, tier in enumerate(self._tiers[1 : self._tiers[0] + 1].tolist()):
                self.lower.find(tier, t, n, self._wanted, self._which, self._found)
            lost = self._kernels["judge"](self._whose, self._found, n, records[i:], tally)
            if lost >= 0:
                raise self._incomplete(int(keys[i + (self._whose[lost] >> 1)]))
            i = following
        self._census.turns += turns if self._first_player == 0 else turns[::-1]
        for value in (LOSE, DRAW, TIE, WIN):
            self._census.only[value] += int(tally[value])
        self._census.single += int(tally[walk.SINGLE])

    def _incomplete(self, key: int) -> Damaged:
        name = self._variant.name
        text = self._variant.show(self._variant.unhash(key))
        return Damaged(f"{name} lacks a position that {text} leads to; run: gamesman verify '{name}'")


class _Tiers:
    """The records of whole tiers, to look children up in."""

    def __init__(self, stored: "Stored", kernels: dict[str, Any], room: int):
        self._stored, self._kernels, self._room = stored, kernels, room
        self._sizes = {tier.tier: tier.positions for tier in stored.summary.tiers}
        self._loaded: dict[int, tuple[np.ndarray, ...]] = {}
        self._asked: dict[int, int] = {}  # when each was last asked for, counted in tiers walked
        self._now = 0

    def begin_tier(self) -> None:
        """The walk has come to the next tier: what the last two had no use for is let go."""
        self._now += 1
        for tier in [tier for tier in self._loaded if self._asked[tier] < self._now - 2]:
            del self._loaded[tier]

    def find(self, tier: int, t: int, n: int, wanted: np.ndarray, which: np.ndarray, found: np.ndarray) -> None:
        """Fill in the records of those of the n children that are in this tier."""
        if tier not in self._loaded:
            self._loaded[tier] = self._load(tier)
        self._asked[tier] = self._now
        arrays = self._loaded[tier]
        if not len(arrays[0]):
            found[:n][which[:n] == t] = walk.UNREACHED
        elif len(arrays) == 1:
            first = self._run(tier)[0]
            self._kernels["find_dense"](wanted, which, t, n, first, arrays[0], found)
        else:
            keys, records, directory = arrays
            self._kernels["find_sparse"](wanted, which, t, n, keys, records, directory, _shift(keys), found)

    def _run(self, tier: int) -> tuple[int, int]:
        variant = self._stored.variant
        return variant.game.functions["tier_keys"](variant.rules, tier) if variant.has("tier_keys") else (0, 0)

    def _load(self, tier: int) -> tuple[np.ndarray, ...]:
        first, count = self._run(tier)
        if count:
            table = self._array(count, np.uint16)
            table.fill(walk.UNREACHED)
            for _, keys, records in self._stored.parts(tier):
                table[keys - first] = records
            return (table,)
        size = self._sizes.get(tier, 0)
        all_keys, all_records = self._array(size, np.int64), self._array(size, np.uint16)
        done = 0
        for _, keys, records in self._stored.parts(tier):
            all_keys[done : done + len(keys)] = keys
            all_records[done : done + len(keys)] = records
            done += len(keys)
        if not size:
            return all_keys, all_records, np.zeros(1, np.int64)
        groups = (int(all_keys[-1] - all_keys[0]) >> _shift(all_keys)) + 1
        begins = (np.arange(groups, dtype=np.int64) << _shift(all_keys)) + all_keys[0]
        return all_keys, all_records, np.append(np.searchsorted(all_keys, begins), size)

    def _array(self, size: int, kind: Any) -> np.ndarray:
        held = sum(array.nbytes for arrays in self._loaded.values() for array in arrays)
        if not size or held + size * np.dtype(kind).itemsize <= self._room:
            return np.empty(size, kind)
        with tempfile.TemporaryFile(prefix="gamesman-") as file:
            return np.memmap(file, kind, "w+", shape=(size,))


def _shift(keys: np.ndarray) -> int:
    """How many low bits of the keys a group of the directory spans, so that it has about four of them."""
    if not len(keys):
        return 0
    return max(0, int(keys[-1] - keys[0]).bit_length() - max(0, len(keys).bit_length() - 3))


def shares(counts: dict[int, int]) -> dict[str, float]:
    """The share of each value, named in the order in which they are shown."""
    total = sum(counts.values())
    return {NAMES[value]: counts.get(value, 0) / total if total else 0.0 for value in (WIN, LOSE, TIE, DRAW)}
