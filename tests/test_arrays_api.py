"""Positions as tables and arrays: the same as one by one, for every game; texts written many at a time."""

import csv
import io
import random

import numpy as np
import pyarrow as pa
import pytest
from support.small_variants import SMALL
from support.storing import store_solution

import gamesman
from gamesman import export
from gamesman.compiler import unfolding
from gamesman.db import open_store
from gamesman.errors import MissingExtra, NotReachable, OptionError
from gamesman.model.game import built_in
from gamesman.model.ports import Positions
from gamesman.model.random_play import random_positions
from gamesman.model.texts import joined, writer
from gamesman.model.variant import variant, variants
from gamesman.values import NAMES, negate


@pytest.fixture
def solved(database):
    store_solution(open_store(database), "konane:rows=4,any_piece")
    with gamesman.open("konane:rows=4,any_piece", database) as found:
        yield found


def variants_of(game):
    names = [f"{game}:{options}" if options else game for options in SMALL.get(game, [""])]
    return [v for name in names for v in variants(name)]


@pytest.mark.parametrize("game", sorted(built_in()))
def test_texts_written_many_at_a_time_are_those_of_show(game):
    for v in variants_of(game):
        found = writer(v)
        if found is None:
            assert game == "ten_to_zero"
            continue
        positions = list(random_positions(v, 60))
        words = np.array(positions, np.int64)
        turns = np.array([v.turn(position) for position in positions])
        texts, lengths = joined(found.rows(words, turns))
        assert lengths.sum() == len(texts)
        ends = np.cumsum(lengths)
        split = [texts[end - length : end].decode() for end, length in zip(ends, lengths, strict=True)]
        assert split == [v.show(position) for position in positions]
        lines = [row[row != 0].tobytes().decode() for row in found.rows(words, turns, is_csv=True)]
        assert [row[0] for row in csv.reader(io.StringIO("\n".join(lines)))] == split


def test_csv_written_at_once_is_as_csv_writes_it():
    random.seed(1)
    for name in ("konane:rows=4,any_piece", "abalone:rows=3,cols=3"):
        v = variant(name)
        keys = np.array(sorted({v.hash(p) for p in random_positions(v, 300)}), np.int64)
        records = np.array([random.choice([0, 1 << 14, 2 << 14 | 7, 3 << 14 | 12345]) for _ in keys], np.uint16)
        part = Positions(12, keys, records)
        assert export.csv_bytes(export.row_maker(v, len(keys), is_csv=True), part) == export.csv_lines(v, part)
        without = export.csv_bytes(None, part).decode().splitlines()
        assert without[0].split(",")[0] == str(keys[0]) and len(without) == len(keys)


@pytest.mark.slow
def test_compiled_positions_are_taken_apart_as_interpreted_ones():
    v = variant("konane:rows=4")
    keys = np.array([v.hash(p) for p in random_positions(v, 200)], np.int64)
    for one, other in zip(unfolding.unfolder(v, 0)(keys), unfolding.unfolder(v, 1 << 30)(keys), strict=True):
        assert np.array_equal(one, other)


def test_a_table_has_every_position(solved):
    table = solved.arrow()
    assert table.column_names == ["key", "position", "value", "remoteness", "tier"]
    for row in table.to_pylist()[::50]:
        assert solved.text(row["key"]) == row["position"]
        answer = solved.probe(row["position"])
        assert (answer.value, answer.remoteness) == (row["value"], row["remoteness"])
    assert table.num_rows == solved.summary.as_json()["positions"]
    assert solved.arrow(has_positions=False, is_classes=True).column_names == ["key", "value", "remoteness", "tier"]
    assert isinstance(table, pa.Table)


def test_a_frame_is_of_what_is_installed(solved, monkeypatch):
    monkeypatch.setattr("gamesman.api.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="pip install polars"):
        solved.frame()


@pytest.mark.parametrize("few", [0, 10**9], ids=["compiled", "interpreted"])
@pytest.mark.slow
def test_keys_are_answered_as_positions_are(solved, few, monkeypatch):
    monkeypatch.setattr("gamesman.analysis.asking.FEW_KEYS", few)
    keys = np.concatenate([part.keys for part in solved.arrays()])
    keys = np.random.default_rng(1).permutation(keys)[:400]
    found = solved.probe(keys)
    one_by_one = [solved.probe(solved.variant.unhash(key)) for key in keys.tolist()]
    assert [NAMES[value] for value in found.values] == [answer.value for answer in one_by_one]
    assert [None if r < 0 else r for r in found.remoteness.tolist()] == [answer.remoteness for answer in one_by_one]
    children = solved.children(keys)
    v = solved.variant
    expected = []
    for number, key in enumerate(keys.tolist()):
        position = v.unhash(key)
        for move in v.generate_moves(position) if v.primitive(position) < 0 else ():
            child = v.do_move(position, move)
            answer = solved.probe(child)
            value = NAMES.index(answer.value)
            own = value if v.turn(child) == v.turn(position) else negate(value)
            expected.append((number, move, v.hash(child), own, -1 if answer.remoteness is None else answer.remoteness))
    assert list(zip(*(column.tolist() for column in children), strict=True)) == expected
    with pytest.raises(NotReachable, match="has the key 1$"):
        solved.probe(np.array([keys[0], 1]))
    with pytest.raises(NotReachable, match="has the key -5$"):
        solved.children(np.array([-5]))


def test_random_positions_are_of_the_value_asked_for(solved):
    drawn = solved.sample(20, "win", seed=4)
    assert set(solved.probe(drawn).values.tolist()) == {NAMES.index("win")} and len(set(drawn.tolist())) == 20
    assert np.array_equal(drawn, solved.sample(20, "win", seed=4))
    assert not np.array_equal(drawn, solved.sample(20, "win", seed=5))
    most = solved.summary.max_remoteness
    assert set(solved.probe(solved.sample(5, remoteness=most)).remoteness.tolist()) == {most}
    every = solved.sample(10**9)
    assert len(every) == solved.summary.as_json()["positions"] == len(set(every.tolist()))
    assert len(solved.sample(5, "tie")) == 0
    with pytest.raises(OptionError, match="value must be one of lose, draw, tie, win, got won"):
        solved.sample(1, "won")


def test_cells_are_letters_by_number(solved):
    start = np.array([solved.variant.hash(solved.variant.start())])
    board = solved.cells(start)[0]
    cells = solved.variant.game.module.layout.board(solved.variant.rules)
    assert cells.write("".join(board)) == solved.start.split('"" ')[1].rstrip(")")


def test_what_is_shown_of_a_solved_variant_says_what_it_is(solved):
    assert repr(solved).startswith("<Solved konane:rows=4,any_piece: White ")
    assert repr(solved.summary).startswith("<Summary of konane:rows=4,any_piece: ")
    quick = solved.stats(quick=True)
    assert quick["only_moves"] is None and quick["positions"] > 0
