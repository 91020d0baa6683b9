"""Variants are described here as wholes: the profile of each that is solved, several compared, others estimated."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING

from gamesman.app.checking import check_foreign
from gamesman.app.location import open_store
from gamesman.errors import OptionError, about

if TYPE_CHECKING:
    from gamesman.analysis.comparison import Comparison, Question
    from gamesman.analysis.estimating import Asked, Estimated
    from gamesman.analysis.profile import Profile
    from gamesman.analysis.puzzles import Puzzle
    from gamesman.model.progress import Progress
    from gamesman.model.variant import Variant


def profiles(
    variants: Sequence["Variant"],
    *,
    db: str | None = None,
    memory: int | None = None,
    progress: "Callable[[], Progress] | None" = None,
    is_walked: bool = True,
    is_played: bool = False,
) -> Iterator["Profile"]:
    """Yield the profile of each solved variant, without what needs a walk unless `is_walked`. Raises NotSolved.

    Play is followed where the variant is small, or with `is_played` whatever its size.
    """
    # lazy: start-up time
    from gamesman.analysis.profile import described

    store = open_store(db)
    for variant in variants:
        with about(variant.name) if len(variants) > 1 else nullcontext(), store.open(variant) as stored:
            bars = progress() if progress else None
            found = described(stored, memory, bars, is_walked=is_walked, is_played=is_played or None)
        yield found


def estimates(
    variants: Sequence["Variant"],
    asked: "Asked",
    *,
    memory: int | None = None,
    progress: "Progress | None" = None,
) -> Iterator["Estimated"]:
    """Yield what is estimated of each variant, whether it is solved or not; one that is interrupted is the last."""
    # lazy: start-up time
    from gamesman.analysis.estimating import estimate

    for variant in variants:
        with about(variant.name) if len(variants) > 1 else nullcontext():
            check_foreign(variant)
            found = estimate(variant, asked, memory, progress)
        yield found
        if found.is_interrupted:
            return


def puzzles(
    variant: "Variant",
    value: int,
    remoteness: int,
    count: int,
    seed: int,
    *,
    is_only_move: bool = False,
    db: str | None = None,
) -> "list[Puzzle]":
    """Draw problems from a solved variant, see gamesman.analysis.puzzles. Raises NotSolved, NoAnswer."""
    # lazy: start-up time
    from gamesman.analysis.puzzles import puzzles

    with open_store(db).open(variant) as stored:
        return puzzles(stored, value, remoteness, count, seed, is_only_move=is_only_move)


def compare(
    variants: Sequence["Variant"],
    *,
    db: str | None = None,
    memory: int | None = None,
    progress: "Progress | None" = None,
    is_walked: bool = True,
    question: "Question | None" = None,
) -> "Comparison":
    """Compare variants that are all solved; return the comparison. Raises NotSolved, OptionError.

    With a question, whether there is a walk is among what it says.
    """
    # lazy: start-up time
    from gamesman.analysis.comparison import Question, compare

    for partial in (each for each in variants if each.is_partial):
        raise OptionError(f"{partial.name} is endgames alone, which have no start to compare; expected whole variants")
    question = question or Question(is_walked=is_walked)
    question.check(variants)
    store = open_store(db)
    with ExitStack() as stack:
        opened = []
        for variant in variants:
            with about(variant.name):
                opened.append(stack.enter_context(store.open(variant)))
        return compare(opened, memory, progress, question)
