"""A profile is written here as text, for a terminal: what `stats` shows."""

from math import ceil
from typing import Any

from gamesman.analysis.profile import Profile
from gamesman.cli.display import colour, columns, summary_page, table
from gamesman.model.summary import SHOWN_VALUES
from gamesman.model.wording import count
from gamesman.values import NAMES

# More rows of remoteness than this are shown several in one.
MOST_ROWS = 32


def percent(share: float | None) -> str:
    """Write a share in percent; one that is not 0 does not look like 0, nor one that is not all like all.

    >>> percent(0.123), percent(0.00001), percent(0.99999), percent(None)
    ('12.3 %', '<0.1 %', '>99.9 %', '-')
    """
    if share is None:
        return "-"
    if 0 < share < 0.0005:
        return "<0.1 %"
    if 0.9995 <= share < 1:
        return ">99.9 %"
    return f"{100 * share:.1f} %"


def stats_page(profile: Profile, status: str = "solved") -> str:
    """Show all that `stats` says of a variant."""
    values = [value for value in SHOWN_VALUES if profile.values[value]]
    parts = [f"{summary_page(profile.variant, profile.summary, status)}\n{columns(_more(profile))}"]
    parts.append(_remoteness_table(profile, values))
    parts.append(_tier_table(profile, values))
    if profile.longest_wins:
        rows = [["longest wins", "positions", "such as"]]
        rows += [[str(win["remoteness"]), f"{win['positions']:,}", win["position"]] for win in profile.longest_wins]
        parts.append(table(rows, right=[0, 1]))
    return "\n\n".join(parts)


def _more(profile: Profile) -> list[list[str]]:
    fields = profile.stats_json()
    mean = _number(fields["mean_remoteness"], 2)
    never = f"; {profile.never_end:,} ({percent(profile.shares['draw'])}) never do" if profile.never_end else ""
    rows = [["  mean", f"{mean} moves to the end, of those that end{never}"]]
    rows.append(["  median", f"{_median(fields)}, of all"])
    rows.append(["  branching", f"{profile.branching_factor:.2f} moves a position that has any"])
    if profile.is_walked and profile.with_moves:
        share = f"{percent(profile.only_move_share)} ({profile.only_moves:,})"
        none = f"{count(profile.census.single, 'has', 'have')} no other"
        rows.append(["  only move", f"in {share} of the positions with a move, one alone keeps the value; {none}"])
        first, second = profile.player(0), profile.player(1)
        assert first is not None and second is not None
        names = list(profile.variant.game.players.values())
        begins = profile.variant.turn(profile.variant.start())
        game = profile.variant.game
        whose = "their" if game.is_plural(begins) else "his"
        turns = f"{names[begins]} {game.does(begins, 'wins')} {percent(first['share'])} of {whose} turns, "
        whose = "theirs" if game.is_plural(1 - begins) else "his"
        rows.append(["  players", f"{turns}{names[1 - begins]} {percent(second['share'])} of {whose}"])
    return rows


def _remoteness_table(profile: Profile, values: list[int]) -> str:
    histogram = profile.summary.histogram
    shown = [value for value in values if NAMES[value] != "draw"]
    if not shown:
        return "no position has a remoteness: all are draws"
    last = max(r for value in shown for r in histogram[value])
    width = ceil((last + 1) / MOST_ROWS)
    rows = [["remoteness", *(colour(NAMES[v], NAMES[v]) for v in shown)]]
    for low in range(0, last + 1, width):
        high = min(low + width - 1, last)
        counts = [sum(n for r, n in histogram[v].items() if low <= r <= high) for v in shown]
        rows.append([str(low) if low == high else f"{low}-{high}", *(f"{n:,}" if n else "." for n in counts)])
    return table(rows, right=range(len(shown) + 1))


def _tier_table(profile: Profile, values: list[int]) -> str:
    head, *rows = tier_rows(profile)
    coloured = [colour(cell, cell) if cell in NAMES else cell for cell in head]
    return columns([coloured, *rows], right=range(len(values) + 2))


def tier_rows(profile: Profile) -> list[list[str]]:
    """Return a row for each tier: its number, its positions by the values there are, its name where it has one."""
    values = [value for value in SHOWN_VALUES if profile.values[value]]
    rows = [["tier", "positions", *(NAMES[v] for v in values), "which is"]]
    for tier in profile.summary.tiers:
        counts = [tier.counts[NAMES[v]] for v in values]
        numbers = [f"{tier.positions:,}", *(f"{n:,}" if n else "." for n in counts)]
        rows.append([str(tier.number), *numbers, profile.variant.tier_name(tier.number)])
    if not profile.variant.has("tier_name"):
        rows = [row[:-1] for row in rows]
    return rows


def _number(number: float | None, digits: int) -> str:
    return "-" if number is None else f"{number:.{digits}f}"


def _median(fields: dict[str, Any]) -> str:
    """Write the median remoteness, which may be never.

    >>> _median({"median_remoteness": 2.5}), _median({"median_remoteness": None})
    ('2.5', 'never')
    """
    return "never" if fields["median_remoteness"] is None else f"{fields['median_remoteness']:.1f}"
