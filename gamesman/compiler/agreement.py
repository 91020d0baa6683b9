"""A game is checked here before its compiled functions are trusted: they must agree with the interpreted ones."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numba import njit, types

from gamesman.compiler.cache import CHECKED_SUFFIX
from gamesman.compiler.compile import Compiler, native_rules, rules_for
from gamesman.compiler.inlining import INLINED
from gamesman.compiler.refusal import compiling
from gamesman.errors import BrokenGame, TooLarge, shorten
from gamesman.machine.memory import COMPILING, LOADING
from gamesman.model import culprit
from gamesman.model.random_play import random_positions
from gamesman.model.symmetry import Symmetry
from gamesman.model.variant import Position, Variant
from gamesman.values import KEY_LIMIT, UNDECIDED

SAMPLED_POSITIONS = 1000
MAKING = "generate_moves do_move unhash undo_moves symmetries turn primitive tier hash".split()
COMPARED_NUMBERS = 4096  # numbers compared at most of a position


def is_checked(variant: Variant, compiler: Compiler) -> bool:
    """Tell whether both halves were done with the same code and the same rules before."""
    return compiler.folder.read(_mark(variant)) is not None


def code_size(variant: Variant, compiler: Compiler, *kernels: str) -> int:
    """Estimate how much memory a game's compiled code takes: less if a kernel whose name begins like one is kept."""
    is_kept = is_checked(variant, compiler) and any(map(compiler.folder.has, kernels))
    return LOADING if is_kept else COMPILING


def check_interpreted(variant: Variant, compiler: Compiler) -> None:
    """Do the first half of the check, unless both were done with the same code before. Raises BrokenGame."""
    if not is_checked(variant, compiler):
        # lazy: start-up time, it is done once
        from gamesman.model.check import check

        check(variant, limit=SAMPLED_POSITIONS)


def check_compiled(variant: Variant, compiler: Compiler, symmetry: Symmetry | None = None) -> None:
    """Do the second half: compile functions that agree with each other, and hold them against the interpreted ones.

    With a symmetry the compiler is one for positions up to it: what it compiles here it has then for the solver, too.
    Raises BrokenGame, naming the function and the position at fault, and TooLarge for keys that fit no machine word.
    """
    if is_checked(variant, compiler):
        return
    folder = compiler.folder
    if not variant.game.is_ours:
        compiler, symmetry = Compiler(variant.game, is_bounded=True), None
    describe, rules, out = describing(compiler), rules_for(variant, symmetry), np.zeros(COMPARED_NUMBERS, np.int64)
    with compiling(variant.game):
        describe(rules, variant.hash(variant.start()), out)
    undecided: list[int] = []
    for position in _sample(variant):
        _hold(variant, position, describe, rules, out, undecided)
        if variant.primitive(position) == UNDECIDED:
            undecided.append(variant.hash(position))
    for name in _fractional(compiler):
        raise BrokenGame(
            f"{variant.name}: {name} makes a fraction, if at no position that was tried; keep to whole numbers below "
            "2**63, and / and ** out of it"
        )
    folder.write(_mark(variant), b"")


def check_at(variant: Variant, key: int) -> None:
    """Hold compiled functions, as the solver has them, against plain Python at a position and where its moves lead.

    Raises BrokenGame, as check_compiled does.
    """
    culprit.find([key], variant)
    describe, rules = describing(Compiler(variant.game)), native_rules(variant.rules)
    position = variant.unhash(key)
    moves = variant.generate_moves(position) if variant.primitive(position) == UNDECIDED else ()
    for each in [position, *(variant.do_move(position, move) for move in moves)]:
        _hold(variant, each, describe, rules, np.zeros(COMPARED_NUMBERS, np.int64))


def _hold(
    variant: Variant, position: Position, describe: Any, rules: Any, out: np.ndarray, undecided: Sequence[int] = ()
) -> None:
    """Hold what compiled functions say of a position against what they say interpreted. Raises BrokenGame, TooLarge.

    A move from one of the positions whose keys are given may be to blame.
    """
    try:
        facts = list(_facts(variant, position))
    except Exception:  # of a position that the first half did not meet
        culprit.blame(variant, variant.hash(position), lambda key: culprit.parent(variant, undecided, key))
    n = describe(rules, variant.hash(position), out)
    compiled = out[:n].tolist()
    for (function, wanted), got in zip(facts, compiled, strict=False):
        if wanted >= KEY_LIMIT and function in ("hash", "do_move"):
            raise TooLarge(
                f"{variant.name} cannot be solved: its positions are numbered up to {shorten(str(wanted))} "
                f"and more, and at most {KEY_LIMIT} can be; it can still be played, searched and proved"
            )
        if wanted != got:
            if (before := culprit.parent(variant, undecided, variant.hash(position))) is not None:
                culprit.find([before], variant)
            raise BrokenGame(
                f"{variant.name}: {function} says {wanted} interpreted and {got} compiled, "
                f"at {variant.show(position)}; keep to whole numbers below 2**63, and / and ** out of it"
            )
    if n < COMPARED_NUMBERS and len(facts) != n:
        raise BrokenGame(
            f"{variant.name}: generate_moves, undo_moves or symmetries differ interpreted and compiled, "
            f"at {variant.show(position)}; see: CONTRIBUTING.md, What compiled code can do"
        )


def _fractional(compiler: Compiler) -> Iterator[str]:
    """Yield the functions whose results are no ints as they were compiled, first those whose results others take."""
    for name in MAKING:
        for signature in getattr(compiler.functions.get(name), "nopython_signatures", ()):
            result = getattr(signature.return_type, "yield_type", signature.return_type)
            if any(isinstance(each, types.Float) for each in getattr(result, "types", [result])):
                yield name


def _mark(variant: Variant) -> str:
    """Return the name of what is kept when a variant has been checked."""
    return hashlib.sha256(f"{variant.name} {variant.fingerprint}".encode()).hexdigest()[:16] + CHECKED_SUFFIX


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


def describing(compiler: Compiler) -> Any:
    """Compile what writes down all that a game's functions say about a position."""
    f = compiler.functions
    hash, unhash, turn, primitive, tier = (f[name] for name in ("hash", "unhash", "turn", "primitive", "tier"))
    generate_moves, do_move = f["generate_moves"], f["do_move"]
    note_undone, note_images = _noting(f.get("undo_moves"), hash), _noting(f.get("symmetries"), hash)

    def describe(rules: Any, key: int, out: Any) -> Any:
        """Write all that the functions say about a position, in the order of `_facts`. Returns how many numbers."""
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
        return note_images(rules, position, out, note_undone(rules, position, out, n))

    return compiler.kernel(describe)


def _noting(function: Any, hash: Any) -> Any:
    """Make the function that notes from out[n] on the keys of what a game's function yields, and returns the next n.

    Where the game does not have the function there is nothing to note.
    """
    if function is None:

        @njit(**INLINED)  # type: ignore[untyped-decorator]
        def note(rules: Any, position: Any, out: Any, n: int) -> int:
            return n

    else:

        @njit(**INLINED)  # type: ignore[untyped-decorator]
        def note(rules: Any, position: Any, out: Any, n: int) -> int:
            for found in function(rules, position):
                if n < out.shape[0]:
                    out[n] = hash(rules, found)
                    n += 1
            return n

    return note


def _sample(variant: Variant) -> Iterator[Position]:
    """Yield different positions of games played at random."""
    seen: set[Position] = set()
    for position in random_positions(variant, 20 * SAMPLED_POSITIONS):
        if position not in seen:
            seen.add(position)
            yield position
            if len(seen) == SAMPLED_POSITIONS:
                return
