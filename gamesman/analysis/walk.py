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
from gamesman.analysis.lookup import ROOM, SPARE, Lookup
from gamesman.errors import Damaged
from gamesman.machine.memory import Allowance
from gamesman.model.advice import command
from gamesman.model.progress import Progress, Silent
from gamesman.model.symmetry import Symmetry
from gamesman.model.variant import Variant
from gamesman.values import DRAW, LOSE, NAMES, TIE, WIN, pack

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

# Walking fewer positions than this in plain Python is done before the compiler would be.
FEW = 20_000

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
    stored: "SolvedPositions",
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
    allowance = allow(stored, memory, is_walked=is_walked)
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


def allow(stored: "SolvedPositions", memory: int | None, *, is_walked: bool = True) -> Allowance | None:
    """The memory for a walk, or None where nobody says how much. Raises TooLarge where it is less than the least."""
    if memory is None:
        return None
    allowance, variant = Allowance(memory), stored.variant
    positions = sum(tier.positions for tier in stored.summary.tiers)
    code = code_size(variant, positions, "walking.children") if is_walked else 0
    allowance.begin(SPARE + code, f"walking {variant.name}")
    return allowance


def code_size(variant: Variant, count: int, kernel: str) -> int:
    """The memory that compiled code is going to take; none where a walk over so many positions is interpreted."""
    if count <= FEW:
        return 0
    from gamesman.compiler import agreement
    from gamesman.compiler.compile import Compiler

    return agreement.code_size(variant, Compiler(variant.game), kernel)


def longest(stored: "SolvedPositions", value: int = WIN, most: int = 5) -> list[int]:
    """The records of a value with the largest remotenesses there are, the largest first."""
    found = stored.summary.histogram[value]
    return [pack(value, remoteness) for remoteness in sorted(found, reverse=True)[:most] if remoteness]


def kernels_for(variant: Variant, count: int) -> tuple[dict[str, Any], Any]:
    """The kernels of walking and the rules for them; interpreted where there is little to do."""
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
    """What makes a kernel, a game's functions for it and the rules; interpreted where there is little to do.

    With `symmetry` the functions are those that take positions up to it.
    """
    functions = dict(variant.game.functions)
    rules, width = (variant.rules, 0) if symmetry is None else (symmetry.rules, len(variant.start()))
    if count <= FEW:
        from gamesman.compiler import quotient

        functions.setdefault("tier", walking.no_tiers)
        functions |= {"least": quotient.itself, "size": quotient.one}
        if symmetry is not None:
            functions |= quotient.plain(functions["symmetries"], width)
        return lambda kernel: kernel, functions, rules
    from gamesman.compiler.compile import Compiler, inlined, native_rules

    compiler = Compiler(variant.game, width)
    functions = dict(compiler.functions)
    functions.setdefault("tier", inlined(walking.no_tiers))
    return compiler.kernel, functions, native_rules(rules)


class _Walker:
    def __init__(self, stored: "SolvedPositions", census: Census, allowance: Allowance | None):
        self._variant = stored.variant
        self._census = census
        positions = sum(tier.positions for tier in stored.summary.tiers)
        self._kernels, self._rules = kernels_for(stored.variant, positions)
        if allowance is None:
            self.lower = Lookup(stored, self._kernels, ROOM)
        else:
            code = code_size(stored.variant, positions, "walking.children")
            room = max(0, allowance.left - SPARE - code)
            self.lower = Lookup(stored, self._kernels, room, is_over=lambda: allowance.left < SPARE)
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
        self._census.single += int(tally[walking.SINGLE])

    def _incomplete(self, key: int) -> Damaged:
        name = self._variant.name
        text = self._variant.show(self._variant.unhash(key))
        return Damaged(f"{name} lacks a position that {text} leads to; run: {command('verify', name)}")


def shares(counts: dict[int, int]) -> dict[str, float]:
    """The share of each value, named in the order in which they are shown."""
    total = sum(counts.values())
    return {NAMES[value]: counts.get(value, 0) / total if total else 0.0 for value in (WIN, LOSE, TIE, DRAW)}
