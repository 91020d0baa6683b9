"""A comparison is written here as CSV."""

import csv
import io
from typing import Any

from gamesman.analysis.comparison import Comparison
from gamesman.model.summary import SHOWN_VALUES
from gamesman.values import NAMES

# What the columns are called that a field with several numbers becomes in CSV.
PREFIXES = {
    "counts": "",
    "shares": "share_",
    "only_moves_by_value": "only_moves_",
    "first_player": "first_player_",
    "second_player": "second_player_",
}


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
