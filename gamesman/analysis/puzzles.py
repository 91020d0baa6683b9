"""Problems to be solved by people: positions of a value and a length, drawn at random, each with its solution."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gamesman.errors import NoAnswer
from gamesman.model.answers import LineAnswer, line, query
from gamesman.model.variant import Position, Variant
from gamesman.values import NAMES, pack, unpack

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions

DRAWN = 4000  # positions drawn, of which those are taken that will do


@dataclass
class Puzzle:
    """Holds a position, and best play from it."""

    answer: LineAnswer
    only_moves: int  # moves of who is to move in the position that no other move can stand for

    @property
    def position(self) -> Position:
        return self.answer.start.position

    @property
    def solution(self) -> list[str]:
        """Return the moves of best play by name."""
        return [move.name for move in self.answer.moves]

    def as_json(self) -> dict[str, Any]:
        """Return the fields of `puzzles --json`."""
        start = self.answer.start
        fields = {"position": start.text, "turn": start.turn, "value": start.value, "remoteness": start.remoteness}
        return {**fields, "solution": self.solution, "only_moves": self.only_moves}


def puzzles(
    stored: "SolvedPositions", value: int, remoteness: int, count: int, seed: int, *, is_only_move: bool = False
) -> list[Puzzle]:
    """Draw up to so many problems: positions of that value and remoteness, no two of them the same turned or mirrored.

    With `is_only_move` the first move must be the only one that keeps the value, of two or more. The same seed draws
    the same. Raises NoAnswer where there are none.
    """
    variant = stored.variant
    drawn = _drawn(stored, pack(value, remoteness), seed)
    found: list[Puzzle] = []
    seen: set[Position] = set()
    for key in drawn:
        if len(found) == count:
            break
        position = variant.unhash(key)
        images = _images(variant, position)
        if seen.isdisjoint(images) and (not is_only_move or _has_only_move(stored, position)):
            answer = line(variant, stored, position)
            found.append(Puzzle(answer, _only_moves(stored, answer)))
        seen.add(min(images))
        seen.add(position)
    if not found:
        raise NoAnswer(_nothing(stored, value, remoteness, len(drawn), is_only_move=is_only_move))
    return found


def _drawn(stored: "SolvedPositions", record: int, seed: int) -> list[int]:
    """Return the keys of some positions that have a record, in random order: the first of all those, shuffled."""
    dice = np.random.default_rng(seed)
    keys, places = np.empty(0, np.int64), np.empty(0)
    value, remoteness = unpack(record)
    for tier in stored.summary.tiers:
        if not tier.histogram.get(value, Counter())[remoteness]:
            continue
        for part in stored.positions(tier.number, is_classes=True):
            more = part.keys[part.records == record]
            keys, places = np.concatenate([keys, more]), np.concatenate([places, dice.random(len(more))])
            if len(keys) > 4 * DRAWN:
                order = np.argsort(places)[:DRAWN]
                keys, places = keys[order], places[order]
    found: list[int] = keys[np.argsort(places)[:DRAWN]].tolist()
    return found


def _images(variant: Variant, position: Position) -> set[Position]:
    """Return a position with all that are the same turned or mirrored, whether or not they leave the start as it is."""
    if not variant.has("symmetries"):
        return {position}
    return {position, *variant.game.functions["symmetries"](variant.rules, position)}


def _has_only_move(stored: "SolvedPositions", position: Position) -> bool:
    answer = query(stored.variant, stored, position)
    return len(answer.moves) > 1 and len(answer.keeping_moves()) == 1


def _only_moves(stored: "SolvedPositions", answer: LineAnswer) -> int:
    """Count the moves in a solution, of who is to move first, beside which no other keeps the value."""
    return sum(_has_only_move(stored, at) for at in _own_positions(stored.variant, answer))


def _own_positions(variant: Variant, answer: LineAnswer) -> Iterator[Position]:
    at = answer.start.position
    solver = variant.turn(at)
    for move in answer.moves:
        if variant.turn(at) == solver:
            yield at
        at = move.position


def _nothing(stored: "SolvedPositions", value: int, remoteness: int, drawn: int, *, is_only_move: bool) -> str:
    name, verb = stored.variant.name, NAMES[value]
    if drawn and is_only_move:
        return f"{name} has no {verb} in {remoteness} with an only move among {drawn:,} drawn; leave out --only-move"
    there = sorted(r for r in stored.summary.histogram[value] if r)
    if not there:
        return f"{name} has no position to {verb}; see: gamesman stats {name}"
    return f"{name} has no {verb} in {remoteness}; there are some in {there[0]} to {there[-1]}"
