"""One solved position is held against its own moves in plain Python, and what is wrong with it said in words."""

from typing import TYPE_CHECKING

from gamesman.model.variant import Position, Variant
from gamesman.values import DRAW, NAMES, UNDECIDED, negate, preference, unpack

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions


def fault(stored: "SolvedPositions", tier: int, key: int) -> str | None:
    """Say what is wrong with a stored position, or return None if it agrees with the rules and its moves."""
    variant = stored.variant
    position = variant.unhash(key)
    text = variant.show(position)
    if variant.hash(position) != key or variant.tier(position) != tier:
        found = f"key {variant.hash(position)} and tier {variant.tier(position)}"
        return f"position {text} is stored with key {key} in tier {tier}, it has {found}"
    record = stored.record(tier, key)
    if record is None:
        return f"position {text} is not in the database"
    value, remoteness = unpack(record)
    if value == DRAW and remoteness:
        return f"position {text} has a record that means nothing: {record}"
    says = _worth(value, remoteness)
    ended = variant.primitive(position)
    if ended not in (UNDECIDED, *range(len(NAMES))):
        return f"position {text} says {says}, primitive says {ended}"
    if ended != UNDECIDED:
        return None if (value, remoteness) == (ended, 0) else f"position {text} says {says}, it is over: {NAMES[ended]}"
    best: list[tuple[int, int]] = []
    for child in children(stored, position):
        double = variant.unhash(variant.hash(child))
        if double != child:
            return f"position {text} leads to {variant.show(child)}, which has the key of {variant.show(double)}"
        there = stored.record(variant.tier(child), variant.hash(child))
        if there is None:
            return f"position {text} leads to {variant.show(child)}, which is not in the database"
        its_value, further = unpack(there)
        worth = its_value if variant.turn(child) == variant.turn(position) else negate(its_value)
        best.append((worth, 0 if worth == DRAW else further + 1))
    if not best:
        return f"position {text} says {says}, it has no moves and is not over"
    expected = max(best, key=lambda move: preference(*move))
    if expected == (value, remoteness):
        return None
    return f"position {text} says {says}, its moves say {_worth(*expected)}"


def root(stored: "SolvedPositions", tier: int, key: int) -> tuple[int, str | None]:
    """Find where a contradiction begins, in a position or one below it. Returns its key and what is wrong there."""
    said = fault(stored, tier, key)
    seen = {(tier, key)}
    while said is not None:
        below = _fault_below(stored, key, seen)
        if below is None:
            break
        key, said = below
    return key, said


def _fault_below(stored: "SolvedPositions", key: int, seen: set[tuple[int, int]]) -> tuple[int, str] | None:
    variant = stored.variant
    for child in children(stored, variant.unhash(key)):
        place = variant.tier(child), variant.hash(child)
        if place not in seen and stored.record(*place) is not None:
            seen.add(place)
            said = fault(stored, *place)
            if said is not None:
                return place[1], said
    return None


def uncompiled(variant: Variant, error: Exception) -> str:
    """Say why the game cannot be compiled to be tested, if that is what the error is; else return ""."""
    if not type(error).__module__.startswith("numba."):
        return ""
    # lazy: start-up time
    from gamesman.compiler.refusal import refusal

    return str(refusal(variant.game, error))


def children(stored: "SolvedPositions", position: Position) -> list[Position]:
    variant = stored.variant
    if variant.primitive(position) != UNDECIDED:
        return []
    return [variant.do_move(position, move) for move in variant.generate_moves(position)]


def _worth(value: int, remoteness: int) -> str:
    return NAMES[value] if value == DRAW else f"{NAMES[value]} in {remoteness}"
