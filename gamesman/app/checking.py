"""A game's functions are checked here against each other; those of a game that is not ours before they are trusted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from gamesman.errors import BrokenGame, GamesmanError, TooLarge
from gamesman.model.progress import Silent
from gamesman.model.random_play import MOST_MOVES
from gamesman.values import UNDECIDED

if TYPE_CHECKING:
    from gamesman.model.progress import Progress
    from gamesman.model.variant import Variant

INTERPRETED = 3000  # positions that `check` tries in plain Python
TRIED = 200_000  # that are tried, compiled, where it is not known at which of them a function fails


def check_foreign(variant: "Variant") -> None:
    """Check a game that is not ours before its values are trusted; ours are checked by our tests. Raises BrokenGame."""
    if not variant.game.is_ours:
        # lazy: start-up time
        from gamesman.model.check import check

        check(variant)


def unmoved(variant: "Variant") -> str:
    """Say that every move leads from the start back to it: a draw, and rarely meant; else return ""."""
    start = variant.start()
    if variant.primitive(start) == UNDECIDED:
        moves = islice(variant.generate_moves(start), MOST_MOVES)
        if {variant.do_move(start, move) for move in moves} == {start}:
            return f"{variant.name}: do_move leads from the start back to it by every move, at {variant.show(start)}"
    return ""


@contextmanager
def explained(variant: "Variant") -> Iterator[None]:
    """Let what fails in here say what is wrong with the game, where it is not ours and was asked before it was checked.

    A start that is no position fails wherever it is made use of first. Raises BrokenGame.
    """
    try:
        yield
    except GamesmanError:
        raise
    except Exception:
        check_foreign(variant)
        raise


@contextmanager
def located(variant: "Variant") -> Iterator[None]:
    """Let what a function of a game that is not ours raises, compiled, say at which position. Raises BrokenGame."""
    try:
        yield
    except GamesmanError:
        raise
    except Exception as error:
        # lazy: start-up time, few games are at fault
        from gamesman.compiler.trial import trial
        from gamesman.model.blame import is_of_game

        if not variant.game.is_ours and is_of_game(error):
            trial(variant, TRIED)
        raise


def seeking(variant: "Variant") -> Callable[[float], str] | None:
    """Return what finds a function that does not return, of a game that is not ours."""
    if variant.game.is_ours:
        return None
    # lazy: start-up time
    from gamesman.model import endless

    return partial(endless.seek, variant)


def check(
    variant: "Variant", positions: int, *, progress: "Progress | None" = None, tell: Callable[[str], object] = str
) -> tuple[int, list[str]]:
    """Check a game on up to so many positions; return how many they were, and what is wrong.

    `tell` hears what is doubtful, and may be meant so.
    """
    # lazy: start-up time
    from gamesman.compiler.trial import trial
    from gamesman.model.check import check
    from gamesman.model.doubtful import doubtful
    from gamesman.model.overlooked import overlooked
    from gamesman.model.unsteady import varying

    progress = progress or Silent()
    problems = [*overlooked(variant.game), *varying(variant)]
    tried = 0
    try:
        progress.start(f"checking {variant.name}", 0)
        tried = check(variant, min(positions, INTERPRETED), is_complete=False)
        problems += filter(None, [unmoved(variant)])
        for said in doubtful(variant) if not variant.game.is_ours else ():
            tell(f"{variant.name}: {said}")
        progress.start(f"trying {variant.name}", positions)
        tried = max(tried, trial(variant, positions, progress.advance))
    except TooLarge:  # to be compiled: then what was interpreted is all
        pass
    except BrokenGame as error:
        problems.append(str(error))
    finally:
        progress.finish()
    return tried, problems
