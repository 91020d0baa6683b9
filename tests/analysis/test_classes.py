"""What is counted of one position of each class is what is counted of all positions."""

import pytest

from gamesman import app
from gamesman.analysis import sharing, walk
from gamesman.db import open_store
from gamesman.model.symmetry import SYMMETRY_VARIABLE
from gamesman.model.variant import variant

PAIRS = [
    ("abalone:rows=3,cols=3,captures=1", "abalone:rows=3,cols=3,captures=1,misere"),
    ("tictactoe:rows=4,cols=3", "tictactoe:rows=4,cols=3,line=4"),
    ("konane:rows=4,cols=5", "konane:rows=4,cols=5,misere"),
]


@pytest.fixture(params=["interpreted", "compiled"])
def form(request, monkeypatch):
    monkeypatch.setattr(walk, "MOST_INTERPRETED", 0 if request.param == "compiled" else 1 << 62)


def of_both(folder, names, asked):
    store = open_store(str(folder))
    for name in names:
        app.solve(variant(name), db=str(folder), threads=1)
    with store.open(variant(names[0])) as first, store.open(variant(names[1])) as second:
        return asked(first, second), sharing.have_same_classes(first, second, [first.variant.start()])


@pytest.mark.slow
@pytest.mark.parametrize("names", PAIRS, ids=[first for first, _ in PAIRS])
def test_two_variants_share_the_same_by_classes_and_by_positions(names, form, tmp_path, monkeypatch):
    by_classes, are_classes = of_both(tmp_path / "with", names, lambda *two: sharing.share(*two).as_json())
    monkeypatch.setenv(SYMMETRY_VARIABLE, "off")
    by_positions, are_positions = of_both(tmp_path / "without", names, lambda *two: sharing.share(*two).as_json())
    assert by_classes == by_positions and by_classes["positions"] > 0
    assert are_classes == (variant(names[0]).symmetry is not None) and not are_positions


@pytest.mark.slow
@pytest.mark.parametrize("name", ["abalone:rows=3,cols=3,captures=1", "tictactoe", "teeko:size=3,pieces=3"])
def test_a_walk_over_classes_counts_and_shows_all_positions(name, form, tmp_path, monkeypatch):
    def census(first, _):
        found = walk.take_census(first, [r for value in range(4) for r in walk.longest_records(first, value)])
        return found.turns.tolist(), dict(found.only), found.single, found.examples

    by_classes, _ = of_both(tmp_path / "with", [name, name], census)
    monkeypatch.setenv(SYMMETRY_VARIABLE, "off")
    by_positions, _ = of_both(tmp_path / "without", [name, name], census)
    assert by_classes == by_positions and by_classes[3]
