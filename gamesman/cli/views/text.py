"""Profiles and comparisons are written here as text, for a terminal and as CSV."""

import csv
import io
from collections.abc import Iterator
from math import ceil
from typing import Any

from gamesman.analysis.comparison import VARIANT_LETTERS, Comparison, Pair
from gamesman.analysis.profile import Profile
from gamesman.analysis.sharing import BEST_FIRST, Sharing
from gamesman.analysis.statistics import CLIFFS_DELTA, MEASURES, NO_P_VALUES
from gamesman.cli.display import colour, summary_page, table
from gamesman.model.summary import SHOWN_VALUES
from gamesman.model.wording import NOUNS, VERBS, count
from gamesman.values import NAMES

# More rows of remoteness than this are shown several in one.
MOST_ROWS = 32

# What the measures mean whose names do not say it.
MEANINGS = {
    "mean remoteness": "of those that end",
    "never end": "draws, which the mean leaves out",
    "median remoteness": "of all positions: a draw, which never ends, is later than every number",
    "max remoteness": "of all positions; in brackets, beside never, of those that end",
    "decisive": "positions that are won or lost: neither ties nor draws",
    "only move": "positions of which exactly one move keeps the value; of those that have a move",
    "no choice": "positions with a single move; of those that have a move",
    "first wins": "of the positions in which the first player has to move, those he wins; he is who moves at the start",
    "second wins": "the same of the other player; in a position that is over nobody has to move",
}

# What the columns are called that a field with several numbers becomes in CSV.
PREFIXES = {
    "counts": "",
    "shares": "share_",
    "only_moves_by_value": "only_moves_",
    "first_player": "first_player_",
    "second_player": "second_player_",
}


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
    parts = [f"{summary_page(profile.variant, profile.summary, status)}\n{table(_more(profile))}"]
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
        turns = f"{names[begins]} wins {percent(first['share'])} of his turns, "
        rows.append(["  players", f"{turns}{names[1 - begins]} {percent(second['share'])} of his"])
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
    return table([coloured, *rows], right=range(len(values) + 2))


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


def measures(profile: Profile) -> list[tuple[str, str]]:
    """Return a row of the comparison's table for each measure: its name, and what it is for one variant."""
    fields = profile.compare_json()
    remoteness = "" if fields["remoteness"] is None else f" in {fields['remoteness']}"
    rows = [("start", f"{VERBS[fields['value']]}{remoteness}"), ("positions", f"{fields['positions']:,}")]
    rows += [(NOUNS[value][1], percent(share)) for value, share in fields["shares"].items()]
    rows += [
        ("mean remoteness", _number(fields["mean_remoteness"], 2)),
        ("never end", f"{fields['never_end']:,}"),
        ("median remoteness", _median(fields)),
        ("max remoteness", _max(fields)),
        ("branching factor", f"{fields['branching_factor']:.2f}"),
        ("decisive", percent(fields["decisiveness"])),
    ]
    if profile.is_walked:
        single = profile.census.single / profile.with_moves if profile.with_moves else None
        rows += [
            ("only move", percent(profile.only_move_share)),
            ("no choice", percent(single)),
            ("first wins", percent(fields["first_player"]["share"])),
            ("second wins", percent(fields["second_player"]["share"])),
        ]
    return rows


def _number(number: float | None, digits: int) -> str:
    return "-" if number is None else f"{number:.{digits}f}"


def _median(fields: dict[str, Any]) -> str:
    """Write the median remoteness, which may be never.

    >>> _median({"median_remoteness": 2.5}), _median({"median_remoteness": None})
    ('2.5', 'never')
    """
    return "never" if fields["median_remoteness"] is None else f"{fields['median_remoteness']:.1f}"


def _max(fields: dict[str, Any]) -> str:
    """Write the largest remoteness: never where a position never ends, and in brackets that of the others.

    >>> [_max({"max_remoteness": most, "never_end": draws}) for most, draws in ((7, 0), (7, 2), (None, 2))]
    ['7', 'never (7)', 'never']
    """
    most = "" if fields["max_remoteness"] is None else str(fields["max_remoteness"])
    if not fields["never_end"]:
        return most
    return f"never ({most})" if most else "never"


def measure_rows(comparison: Comparison) -> list[list[str]]:
    """Return a row for each measure, with a column for each variant, the first of each being its name."""
    columns = [measures(profile) for profile in comparison.profiles]
    rows = [["", *VARIANT_LETTERS[: len(columns)]]]
    return rows + [[name, *(column[i][1] for column in columns)] for i, (name, _) in enumerate(columns[0])]


def meanings(rows: list[list[str]]) -> list[tuple[str, str]]:
    """Return the names and the meanings of those measures in rows whose names do not say it."""
    return [(row[0], MEANINGS[row[0]]) for row in rows if row[0] in MEANINGS]


def effect_rows(comparison: Comparison) -> list[list[str]]:
    """Return a row for each pair: the effect sizes, and how many positions are shared."""
    rows = [["", *(measure.title.replace(" distance", "") for measure in MEASURES), "shared positions"]]
    for pair in comparison.pairs:
        cells = [_effect(pair.effects[measure.name], measure is CLIFFS_DELTA) for measure in MEASURES]
        rows.append([title(pair), *cells, "-" if pair.shared.reason else f"{pair.shared.positions:,}"])
    return rows


def _effect(found: dict[str, Any], is_signed: bool) -> str:
    if found["value"] is None:
        return "-"
    return f"{found['value']:{'+' if is_signed else ''}.2f} {found['size']}"


def title(pair: Pair) -> str:
    """Name a pair by the letters of its variants: A and B."""
    return f"{VARIANT_LETTERS[pair.first]} and {VARIANT_LETTERS[pair.second]}"


def compare_page(comparison: Comparison) -> str:
    """Show all that `compare` says of variants."""
    names = [
        [letter, profile.variant.name] for letter, profile in zip(VARIANT_LETTERS, comparison.profiles, strict=False)
    ]
    rows = measure_rows(comparison)
    parts = [table(names), table(rows, right=range(1, len(names) + 1)), table(meanings(rows))]
    parts += [table(effect_rows(comparison)), f"{reading_deltas()}\n{NO_P_VALUES}"]
    parts += [changes_page(pair) for pair in comparison.pairs if pair.shared.positions]
    parts += [f"no positions shared: {', '.join(pairs)}: {reason}" for reason, pairs in apart(comparison).items()]
    return "\n\n".join(parts)


def apart(comparison: Comparison) -> dict[str, list[str]]:
    """Return the pairs that share no positions, by the reason why."""
    found: dict[str, list[str]] = {}
    for pair in comparison.pairs:
        if not pair.shared.positions:
            reason = pair.shared.reason or "none can be reached in both of them"
            found.setdefault(reason, []).append(title(pair))
    return found


def reading_deltas() -> str:
    """Say how to read the sign of Cliff's delta."""
    return "Cliff's delta is positive where the second one's positions end later; a draw, which never ends, is latest."


def changes_page(pair: Pair) -> str:
    """Show how many positions two variants share, and how their values change."""
    one, other, shared = VARIANT_LETTERS[pair.first], VARIANT_LETTERS[pair.second], pair.shared
    said = f"{title(pair)} share {count(shared.positions, 'position')}: {kept(shared)}"
    values = changing(shared)
    rows = [[f"in {one}, in {other}:", *(NOUNS[NAMES[v]][1] for v in values)]]
    rows += [[NOUNS[NAMES[v]][1], *(cell(shared, v, w) for w in values)] for v in values]
    return "\n".join([said, table(rows, right=range(1, len(values) + 1)), *examples(pair)])


def kept(shared: Sharing) -> str:
    """Say how many of the shared positions keep their value, and their remoteness."""
    same, alike = percent(shared.kept / shared.positions), percent(shared.alike / shared.positions)
    return f"{same} keep their value, {alike} also their remoteness"


def changing(shared: Sharing) -> list[int]:
    """Return the values that shared positions have in either variant, the best first."""
    return [v for v in BEST_FIRST if shared.changes[v].any() or shared.changes[:, v].any()]


def cell(shared: Sharing, value: int, other: int) -> str:
    """Say how many positions change from one value to the other, and how large a share of the row that is."""
    n, of = int(shared.changes[value, other]), int(shared.changes[value].sum())
    return f"{n:,} ({percent(n / of)})" if n else "."


def examples(pair: Pair) -> Iterator[str]:
    """Yield a sentence for every change of value, the sharpest first."""
    one, other = VARIANT_LETTERS[pair.first], VARIANT_LETTERS[pair.second]
    for found in pair.shared.examples:
        value, of = NAMES.index(found["from"]), NOUNS[found["from"]][1]
        share = percent(found["positions"] / int(pair.shared.changes[value].sum()))
        becomes = "is a" if found["positions"] == 1 else "are"
        becomes += f" {NOUNS[found['to']][found['positions'] != 1]}"
        here, there = (_worth(v, r) for v, r in zip((found["from"], found["to"]), found["remoteness"], strict=True))
        yield f"{share} of {one}'s {of} {becomes} in {other}: {found['position']} {here} in {one}, {there} in {other}"


def _worth(value: str, remoteness: int | None) -> str:
    """Say what a position is worth, behind its name.

    >>> _worth("win", 3), _worth("lose", 0), _worth("draw", None)
    ('wins in 3', 'is lost', 'draws')
    """
    if remoteness == 0:
        return {"win": "is won", "lose": "is lost", "tie": "is tied"}[value]
    return VERBS[value] + ("" if remoteness is None else f" in {remoteness}")


def as_csv(comparison: Comparison) -> str:
    """Return a comparison as CSV: a row for each variant, a column for each number."""
    rows = []
    for profile in comparison.profiles:
        fields = profile.compare_json()
        row: dict[str, Any] = {}
        for name, found in fields.items():
            if name in ("by_remoteness", "by_tier"):
                continue
            if name in PREFIXES:
                prefix = PREFIXES[name]
                keys = ("positions", "wins", "share") if name.endswith("player") else profile.shares
                row |= {f"{prefix}{key}": None if found is None else found[key] for key in keys}
            else:
                row[name] = found
        rows.append(row)
    return _csv(rows)


def as_remoteness_csv(comparison: Comparison) -> str:
    """Return the whole distributions as CSV: a row for each variant, value and remoteness, which a draw has not."""
    rows = []
    for profile in comparison.profiles:
        for value in SHOWN_VALUES:
            for remoteness, n in sorted(profile.summary.histogram[value].items()):
                draws = NAMES[value] == "draw"
                fields = (profile.variant.name, NAMES[value], None if draws else remoteness, n)
                rows.append(dict(zip(("variant", "value", "remoteness", "positions"), fields, strict=True)))
    return _csv(rows)


def _csv(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().rstrip("\n")
