"""What a comparison has found is put into rows and sentences here: the terminal and the page show the same."""

from collections.abc import Iterator, Sequence
from typing import Any

from gamesman.analysis.comparison import Comparison, Pair, letters
from gamesman.analysis.figures import Figure, shown
from gamesman.analysis.profile import Profile
from gamesman.analysis.sharing import BEST_FIRST, Sharing
from gamesman.analysis.statistics import CLIFFS_DELTA, KOLMOGOROV_SMIRNOV, MEASURES, NEVER, TOTAL_VARIATION
from gamesman.cli.views.text import percent
from gamesman.model.wording import NOUNS, VERBS
from gamesman.values import NAMES

# What the measures mean whose names do not say it.
MEANINGS = {
    "mean remoteness": "of those that end",
    "never end": "draws, which the mean leaves out",
    "median remoteness": "of all positions: a draw, which never ends, is later than every number",
    "max remoteness": "of all positions; in brackets, beside never, of those that end",
    "decisive": "positions that are won or lost: neither ties nor draws",
    "only move": "positions of which exactly one move keeps the value, all others, if there are any, being mistakes; "
    "of those that have a move",
    "no choice": "positions with a single move, which cannot be a mistake; they are among the only moves, and what "
    "those have more are positions with a choice in which one move alone is right; of those that have a move",
    "first wins": "of the positions in which the first player has to move, those he wins; he is who moves at the start",
    "second wins": "the same of the other player; in a position that is over nobody has to move",
}

OFTEN_NONE = ("ties", "draws", "never end")

# The measures whose effects are shown, unless others are asked for: those of them that vary.
SHOWN_EFFECTS = ("wins", "losses", "ties", "draws", "mean remoteness", "branching factor", "only move")


def measure_rows(comparison: Comparison) -> list[list[str]]:
    """Return a row for each measure, with a column for each variant, the first of each being its name.

    Beside the numbers of a comparison with a baseline stands how much they differ from it. What there is none of in any
    variant has no row, unless it is asked for.
    """
    profiles, base = comparison.profiles, comparison.profiles[0] if comparison.is_from_baseline else None
    rows = [["", *map(letters, range(len(profiles)))], ["start", *map(_start, profiles)]]
    for figure in comparison.figures or _there(profiles):
        rows.append([figure.name, *(figure_text(figure, profile, base) for profile in profiles)])
    return rows


def _there(profiles: Sequence[Profile]) -> list[Figure]:
    return [each for each in shown(profiles) if each.name not in OFTEN_NONE or any(map(each.of, profiles))]


def _start(profile: Profile) -> str:
    fields = profile.summary.as_json()
    remoteness = "" if fields["remoteness"] is None else f" in {fields['remoteness']}"
    return f"{VERBS[fields['value']]}{remoteness}"


def figure_text(figure: Figure, profile: Profile, base: Profile | None = None) -> str:
    """Write a variant's number, and how much it differs from a baseline's."""
    found = figure.of(profile)
    if found is None:
        text = "-"
    elif found == NEVER:
        ends = profile.summary.max_remoteness if figure.name == "max remoteness" else None
        text = "never" if ends is None else f"never ({ends})"
    else:
        text = percent(found) if figure.is_share else f"{found:,.{figure.digits}f}"
    if base is None or base is profile:
        return text
    here, there = figure.number(profile), figure.number(base)
    return text if here is None or there is None else f"{text} {difference(figure, here - there)}"


def difference(figure: Figure, number: float) -> str:
    """Write a difference of two numbers, of shares in percentage points."""
    return f"{number:+,.{1 if figure.is_share else max(figure.digits, 1)}f}"


def meanings(rows: list[list[str]]) -> list[tuple[str, str]]:
    """Return the names and the meanings of those measures in rows whose names do not say it."""
    return [(row[0], MEANINGS[row[0]]) for row in rows if row[0] in MEANINGS]


def grid_rows(comparison: Comparison) -> list[list[str]]:
    """Return a row for each option and each two of them, a column for each measure; none where there is no grid."""
    if comparison.grid is None or len(comparison.profiles) < 3:
        return []
    by_name = {each.name: each for each in comparison.figures or shown(comparison.profiles)}
    found = []
    for effects in comparison.effects or []:
        is_wanted = bool(comparison.figures) or effects["measure"] in SHOWN_EFFECTS
        if is_wanted and (comparison.figures or effects["rest"] is not None):
            found.append(effects)
    if not found:
        return []
    options = [f"{e['option']} {e['from']} to {e['to']}" for e in found[0]["options"] or _unmeasured(comparison)]
    both = [" × ".join(e["options"]) for e in found[0]["interactions"]]
    columns = [[*options, *both, *(["all else"] if len(options) > 2 else [])]]
    for effects in found:
        figure = by_name[effects["measure"]]
        parts = [*effects["options"], *effects["interactions"]]
        column = [f"{difference(figure, part['effect'])} {_of_all(part['share'])}".rstrip() for part in parts]
        if len(options) > 2:
            column.append(_of_all(effects["rest"]))
        columns.append(column if parts else ["-"] * len(columns[0]))
    head = ["", *(effects["measure"] for effects in found)]
    return [head, *(list(row) for row in zip(*columns, strict=True))]


def _unmeasured(comparison: Comparison) -> list[dict[str, Any]]:
    """Return the options of a grid whose measure there is no number of."""
    assert comparison.grid is not None
    return [
        {"option": f.name, "from": f.said(f.levels[0]), "to": f.said(f.levels[-1])} for f in comparison.grid.factors
    ]


def _of_all(share: float | None) -> str:
    """Write a share of variance in brackets.

    >>> _of_all(0.925), _of_all(0.001), _of_all(None)
    ('(92 %)', '(<1 %)', '')
    """
    if share is None:
        return ""
    return "(<1 %)" if 0 < share < 0.005 else f"({100 * share:.0f} %)"


GRID_MEANING = (
    "What an option does: the mean of all variants with its last value less the mean of all with its first; shares are "
    "in percentage points. What two do together (×): how much more the one does where the other has its last value. "
    "In brackets: the share of all that varies between the variants. These are all combinations: effects are exact."
)


def effect_rows(comparison: Comparison) -> list[list[str]]:
    """Return a row for each pair: the effect sizes, and how many positions are shared."""
    rows = [["", *(measure.title.replace(" distance", "") for measure in MEASURES), "shared positions"]]
    for pair in comparison.pairs:
        cells = [_effect(pair.effects[measure.name], measure is CLIFFS_DELTA) for measure in MEASURES]
        rows.append([title(pair), *cells, _shared(pair)])
    return rows


def _effect(found: dict[str, Any], is_signed: bool) -> str:
    if found["value"] is None:
        return "-"
    return f"{found['value']:{'+' if is_signed else ''}.2f} {found['size']}"


def _shared(pair: Pair) -> str:
    return "-" if pair.shared is None or pair.shared.reason else f"{pair.shared.positions:,}"


def distances(comparison: Comparison) -> list[list[float]]:
    """Return how far every two variants are apart: by values below the diagonal, by when they end above it."""
    count = len(comparison.profiles)
    numbers = [[0.0] * count for _ in range(count)]
    for pair in comparison.pairs:
        for i, j, measure in ((1, 0, TOTAL_VARIATION), (0, 1, KOLMOGOROV_SMIRNOV)):
            at = (pair.first, pair.second)
            numbers[at[i]][at[j]] = pair.effects[measure.name]["value"] or 0.0
    return numbers


def distance_rows(comparison: Comparison) -> list[list[str]]:
    """Return the same distances as rows of text, each with the letters of its variant."""
    numbers = distances(comparison)
    names = [*map(letters, range(len(numbers)))]
    cells = [["·" if i == j else f"{n:.2f}" for j, n in enumerate(row)] for i, row in enumerate(numbers)]
    return [["", *names], *([name, *row] for name, row in zip(names, cells, strict=True))]


DISTANCE_MEANING = (
    "How far every two are apart, from 0 to 1. Below the diagonal: the total variation distance of their values. Above "
    "it: the Kolmogorov–Smirnov distance of when their positions end, draws being never."
)


def title(pair: Pair) -> str:
    """Name a pair by the letters of its variants: A and B."""
    return f"{letters(pair.first)} and {letters(pair.second)}"


def apart(comparison: Comparison) -> dict[str, list[str]]:
    """Return the pairs that share no positions, by the reason why."""
    found: dict[str, list[str]] = {}
    for pair in comparison.pairs:
        if pair.shared is not None and not pair.shared.positions:
            reason = pair.shared.reason or "none can be reached in both of them"
            found.setdefault(reason, []).append(title(pair))
    return found


def reading_deltas() -> str:
    """Say how to read the sign of Cliff's delta."""
    return "Cliff's delta is positive where the second one's positions end later; a draw, which never ends, is latest."


def kept(shared: Sharing) -> str:
    """Say how many of the shared positions keep their value, and their remoteness."""
    same, alike = percent(shared.kept / shared.positions), percent(shared.alike / shared.positions)
    return f"{same} keep their value, {alike} also their remoteness"


def carried(pair: Pair) -> list[str]:
    """Say how alike two variants are to who has learnt one of them: kappa, remoteness, best moves."""
    one, other, shared = letters(pair.first), letters(pair.second), pair.shared
    assert shared is not None
    said = []
    if shared.kappa is not None:
        said.append(f"Their values agree by a kappa of {shared.kappa:.2f}: 1 is all, 0 as many as by chance.")
    if shared.mean_change is not None:
        number = abs(shared.mean_change)
        when = f"{number:.2f} moves {'later' if shared.mean_change > 0 else 'sooner'} in {other} than in {one}"
        said.append(f"Those that end in both end {when if number >= 0.005 else 'as soon in both'}, on average.")
    if shared.learnt is not None and shared.learnt.moves:
        stay = percent(shared.learnt.stay / shared.learnt.moves)
        said.append(f"{stay} of {one}'s best moves are best moves in {other}.")
    return said


def parting(pair: Pair) -> list[str]:
    """Say where best play parts, if it does."""
    one, other, shared = letters(pair.first), letters(pair.second), pair.shared
    assert shared is not None
    opening = shared.opening
    if opening is None:
        return []
    after = f"After {', '.join(opening.moves)}, best in both, they" if opening.moves else "They"
    plays = [
        f"{VERBS[value]}{'' if ends is None else f' in {ends}'} with {' or '.join(moves)} in {name}"
        for name, value, ends, moves in zip((one, other), opening.value, opening.remoteness, opening.best, strict=True)
    ]
    where = f" in {opening.position}" if opening.moves else " at the start"
    return [f"{after} part{where}: {', '.join(plays)}."]


def changing(shared: Sharing) -> list[int]:
    """Return the values that shared positions have in either variant, the best first."""
    return [v for v in BEST_FIRST if shared.changes[v].any() or shared.changes[:, v].any()]


def cell(shared: Sharing, value: int, other: int) -> str:
    """Say how many positions change from one value to the other, and how large a share of the row that is."""
    n, of = int(shared.changes[value, other]), int(shared.changes[value].sum())
    return f"{n:,} ({percent(n / of)})" if n else "."


def examples(pair: Pair) -> Iterator[str]:
    """Yield a sentence for every change of value, the sharpest first."""
    one, other = letters(pair.first), letters(pair.second)
    assert pair.shared is not None
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
