"""A comparison is shown here in a terminal."""

from gamesman.analysis.comparison import FEW, Comparison, Pair, letters
from gamesman.analysis.statistics import NO_P_VALUES
from gamesman.cli.display import columns, table, wrapped
from gamesman.cli.views.rows import (
    DISTANCE_MEANING,
    GRID_MEANING,
    apart,
    carried,
    cell,
    changing,
    distance_rows,
    effect_rows,
    examples,
    grid_rows,
    kept,
    meanings,
    measure_rows,
    parting,
    reading_deltas,
    title,
)
from gamesman.model.wording import NOUNS, count
from gamesman.values import NAMES


def compare_page(comparison: Comparison, *, is_every_pair: bool = False) -> str:
    """Show all that `compare` says of variants; beyond a few of them, pairs only if that is asked for."""
    names = [[letters(i), profile.variant.name] for i, profile in enumerate(comparison.profiles)]
    rows = measure_rows(comparison)
    parts = [table(names), columns(rows, right=range(1, len(names) + 1)), columns(meanings(rows))]
    if comparison.is_from_baseline:
        parts.append(wrapped("Beside a number stands how much it differs from A's, of shares in percentage points."))
    grid = grid_rows(comparison)
    if grid:
        parts += [columns(grid, right=range(1, len(grid[0]))), wrapped(GRID_MEANING)]
    if is_every_pair or comparison.is_from_baseline or len(names) <= FEW:
        parts += [columns(effect_rows(comparison)), wrapped(f"{reading_deltas()} {NO_P_VALUES}")]
        parts += [changes_page(pair) for pair in comparison.pairs if pair.shared and pair.shared.positions]
        parts += [
            wrapped(f"no positions shared: {', '.join(pairs)}: {reason}") for reason, pairs in apart(comparison).items()
        ]
    else:
        parts += [columns(distance_rows(comparison), right=range(1, len(names) + 1)), wrapped(DISTANCE_MEANING)]
        parts.append(
            wrapped(f"{NO_P_VALUES} Every two side by side: --all-pairs; all against one: --baseline VARIANT.")
        )
    return "\n\n".join(filter(None, parts))


def changes_page(pair: Pair) -> str:
    """Show how many positions two variants share, and how their values change."""
    one, other, shared = letters(pair.first), letters(pair.second), pair.shared
    assert shared is not None
    said = f"{title(pair)} share {count(shared.positions, 'position')}: {kept(shared)}"
    values = changing(shared)
    rows = [[f"in {one}, in {other}:", *(NOUNS[NAMES[v]][1] for v in values)]]
    rows += [[NOUNS[NAMES[v]][1], *(cell(shared, v, w) for w in values)] for v in values]
    sentences = [*carried(pair), *parting(pair), *examples(pair)]
    return "\n".join([wrapped(said), table(rows, right=range(1, len(values) + 1)), *map(wrapped, sentences)])
