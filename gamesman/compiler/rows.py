"""Positions in arrays, for compiled code: a row of 64-bit words each, which it takes apart and puts together.

How many words each of a position's fields takes is its *shape*: one, or for wide fields (gamesman.compiler.wide) more.
To be compiled, a function must know how long its tuples are; so these are made for a shape, field by field.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gamesman.compiler.compile import COMPILED, Compiler, inlined
from gamesman.compiler.wide import MOST_WORDS, WORD, above, signed_word, to_wide, to_word, word_at, words_for
from gamesman.layout import Pieces
from gamesman.model.game import no_tier
from gamesman.model.variant import Position, Variant

Shape = tuple[int, ...]
_SEED, _FACTOR, _AGAIN = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_OTHER_SEED, _OTHER_FACTOR = np.uint64(0xD6E8FEB86659FD93), np.uint64(0xC2B2AE3D27D4EB4F)


def words_of(variant: Variant) -> int:
    """Return of how many words the masks of a variant must be, no more than there can be.

    >>> from gamesman.model.variant import variant
    >>> [words_of(variant(f"konane:rows=8,cols={cols}")) for cols in (7, 8, 16)]
    [1, 2, 3]
    """
    return min(words_for(variant.rules), MOST_WORDS)


def shape_of(variant: Variant, words: int) -> Shape:
    """Return the shape of a variant's positions; of a game without a layout any field could be a mask.

    >>> from gamesman.model.variant import variant
    >>> shape_of(variant("konane"), 2)
    (2, 2, 1, 1)
    """
    layout = getattr(variant.game.module, "layout", None)
    if layout is None:
        return (words,) * len(variant.start())
    return tuple(words if isinstance(field, Pieces) else 1 for field in layout.fields)


def rows_of(positions: Sequence[Position], shape: Shape) -> np.ndarray:
    """Return positions as rows of words."""
    rows = np.zeros((len(positions), sum(shape)), np.int64)
    for row, position in zip(rows, positions, strict=True):
        row[:] = [
            signed_word(field, word) for field, words in zip(position, shape, strict=True) for word in range(words)
        ]
    return rows


def position_of(row: np.ndarray, shape: Shape) -> Position:
    """Return the position in a row of words.

    >>> position_of(rows_of([(1 << 70, -1)], (2, 1))[0], (2, 1)) == (1 << 70, -1)
    True
    """
    numbers, fields = iter(map(int, row)), []
    for words in shape:
        parts = [next(numbers) for _ in range(words)]
        field = parts.pop()
        for part in reversed(parts):
            field = field << WORD | part & (1 << WORD) - 1
        fields.append(field)
    return tuple(fields)


def compiled_functions(variant: Variant, shape: Shape) -> tuple[Compiler, dict[str, Any]]:
    """Compile a game's functions for positions of a shape; return their compiler and them.

    Where the game has no `tier` or `evaluate` there is one that returns 0.
    """
    compiler = Compiler(variant.game, words=max(shape))
    named = {"tier": no_tier, "evaluate": no_tier, **variant.game.functions}
    found = {
        name: compiler.functions[name] if name in compiler.functions else inlined(function)
        for name, function in named.items()
        if name in COMPILED
    }
    return compiler, _fitted(found, shape)


def _fitted(functions: dict[str, Any], shape: Shape) -> dict[str, Any]:
    """Return a game's compiled functions so that positions they return have the shape, and all else is a word."""
    if max(shape) == 1:
        return functions
    found, fit = dict(functions), _fitter(shape)
    for name in found.keys() & {"turn", "primitive", "tier", "evaluate", "mobility"}:
        found[name] = _returning_word(functions[name])
    do_move = functions["do_move"]
    found["do_move"] = inlined(lambda rules, position, move: fit(do_move(rules, position, to_word(move))))
    return found


def _returning_word(function: Any) -> Any:
    return inlined(lambda rules, position: to_word(function(rules, position)))


def _fitter(shape: Shape) -> Any:
    number, widen = len(shape) - 1, to_wide(shape[-1])
    if not number:
        return inlined(lambda position: (widen(position[0]),))
    shorter = _fitter(shape[:-1])
    return inlined(lambda position: shorter(position) + (widen(position[number]),))


def taker(shape: Shape) -> Any:
    """Return a function that makes a position of a row: take(rows, i)."""
    last, field = sum(shape[:-1]), _field_taker(shape[-1])
    if len(shape) == 1:
        return inlined(lambda rows, i: (field(rows, i, last),))
    shorter = taker(shape[:-1])
    return inlined(lambda rows, i: shorter(rows, i) + (field(rows, i, last),))


def _field_taker(words: int) -> Any:
    if words == 1:
        return inlined(lambda rows, i, at: rows[i, at])
    higher = _field_taker(words - 1)
    return inlined(lambda rows, i, at: above(higher(rows, i, at + 1), rows[i, at]))


def putter(shape: Shape) -> Any:
    """Return a function that writes a position into a row: put(rows, i, position)."""
    number, last, field = len(shape) - 1, sum(shape[:-1]), _field_putter(shape[-1])
    shorter = putter(shape[:-1]) if number else inlined(lambda rows, i, position: None)

    def put(rows, i, position):
        shorter(rows, i, position)
        field(rows, i, last, position[number])

    return inlined(put)


def _field_putter(words: int) -> Any:
    lower = _field_putter(words - 1) if words > 1 else inlined(lambda rows, i, at, field: None)
    word, place = word_at(words - 1), words - 1

    def put(rows, i, at, field):
        lower(rows, i, at, field)
        rows[i, at + place] = word(field)

    return inlined(put)


def scrambler(shape: Shape, *, is_other: bool = False) -> Any:
    """Return a function that scrambles a position to 64 bits; the `other` one has nothing to do with it."""
    stirred = _stirrer(shape, *((_OTHER_SEED, _OTHER_FACTOR) if is_other else (_SEED, _FACTOR)))

    def fingerprint(position):
        mark = (stirred(position) ^ (stirred(position) >> np.uint64(31))) * _AGAIN
        return np.int64(mark ^ (mark >> np.uint64(29)))

    return inlined(fingerprint)


def _stirrer(shape: Shape, seed: Any, factor: Any) -> Any:
    number, field = len(shape) - 1, _field_stirrer(shape[-1], factor)
    shorter = _stirrer(shape[:-1], seed, factor) if number else inlined(lambda position: seed)
    return inlined(lambda position: field(shorter(position), position[number]))


def _field_stirrer(words: int, factor: Any) -> Any:
    lower = _field_stirrer(words - 1, factor) if words > 1 else inlined(lambda mark, field: mark)
    word = word_at(words - 1)

    def stirred(mark, field):
        mark = (lower(mark, field) ^ np.uint64(word(field))) * factor
        return mark ^ (mark >> np.uint64(32))

    return inlined(stirred)
