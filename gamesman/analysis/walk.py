"""One solved variant walked once, position by position: what its summary does not tell.

Positions are streamed from the database tier by tier. Their moves are followed to the positions they lead to, whose
records are looked up in the tiers these belong to.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from gamesman.analysis.kernels import walking
from gamesman.analysis.lookup import SPARE_BYTES, TIER_BYTES, Lookup
from gamesman.errors import Damaged
from gamesman.machine.memory import Allowance
from gamesman.model.advice import command
from gamesman.model.game import no_tier
from gamesman.model.progress import Progress, Silent
from gamesman.model.symmetry import Symmetry
from gamesman.model.variant import Variant
from gamesman.values import DRAW, LOSE, TIE, WIN, pack

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

# Walking fewer positions than this in plain Python is done before the compiler would be.
MOST_INTERPRETED = 20_000

MOVES_AT_ONCE = 1 << 18  # moves followed at a time, at first
MOST_TIERS = 1 << 10  # tiers that the moves followed at a time may lead to, at first


@dataclass
class Census:
    """What a walk over a variant counts; values are those of the player to move."""

    turns: np.ndarray  # turns[player, value]: positions by whose turn it is
    only: Counter[int] = field(default_factory=Counter)  # value -> positions in which one move alone keeps it
    single: int = 0  # positions with one move, which keeps the value whatever it is
    examples: dict[int, int] = field(default_factory=dict)  # record -> the first key that has it


def take_census(
    stored: "SolvedPositions",
    wanted: Sequence[int] = (),
    memory: int | None = None,
    progress: Progress | None = None,
    *,
    is_walked: bool = True,
) -> Census:
    """Walk over a solved variant, and find an example of each record `wanted`; with `is_walked` off do only that."""
    progress = progress or Silent()
    census = Census(np.zeros((2, 4), np.int64))
    missing = list(wanted)
    allowance = allowance_for(stored, memory, is_walked=is_walked)
    walker = _Walker(stored, census, allowance) if is_walked else None
    progress.start(f"walking {stored.variant.name}", sum(tier.positions for tier in stored.summary.tiers))
    before = None
    for tier, keys, records in stored.positions():
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


def allowance_for(stored: "SolvedPositions", memory: int | None, *, is_walked: bool = True) -> Allowance | None:
    """Return the memory for a walk, or None where nobody says how much. Raises TooLarge where it is too little."""
    if memory is None:
        return None
    allowance, variant = Allowance(memory), stored.variant
    positions = sum(tier.positions for tier in stored.summary.tiers)
    code = code_size(variant, positions, "walking.children") if is_walked else 0
    allowance.begin(SPARE_BYTES + code, f"walking {variant.name}")
    return allowance


def code_size(variant: Variant, count: int, kernel: str) -> int:
    """Return the memory that compiled code takes; none where a walk over so many positions is interpreted."""
    if count <= MOST_INTERPRETED:
        return 0
    from gamesman.compiler import agreement
    from gamesman.compiler.compile import Compiler

    return agreement.code_size(variant, Compiler(variant.game), kernel)


def longest_records(stored: "SolvedPositions", value: int = WIN, most: int = 5) -> list[int]:
    """Return the records of a value with the largest remotenesses there are, the largest first."""
    found = stored.summary.histogram[value]
    return [pack(value, remoteness) for remoteness in sorted(found, reverse=True)[:most] if remoteness]


def kernels_for(variant: Variant, count: int) -> tuple[dict[str, Any], Any]:
    """Return the kernels of walking and the rules for them; interpreted where there is little to do."""
    kernel, functions, rules = form_for(variant, count)
    kernels = {
        **walking.walk_kernels(kernel, functions),
        **walking.find_kernels(kernel),
        **walking.match_kernels(kernel, functions),
    }
    return kernels, rules


def form_for(
    variant: Variant, count: int, symmetry: Symmetry | None = None
) -> tuple[Callable[[Any], Any], dict[str, Any], Any]:
    """Return what makes a kernel, a game's functions for it and the rules; interpreted where there is little to do.

    With `symmetry` the functions are those that take positions up to it.
    """
    rules, width = (variant.rules, 0) if symmetry is None else (symmetry.rules, len(variant.start()))
    if count <= MOST_INTERPRETED:
        from gamesman.compiler import quotient

        functions = {"tier": no_tier, "least": quotient.itself, "size": quotient.one, **variant.game.functions}
        if symmetry is not None:
            functions |= quotient.plain(functions["symmetries"], width)
        return lambda kernel: kernel, functions, rules
    from gamesman.compiler.compile import Compiler, native_rules

    compiler = Compiler(variant.game, width)
    return compiler.kernel, dict(compiler.functions), native_rules(rules)


class _Walker:
    """Follows the moves of positions to the tiers these lead to, and adds what it finds to a census."""

    def __init__(self, stored: "SolvedPositions", census: Census, allowance: Allowance | None):
        self._variant = stored.variant
        self._census = census
        positions = sum(tier.positions for tier in stored.summary.tiers)
        self._kernels, self._rules = kernels_for(stored.variant, positions)
        if allowance is None:
            self.lower = Lookup(stored, self._kernels, TIER_BYTES)
        else:
            code = code_size(stored.variant, positions, "walking.children")
            room = max(0, allowance.left - SPARE_BYTES - code)
            self.lower = Lookup(stored, self._kernels, room, is_over=lambda: allowance.left < SPARE_BYTES)
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
        self._census.single += int(tally[walking.SINGLE])

    def _incomplete(self, key: int) -> Damaged:
        name = self._variant.name
        text = self._variant.show(self._variant.unhash(key))
        return Damaged(f"{name} lacks a position that {text} leads to; run: {command('verify', name)}")
