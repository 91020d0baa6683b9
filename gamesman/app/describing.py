"""Solved variants are described here as wholes: the profile of each, and several compared."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, nullcontext
from typing import TYPE_CHECKING

from gamesman.app.location import open_store
from gamesman.errors import about

if TYPE_CHECKING:
    from gamesman.analysis.comparison import Comparison, Question
    from gamesman.analysis.profile import Profile
    from gamesman.model.progress import Progress
    from gamesman.model.variant import Variant


def profiles(
    variants: Sequence["Variant"],
    *,
    db: str | None = None,
    memory: int | None = None,
    progress: "Callable[[], Progress] | None" = None,
    is_walked: bool = True,
) -> Iterator["Profile"]:
    """Yield the profile of each solved variant, without what needs a walk unless `is_walked`. Raises NotSolved."""
    # lazy: start-up time
    from gamesman.analysis.profile import profile

    store = open_store(db)
    for variant in variants:
        with about(variant.name) if len(variants) > 1 else nullcontext(), store.open(variant) as stored:
            found = profile(stored, memory, progress() if progress else None, is_walked=is_walked)
        yield found


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

    question = question or Question(is_walked=is_walked)
    question.check(variants)
    store = open_store(db)
    with ExitStack() as stack:
        opened = []
        for variant in variants:
            with about(variant.name):
                opened.append(stack.enter_context(store.open(variant)))
        return compare(opened, memory, progress, question)
