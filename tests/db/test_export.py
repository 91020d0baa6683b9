"""An exported file holds every position once, as other programs read it."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow.parquet
import pytest
from support import ROOT
from support.storing import made_up_part, make_up, reached, store_solution

import gamesman.export
from gamesman.db import open_store
from gamesman.db.lock import FileLock
from gamesman.errors import CallError, InUse, MissingExtra, StorageFailed
from gamesman.export import export
from gamesman.model.variant import variant
from gamesman.values import NAMES

NAME = "konane:rows=4,any_piece"


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    store = open_store(str(tmp_path_factory.mktemp("solved")))
    return store, store_solution(store, NAME)


def expected(solution, of):
    rows = [
        (of.tier(p), of.hash(p), of.show(p), NAMES[value], remoteness)
        for p, (value, remoteness) in solution.values.items()
    ]
    return [(key, text, value, remoteness, tier) for tier, key, text, value, remoteness in sorted(rows)]


@pytest.mark.slow
@pytest.mark.parametrize("processes", [0, 1, 2])
@pytest.mark.parametrize("kind", [".parquet", ".csv"])
def test_every_position_is_there_once_in_order(solved, tmp_path, kind, processes, monkeypatch):
    monkeypatch.setattr(gamesman.export, "FEW_POSITIONS", 0)
    if processes:  # each text is written by the game's `show`, as if it had no layout
        monkeypatch.setattr(gamesman.export, "writer", lambda variant: None)
    store, solution = solved
    path = tmp_path / f"all{kind}"
    with store.open(variant(NAME)) as stored:
        assert export(stored, path, processes=processes) == len(solution.values)
        rows = expected(solution, stored.variant)
    if kind == ".parquet":
        table = pyarrow.parquet.read_table(path)
        assert table.column_names == ["key", "position", "value", "remoteness", "tier"]
        assert list(zip(*table.to_pydict().values(), strict=True)) == rows
    else:
        with path.open(newline="") as file:
            head, *found = csv.reader(file)
        assert head == ["key", "position", "value", "remoteness", "tier"]
        assert found == [[*map(str, row)] for row in rows]
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("kind", [".parquet", ".csv"])
def test_duckdb_counts_what_the_summary_counts(solved, tmp_path, kind):
    store, solution = solved
    path = tmp_path / f"all{kind}"
    with store.open(variant(NAME)) as stored:
        export(stored, path)
    query = f"SELECT value, remoteness, count(*) FROM '{path}' GROUP BY ALL"
    found = {(value, remoteness): count for value, remoteness, count in duckdb.sql(query).fetchall()}
    histogram = solution.summary.histogram
    assert found == {(NAMES[v], r): n for v, counts in histogram.items() for r, n in counts.items()}


@pytest.mark.slow
@pytest.mark.parametrize("kind", [".parquet", ".csv"])
def test_draws_have_no_remoteness_and_texts_can_be_left_out(tmp_path, kind):
    store = open_store(str(tmp_path / "solved"))
    with store.writer(variant("konane")) as writer:
        summary = make_up(writer)
    path = tmp_path / f"all{kind}"
    with store.open(variant("konane")) as stored:
        export(stored, path, has_positions=False)
    rows = duckdb.sql(f"SELECT * FROM '{path}'")
    assert rows.columns == ["key", "value", "remoteness", "tier"]
    counts = dict(duckdb.sql("SELECT value, count(*) FROM rows GROUP BY value").fetchall())
    assert counts == summary.as_json()["counts"]
    query = "SELECT count(*) FROM rows WHERE (value = 'draw') <> (remoteness IS NULL)"
    assert duckdb.sql(query).fetchall() == [(0,)]
    keys, records = reached(made_up_part(9))
    mine = duckdb.sql("SELECT key, value, coalesce(remoteness, 0) FROM rows WHERE tier = 9 ORDER BY key").fetchall()
    assert mine == [(k, NAMES[r >> 14], r & 0x3FFF) for k, r in zip(keys.tolist(), records.tolist(), strict=True)]


def test_a_file_of_another_kind_is_a_wrong_call(solved, tmp_path):
    with solved[0].open(variant(NAME)) as stored:
        with pytest.raises(CallError, match="expected a file ending in .parquet or .csv, got all.xls$"):
            export(stored, Path("all.xls"))
        with pytest.raises(StorageFailed, match="cannot write .*: No such file or directory; give another file"):
            export(stored, tmp_path / "not" / "there.csv")


def test_without_pyarrow_it_says_how_to_get_it(solved, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with (
        solved[0].open(variant(NAME)) as stored,
        pytest.raises(MissingExtra, match=r"pip install 'gamesman\[parquet\]'"),
    ):
        export(stored, tmp_path / "all.parquet")


def test_an_export_that_fails_leaves_the_old_file_and_nothing_else(solved, tmp_path, monkeypatch):
    path = tmp_path / "all.csv"
    path.write_text("old")

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(gamesman.export.CsvOutput, "write", fail)
    with solved[0].open(variant(NAME)) as stored, pytest.raises(KeyboardInterrupt):
        export(stored, path)
    assert path.read_text() == "old" and [p.name for p in tmp_path.iterdir()] == ["all.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", [".parquet", ".csv"])
def test_a_full_disk_is_one_line_and_leaves_the_old_file(solved, tmp_path, kind):
    path = tmp_path / f"all{kind}"
    path.write_text("old")
    program = (
        "import resource, sys; from pathlib import Path\n"
        "from gamesman.db import open_store; from gamesman.export import export\n"
        "from gamesman.model.variant import variant\n"
        "from gamesman.errors import StorageFailed\n"
        "import pyarrow.parquet\n"
        "with open_store(sys.argv[1]).open(variant(sys.argv[2])) as stored:\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "    try: export(stored, Path(sys.argv[3]))\n"
        "    except StorageFailed as error: print(error)"
    )
    command = [sys.executable, "-c", program, str(solved[0]._folder), NAME, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"cannot write {path}: ") and done.stdout.count("\n") == 1, done.stdout
    assert done.stdout.endswith("; give another file or make room\n")
    assert path.read_text() == "old" and os.listdir(tmp_path) == [path.name]


@pytest.mark.slow
def test_a_process_at_work_that_is_killed_is_one_line(solved, tmp_path, monkeypatch):
    monkeypatch.setattr(gamesman.export, "FEW_POSITIONS", 0)
    monkeypatch.setattr(gamesman.export, "writer", lambda variant: None)
    monkeypatch.setattr(gamesman.export, "_make", _die)
    with (
        solved[0].open(variant(NAME)) as stored,
        pytest.raises(StorageFailed, match="a process at work on it was ended"),
    ):
        export(stored, tmp_path / "all.csv", processes=2)
    assert os.listdir(tmp_path) == []


def _die(*_):
    os._exit(9)


def test_two_do_not_write_the_same_file(solved, tmp_path):
    lock = FileLock(tmp_path / "all.csv.gamesman-part")
    assert lock.acquire()
    with solved[0].open(variant(NAME)) as stored:
        with pytest.raises(InUse, match="all.csv is being written by another process; give another file, or wait"):
            export(stored, tmp_path / "all.csv")
        export(stored, tmp_path / "other.csv")
    lock.release()
    assert os.listdir(tmp_path) == ["other.csv"]
