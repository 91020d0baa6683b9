"""One solved variant is described here in numbers: what `stats` and `compare` show of it."""

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from gamesman.analysis import walk as walks
from gamesman.analysis.play import FURTHER, MOST_UNASKED, Play, follow
from gamesman.analysis.statistics import NEVER, mean, median
from gamesman.analysis.walk import Census
from gamesman.errors import OptionError
from gamesman.model.progress import Progress
from gamesman.model.summary import SHOWN_VALUES, Summary
from gamesman.model.variant import Variant
from gamesman.values import DRAW, LOSE, NAMES, WIN, unpack

if TYPE_CHECKING:
    from gamesman.model.ports import SolvedPositions


@dataclass
class Profile:
    """Describes a solved variant in numbers: its summary, and what a walk over it has counted, if it was walked."""

    variant: Variant
    summary: Summary
    census: Census
    is_walked: bool = True
    play: "Play | None" = None  # what play is like; None where it was not followed

    @property
    def positions(self) -> int:
        return sum(self.values.values())

    @property
    def values(self) -> dict[int, int]:
        """Count the positions of each value."""
        found = self.summary.histogram
        return {value: sum(found[value].values()) for value in SHOWN_VALUES}

    @property
    def shares(self) -> dict[str, float]:
        return {NAMES[value]: count / self.positions for value, count in self.values.items()}

    @property
    def remoteness(self) -> Counter[int]:
        """Count the positions of each remoteness: those that end, which draws do not."""
        total: Counter[int] = Counter()
        for value, found in self.summary.histogram.items():
            if value != DRAW:
                total.update(found)
        return total

    @property
    def never_end(self) -> int:
        """Count the positions that never end, if nobody errs: the draws."""
        return self.values[DRAW]

    @property
    def lengths(self) -> Counter[float]:
        """Count all positions by remoteness, draws under NEVER."""
        total: Counter[float] = Counter(self.remoteness)
        if self.never_end:
            total[NEVER] = self.never_end
        return total

    @property
    def median_remoteness(self) -> float | None:
        """Return the middle remoteness of all positions, or None where the middle position never ends."""
        middle = median(self.lengths)
        return None if middle == NEVER else middle

    @property
    def decisiveness(self) -> float:
        """Return the share of the positions that are won or lost; ties and draws are not."""
        return (self.values[WIN] + self.values[LOSE]) / self.positions

    @property
    def with_moves(self) -> int:
        """Count the positions that have a move."""
        return self.positions - sum(tier.primitives for tier in self.summary.tiers)

    @property
    def branching_factor(self) -> float:
        """Return the mean number of moves of the positions that have any."""
        return sum(tier.moves for tier in self.summary.tiers) / self.with_moves if self.with_moves else 0.0

    @property
    def only_moves(self) -> int | None:
        """Count the positions of which exactly one move keeps the value; None where no walk was made."""
        return sum(self.census.only.values()) if self.is_walked else None

    @property
    def only_move_share(self) -> float | None:
        """Return the share that `only_moves` are of the positions that have a move, or None."""
        if self.only_moves is None or not self.with_moves:
            return None
        return self.only_moves / self.with_moves

    @property
    def no_choice_share(self) -> float | None:
        """Return the share of the positions with a move that have a single one; None where no walk was made."""
        return self.census.single / self.with_moves if self.is_walked and self.with_moves else None

    @property
    def mean_remoteness(self) -> float | None:
        """Return the mean remoteness of the positions that end, or None where none do."""
        return mean(self.remoteness)

    def player(self, number: int) -> dict[str, Any] | None:
        """Count how often a player wins where he has a move to make; the first one (0) is who moves at the start."""
        if not self.is_walked:
            return None
        positions = int(self.census.turns[number].sum())
        wins = int(self.census.turns[number, WIN])
        return {"positions": positions, "wins": wins, "share": wins / positions if positions else None}

    @property
    def longest_wins(self) -> list[dict[str, Any]]:
        """Return the largest remotenesses of wins, each with how many positions have it and one of them."""
        found = []
        for record, key in sorted(self.census.examples.items(), reverse=True):
            value, remoteness = unpack(record)
            count = self.summary.histogram[value][remoteness]
            text = self.variant.show(self.variant.unhash(key))
            found.append({"remoteness": remoteness, "positions": count, "position": text})
        return found

    def stats_json(self) -> dict[str, Any]:
        """Return the fields of `stats --json`: those of the summary, tiers with their names, then those of the walk."""
        play = None if self.play is None else self.play.as_json()
        further = {name: None if self.play is None else self.play.further[name] for name in FURTHER}
        return {**self._counted(), **self._derived(), "longest_wins": self.longest_wins, "play": play, **further}

    def compare_json(self) -> dict[str, Any]:
        """Return the fields of a variant in `compare --json`."""
        fields = self._counted()
        kept = "variant position value remoteness positions counts primitives moves".split()
        return {
            **{name: fields[name] for name in kept},
            "shares": self.shares,
            "max_remoteness": fields["max_remoteness"],
            "branching_factor": fields["branching_factor"],
            **self._derived(),
            "by_remoteness": fields["by_remoteness"],
            "by_tier": fields["by_tier"],
        }

    def _counted(self) -> dict[str, Any]:
        fields = self.summary.stats_json()
        fields["by_tier"] = [
            {"tier": tier["tier"], "name": self.variant.tier_name(tier["tier"]), **tier} for tier in fields["by_tier"]
        ]
        return fields

    def _derived(self) -> dict[str, Any]:
        return {
            "never_end": self.never_end,
            "mean_remoteness": self.mean_remoteness,
            "median_remoteness": self.median_remoteness,
            "decisiveness": self.decisiveness,
            "only_moves": self.only_moves,
            "only_move_share": self.only_move_share,
            "only_moves_by_value": {NAMES[v]: self.census.only[v] for v in SHOWN_VALUES} if self.is_walked else None,
            "single_moves": self.census.single if self.is_walked else None,
            "first_player": self.player(0),
            "second_player": self.player(1),
        }


def profile(
    stored: "SolvedPositions",
    memory: int | None = None,
    progress: Progress | None = None,
    *,
    is_walked: bool = True,
    is_kept: bool = False,
    is_classes: bool = True,
) -> Profile:
    """Say everything there is to say of a solved variant; without the walk, what its summary and records tell.

    The last two say what the walk keeps of positions, see `take_census`.
    """
    census = walks.take_census(
        stored,
        walks.longest_records(stored),
        memory,
        progress,
        is_walked=is_walked,
        is_kept=is_kept,
        is_classes=is_classes,
    )
    return Profile(stored.variant, stored.summary, census, is_walked)


def described(
    stored: "SolvedPositions",
    memory: int | None = None,
    progress: Progress | None = None,
    *,
    is_walked: bool = True,
    is_played: bool | None = None,
) -> Profile:
    """Say everything there is to say of a solved variant, with what it is like to play.

    Play is followed where that is asked for, or left open (None) of a walked one with few enough positions. All is
    counted on the way then, and there is no walk beside it.
    """
    if stored.variant.is_partial:
        if is_played:
            raise OptionError(f"{stored.variant.name} has no start that play could be followed from; leave out --play")
        is_played = False
    if is_played is None:
        is_played = is_walked and stored.summary.positions <= MOST_UNASKED
    if not is_played:
        return profile(stored, memory, progress, is_walked=is_walked)
    play = follow(stored, memory, progress)
    return Profile(stored.variant, stored.summary, play.census, is_walked, play)
