"""A database that cannot be believed says so in one line that names what is wrong, and never answers wrongly."""

import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.storing import store_solution, stored_digest

from gamesman.analysis.lookup import Lookup
from gamesman.cli.main import cli
from gamesman.db import open_store, schema
from gamesman.db.sqlite_file import SQLiteFile
from gamesman.db.translation import translated_errors
from gamesman.db.writer import Writer
from gamesman.errors import (
    Damaged,
    DatabaseError,
    MissingExtra,
    NoDatabase,
    NotReachable,
    NotSolved,
    OtherFormat,
    OtherRules,
    OtherVariant,
    StorageFailed,
)
from gamesman.model.variant import variant

NAME = "konane:rows=4"
FLIPS = 200


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    """A sound database and what it should answer."""
    folder = tmp_path_factory.mktemp("solved")
    return folder / "konane.rows=4.gamesman", store_solution(open_store(str(folder)), NAME)


@pytest.fixture
def copy(solved, tmp_path):
    return shutil.copy(solved[0], tmp_path / solved[0].name)


def change(path, statement, *parameters):
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute(statement, parameters).rowcount == 1
        connection.commit()


def read_everything(path, solution):
    """Look up every position and read all that there is; raises AssertionError for a wrong answer."""
    with open_store(str(path.parent)).open(variant(NAME)) as stored:
        for position, answer in solution.values.items():
            assert stored.probe(position) == answer
        assert stored.summary.tiers == solution.summary.tiers
        assert stored.summary.as_json()["counts"] == solution.summary.as_json()["counts"]
        assert stored_digest(stored).startswith(f"{len(solution.values)}-")


def error_of(path, kind):
    with pytest.raises(kind) as caught, open_store(str(path.parent)).open(variant(NAME)) as stored:
        stored_digest(stored)
    line = str(caught.value)
    assert caught.type is kind and "\n" not in line and kind.exit_code == 1
    return line


def test_a_sound_copy_answers(copy, solved):
    read_everything(copy, solved[1])


@pytest.mark.slow
@pytest.mark.parametrize("beginning", [False, True])
def test_a_flipped_byte_anywhere_is_an_error_or_makes_no_difference(copy, solved, beginning):
    sound = copy.read_bytes()
    told = 0
    for seed in range(FLIPS):
        moment = random.Random(f"{beginning} {seed}")
        place = moment.randrange(100 if beginning else len(sound))
        flipped = bytearray(sound)
        flipped[place] ^= moment.randrange(1, 256)
        copy.write_bytes(flipped)
        try:
            read_everything(copy, solved[1])
        except DatabaseError as error:
            assert "\n" not in str(error) and str(copy) in str(error), (seed, place, error)
            told += 1
        except (NotSolved, NotReachable) as error:
            pytest.fail(f"seed {seed}: with byte {place} flipped a solved position was said to be none: {error}")
    assert told > FLIPS // 10


def test_every_byte_of_a_block_counts(copy):
    with closing(sqlite3.connect(copy)) as connection:
        packed = connection.execute(
            "SELECT id, packed_records FROM gamesman_blocks ORDER BY tier DESC LIMIT 1"
        ).fetchone()
    for place in range(len(packed[1])):
        flipped = bytearray(packed[1])
        flipped[place] ^= 1
        change(copy, "UPDATE gamesman_blocks SET packed_records = ? WHERE id = ?", bytes(flipped), packed[0])
        line = error_of(copy, Damaged)
        assert line.startswith(f"{copy} is damaged: a block of tier ")
        assert line.endswith("; run: gamesman solve --restart konane:rows=4")


@pytest.mark.parametrize("column", ["tier", "first", "last", "number", "positions", "content", "checksum"])
def test_what_a_block_says_of_itself_is_checked(copy, solved, column):
    change(copy, f"UPDATE gamesman_blocks SET {column} = {column} + 1 WHERE tier = 20")
    with pytest.raises(Damaged):
        read_everything(copy, solved[1])
    with pytest.raises(Damaged), open_store(str(copy.parent)).open(variant(NAME)) as stored:
        list(stored.positions())


def test_a_block_that_is_gone_is_missed_and_no_position_called_unreachable(copy, solved):
    change(copy, "DELETE FROM gamesman_blocks WHERE tier = 20")
    of = variant(NAME)
    with open_store(str(copy.parent)).open(of) as stored:
        for position in solved[1].values:
            if of.tier(position) == 20:
                with pytest.raises(Damaged, match="tier 20: blocks are missing"):
                    stored.get(position)
    assert "tier 20: blocks are missing" in error_of(copy, Damaged)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM gamesman_tiers WHERE tier = 20",
        "UPDATE gamesman_tiers SET summary = replace(summary, '1', '2') WHERE tier = 20",
        "UPDATE gamesman_solves SET summary = replace(summary, '4', '6')",
        "UPDATE gamesman_variants SET options = replace(options, '4', '5')",
    ],
)
def test_a_changed_summary_is_noticed(copy, solved, statement):
    change(copy, statement)
    with pytest.raises(Damaged, match="is damaged"):
        read_everything(copy, solved[1])
    assert "is damaged" in error_of(copy, Damaged)


@pytest.mark.parametrize("share", [0.0005, 0.3, 0.9, 0.9999])
def test_a_file_cut_short_says_by_how_much(copy, share):
    size = copy.stat().st_size
    with copy.open("r+b") as file:
        file.truncate(int(size * share))
    line = error_of(copy, Damaged)
    assert f"is cut short: expected {size if share > 0.001 else 100} bytes, got {int(size * share)}" in line
    assert line.endswith("run: gamesman solve --restart konane:rows=4")


def test_an_empty_file_is_no_database_and_can_be_solved_into(copy, solved):
    copy.write_bytes(b"")
    assert "is empty, 0 bytes: no database" in error_of(copy, NoDatabase)
    assert copy.read_bytes() == b""
    store_solution(open_store(str(copy.parent)), NAME)
    read_everything(copy, solved[1])


@pytest.mark.parametrize("content", [b"x", b"not a database" * 1000, b"SQLite format 4\0" * 100])
def test_a_file_of_something_else_is_no_database(copy, content):
    copy.write_bytes(content)
    assert "is no database" in error_of(copy, NoDatabase)
    with pytest.raises(NoDatabase):
        open_store(str(copy.parent)).writer(variant(NAME))
    assert copy.read_bytes() == content


def test_a_database_of_something_else_is_no_database(copy):
    copy.unlink()
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("CREATE TABLE songs (title)")
    assert "is no database of gamesman" in error_of(copy, NoDatabase)


def test_a_restart_replaces_whatever_is_there(copy, solved):
    copy.write_bytes(b"not a database" * 1000)
    store_solution(open_store(str(copy.parent)), NAME, restart=True)
    read_everything(copy, solved[1])


def test_the_file_of_another_variant_is_noticed(solved, tmp_path):
    shutil.copy(solved[0], tmp_path / "konane.gamesman")
    for call in (lambda store: store.open(variant("konane")), lambda store: store.writer(variant("konane"))):
        with pytest.raises(OtherVariant, match="holds konane:rows=4, not konane: it has been renamed or copied"):
            call(open_store(str(tmp_path)))
        assert os.listdir(tmp_path) == ["konane.gamesman"]


@pytest.mark.parametrize(
    "found,said", [(schema.CLASSES + 1, "a newer gamesman"), (schema.FORMAT - 1, "an older gamesman")]
)
def test_another_format_is_refused_by_readers_and_writers(copy, found, said):
    change(copy, "UPDATE gamesman_variants SET format = ?", found)
    line = error_of(copy, OtherFormat)
    assert f"was written by {said}: expected format {schema.FORMAT} or {schema.CLASSES}, got {found}; " in line
    assert line.endswith("run: gamesman solve --restart konane:rows=4")
    with pytest.raises(OtherFormat):
        open_store(str(copy.parent)).writer(variant(NAME))


def test_a_newer_format_is_told_whatever_else_it_has_changed(copy):
    with closing(sqlite3.connect(copy)) as connection:
        connection.execute("UPDATE gamesman_variants SET format = 99")
        connection.execute("ALTER TABLE gamesman_variants DROP COLUMN options")
        connection.execute("DROP TABLE gamesman_solves")
        connection.commit()
    assert "a newer gamesman" in error_of(copy, OtherFormat)


def test_a_game_whose_file_has_changed_is_not_answered_from_before(tmp_path):
    source = variant("konane").game.path.read_text()
    game = tmp_path / "mine.py"
    store = open_store(str(tmp_path / "solved"))
    game.write_text(source)
    store_solution(store, str(game))
    with store.open(variant(str(game))) as stored:
        assert stored.probe(stored.variant.start()) == (0, 7)
    game.write_text(source.replace("return WIN if rules.misere else LOSE", "return LOSE if rules.misere else WIN"))
    changed = variant(str(game))
    for call in (store.open, store.writer):
        with pytest.raises(OtherRules, match=r"solved with other rules.*; run: gamesman solve --restart \S+mine.py$"):
            call(changed)
    store_solution(store, str(game), restart=True)
    with store.open(changed) as stored:
        assert stored.probe(stored.variant.start()) == (3, 9)


def test_a_damaged_file_does_not_hide_the_others_in_the_list(copy):
    store = open_store(str(copy.parent))
    store_solution(store, "konane")
    copy.write_bytes(b"")
    first, second = store.list()
    assert (first.variant, first.status) == ("konane", "solved")
    assert (second.variant, second.status) == ("konane.rows=4", "unusable") and "0 bytes" in second.detail
    store.delete(NAME)
    assert [entry.variant for entry in store.list()] == ["konane"]


@pytest.mark.parametrize(
    "content,said",
    [(b"", "is empty, 0 bytes"), (b"junk" * 99, "is no database"), (b"SQLite format 3\0" + b"\1" * 84, "is cut short")],
)
@pytest.mark.parametrize("command", ["query", "line", "export", "solve"])
def test_every_command_ends_with_one_line_and_code_1(database, content, said, command, tmp_path):
    path = Path(database) / "konane.gamesman"
    path.write_bytes(content)
    words = [command, "konane", *([str(tmp_path / "all.csv")] if command == "export" else [])]
    if command == "solve" and not content:
        return  # nothing is there: a solve begins, as test_an_empty_file_can_be_solved_into shows
    result = CliRunner().invoke(cli, words)
    assert (result.exit_code, result.stdout, result.stderr.count("\n")) == (1, "", 1), result.stderr
    assert said in result.stderr and result.stderr.endswith("run: gamesman solve --restart konane\n")


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    (tmp_path / "file").write_text("")
    store = open_store(str(tmp_path / "file" / "folder"))
    with pytest.raises(StorageFailed, match="Not a directory; see to that; then run: gamesman solve konane$"):
        store.writer(variant("konane"))
    with pytest.raises(NotSolved):
        store.open(variant("konane"))


@pytest.mark.parametrize("said", ["disk I/O error", "database or disk is full", "database is locked"])
def test_a_disk_that_does_not_work_is_not_a_damaged_file(tmp_path, said):
    database = SQLiteFile(tmp_path / "all.db", is_own=False)
    with (
        pytest.raises(StorageFailed, match=f"all.db cannot be used: {said}; see to that$"),
        translated_errors(database, NAME),
    ):
        raise sqlite3.OperationalError(said)


def test_a_full_disk_is_told_with_the_command_that_was_given(tmp_path, monkeypatch):
    def write(self):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Writer, "_write", write)
    result = CliRunner().invoke(cli, ["solve", NAME, "--quiet", "--db", str(tmp_path)])
    assert (result.exit_code, result.stderr.count("\n")) == (1, 1)
    assert f"database or disk is full; make room; then run: gamesman solve {NAME} --db {tmp_path}" in result.stderr


def test_a_driver_that_is_not_there_says_how_to_get_it():
    with pytest.raises(MissingExtra, match="pip install"):
        open_store("postgresql+pg8000://server/solved")


@pytest.mark.parametrize("more", [-1, 1])
def test_a_tier_of_other_positions_than_it_says_is_not_counted(copy, more):
    with open_store(str(copy.parent)).open(variant(NAME)) as stored:
        sizes = {tier.number: tier.positions for tier in stored.summary.tiers}
        number = max(sizes, key=sizes.__getitem__)
        assert len(Lookup(stored, {}, 1 << 20, sizes=sizes).tier(number).keys) == sizes[number] > 1
        with pytest.raises(Damaged, match=f"has not the positions that tier {number} says"):
            Lookup(stored, {}, 1 << 20, sizes={**sizes, number: sizes[number] + more}).tier(number)
