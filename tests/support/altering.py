"""Solutions stored wrongly on purpose, with all counts and checksums as if they were right."""

import sqlite3
from collections import Counter
from contextlib import closing

import numpy as np
import pytest

from gamesman.analysis.verify import Verification
from gamesman.db import open_store, schema
from gamesman.db.codec.block import KEYS_HEAD, STRIDE
from gamesman.db.codec.compression import compressor, decompressor
from gamesman.db.rows import content_checksum, head_checksum
from gamesman.errors import NotVerified
from gamesman.model.ports import Part
from gamesman.model.summary import Summary, TierSummary
from gamesman.model.variant import variant
from gamesman.solver import reference
from gamesman.values import DRAW, pack, unpack


class Altered:
    """A solution that is stored with other records, counted and checksummed as if they were right."""

    def __init__(self, name, folder):
        self.variant = variant(name)
        self.solution = reference.solve(self.variant)
        self.store = open_store(folder)
        self.records = {
            (self.variant.tier(position), self.variant.hash(position)): pack(value, remoteness or 0)
            for position, (value, remoteness) in self.solution.values.items()
        }

    def text(self, at):
        return self.variant.show(self.variant.unhash(at[1]))

    def tiers(self, records):
        """Return the summaries of the tiers as somebody would count them who believes the records."""
        known = {tier.number: tier for tier in self.solution.summary.tiers}
        found = {}
        for (tier, _), record in records.items():
            value, remoteness = unpack(record)
            of = known.get(tier, TierSummary(tier, {}))
            summary = found.setdefault(tier, TierSummary(tier, {}, of.primitives, of.moves))
            summary.histogram.setdefault(value, Counter())[remoteness] += 1
        return [found[tier] for tier in sorted(found, reverse=True)]

    def write(self, changes=None, tiers=None, **said):
        """Store it with some records changed, None being one removed; and with other words in its summary."""
        records = self.records | (changes or {})
        records = {at: record for at, record in records.items() if record is not None}
        tiers = tiers or self.tiers(records)
        start = self.variant.start()
        record = records.get((self.variant.tier(start), self.variant.hash(start)), 0)
        value, remoteness = unpack(record)
        told = {"position": self.variant.show(start), "value": value, "remoteness": remoteness, **said}
        if told["value"] == DRAW and "remoteness" not in said:
            told["remoteness"] = None
        with self.store.writer(self.variant, restart=True) as writer:
            for tier in reversed(tiers):
                keys = np.array(sorted(key for number, key in records if number == tier.number), np.int64)
                found = np.array([records[tier.number, key] for key in keys.tolist()], np.uint16)
                writer.write(tier.number, Part(int(keys[0]), keys, found))
                writer.finish(tier)
            writer.complete(Summary(self.variant.name, tiers=tiers, **told))

    def verify(self, threads=None):
        with self.store.open(self.variant) as stored:
            verification = Verification(stored, threads)
            verification.run()
        return verification

    def fault(self, *arguments, **said):
        """Return what is said of a fault, without what is said of any."""
        self.write(*arguments, **said)
        with pytest.raises(NotVerified) as caught:
            self.verify()
        line = str(caught.value)
        begin, end = f"verification failed: {self.variant.name}: ", "; run: gamesman solve --restart "
        assert "\n" not in line and line.startswith(begin) and end in line
        return line.removeprefix(begin).split(end)[0]


def rewrite_block(path, change):
    """Change a block that lists its keys, and all checksums with it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        row = dict(
            connection.execute(
                "SELECT * FROM gamesman_blocks WHERE packed_keys IS NOT NULL ORDER BY positions DESC"
            ).fetchone()
        )
        unpacked, packed = decompressor(), compressor()
        keys, records = (bytearray(unpacked(row[f"packed_{part}"], 1 << 20)) for part in ("keys", "records"))
        change(row, keys, records)
        row["packed_keys"], row["packed_records"] = packed(bytes(keys)), packed(bytes(records))
        row["content"] = content_checksum(row["packed_keys"], row["packed_records"])
        (fingerprint,) = connection.execute("SELECT fingerprint FROM gamesman_variants").fetchone()
        head = (row[name] for name in ("tier", "first", "last", "number", "positions", "content"))
        row["checksum"] = head_checksum(schema.checksum(fingerprint), *head)
        names = [name for name in row if name != "id"]
        values = [row[name] for name in names]
        update = f"UPDATE gamesman_blocks SET {', '.join(f'{name} = ?' for name in names)} WHERE id = ?"
        assert connection.execute(update, [*values, row["id"]]).rowcount == 1
        connection.commit()


def wrong_anchor(row, keys, records):
    keys[KEYS_HEAD.size + 8] ^= 1


def keys_too_long(row, keys, records):
    keys.append(0)


def other_last_key(row, keys, records):
    row["last"] += 1


def other_first_key(row, keys, records):
    row["first"] -= 1


def one_less(row, keys, records):
    row["positions"] -= 1


def two_keys_alike(row, keys, records):
    width, _ = KEYS_HEAD.unpack_from(keys)
    at = KEYS_HEAD.size + 8 * -(-row["positions"] // STRIDE) + 5 * width
    keys[at : at + width] = bytes(width)


CONTRADICTIONS = [wrong_anchor, keys_too_long, other_last_key, other_first_key, one_less, two_keys_alike]
