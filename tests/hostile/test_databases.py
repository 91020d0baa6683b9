"""Databases damaged at random, and forged with right checksums: one line says so, and no answer is wrong."""

import json
import os
import random
import shutil
import sqlite3
import tracemalloc
from contextlib import closing

import pytest
from click.testing import CliRunner
from support.chance import chance, rounds
from support.damaging import damage
from support.storing import feed, store_solution, stored_digest

import gamesman.db.sqlite_file
from gamesman.analysis.verify import Verification
from gamesman.cli.main import cli
from gamesman.db import open_store, schema
from gamesman.db.codec.compression import compressor
from gamesman.db.rows import VariantRow, content_checksum, head_checksum, variant_checksum
from gamesman.errors import Damaged, DatabaseError, GamesmanError, NotSolved
from gamesman.model.variant import variant
from gamesman.solver import reference

NAME = "konane:rows=4"
FILE = "konane.rows=4.gamesman"
# What a field may hold that never should.
WRONG = [None, "", "x", b"\xff", -1, 0.5, 1 << 62, float("inf"), 3_000_000_000]
WRONG_JSON = [None, True, -1, 0.5, 1e400, 10**40, "x", "\x1b[2J", [], [1], {}, {"x": 1}, {"1": {"1": 1}}, {"9": {}}]


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch):
    writing = gamesman.db.sqlite_file._sqlite_writing

    def without(path):
        engine = writing(path)
        with engine.connect() as connection:
            connection.connection.dbapi_connection.execute("PRAGMA synchronous=OFF")
        return engine

    monkeypatch.setattr(gamesman.db.sqlite_file, "_sqlite_writing", without)


@pytest.fixture(scope="module")
def solution():
    return reference.solve(variant(NAME))


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """The file of a solve that is finished."""
    folder = tmp_path_factory.mktemp("solved")
    store_solution(open_store(str(folder)), NAME)
    return folder / FILE


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory, solution):
    """The file of a solve that was interrupted three tiers before its end."""
    folder = tmp_path_factory.mktemp("unfinished")
    of = variant(NAME)
    most = sorted(tier.number for tier in solution.summary.tiers)[-3]

    class Interrupted:
        def __init__(self, writer):
            self.finished, self.finish, self._writer = writer.finished, writer.finish, writer

        def write(self, tier, part):
            if tier >= most:
                raise KeyboardInterrupt
            self._writer.write(tier, part)

    with pytest.raises(KeyboardInterrupt), open_store(str(folder)).writer(of) as writer:
        feed(Interrupted(writer), of, solution)
    assert [(entry.status, entry.tiers) for entry in open_store(str(folder)).list()] == [("unfinished", 21)]
    return folder / FILE


def read_all(folder, solution):
    """Look everything up; no answer is wrong."""
    with open_store(str(folder)).open(variant(NAME)) as stored:
        for position, answer in solution.values.items():
            assert stored.probe(position) == answer
        assert stored.summary.as_json()["counts"] == solution.summary.as_json()["counts"]
        assert stored_digest(stored).startswith(f"{len(solution.values)}-")


def check_one_line(error):
    assert "\n" not in str(error) and str(error).strip()


def test_a_damaged_file_answers_rightly_or_says_so_in_one_line(solved, solution, tmp_path):
    content, path = solved.read_bytes(), tmp_path / FILE
    told = 0
    for number in range(rounds(20)):
        path.write_bytes(damage(content, chance("finished", number)))
        try:
            read_all(tmp_path, solution)
        except (DatabaseError, NotSolved) as error:  # a row that SQLite overlooks is as one never written
            check_one_line(error)
            told += 1
        (entry,) = open_store(str(tmp_path)).list()
        assert entry.status in ("solved", "unfinished", "unusable"), number
    assert told


def test_a_solve_that_goes_on_with_a_damaged_file_ends_rightly_or_says_so(unfinished, solution, tmp_path):
    content, path = unfinished.read_bytes(), tmp_path / FILE
    of, store = variant(NAME), open_store(str(tmp_path))
    ends = {"solved": 0, "refused": 0}
    for number in range(rounds(20)):
        path.write_bytes(damage(content, chance("unfinished", number)))
        try:
            with store.writer(of) as writer:
                assert writer.summary is None
                feed(writer, of, solution)
        except DatabaseError as error:
            check_one_line(error)
            ends["refused"] += 1
        else:
            ends["solved"] += 1
            read_all(tmp_path, solution)
            with store.open(of) as stored:
                Verification(stored).run()
        for file in tmp_path.iterdir():
            file.unlink()
    assert all(ends.values()), ends


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE gamesman_blocks SET packed_records = zeroblob(9) WHERE tier = 20",
        "UPDATE gamesman_blocks SET number = number + 1 WHERE tier = 20",
        "DELETE FROM gamesman_blocks WHERE tier = 20",
        "UPDATE gamesman_tiers SET positions = positions + 1 WHERE tier = 20",
        "UPDATE gamesman_tiers SET summary = '{}' WHERE tier = 20",
        "UPDATE gamesman_tiers SET tier = 2000 WHERE tier = 20",
        "DELETE FROM gamesman_tiers WHERE tier = 20",
    ],
)
def test_a_tier_that_is_damaged_is_solved_again_and_the_others_are_kept(unfinished, solution, tmp_path, change):
    shutil.copy(unfinished, tmp_path)
    execute(tmp_path / FILE, change)
    of, store = variant(NAME), open_store(str(tmp_path))
    with store.writer(of) as writer:
        assert 20 not in writer.finished() and len(writer.finished()) == 20
        feed(writer, of, solution)
    read_all(tmp_path, solution)
    with store.open(of) as stored:
        Verification(stored).run()


def test_the_solver_fills_the_gap_that_a_damaged_tier_leaves(solution, tmp_path):
    words = ["solve", NAME, "--db", str(tmp_path), "--quiet"]
    assert CliRunner().invoke(cli, words).exit_code == 0
    path = tmp_path / FILE
    execute(path, "DELETE FROM gamesman_solves")
    execute(path, "UPDATE gamesman_blocks SET packed_records = zeroblob(9) WHERE tier IN (18, 20)")
    result = CliRunner().invoke(cli, [*words, "--json"])
    assert json.loads(result.stdout)["status"] == "solved"
    read_all(tmp_path, solution)
    assert CliRunner().invoke(cli, ["verify", NAME, "--db", str(tmp_path)]).exit_code == 0


def execute(path, statement, *values):
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(statement, values).rowcount > 0
        connection.commit()


def forge(path, table, dice, change):
    """Change a row of a table, and its checksums with it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        (fingerprint,) = connection.execute("SELECT fingerprint FROM gamesman_variants").fetchone()
        row = dict(dice.choice(connection.execute(f"SELECT rowid AS at, * FROM {table}").fetchall()))
        at = row.pop("at")
        change(row)
        try:
            row["checksum"] = checksum(table, row, fingerprint)
        except (TypeError, ValueError, OverflowError):
            row["checksum"] = -1
        row.pop("id", None)
        values = [*row.values(), at]
        try:
            connection.execute(f"UPDATE {table} SET {', '.join(f'{name} = ?' for name in row)} WHERE rowid = ?", values)
        except (sqlite3.IntegrityError, OverflowError):
            return  # a table refuses that by itself
        connection.commit()


def checksum(table, row, fingerprint):
    if table == "gamesman_variants":
        return variant_checksum(VariantRow(**{**row, "checksum": 0}))
    if table == "gamesman_solves":
        return schema.checksum(fingerprint, row["summary"], row["finished"])
    if table == "gamesman_tiers":
        return schema.checksum(fingerprint, *(row[name] for name in "tier blocks positions dense summary".split()))
    row["content"] = content_checksum(row["packed_keys"], row["packed_records"])
    if row["content"] is None:
        row["content"] = -1
    head = (row[name] for name in ("tier", "first", "last", "number", "positions", "content"))
    found = head_checksum(schema.checksum(fingerprint), *head)
    return -1 if found is None else found


def wrong_json(text, dice):
    """A JSON text with a value, somewhere in it, that does not belong there."""
    found = json.loads(text)
    within = found
    while True:
        key = dice.choice(list(within))
        if isinstance(within[key], dict) and within[key] and dice.random() < 0.7:
            within = within[key]
            continue
        break
    what = dice.choice(["value", "value", "gone", "key", "text", "deep"])
    if what == "gone":
        del within[key]
    elif what == "key":
        within[dice.choice(["x", "-1", "9" * 5000, "1e3", ""])] = within.pop(key)
    elif what == "value":
        within[key] = dice.choice(WRONG_JSON)
    if what == "text":
        return dice.choice(["", "{", "null", "[]", "1", '"x"', "NaN", '{"a": 1}'])
    return "[" * 100_000 if what == "deep" else json.dumps(found)


def make_wrong(dice):
    def change(row):
        column = dice.choice([name for name in row if name not in ("checksum", "content")])
        if column in ("summary", "options") and dice.random() < 0.8:
            row[column] = wrong_json(row[column], dice)
        elif column.startswith("packed") and dice.random() < 0.8:
            size = dice.choice([0, 1, 2, 5, 40, 600, 20_000])
            row[column] = compressor()(dice.choice([bytes(size), b"\xff" * size, dice.randbytes(size)]))
        elif isinstance(row[column], int) and dice.random() < 0.5:
            row[column] += dice.choice([-1, 1, 1000, -(1 << 40), 1 << 40])
        else:
            row[column] = dice.choice(WRONG)

    return change


def test_a_forged_row_never_ends_but_in_one_line(solved, solution, tmp_path):
    tables = ["gamesman_variants", "gamesman_solves", "gamesman_tiers", "gamesman_blocks"]
    told = 0
    for number in range(rounds(15)):
        dice = chance("forged", number)
        shutil.copy(solved, tmp_path)
        forge(tmp_path / FILE, dice.choice(tables), dice, make_wrong(dice))
        if dice.random() < 0.3:
            with closing(sqlite3.connect(tmp_path / FILE)) as connection:
                connection.execute("DELETE FROM gamesman_solves")
                connection.commit()
        assert list(open_store(str(tmp_path)).list()), number
        for words in (["list"], ["query", NAME], ["stats", NAME], ["verify", NAME], ["solve", NAME, "--quiet"]):
            result = CliRunner().invoke(cli, [*words, "--db", str(tmp_path)])
            assert result.exit_code in (0, 1), (number, words, result.stderr)
            assert "bug in gamesman" not in result.stderr, (number, words, result.stderr)
            assert "Traceback" not in result.stderr, (number, words, result.stderr)
            told += result.exit_code
        try:
            with open_store(str(tmp_path)).open(variant(NAME)) as stored:
                stored_digest(stored)
                stored.get_many(list(solution.values))
        except GamesmanError as error:
            check_one_line(error)
        for file in tmp_path.iterdir():
            file.unlink()
    assert told


@pytest.mark.parametrize("column", ["packed_keys", "packed_records"])
def test_a_block_takes_no_more_memory_than_it_may_need(solved, tmp_path, column):
    packed = compressor()(bytes(1 << 30))
    assert len(packed) < 200_000

    def put(row):
        row[column] = packed

    shutil.copy(solved, tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("DELETE FROM gamesman_blocks WHERE tier <> 20")
        connection.commit()
    forge(tmp_path / FILE, "gamesman_blocks", random.Random(0), put)
    tracemalloc.start()
    try:
        with pytest.raises(Damaged), open_store(str(tmp_path)).open(variant(NAME)) as stored:
            list(stored.positions(20))
        assert tracemalloc.get_traced_memory()[1] < 20 << 20
    finally:
        tracemalloc.stop()


def test_verify_asks_sqlite_for_its_own_opinion(solved, tmp_path):
    """The index of a column is nothing that a look-up of ours would miss."""
    path = tmp_path / shutil.copy(solved, tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE INDEX more ON gamesman_work (pid)")
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'more'").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
    content = bytearray(path.read_bytes())
    content[page * size - 2] ^= 1
    path.write_bytes(content)
    result = CliRunner().invoke(cli, ["verify", NAME, "--db", str(tmp_path)])
    assert result.exit_code == 1 and result.stderr.startswith("verification failed: "), result.stderr
    assert " is damaged: " in result.stderr and result.stderr.count("\n") == 1


def test_files_are_all_that_damages_leave(solved, tmp_path):
    shutil.copy(solved, tmp_path)
    (tmp_path / FILE).write_bytes(solved.read_bytes()[:5000])
    with pytest.raises(DatabaseError):
        open_store(str(tmp_path)).open(variant(NAME))
    assert os.listdir(tmp_path) == [FILE]
