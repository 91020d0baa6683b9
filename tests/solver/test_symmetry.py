"""Solving up to symmetry: what is found and stored is what is found without, position by position.

    GAMESMAN_LARGE_SYMMETRY=1 scripts/test tests/solver/test_symmetry.py -k larger

compares variants of sixty million positions as well, six of them, in a quarter of an hour.
"""

import contextlib
import os
import sqlite3
from itertools import chain
from random import Random

import numpy as np
import pytest
from support import SUPPORT
from support.collecting import Classes
from support.small_variants import small
from support.turning import KINDS, turned_variant

from gamesman import app
from gamesman.analysis.profile import profile
from gamesman.analysis.verify import Verification
from gamesman.compiler import quotient
from gamesman.db import open_store, schema
from gamesman.errors import BrokenGame, NotVerified
from gamesman.model.answers import query
from gamesman.model.check import Check, check
from gamesman.model.game import built_in
from gamesman.model.random_play import random_positions
from gamesman.model.symmetry import SYMMETRY_VARIABLE, Symmetry, cells_turned
from gamesman.model.variant import variant, variants
from gamesman.solver import dense, levels, reference
from gamesman.solver.solve import solve
from gamesman.values import LOSE

GRAPHS = 12
TAKEN = ("seconds", "cpu_seconds", "peak_memory", "database_bytes", "classes")


def stored_in(folder, of, is_verified=True):
    """All that is to be had of a variant solved into a folder."""
    app.solve(of, db=str(folder), threads=1, is_verified=False)
    with open_store(str(folder)).open(of) as stored:
        if is_verified:
            Verification(stored, threads=1).run()
        stats = profile(stored).stats_json()
        for name in TAKEN:
            del stats[name]
        for tier in stats["by_tier"]:
            del tier["name"]
        parts = [(tier, keys.tolist(), records.tolist()) for tier, keys, records in stored.positions()]
        positions = [of.unhash(key) for _, keys, _ in parts for key in keys]
        return stats, parts, dict(zip(positions, stored.get_many(positions), strict=True)), stored.symmetry


def classes_of(of):
    """The reachable positions, and how many classes they are."""
    solution = reference.solve(of)
    orbits = {of.symmetry.orbit(position)[0] for position in solution.values} if of.symmetry else solution.values
    return solution, len(orbits)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_random_graphs_up_to_symmetry_are_those_of_the_reference(kind, tmp_path):
    smaller = partly = 0
    for seed in range(GRAPHS):
        of, keeping = turned_variant(Random(seed), kind)
        solution, classes = classes_of(of)
        store = tmp_path / str(seed)
        stats, _, values, _ = stored_in(store, of)
        assert values == solution.values, of.name
        expected = solution.summary.stats_json()
        assert all(stats[name] == expected[name] for name in expected if name not in TAKEN), of.name
        with open_store(str(store)).open(of) as stored:
            assert stored.summary.stats_json()["classes"] == classes, of.name
        assert (of.symmetry.order if of.symmetry else 1) <= keeping
        images = of.game.functions["symmetries"](of.rules, of.start())
        partly += of.symmetry is not None and any(image != of.start() for image in images)
        smaller += classes < len(solution.values)
    assert smaller > GRAPHS // 2 and partly


SMALL = [
    "tictactoe",
    "tictactoe:rows=2",
    "tictactoe:rows=1,cols=4",
    "abalone:rows=3,cols=3,captures=1",
    "ctf:size=3",
    "konane:rows=3,cols=5,removed=c2,c1",
]


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_a_variant_is_the_same_with_symmetry_and_without(name, tmp_path, monkeypatch):
    with_symmetry = stored_in(tmp_path / "with", variant(name))
    monkeypatch.setenv(SYMMETRY_VARIABLE, "off")
    without = stored_in(tmp_path / "without", variant(name))
    assert with_symmetry[3] is not None and without[3] is None
    assert with_symmetry[:3] == without[:3]


TOO_LARGE = ("connect4:rows=4", "hex_abalone:edge=3", "othello:rows=4", "teeko:size=4")
TURNED = [v for game in built_in() for v in small(game) if v.symmetry and not v.name.startswith(TOO_LARGE)]
TURNED += [*variants("konane:cols=5,misere=*,any_piece=*"), variant("konane:rows=5,cols=3")]


@pytest.mark.slow
@pytest.mark.parametrize("of", TURNED, ids=lambda of: of.name)
def test_every_position_of_a_class_is_worth_what_the_reference_finds(of):
    sink, reference_found = Classes(), reference.solve(of)
    summary = solve(of, sink, threads=1)
    classes = sink.values(of)
    found = {image: answer for position, answer in classes.items() for image in of.symmetry.orbit(position)}
    assert found == reference_found.values
    assert sum(len(of.symmetry.orbit(position)) for position in classes) == len(found) > len(classes)
    got, expected = summary.stats_json(), reference_found.summary.stats_json()
    assert {name: got[name] for name in expected if name not in TAKEN} == {
        name: expected[name] for name in expected if name not in TAKEN
    }


def streamed(path, of):
    """Solve a variant and yield its positions as they are read, by tier and key."""
    app.solve(of, db=str(path))
    with open_store(str(path)).open(of) as stored:
        for part in stored.positions():
            yield part.tier, part.keys, part.records


def together(*streams):
    """Yield pieces of two streams of positions that are as long as each other."""
    left = [None, None]
    while True:
        for i, stream in enumerate(streams):
            if left[i] is None or not len(left[i][1]):
                left[i] = next(stream, None)
        if None in left:
            assert left == [None, None]
            return
        n = min(len(part[1]) for part in left)
        yield [(tier, keys[:n], records[:n]) for tier, keys, records in left]
        left = [(tier, keys[n:], records[n:]) for tier, keys, records in left]


# Too large for the reference solver.
LARGE = [v for game in built_in() for v in small(game) if v.symmetry and v.name.startswith(TOO_LARGE)]
IS_WHOLE = bool(os.environ.get("GAMESMAN_LARGE_SYMMETRY"))


@pytest.mark.slow
@pytest.mark.parametrize("of", [v for v in LARGE if IS_WHOLE or v.game.name != "hex_abalone"], ids=lambda of: of.name)
def test_every_position_of_a_larger_variant_is_worth_the_same_without_symmetry(of, tmp_path, monkeypatch):
    with_symmetry = streamed(tmp_path / "with", of)
    pieces = [next(with_symmetry)]  # solved now
    monkeypatch.setenv(SYMMETRY_VARIABLE, "off")
    without = streamed(tmp_path / "without", of)
    count = 0
    for (tier, keys, records), (its_tier, its_keys, its_records) in together(chain(pieces, with_symmetry), without):
        assert tier == its_tier
        assert np.array_equal(keys, its_keys) and np.array_equal(records, its_records)
        count += len(keys)
    print(f"{of.name}: {count:,} positions")
    assert count > 50_000


@pytest.mark.parametrize("width", [1, 2, 3, 4])
@pytest.mark.parametrize("bits", [3, 20, 31, 32, 50])
def test_the_least_image_is_the_least_tuple(width, bits):
    class Rules:
        kept_symmetries = 0b1101

    dice = Random(width * bits)
    for _ in range(300):
        position, *images = [tuple(dice.randrange(-1, 1 << bits) for _ in range(width)) for _ in range(5)]
        images[2] = position[:2] + images[2][2:]
        functions = quotient.plain(lambda rules, at, images=images: iter(images), width)
        assert functions["least"](Rules, position) == min(position, images[0], images[2], images[3])


LAYOUTS = ["teeko:size=3,pieces=2", "quixo:size=4", "clobber:rows=4,cols=5", "teeko", "othello", "konane"]
LAYOUTS += ["konane:rows=5,cols=5", "hex_abalone:edge=3"]
SMALL_LAYOUTS = ["quixo:size=2", "quixo:size=3", "teeko:size=3,pieces=2", "connect4:rows=2,cols=3,line=2"]


@pytest.mark.parametrize("name", LAYOUTS)
@pytest.mark.parametrize("kept", [0b1, 0b10, 0b101, 0b1111111])
def test_the_least_of_images_looked_up_two_at_once_is_the_least_tuple(name, kept):
    of = variant(name)
    symmetry = Symmetry(of, kept & (1 << len(of.rules.turned)) - 1)
    width, dice = len(of.start()), Random(kept)
    symmetries = of.game.functions["symmetries"]
    found = quotient.plain(symmetries, width, cells_turned(symmetries))
    for i in range(300):
        first, second = (dice.getrandbits(of.rules.cells) for _ in range(2))
        position = (first, second >> i % 9 * 4, *of.start()[2:])
        if of.game.name == "konane":
            position = (*position[:3], i % 9 - 1)
        if i % 4 == 0:  # of boards that a mirror leaves as they are, the cell decides
            image = next(symmetry.images(position))
            position = (position[0] | image[0], position[1] | image[1], *position[2:])
        assert found["least"](symmetry.rules, position) == symmetry.finder()(position) == symmetry.least(position)
        if kept == 1:  # and so all there is of a group
            assert found["size"](symmetry.rules, position) == len(symmetry.orbit(position))


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL_LAYOUTS)
def test_classes_of_images_looked_up_two_at_once_are_counted_as_they_are(name):
    of = variant(name)
    symmetry = of.symmetry
    symmetries = of.game.functions["symmetries"]
    found = quotient.plain(symmetries, len(of.start()), cells_turned(symmetries))
    for position in reference.solve(of).values:
        assert found["size"](symmetry.rules, position) == len(symmetry.orbit(position))


def test_a_mask_with_a_sign_is_compared_as_a_number():
    class Rules:
        kept_symmetries = 1

    functions = quotient.plain(lambda rules, at: iter([(-5, 7)]), 2)
    assert functions["least"](Rules, (3, 7)) == (-5, 7)


FALSE = {
    "must keep primitive, got -1, not 0, for (2)": "graph=(u0:1+2 l1 u1:0),turned=(0+2+1)",
    "must keep turn, got 0, not 1, for (2)": "graph=(u0:1+2 l1 l0),turned=(0+2+1)",
    "must keep tier, got 0, not 1, for (2)": "graph=(u0@1:1+2 l1@1 l1@0),turned=(0+2+1)",
    "must take moves to moves, got other moves for (2)": "graph=(u0:1+2 u1:0 u1:1),turned=(0+2+1)",
    # Of what the first is the image, nobody asks while solving.
    "must take moves to moves, got other moves for (1)": "graph=(u0:1+2 u1:3 u1:4 l0 l0),turned=(0+2+1+4+4)",
    "must yield the images of its images, too, got others for (2)": "graph=(u0:1+2+3 l1 l1 l1),turned=(0+2+3+1)",
}


@pytest.mark.parametrize("said", FALSE)
def test_the_check_refuses_images_that_are_none(said):

    of = variant(f"{SUPPORT}/graph_game_turned.py:{FALSE[said]}")
    with pytest.raises(BrokenGame, match="symmetries must") as caught:
        check(of)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("function", "got", "said"),
    [
        ("primitive", 7, "must return WIN, LOSE, TIE or UNDECIDED"),
        ("turn", 2, "must return 0 or 1"),
        ("tier", -1, "must be 0 or more"),
    ],
)
def test_a_function_that_is_wrong_at_an_image_is_blamed_itself(function, got, said, monkeypatch):
    of = variant("tictactoe")
    right = of.game.functions[function]
    monkeypatch.setitem(of.game.functions, function, lambda rules, at: got if at == (256, 0) else right(rules, at))
    asked = Check(of)
    asked.begin()
    with pytest.raises(BrokenGame, match=rf"{function} {said}, got {got}, at \(o --x --- ---\)"):
        asked.symmetries((1, 0), asked.moves((1, 0)))


@pytest.mark.slow
@pytest.mark.parametrize("said", FALSE)
def test_verifying_refuses_images_that_are_none(said, tmp_path, monkeypatch):

    from gamesman.compiler import agreement

    of = variant(f"{SUPPORT}/graph_game_turned.py:{FALSE[said]}")
    monkeypatch.setattr(agreement, "check_interpreted", lambda *_: None)
    with pytest.raises(NotVerified):
        stored_in(tmp_path, of)


def test_a_symmetry_that_moves_the_start_is_not_used():
    first, second = (variant(f"tictactoe:rows=3,cols={cols}") for cols in (3, 4))
    assert first.symmetry.order == 8 and second.symmetry.order == 4
    assert variant("ten_to_zero").symmetry is None


@pytest.mark.slow
def test_an_export_has_all_positions_or_a_row_for_each_class(tmp_path):
    from gamesman.export import export

    of = variant("tictactoe")
    app.solve(of, db=str(tmp_path), threads=1)
    with open_store(str(tmp_path)).open(of) as stored:
        assert export(stored, tmp_path / "all.csv") == 5478
        assert export(stored, tmp_path / "classes.csv", is_classes=True) == 765
    every, classes = ((tmp_path / name).read_text().splitlines() for name in ("all.csv", "classes.csv"))
    assert (len(every), len(classes)) == (5479, 766)
    assert set(classes) < set(every)
    keys = [tuple(map(int, line.split(",")[::4])) for line in every[1:]]
    assert keys == sorted(keys, key=lambda row: row[::-1])


@pytest.mark.slow
def test_a_solve_without_classes_goes_on_without_them(tmp_path):
    """As one that was begun before there were symmetries."""
    of = variant("tictactoe:rows=2")
    with open_store(str(tmp_path)).writer(of) as writer:
        solve(of, writer)
    with open_store(str(tmp_path)).open(of) as stored:
        assert stored.symmetry is None
        assert stored.get_many(list(reference.solve(of).values)) == list(reference.solve(of).values.values())


@pytest.mark.slow
def test_a_solve_of_classes_keeps_the_tiers_whose_classes_have_as_many_positions_as_are_counted(tmp_path):
    of, place = variant("tictactoe"), f"sqlite:///{tmp_path}/all.db"
    app.solve(of, db=place, threads=1)
    store = open_store(place)
    with store.open(of) as stored:
        tiers = {tier.number: tier for tier in stored.summary.tiers}
    assert tiers[4].classes < tiers[4].positions
    with contextlib.closing(sqlite3.connect(tmp_path / "all.db", isolation_level=None)) as file:
        file.execute("DELETE FROM gamesman_solves")
        with store.writer(of) as writer:
            assert writer.takes_classes and writer.finished() == tiers
        tiers[4].histogram[LOSE][0] += 1
        row = file.execute("SELECT tier, blocks, positions, dense FROM gamesman_tiers WHERE tier = 4").fetchone()
        text = schema.tier_text(tiers.pop(4))
        seal = schema.checksum(of.fingerprint, *row, text)
        file.execute("UPDATE gamesman_tiers SET summary = ?, checksum = ? WHERE tier = 4", (text, seal))
        with store.writer(of) as writer:
            assert writer.finished() == tiers


@pytest.mark.slow
def test_a_position_with_the_key_of_another_is_not_taken_for_one_of_its_class(tmp_path):
    of = variant("tictactoe")
    app.solve(of, db=str(tmp_path), threads=1)
    with open_store(str(tmp_path)).open(of) as stored:
        assert stored.get((1, 0)) == stored.get((256, 0)) is not None
        both = (1 << 4, 1 << 4)  # two pieces on one cell
        assert stored.get(both) is None and stored.get_many([both, (256, 0)]) == [None, stored.get((1, 0))]


@pytest.mark.slow
def test_what_follows_a_position_is_worth_what_it_is_worth_to_anybody(tmp_path):
    of = variant("tictactoe")
    app.solve(of, db=str(tmp_path), threads=1)
    with open_store(str(tmp_path)).open(of) as stored:
        following = stored.following()
        for position in random_positions(of, 500):
            assert query(of, following, position) == query(of, stored, position)


@pytest.mark.slow
def test_stretches_of_keys_without_a_least_image_are_left_out_and_never_written_to(monkeypatch):
    """As of a large tier when it is solved, and when it is gone on from: four in five chunks have no least image."""
    of, whole = variant("teeko:size=4,pieces=3"), Classes()
    solve(of, whole, threads=1)
    monkeypatch.setattr(levels, "SMALL_TIER", 0)
    monkeypatch.setattr(levels, "POSITIONS_PER_PIECE", 1 << 11)
    monkeypatch.setattr(dense, "KEYS_LEFT_OUT", 1 << 9)
    arrays, zeros = [], dense._zeros
    monkeypatch.setattr(dense, "_zeros", lambda n, kind: arrays.append(zeros(n, kind)) or arrays[-1])
    monkeypatch.setattr(dense, "_free", lambda *_: None)  # so that all that was written is there in the end
    anew, gone_on = Classes(), Classes(whole)
    gone_on.forget(max(whole.tiers))
    gone_on.forget(sorted(whole.tiers)[-2])
    for sink in (anew, gone_on):
        solve(of, sink, threads=2)
        assert sink.values(of) == whole.values(of)
        assert [(sink.tiers[n].histogram, sink.tiers[n].classes) for n in sorted(sink.tiers)] == [
            (whole.tiers[n].histogram, whole.tiers[n].classes) for n in sorted(whole.tiers)
        ]
        first, count = of.tier_keys(0)
        records = arrays[-1][0][first : first + count]
        assert np.count_nonzero(records) < count // 2
    assert sum(len(part.records) for part in anew.parts[0]) < count // 2
