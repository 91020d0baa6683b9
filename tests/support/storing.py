"""Things to store: solved variants from the reference solver, and a made-up solve of any length.

Run as a program it stores the made-up solve in a folder and says what it has done: something to kill.
"""

import sqlite3
import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np

import gamesman.db.writer
from gamesman.db import open_store
from gamesman.db.reader import Reader
from gamesman.db.store import Store
from gamesman.errors import GamesmanError
from gamesman.model.ports import Part, Sink
from gamesman.model.summary import Summary, TierSummary
from gamesman.model.variant import Variant, variant
from gamesman.solver import reference
from gamesman.solver.reference import Solution
from gamesman.values import DRAW, UNREACHED, pack

TIERS = 40


def store_solution(store: Store, name: str, restart: bool = False) -> Solution:
    """Solve a variant with the reference solver and store it."""
    found = variant(name)
    solution = reference.solve(found)
    with store.writer(found, restart=restart) as writer:
        feed(writer, found, solution)
    return solution


def stored_rows(place: Path) -> list[list[tuple[object, ...]]]:
    """Return all rows of the blocks and tiers in a folder's only file."""
    (file,) = place.iterdir()
    with sqlite3.connect(file) as connection:
        return [connection.execute(f"select * from gamesman_{table}").fetchall() for table in ("blocks", "tiers")]


def feed(sink: Sink, of: Variant, solution: Solution) -> None:
    by_tier: dict[int, list[tuple[int, int]]] = {}
    for position, (value, remoteness) in solution.values.items():
        by_tier.setdefault(of.tier(position), []).append((of.hash(position), pack(value, remoteness or 0)))
    for tier in sorted(solution.summary.tiers, key=lambda t: t.number):
        if tier.number not in sink.finished():
            keys, records = np.array(sorted(by_tier[tier.number])).T
            sink.write(tier.number, Part(int(keys[0]), keys, records.astype(np.uint16)))
            sink.finish(tier)
    sink.complete(solution.summary)


def made_up_part(tier: int) -> Part:
    """Return a tier's positions: of every three tiers one is dense."""
    random = np.random.default_rng(tier)
    count = int(random.integers(1, 24_000))
    remoteness = random.integers(0, 3 + tier * tier * 8, count)
    values = random.integers(0, 4, count)
    records = (values << 14 | np.where(values == DRAW, 0, remoteness)).astype(np.uint16)
    if tier % 3 == 0:
        records[random.random(count) < 0.2] = UNREACHED
        records[0] = pack(DRAW, 0)
        return Part(1000 * tier, None, records)
    gaps = random.integers(1, 1 << int(random.integers(2, 40)), count)
    return Part(int(gaps[0]), np.cumsum(gaps), records)


def counted(tier: int, part: Part) -> TierSummary:
    summary = TierSummary(tier, {}, primitives=tier, moves=7 * tier)
    for record, count in zip(*np.unique(part.records, return_counts=True), strict=True):
        if record != UNREACHED:
            summary.histogram.setdefault(int(record) >> 14, Counter())[int(record) & 0x3FFF] = int(count)
    return summary


def make_up(sink: Sink, tiers: Iterable[int] = range(TIERS), pause: float = 0.0) -> Summary:
    """Hand a sink what it does not have yet of a made-up solve."""
    summaries = []
    for tier in tiers:
        part = made_up_part(tier)
        summaries.insert(0, counted(tier, part))
        if tier in sink.finished():
            continue
        for begin in range(0, len(part.records), 5000):
            piece = slice(begin, begin + 5000)
            if part.keys is None:
                sink.write(tier, Part(part.first + begin, None, part.records[piece]))
            else:
                keys = part.keys[piece]
                sink.write(tier, Part(int(keys[0]), keys, part.records[piece]))
            time.sleep(pause)
        sink.finish(summaries[0])
        print("finished", tier, flush=True)
    summary = Summary("konane", "made up", 0, 7, summaries)
    sink.complete(summary)
    return summary


def reached(part: Part) -> tuple[np.ndarray, np.ndarray]:
    """Return the keys and records of a part's positions."""
    keys = np.arange(part.first, part.first + len(part.records)) if part.keys is None else part.keys
    is_reached = part.records != UNREACHED
    return keys[is_reached], part.records[is_reached]


def digest(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> str:
    """Return a digest of keys and records that does not depend on their order.

    >>> keys, records = np.array([1, 2]), np.array([7, 8])
    >>> digest([(keys, records)]) == digest([(keys[1:], records[1:]), (keys[:1], records[:1])])
    True
    """
    total, count = 0, 0
    for keys, records in pairs:
        mixed = keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) ^ records.astype(np.uint64)
        for factor in (0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
            mixed = (mixed ^ mixed >> np.uint64(29)) * np.uint64(factor)
        total += int(np.sum(mixed ^ mixed >> np.uint64(32), dtype=np.uint64))
        count += len(keys)
    return f"{count}-{total & 0xFFFFFFFFFFFFFFFF:016x}"


def stored_digest(reader: Reader) -> str:
    """Return a digest of all that is stored; the same whatever order and blocks it is stored in."""
    return digest((part.keys, part.records) for part in reader.positions())


def made_up_digest(tiers: Iterable[int] = range(TIERS)) -> str:
    return digest(reached(made_up_part(tier)) for tier in tiers)


def main(place: str, pause: str, transaction: str, limit: str, seconds: str, restart: str) -> int:
    if int(limit):
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
    gamesman.db.writer.TRANSACTION_BYTES, gamesman.db.writer.WAITING_SECONDS = int(transaction), float(seconds)
    try:
        with open_store(place).writer(variant("konane"), restart=bool(restart)) as writer:
            print("begin", flush=True)
            if writer.summary is None:
                make_up(writer, pause=float(pause))
        print("complete", flush=True)
    except GamesmanError as error:
        print(type(error).__name__, error, flush=True)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
