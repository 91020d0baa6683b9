"""The compiled solver against the reference solver, position by position, and what a solve promises besides."""

import pytest
from collecting import Collecting
from graphs import KINDS, make_variant, random_graph

from gamesman import reference
from gamesman.engine import levels, sparse
from gamesman.engine.solve import solve
from gamesman.errors import BrokenGame, TooLarge
from gamesman.values import LOSE, UNDECIDED, WIN
from gamesman.variant import variant, variants

SMALL = [
    "abalone:rows=3,cols=3,captures=1..3,misere=*,freeze=*",
    "abalone:rows=3,captures=1",
    "abalone:rows=4,cols=3,captures=1,misere,freeze",
    "ctf:size=2..3,first=*",
    "ctf:start=-bb-wBW-w,first=*",
    "hex_abalone:edge=2,corner=*",
    "konane:misere=*,any_piece=*",
    "konane:rows=1|4|5,cols=2..4,misere=*,any_piece=*",
    "konane:rows=7,cols=1",
    'konane:start=(b "" ww-b bw-w),any_piece=*',
    "konane:rows=3,cols=5,removed=a1,a2,misere=*",
    "tictactoe",
    "ten_to_zero",
]

COUNTED = ("variant", "position", "value", "remoteness", "positions", "counts", "primitives", "moves", "max_remoteness")


@pytest.fixture(params=["alone", "together"])
def pace(request, monkeypatch):
    """Small tiers are solved alone; `together`, all go to threads in tiny pieces, and queues overflow."""
    if request.param == "together":
        monkeypatch.setattr(levels, "SMALL_TIER", 0)
        monkeypatch.setattr(levels, "PIECE", 7)
        monkeypatch.setattr(levels, "SPARE_ROOM", 1)
        monkeypatch.setattr(sparse, "SMALL", 0)
        monkeypatch.setattr(sparse, "ROOM", 64)
        monkeypatch.setattr(sparse, "TARGETS", 1)
    return 2 if request.param == "together" else 1


def agree(v, threads):
    """Solve a variant compiled and by reference and compare everything."""
    wanted, sink = reference.solve(v), Collecting()
    summary = solve(v, sink, threads=threads)
    assert sink.values(v) == wanted.values
    got, expected = summary.stats_json(), wanted.summary.stats_json()
    assert {name: got[name] for name in (*COUNTED, "by_remoteness", "by_tier", "branching_factor", "tiers")} == {
        name: expected[name] for name in (*COUNTED, "by_remoteness", "by_tier", "branching_factor", "tiers")
    }
    assert [(t.tier, t.primitives, t.moves) for t in summary.tiers] == [
        (t.tier, t.primitives, t.moves) for t in wanted.summary.tiers
    ]
    assert sink.summary is summary


@pytest.mark.parametrize("v", [v for text in SMALL for v in variants(text)], ids=lambda v: v.name)
def test_every_position_of_a_small_variant_is_as_in_the_reference(v, pace):
    agree(v, pace)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(30))
def test_every_node_of_a_random_graph_is_as_in_the_reference(seed, kind, pace):
    graph = random_graph(seed, nodes=40)
    agree(make_variant(*graph, kind=kind), pace)


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("text", ["konane:rows=4,cols=5,any_piece", "ctf:size=3", "abalone:rows=3,cols=3"])
def test_the_result_is_the_same_byte_for_byte_however_many_threads(text, threads):
    one, many = Collecting(), Collecting()
    solve(variant(text), one, threads=1)
    solve(variant(text), many, threads=threads)
    assert one.bytes() == many.bytes()


@pytest.mark.parametrize("text", ["konane:rows=4,cols=5", "ctf:size=3", "abalone:rows=3,cols=3,captures=2"])
def test_a_solve_goes_on_from_the_tiers_that_were_finished(text):
    v, whole = variant(text), Collecting()
    wanted = solve(v, whole).stats_json()
    for unfinished in (1, len(whole.tiers) // 2, len(whole.tiers)):
        half = Collecting(whole)
        for tier in sorted(whole.tiers, reverse=True)[:unfinished]:
            half.forget(tier)
        again = solve(v, half).stats_json()
        assert half.solved == sorted(whole.tiers)[len(whole.tiers) - unfinished :]
        assert half.bytes() == whole.bytes()
        for name in (*COUNTED, "by_remoteness", "by_tier"):
            assert again[name] == wanted[name]


def chain(length):
    """A way with one move each, two players in turn: as remote as it is long."""
    edges = [[n + 1] for n in range(length)] + [[]]
    return edges, [UNDECIDED] * length + [LOSE], [n % 2 for n in range(length + 1)]


@pytest.mark.parametrize("kind", ["plain", "undo"])
def test_remoteness_may_be_thousands(kind, pace):
    edges, values, turns = chain(3000)
    assert solve(make_variant(edges, values, turns, kind=kind), threads=pace).remoteness == 3000


@pytest.mark.parametrize("kind", ["undo", "tiers"])
def test_a_remoteness_that_no_record_holds_is_refused(kind, pace):
    edges, values, turns = chain(16_400)
    tiers = [(16_400 - n) // 100 for n in range(16_401)] if kind == "tiers" else None
    with pytest.raises(TooLarge, match="remoteness is more than 16,383"):
        solve(make_variant(edges, values, turns, tiers, kind=kind), threads=pace)


def test_too_little_memory_is_refused_with_both_numbers():
    with pytest.raises(TooLarge, match=r"needs .* of memory, 10.0 MB allowed"):
        solve(variant("abalone"), memory=10 << 20)


def test_a_variant_too_large_to_number_is_refused_at_once():
    with pytest.raises(TooLarge, match=r"numbered up to about 2\*\*1051, and they must be below 2\*\*63"):
        solve(variant("konane:rows=40,cols=26"))


def test_the_start_may_be_over():
    summary = solve(make_variant([[]], [WIN], [0]))
    assert summary.as_json()["counts"] == {"win": 1, "lose": 0, "tie": 0, "draw": 0}


def test_a_tier_that_rises_is_told(tmp_path):
    edges, values, turns = [[1], []], [UNDECIDED, LOSE], [0, 1]
    with pytest.raises(BrokenGame, match="tier"):
        solve(make_variant(edges, values, turns, tiers=[0, 1], kind="tiers"))
