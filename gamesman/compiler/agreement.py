"""The check of a game before its compiled functions are trusted: they must agree with the interpreted ones."""

import hashlib
import random
from collections.abc import Iterator
from typing import Any

import numpy as np
from numba import njit

from gamesman.compiler.cache import CHECKED
from gamesman.compiler.compile import Compiler, native_rules
from gamesman.compiler.refusal import refusal
from gamesman.errors import BrokenGame, TooLarge, shorten
from gamesman.machine.memory import COMPILING, LOADING
from gamesman.model import culprit
from gamesman.model.check import check
from gamesman.model.variant import Position, Variant
from gamesman.values import KEY_LIMIT, UNDECIDED

SAMPLE = 1000
ROOM = 4096  # numbers that are compared of a position, if it has so many

# What `describe` puts first; moves and the keys they lead to follow, then the keys of undone moves.
FACTS = ("hash", "turn", "primitive", "tier")


def is_checked(variant: Variant, compiler: Compiler) -> bool:
    """Whether both halves were done with the same code and the same rules before."""
    return compiler.folder.read(_mark(variant)) is not None


def code_size(variant: Variant, compiler: Compiler, kernel: str) -> int:
    """About how much memory a game's compiled code takes, which there is if a kernel of that name is kept."""
    is_kept = is_checked(variant, compiler) and compiler.folder.has(kernel)
    return LOADING if is_kept else COMPILING


def check_interpreted(variant: Variant, compiler: Compiler) -> None:
    """The first half of the check, unless both were done with the same code before. Raises BrokenGame."""
    if not is_checked(variant, compiler):
        check(variant, limit=SAMPLE)


def check_compiled(variant: Variant, compiler: Compiler) -> None:
    """The second half: functions that agree with each other are compiled, and held against the interpreted ones.

    Raises BrokenGame, naming the function and the position at fault, and TooLarge for keys that fit no machine word.
    """
    if is_checked(variant, compiler):
        return
    is_ours = variant.game.module.__name__.startswith("gamesman.games.")
    tested = compiler if is_ours else Compiler(variant.game, is_bounded=True)
    describe, rules, out = _kernel(tested), native_rules(variant.rules), np.zeros(ROOM, np.int64)
    try:
        describe(rules, variant.hash(variant.start()), out)
    except (MemoryError, OSError):
        raise
    except Exception as error:
        raise refusal(variant.game, error) from error
    for position in _sample(variant):
        try:
            facts = list(_facts(variant, position))
        except Exception:  # of a position that the first half did not meet
            culprit.blame(variant, variant.hash(position))
        n = describe(rules, variant.hash(position), out)
        compiled = out[:n].tolist()
        for (function, wanted), got in zip(facts, compiled, strict=False):
            if wanted >= KEY_LIMIT and function in ("hash", "do_move"):
                raise TooLarge(
                    f"{variant.name} cannot be solved: its positions are numbered up to {shorten(str(wanted))} "
                    f"and more, and at most {KEY_LIMIT} can be; it can still be played and searched"
                )
            if wanted != got:
                raise BrokenGame(
                    f"{variant.name}: {function} says {wanted} interpreted and {got} compiled, "
                    f"at {variant.show(position)}; keep to whole numbers below 2**63, and / and ** out of it"
                )
        if n < ROOM and len(facts) != n:
            raise BrokenGame(
                f"{variant.name}: generate_moves, undo_moves or symmetries differ interpreted and compiled, "
                f"at {variant.show(position)}; see: CONTRIBUTING.md, What compiled code can do"
            )
    compiler.folder.write(_mark(variant), b"")


def _mark(variant: Variant) -> str:
    """The name of what is kept when a variant has been checked."""
    return hashlib.sha256(f"{variant.name} {variant.fingerprint}".encode()).hexdigest()[:16] + CHECKED


def _facts(variant: Variant, position: Position) -> Iterator[tuple[str, int]]:
    yield "hash", variant.hash(position)
    yield "turn", variant.turn(position)
    value = variant.primitive(position)
    yield "primitive", value
    yield "tier", variant.tier(position)
    if value == UNDECIDED:
        for move in variant.generate_moves(position):
            yield "generate_moves", move
            yield "do_move", variant.hash(variant.do_move(position, move))
    if variant.has("undo_moves"):
        for parent in variant.undo_moves(position):
            yield "undo_moves", variant.hash(parent)
    if variant.has("symmetries"):
        for image in variant.game.functions["symmetries"](variant.rules, position):
            yield "symmetries", variant.hash(image)


def _kernel(compiler: Compiler) -> Any:
    f = compiler.functions
    hash, unhash, turn, primitive, tier = (f[name] for name in ("hash", "unhash", "turn", "primitive", "tier"))
    generate_moves, do_move, undo_moves = f["generate_moves"], f["do_move"], f.get("undo_moves")

    if undo_moves is None:

        @njit(_nrt=False, forceinline=True)
        def undo(rules, position, out, n):
            return n

    else:

        @njit(_nrt=False, forceinline=True)
        def undo(rules, position, out, n):
            for parent in undo_moves(rules, position):
                if n < out.shape[0]:
                    out[n] = hash(rules, parent)
                    n += 1
            return n

    symmetries = f.get("symmetries")

    if symmetries is None:

        @njit(_nrt=False, forceinline=True)
        def turn_round(rules, position, out, n):
            return n

    else:

        @njit(_nrt=False, forceinline=True)
        def turn_round(rules, position, out, n):
            for image in symmetries(rules, position):
                if n < out.shape[0]:
                    out[n] = hash(rules, image)
                    n += 1
            return n

    def describe(rules, key, out):
        """All that the functions say about a position, in the order of `_facts`; how many numbers that is."""
        position = unhash(rules, key)
        out[0] = hash(rules, position)
        out[1] = turn(rules, position)
        out[2] = primitive(rules, position)
        out[3] = tier(rules, position)
        n = 4
        if out[2] == UNDECIDED:
            for move in generate_moves(rules, position):
                if n < out.shape[0] - 1:
                    out[n] = move
                    out[n + 1] = hash(rules, do_move(rules, position, move))
                    n += 2
        return turn_round(rules, position, out, undo(rules, position, out, n))

    return compiler.kernel(describe)


def _sample(variant: Variant) -> Iterator[Position]:
    """Positions of random games from the start, the same ones every time."""
    dice = random.Random(1)
    seen: set[Position] = set()
    position = variant.start()
    for _ in range(20 * SAMPLE):
        if position not in seen:
            seen.add(position)
            yield position
            if len(seen) == SAMPLE:
                return
        moves = [] if variant.primitive(position) != UNDECIDED else list(variant.generate_moves(position))
        position = variant.do_move(position, dice.choice(moves)) if moves else variant.start()
