"""The numbers of one variant that are set side by side with another's, each with the name of its row in the table."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from gamesman.analysis.profile import Profile
from gamesman.analysis.statistics import NEVER
from gamesman.errors import OptionError, did_you_mean
from gamesman.values import DRAW, LOSE, TIE, WIN


class Figure(NamedTuple):
    """Says of a number of a variant its name, whether it is a share, and how to take it from a profile."""

    name: str
    is_share: bool
    of: Callable[[Profile], float | None]  # None where there is none, NEVER where it is later than every number
    digits: int = 0  # how many are shown of a number that is no share
    needs_walk: bool = False

    def number(self, profile: Profile) -> float | None:
        """Return the number to reckon with, a share in percent; None where there is none, or it is never."""
        found = self.of(profile)
        if found is None or found == NEVER:
            return None
        return 100 * found if self.is_share else found


def _share(value: int) -> Callable[[Profile], float]:
    return lambda profile: profile.values[value] / profile.positions


def _wins(player: int) -> Callable[[Profile], float | None]:
    def share(profile: Profile) -> float | None:
        found = profile.player(player)
        return None if found is None else found["share"]

    return share


def _max_remoteness(profile: Profile) -> float | None:
    return NEVER if profile.never_end else profile.summary.max_remoteness


def _median(profile: Profile) -> float | None:
    return NEVER if profile.median_remoteness is None else profile.median_remoteness


FIGURES = (
    Figure("positions", False, lambda profile: profile.positions),
    Figure("wins", True, _share(WIN)),
    Figure("losses", True, _share(LOSE)),
    Figure("ties", True, _share(TIE)),
    Figure("draws", True, _share(DRAW)),
    Figure("mean remoteness", False, lambda profile: profile.mean_remoteness, 2),
    Figure("never end", False, lambda profile: profile.never_end),
    Figure("median remoteness", False, _median, 1),
    Figure("max remoteness", False, _max_remoteness),
    Figure("branching factor", False, lambda profile: profile.branching_factor, 2),
    Figure("decisive", True, lambda profile: profile.decisiveness),
    Figure("only move", True, lambda profile: profile.only_move_share, needs_walk=True),
    Figure("no choice", True, lambda profile: profile.no_choice_share, needs_walk=True),
    Figure("first wins", True, _wins(0), needs_walk=True),
    Figure("second wins", True, _wins(1), needs_walk=True),
)


def figure(name: str, *, is_walked: bool = True) -> Figure:
    """Return the figure of a name, in which - and _ may stand for blanks. Raises OptionError.

    >>> figure("mean-remoteness").name
    'mean remoteness'
    """
    wanted = name.strip().lower().replace("-", " ").replace("_", " ")
    known = {each.name: each for each in FIGURES}
    if wanted not in known:
        said = f"expected a measure, one of {', '.join(known)}; got {name.strip() or 'nothing'}"
        raise OptionError(said + did_you_mean(wanted, known))
    if known[wanted].needs_walk and not is_walked:
        raise OptionError(f"{wanted} needs the walk over all positions; leave out --quick")
    return known[wanted]


def shown(profiles: Sequence[Profile]) -> list[Figure]:
    """Return the figures that there are of these profiles."""
    is_walked = all(profile.is_walked for profile in profiles)
    return [each for each in FIGURES if is_walked or not each.needs_walk]
