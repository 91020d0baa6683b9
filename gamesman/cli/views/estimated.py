"""What is estimated of variants is written here as rows and text: each number with its interval."""

from math import inf

from gamesman.analysis.comparison import FEW, letters
from gamesman.analysis.complexity import by_depth
from gamesman.analysis.estimating import (
    JUDGED,
    MEASURES,
    NOTE,
    NUMBERS,
    Estimated,
    EstimatedComparison,
    Played,
    compared,
)
from gamesman.analysis.intervals import Difference, Estimate
from gamesman.cli.display import columns, table, worth, wrapped
from gamesman.model.wording import count
from gamesman.values import NAMES

SHOWN = ("random", "searching")  # the players of whom variants are shown side by side
TITLES = {
    "first": "first wins",
    "second": "second wins",
    "tie": "ties",
    "unfinished": "never ends",
    "length": "moves",
    "length_sd": "±",
    "choices": "choices",
    "branching": "branching",
    "blunders_per_move": "blunders",
    "traps": "traps",
}
MEANING = (
    "Estimated; behind each number the interval that holds the exact one with 95 % confidence. The first player is who "
    "moves at the start. Moves of games that end, and their standard deviation; moves a game made where there was a "
    "choice; moves there are to choose from, a move made. Blunders: the share of moves that give the value away; "
    "traps: of positions, those with one move alone that does not lose; as far as searches tell."
)


def estimated_page(found: Estimated) -> str:
    """Show all that `stats --estimate` says of a variant."""
    variant = found.variant
    rows = [
        [variant.name, f"estimated from {played(found)}"],
        ["  start", variant.show(variant.start())],
        ["  value", start_value(found)],
    ]
    if found.blunders is not None:
        rows.append(["  blunders", blunders(found)])
    if found.traps is not None:
        rows.append(["  traps", traps(found)])
    rows.append(["  game tree", game_tree(found)])
    depths = " ".join(f"{row['sequences']:,}" for row in by_depth(variant)[:9])
    rows.append(["  sequences", f"{depths}: of 0, 1, 2, … moves from the start (counted, not estimated)"])
    kinds, errors = kind_rows(found), error_rows(found)
    parts = [columns(rows), *(columns(part, right=range(1, len(part[0]))) for part in (kinds, errors))]
    return "\n\n".join([*parts, *map(wrapped, [*cuts(found), MEANING, searching(found)])])


def played(found: Estimated) -> str:
    """Say how many games were played, and why there are not as many as were asked for.

    >>> from gamesman.analysis.estimating import Asked, estimate
    >>> from gamesman.model.variant import variant
    >>> played(estimate(variant("ten_to_zero:total=3"), Asked(playouts=20, depth=1)))
    '20 games at random and 10 of each kind with searches'
    """
    said = f"{count(found.kinds['random'].games, 'game')} at random and {found.searched:,} of each kind with searches"
    if found.searched == found.asked.searched:
        return said
    return f"{said}, of {found.asked.searched:,}: {'interrupted' if found.is_interrupted else 'the time was up'}"


def cuts(found: Estimated) -> list[str]:
    """Say of each kind of players of whom games were cut off how many."""
    named = [*zip(kind_titles(found), found.kinds.values(), strict=True)]
    named += [(f"both erring at {100 * rate:.0f} %", played) for rate, played in found.errors if rate < 1]
    return [cut_off(played, title) for title, played in named if played.cut]


def kind_titles(found: Estimated) -> list[str]:
    """Name the kinds of players."""
    return ["both random", *(f"{who} searches {found.asked.depth} ahead" for who in ("first", "second"))]


def kind_rows(found: Estimated) -> list[list[str]]:
    """Return a row for each measure, with a column for each kind of players."""
    return _rows(kind_titles(found), list(found.kinds.values()))


def error_rows(found: Estimated) -> list[list[str]]:
    """Return a row for each measure, with a column for each rate at which both players err."""
    return _rows([f"erring at {100 * rate:.0f} %" for rate, _ in found.errors], [each for _, each in found.errors])


def _rows(titles: list[str], found: list[Played]) -> list[list[str]]:
    rows = [["estimated", *titles], ["games", *(f"{each.games:,}" for each in found)]]
    return rows + [[TITLES[name], *(cell(name, each.found[name]) for each in found)] for name in MEASURES]


def searching(found: Estimated) -> str:
    """Say what a player does who searches, and what numbers of his games are not."""
    depth = count(found.asked.depth, "move")
    return (
        f"Who searches makes one of the moves that a search {depth} ahead finds best, each as likely; who errs at a "
        "rate makes any move so often. A search is not perfect play, which nobody knows here: these numbers are of "
        "such players, and no interval covers how far perfect ones are from them. More --depth brings them nearer."
    )


def start_value(found: Estimated) -> str:
    """Say what the start is worth, if a search has found that out."""
    start = found.start
    if start.value is None:
        return f"not known: a search {count(found.asked.depth, 'move')} ahead does not see the end"
    return f"{worth(found.variant, start.position, NAMES[start.value], start.remoteness)}: certain, by search"


def blunders(found: Estimated) -> str:
    """Say how many of the moves at random give the value away, as far as searches tell."""
    assert found.blunders is not None
    low, high = (100 * end for end in (found.blunders.low, found.blunders.high))
    return f"{low:.1f} to {high:.1f} % of the moves at random give the value away (estimated; searches decide some)"


def traps(found: Estimated) -> str:
    """Say of how many positions in games at random all moves but one lose, as far as searches tell."""
    assert found.traps is not None
    low, high = (100 * end for end in (found.traps.low, found.traps.high))
    met = "positions met at random have one move alone that does not lose, of two or more"
    return f"{low:.1f} to {high:.1f} % of the {met} (estimated; searches decide some)"


def game_tree(found: Estimated) -> str:
    """Say how many games there are from the start, and nodes in their tree."""
    if found.tree is None:
        return "moves may go in circles: no number of games, or none that could be estimated"
    games, nodes = (
        f"10^{each.estimate:.1f} {what} (10^{each.low:.1f} to 10^{each.high:.1f})"
        for each, what in zip(found.tree.values(), ("games", "nodes"), strict=True)
    )
    return f"{games}, {nodes} (estimated)"


def cut_off(played: Played, title: str) -> str:
    """Say how many games were cut off, and what that does to intervals."""
    return (
        f"{title}: {played.cut:,} of {count(played.games, 'game')} were cut off after {played.most_moves:,} moves. "
        "They may end in any way, or never, and the intervals are as wide as that."
    )


def cell(name: str, found: Estimate | None) -> str:
    """Write an estimate and its interval.

    >>> cell("first", Estimate(0.5, 0.4, 0.6)), cell("tie", Estimate(0, 0, 0.0004))
    ('50.0 % (40.0–60.0)', '0.0 % (0.0–<0.1)')
    >>> cell("length", Estimate(9.25, 9.0, inf)), cell("length", None)
    ('9.25 (9.00 or more)', '-')
    >>> cell("traps", Estimate(0, 0, 0.982))  # searches leave open which
    '0.0 to 98.2 %'
    """
    if found is None:
        return "-"
    if name in JUDGED and found.error is None:
        return f"{100 * found.low:.1f} to {100 * found.high:.1f} %"
    scale, digits, unit = (1, 2, "") if name in NUMBERS else (100, 1, " %")
    least = 0.5 * 10**-digits / scale
    ends = ["<0.1" if unit and 0 < end < least else f"{scale * end:,.{digits}f}" for end in found[1:3] if end != inf]
    interval = "–".join(ends) if len(ends) > 1 else f"{ends[0]} or more"
    return f"{scale * found.estimate:,.{digits}f}{unit} ({interval})"


def difference_cell(name: str, found: Difference | None) -> str:
    """Write a difference, its interval and p.

    >>> difference_cell("tie", Difference(0.1, 0.05, 0.15, 1e-9))
    '+10.0 (+5.0 to +15.0) p<0.001'
    >>> difference_cell("length", Difference(-2, -inf, 1, None))
    '-2.00 (up to +1.00)'
    """
    if found is None:
        return "-"
    if name in JUDGED and found.p is None:
        return f"{100 * found.low:+.1f} to {100 * found.high:+.1f}"
    scale, digits = (1, 2) if name in NUMBERS else (100, 1)
    low, high = (None if abs(end) == inf else f"{scale * end:+,.{digits}f}" for end in (found.low, found.high))
    said = f"{low} to {high}" if low and high else f"{low} or more" if low else f"up to {high}" if high else "any"
    p = "" if found.p is None else " p<0.001" if found.p < 0.001 else f" p={found.p:.3f}"
    return f"{scale * found.difference:+,.{digits}f} ({said}){p}"


def measure_rows(comparison: EstimatedComparison, players: str = "random") -> list[list[str]]:
    """Return a row for each measure of games of some players, with a column for each variant."""
    rows = [[_mark(players), *map(letters, range(len(comparison.variants)))]]
    for name in compared(players):
        rows.append([TITLES[name], *(cell(name, each.number(name, players)) for each in comparison.variants)])
    return rows


def _mark(players: str) -> str:
    """Say at the head of a table that it is estimated, and of whom."""
    return f"estimated, {players}"


def difference_rows(comparison: EstimatedComparison, players: str = "random") -> list[list[str]]:
    """Return a row for each measure that differs anywhere, with a column for each pair."""
    found = {pair: comparison.differences(*pair, players) for pair in comparison.pairs}
    names = [name for name in compared(players) if any(_is_some(each[name]) for each in found.values())]
    rows = [[_mark(players), *(f"{letters(j)} less {letters(i)}" for i, j in found)]]
    rows += [[TITLES[name], *(difference_cell(name, each[name]) for each in found.values())] for name in names]
    return rows if names else []


def effect_rows(comparison: EstimatedComparison, players: str = "random") -> list[list[str]]:
    """Return a row for each option and each two, with a column for each measure; none where there is no grid."""
    effects = comparison.effects(players)
    if effects is None or len(comparison.variants) < 3:
        return []
    parts = [*effects[0]["options"], *effects[0]["interactions"]]
    names = [
        f"{part['option']} {part['from']} to {part['to']}" if "option" in part else " × ".join(part["options"])
        for part in parts
    ]
    columns_found = [[_mark(players), *names]]
    for each in effects:
        found = [_difference(part) for part in [*each["options"], *each["interactions"]]]
        if any(map(_is_some, found)):
            columns_found.append([TITLES[each["measure"]], *(difference_cell(each["measure"], one) for one in found)])
    return [list(row) for row in zip(*columns_found, strict=True)]


def _is_some(found: Difference | None) -> bool:
    return found is not None and (found.difference != 0 or found.p is None)


def _difference(part: dict[str, float | None]) -> Difference | None:
    if part["effect"] is None:
        return None
    low, high = part["low"], part["high"]
    return Difference(part["effect"], -inf if low is None else low, inf if high is None else high, part["p"])


def comparison_page(comparison: EstimatedComparison, *, is_every_pair: bool = False) -> str:
    """Show all that `compare --estimate` says of variants; beyond a few of them, pairs only if that is asked for."""
    names = [[letters(i), each.variant.name, played(each)] for i, each in enumerate(comparison.variants)]
    first = comparison.variants[0]
    parts = [table(names), wrapped(f"Estimated from games of two who move at random, and of {players_said(first)}:")]
    parts += [columns(measure_rows(comparison, each), right=range(1, len(names) + 1)) for each in SHOWN]
    is_listed = is_every_pair or comparison.is_from_baseline or len(names) <= FEW
    for rows in [
        *(effect_rows(comparison, each) for each in SHOWN),
        *(difference_rows(comparison, each) for each in SHOWN if is_listed),
    ]:
        if rows:
            parts.append(columns(rows, right=range(1, len(rows[0]))))
    parts += map(wrapped, all_cuts(comparison))
    return "\n\n".join([*parts, wrapped(f"{NOTE} Differences of shares are in percentage points. {searching(first)}")])


def players_said(found: Estimated) -> str:
    """Say who the players are that search."""
    return f"two who search {count(found.asked.depth, 'move')} ahead"


def all_cuts(comparison: EstimatedComparison) -> list[str]:
    """Say of each variant how many of the games that variants are compared by were cut off."""
    found = []
    for i, each in enumerate(comparison.variants):
        for players in SHOWN:
            if each.played(players).cut:
                found.append(cut_off(each.played(players), f"{letters(i)}, {players}"))
    return found
