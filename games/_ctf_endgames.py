"""Tables of endgames of Capture the Flag number all positions with a few pawns: the functions that differ are here."""

from collections.abc import Iterator
from typing import Any

from gamesman.bits import lowest
from gamesman.counted import key_placed, pieces_of, pieces_run, placed_key, placing, size
from gamesman.games.ctf import Position, _step, beside, black_has_won, undo_moves, white_has_won
from gamesman.numbering import MOST_CELLS
from gamesman.values import KEY_LIMIT


def hash(rules: Any, position: Position) -> int:
    return placed_key(rules.placing, position)


def unhash(rules: Any, key: int) -> Position:
    return key_placed(rules.placing, key)


def tier(rules: Any, position: Position) -> int:
    """Count the pawns: a step changes nothing, and so all steps are within a tier."""
    return pieces_of(position)


def tier_keys(rules: Any, tier: int) -> tuple[int, int]:
    return pieces_run(rules.placing, tier)


def tier_name(rules: Any, tier: int) -> str:
    return f"{tier} pawns" if tier != 1 else "1 pawn"


def undo_all(rules: Any, position: Position) -> Iterator[Position]:
    """Take back the steps that `undo_moves` does, then those of pawns ahead, then jumps over a flag."""
    for before in undo_moves(rules, position):
        yield before
    white, black, white_flag, black_flag, who = position
    empty = rules.board & ~(white | black | white_flag | black_flag)
    pawns, step = (white, rules.size) if who else (black, -rules.size)
    pieces = pawns & beside(rules, empty, 3 - who)
    while pieces:
        cell = lowest(pieces)
        pieces &= pieces - 1
        before = undone(position, 1 << cell | 1 << cell + step, 0)
        if not white_has_won(rules, before) and not black_has_won(rules, before):
            yield before
    if not (black_flag if who else white_flag):
        for direction in range(4):
            pieces = pawns & beside(rules, empty & beside(rules, empty, direction), direction)
            if direction == 2 + who:
                pieces = 0  # he would have jumped backward
            step = _step(rules, direction)
            while pieces:
                cell = lowest(pieces)
                pieces &= pieces - 1
                before = undone(position, 1 << cell | 1 << cell + 2 * step, 1 << cell + step)
                if not white_has_won(rules, before) and not black_has_won(rules, before):
                    yield before


def undone(position: Position, pawn: int, flag: int) -> Position:
    """Move a pawn of the player who has moved, by both its cells, and put back the other's flag, if it is no 0."""
    white, black, white_flag, black_flag, who = position
    if who:
        return white ^ pawn, black, white_flag, black_flag | flag, 0
    return white, black ^ pawn, white_flag | flag, black_flag, 1


FUNCTIONS = {
    "hash": hash,
    "unhash": unhash,
    "tier": tier,
    "tier_keys": tier_keys,
    "tier_name": tier_name,
    "undo_moves": undo_all,
}


def sizes(rules: Any) -> list[int]:
    """Return how many positions there are up to each tier, whose tables could be made; the lowest tier is 0."""
    pawns = rules.start_white.bit_count() + rules.start_black.bit_count()
    return [each for each in size(rules.cells, pawns) if each < KEY_LIMIT] if rules.cells <= MOST_CELLS else []


def more_rules(rules: Any, most: int) -> dict[str, Any]:
    """Return what the functions here need beside the rules to number all positions up to a tier."""
    return {"placing": placing(rules.cells, most)}
