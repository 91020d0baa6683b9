"""The tables are defined here, the same for SQLite and PostgreSQL, with what may be relied on in them.

A position is no row: 16,384 of them with ascending keys are a block, compressed (see codec/block.py). Measured with 12
million positions, rows take 150 times the CPU to write and 4 to 14 times the space.

- A tier's blocks count only when its row in `tiers` is there. It is written last, so half a tier never shows.
- A variant is solved only when its row in `solves` is there.
- Every row that an answer depends on has a checksum of all that is in it. Blocks are numbered within their tier: that a
  position is absent follows from two blocks with consecutive numbers around it, so a lost row cannot pass for that.
- `work` says which process is solving a variant. Not this row excludes a second one, but a lock that ends with it.
- Whatever a later format changes, a variant's `name` and `format` stay where they are, so that any program can tell.
"""

import datetime
import json
import zlib
from collections import Counter
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from gamesman.model.summary import Summary, TierSummary
from gamesman.values import DRAW, KEY_LIMIT, MAX_REMOTENESS, WIN

# It is to be increased by any change that makes an older program misread what a newer one has written, or vice versa.
FORMAT = 1
# A variant of which one position of each class is stored, see gamesman.model.symmetry; of any other all are.
CLASSES = 2

# SQLite numbers rows by itself only where the type is exactly INTEGER; its integers have 64 bits all the same.
Number = BigInteger().with_variant(Integer, "sqlite")

metadata = MetaData()

variants = Table(
    "gamesman_variants",
    metadata,
    Column("id", Number, primary_key=True),
    Column("name", Text, nullable=False, unique=True),  # canonical: konane:rows=4,cols=5
    Column("format", Number, nullable=False),
    Column("options", Text, nullable=False),  # all that are in force, as JSON
    Column("fingerprint", Text, nullable=False),  # of the game's source and its options: see gamesman.model.variant
    Column("checksum", Number, nullable=False),
    sqlite_autoincrement=True,  # no id twice: who reads a variant must not take the next one for it
)


def _of_variant(is_primary: bool = False) -> Column[int]:
    """Return a column that says which variant a row belongs to."""
    return Column("variant", Number, ForeignKey(variants.c.id), primary_key=is_primary, nullable=False)


solves = Table(
    "gamesman_solves",
    metadata,
    _of_variant(is_primary=True),
    Column("summary", Text, nullable=False),  # JSON, without the tiers
    Column("finished", Text, nullable=False),  # when, like 2025-01-31T12:00:00+00:00
    Column("checksum", Number, nullable=False),
)

tiers = Table(
    "gamesman_tiers",
    metadata,
    _of_variant(is_primary=True),
    Column("tier", Number, primary_key=True, autoincrement=False),
    Column("blocks", Number, nullable=False),
    Column("positions", Number, nullable=False),  # that are stored
    Column("dense", Number, nullable=False),  # 1 where the solver handed over runs of consecutive keys
    Column("summary", Text, nullable=False),  # JSON: histogram, primitives, moves
    Column("checksum", Number, nullable=False),
)

blocks = Table(
    "gamesman_blocks",
    metadata,
    Column("id", Number, primary_key=True),
    _of_variant(),
    Column("tier", Number, nullable=False),
    Column("first", Number, nullable=False),  # the first key
    Column("last", Number, nullable=False),
    Column("number", Number, nullable=False),  # 0, 1, 2, ... within the tier, in the order of the keys
    Column("positions", Number, nullable=False),  # that are stored, of those that can be reached
    Column("content", Number, nullable=False),  # the checksum of the two below
    Column("checksum", Number, nullable=False),  # of everything above
    # Last, because SQLite reads a row from its beginning.
    Column("packed_keys", LargeBinary),  # NULL where the records have an entry for every key from first to last
    Column("packed_records", LargeBinary, nullable=False),
    UniqueConstraint("variant", "tier", "first"),
)

work = Table(
    "gamesman_work",
    metadata,
    Column("name", Text, primary_key=True),  # of the variant
    Column("pid", Number, nullable=False),
    Column("host", Text, nullable=False),
    Column("since", Text, nullable=False),
)


def checksum(*fields: Any) -> int:
    """Return the checksum of texts, numbers and bytes.

    >>> checksum("konane", 1, b"x") == checksum("konane", 1, b"y")
    False
    """
    sum_ = 0
    for field in fields:
        data = field if isinstance(field, bytes) else b"\0" if field is None else f"{field}\0".encode()
        sum_ = zlib.crc32(data, sum_)
    return sum_


def summary_text(summary: Summary) -> str:
    """Return the text that `solves` keeps of a summary, without the tiers, which have their own rows."""
    kept = "position value remoteness seconds cpu_seconds peak_memory database_bytes".split()
    fields = {name: getattr(summary, name) for name in kept}
    return json.dumps({**fields, "tiers": len(summary.tiers)}, default=int)


def read_summary(variant: str, text: str, tiers: list[TierSummary]) -> tuple[Summary, int]:
    """Return the summary, and how many tiers it should have. Raises ValueError for what is no summary."""
    fields = _object(text)
    value = _number(fields.get("value"), WIN)
    said = fields.get("position"), fields.get("remoteness"), fields.get("database_bytes")
    if not isinstance(said[0], str) or (said[1] is None) != (value == DRAW):
        raise ValueError("no summary")
    remoteness, size = (None if each is None else _number(each) for each in said[1:])
    seconds, cpu_seconds = (_number(fields.get(name), kinds=(int, float)) for name in ("seconds", "cpu_seconds"))
    peak, expected = _number(fields.get("peak_memory")), _number(fields.get("tiers"))
    return Summary(variant, said[0], value, remoteness, tiers, seconds, cpu_seconds, peak, size), expected


def tier_text(tier: TierSummary) -> str:
    """Return the text that `tiers` keeps of a tier's summary.

    >>> tier = TierSummary(4, {3: Counter({1: 2, 7: 1})}, primitives=0, moves=5)
    >>> read_tier(4, tier_text(tier)) == tier
    True
    """
    histogram = {str(value): {str(r): int(n) for r, n in sorted(f.items())} for value, f in tier.histogram.items()}
    fields = {"histogram": histogram, "primitives": int(tier.primitives), "moves": int(tier.moves)}
    return json.dumps(fields if tier.kept is None else {**fields, "classes": int(tier.kept)})


def read_tier(tier: int, text: str) -> TierSummary:
    """Return the summary of a tier from its text. Raises ValueError for what is none."""
    fields = _object(text)
    histogram = {
        _number(int(value), WIN): Counter(
            {_number(int(r), MAX_REMOTENESS): _number(n) for r, n in _object(found).items()}
        )
        for value, found in _object(fields.get("histogram")).items()
    }
    kept = _number(fields["classes"]) if "classes" in fields else None
    return TierSummary(tier, histogram, _number(fields.get("primitives")), _number(fields.get("moves")), kept)


def is_time(text: Any) -> bool:
    """Return whether a text is a time as `solves` keeps it.

    >>> is_time("2025-01-31T12:00:00+00:00"), is_time("soon")
    (True, False)
    """
    try:
        return datetime.datetime.fromisoformat(text) is not None
    except (TypeError, ValueError):
        return False


def _object(found: Any) -> dict[str, Any]:
    """Return a JSON object, given as text or as read already. Raises ValueError for what is none."""
    if isinstance(found, str):
        try:
            found = json.loads(found)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found


def _number(found: Any, most: int = KEY_LIMIT - 1, kinds: tuple[type, ...] = (int,)) -> Any:
    """Return a number if it is from 0 to `most`. Raises ValueError for anything else, JSON's NaN included."""
    if type(found) not in kinds or not 0 <= found <= most:
        raise ValueError("no number, or out of range")
    return found
