"""The compiled solver against the reference solver, position by position, and what a solve promises besides."""

import functools

import numpy as np
import pytest
from support import SUPPORT
from support.collecting import Collecting
from support.graphs import KINDS, make_variant, random_graph, reachable

from gamesman.errors import BrokenGame, TooLarge
from gamesman.machine.memory import Allowance
from gamesman.model.variant import variant, variants
from gamesman.solver import levels, reference, sparse
from gamesman.solver.disk import beyond
from gamesman.solver.kernels import retrograde
from gamesman.solver.solve import solve
from gamesman.values import LOSE, UNDECIDED, WIN, pack

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

# Compiling takes most of the time of what is quick: one game without cycles, and graphs with some, must do.
QUICK = ["konane:misere=*,any_piece=*"]
QUICK_KINDS = ["undo"]

COUNTED = ("variant", "position", "value", "remoteness", "positions", "counts", "primitives", "moves", "max_remoteness")


@pytest.fixture(params=["alone", "together"])
def pace(request, monkeypatch):
    """Small tiers are solved alone; `together`, all go to threads in tiny pieces, and queues overflow."""
    if request.param == "together":
        monkeypatch.setattr(levels, "SMALL_TIER", 0)
        monkeypatch.setattr(levels, "POSITIONS_PER_PIECE", 7)
        monkeypatch.setattr(levels, "SPARE_ROOM", 1)
        monkeypatch.setattr(sparse, "FEW_KEYS", 0)
        monkeypatch.setattr(sparse, "KEYS_PER_BUCKET", 64)
        monkeypatch.setattr(sparse, "MOST_TARGETS", 1)
    return 2 if request.param == "together" else 1


@functools.lru_cache(maxsize=128)
def by_reference(name):
    """Solve a variant once for both paces."""
    return reference.solve(variant(name))


def agree(v, threads):
    """Solve a variant compiled and by reference and compare everything."""
    wanted, sink = by_reference(v.name), Collecting()
    summary = solve(v, sink, threads=threads)
    assert sink.values(v) == wanted.values
    got, expected = summary.stats_json(), wanted.summary.stats_json()
    assert {name: got[name] for name in (*COUNTED, "by_remoteness", "by_tier", "branching_factor", "tiers")} == {
        name: expected[name] for name in (*COUNTED, "by_remoteness", "by_tier", "branching_factor", "tiers")
    }
    assert [(t.number, t.primitives, t.moves) for t in summary.tiers] == [
        (t.number, t.primitives, t.moves) for t in wanted.summary.tiers
    ]
    assert sink.summary is summary


def small():
    """Return the small variants; those that are not quick are marked."""
    quick = {v.name for text in QUICK for v in variants(text)}
    found = [v for text in SMALL for v in variants(text)]
    return [pytest.param(v, id=v.name, marks=() if v.name in quick else pytest.mark.slow) for v in found]


@pytest.mark.parametrize("v", small())
def test_every_position_of_a_small_variant_is_as_in_the_reference(v, pace):
    agree(v, pace)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=() if kind in QUICK_KINDS else pytest.mark.slow) for kind in KINDS]
)
@pytest.mark.parametrize("seed", [*range(3), *(pytest.param(n, marks=pytest.mark.slow) for n in range(3, 30))])
def test_every_node_of_a_random_graph_is_as_in_the_reference(seed, kind, pace):
    graph = random_graph(seed, nodes=40)
    agree(make_variant(*graph, kind=kind), pace)


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("text", ["konane:rows=4,cols=5,any_piece", "ctf:size=3", "abalone:rows=3,cols=3"])
def test_the_result_is_the_same_byte_for_byte_however_many_threads(text, threads):
    one, many = Collecting(), Collecting()
    solve(variant(text), one, threads=1)
    solve(variant(text), many, threads=threads)
    assert one.bytes() == many.bytes()


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_most_moves_may_stay_within_tiers_whose_moves_are_not_taken_back(seed, pace):
    agree(make_variant(*random_graph(seed, nodes=60, moves=20, tiers=2), kind="dense"), pace)


@pytest.mark.slow
def test_where_the_keys_of_one_tier_are_not_told_none_are_relied_on(pace):
    graph = random_graph(10, nodes=80, tiers=16)
    assert 13 in {graph.tiers[node] for node in reachable(graph)} - {graph.tiers[0]}
    agree(make_variant(*graph, kind="dense"), pace)


@pytest.mark.slow
def test_keys_may_be_told_of_a_tier_with_more_moves_than_an_array_counts(pace):
    edges = [[n % 300 for n in range(i, i + 260)] for i in range(299)] + [[]]
    agree(make_variant(edges, [UNDECIDED] * 299 + [LOSE], [n % 2 for n in range(300)], kind="dense"), pace)


def test_a_position_decided_for_the_next_level_does_not_pass_for_one_of_this_level():
    """Threads see `left` before the record: a loss known from lower tiers must not show once it is counted."""
    records, left = np.array([pack(LOSE, 5)], np.uint16), np.array([retrograde.SAFE + 2], np.uint8)
    assert not retrograde.release.py_func(0, 5, retrograde.BY_FORCE, records, left)
    left[0] = retrograde.DECIDED
    assert not retrograde.is_decided_at.py_func(0, 5, retrograde.BY_FORCE, records, left)


def chain(length):
    """A way with one move each, two players in turn: as remote as it is long."""
    edges = [[n + 1] for n in range(length)] + [[]]
    return edges, [UNDECIDED] * length + [LOSE], [n % 2 for n in range(length + 1)]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "undo"])
def test_remoteness_may_be_thousands(kind, pace):
    edges, values, turns = chain(3000)
    assert solve(make_variant(edges, values, turns, kind=kind), threads=pace).remoteness == 3000


def hold_the_most_that_a_record_holds(floor, threads, place):
    """A chain of just so many moves, in tiers of so many positions, is solved, and one of one more is refused."""
    tier = f"\n\ndef tier(rules, position):\n    return position[0] // {floor}\n"
    (place / "endless.py").write_text((SUPPORT / "endless.py").read_text() + tier)
    most, more = (variant(f"{place / 'endless.py'}:size={size}") for size in (16_383, 16_384))
    assert solve(most, threads=threads, work=place / "work").remoteness == 16_383
    with pytest.raises(TooLarge, match="a remoteness is more than 16,383"):
        solve(more, threads=threads, work=place / "work")


@pytest.mark.slow
def test_the_most_that_a_record_holds_is_solved_but_one_more_is_not(pace, tmp_path):
    hold_the_most_that_a_record_holds(100_000, pace, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("floor", [1, 100])
def test_so_it_is_where_moves_lead_from_tier_to_tier(floor, tmp_path):
    hold_the_most_that_a_record_holds(floor, 1, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("floor", [2_000, 100_000])
def test_so_it_is_in_files(floor, tmp_path, monkeypatch):
    """In tiers that are one shard, and in one tier of several."""
    monkeypatch.setattr(beyond.Beyond, "is_begun", lambda self: True)
    monkeypatch.setattr(beyond, "MOST_KEYS", 5_000)
    monkeypatch.setattr(beyond, "LEAST_KEYS", 1)
    hold_the_most_that_a_record_holds(floor, 1, tmp_path)


@pytest.mark.slow
def test_too_little_memory_is_refused_with_both_numbers_before_anything_is_compiled(monkeypatch):
    monkeypatch.setattr("gamesman.compiler.agreement.check_compiled", lambda *_: pytest.fail("compiled"))
    monkeypatch.setattr("gamesman.compiler.agreement.is_checked", lambda *_: False)
    with pytest.raises(TooLarge, match=r"positions, reachable or not, needs .* of memory, .* allowed"):
        solve(variant("abalone:rows=5"), memory=Allowance(None).used() + (100 << 20))


def test_less_memory_than_the_program_has_is_refused_for_the_smallest_variant():
    with pytest.raises(TooLarge, match=r"solving tictactoe needs at least .* of memory, 10.0 MB allowed"):
        solve(variant("tictactoe"), memory=10 << 20)


def test_a_variant_too_large_to_number_is_refused_at_once():
    with pytest.raises(TooLarge, match=r"numbered up to about 2\*\*1051, and they must be below 2\*\*63"):
        solve(variant("konane:rows=40,cols=26"))


def test_the_start_may_be_over():
    summary = solve(make_variant([[]], [WIN], [0]))
    assert summary.as_json()["counts"] == {"win": 1, "lose": 0, "tie": 0, "draw": 0}


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("0, 10**9", "tier_keys gives keys 0 to 999999999 for tier 3, key_bound is 32"),
        ("tier * rules.width * 2 - 8, 8", r"tier_keys must cover key 27 of tier 3, got 16 to 23, at \(3 1 1\)"),
        ("tier * rules.width * 2 - 8 * (tier == 0), 8", "tier_keys gives keys -8 to -1 for tier 0, key_bound is 32"),
        ("tier * rules.width * 2, 8 + 8 * (tier < 2)", "tier_keys gives tiers 1 and 2 keys in common"),
    ],
)
@pytest.mark.slow
def test_keys_that_no_array_has_room_for_are_refused_where_no_sample_came(keys, said, tmp_path, monkeypatch, pace):
    stairs = (SUPPORT / "stairs.py").read_text()
    (tmp_path / "mine.py").write_text(f"{stairs}\n\ndef tier_keys(rules, tier):\n    return {keys}\n")
    monkeypatch.setattr("gamesman.compiler.agreement.is_checked", lambda *_: True)
    with pytest.raises(BrokenGame, match=said):
        solve(variant(str(tmp_path / "mine.py")), threads=pace)


def test_a_tier_that_rises_is_told(tmp_path):
    edges, values, turns = [[1], []], [UNDECIDED, LOSE], [0, 1]
    with pytest.raises(BrokenGame, match="tier"):
        solve(make_variant(edges, values, turns, tiers=[0, 1], kind="tiers"))


@pytest.mark.slow
def test_a_position_may_lead_to_hundreds_of_tiers(pace):
    """Take any number from a heap: tiers are cheap, however many of them a position's moves lead to."""
    heap = 150
    edges = [list(range(n + 1, heap + 1)) for n in range(heap)] + [[]]
    values = [UNDECIDED] * heap + [LOSE]
    agree(make_variant(edges, values, [n % 2 for n in range(heap + 1)], list(range(heap, -1, -1)), "tiers"), pace)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["plain", "tiers"])
def test_a_position_may_have_two_thousand_moves(kind, pace):
    agree(make_variant([[1] * 2047, []], [UNDECIDED, LOSE], [0, 1], [1, 0], kind), pace)


@pytest.mark.slow
def test_moves_from_everywhere_may_lead_to_one_position(pace):
    agree(variant(f"{SUPPORT / 'star.py'}:length=9000"), pace)


@pytest.mark.slow
@pytest.mark.parametrize("size", range(30_000, 30_008))
def test_no_position_is_lost_where_threads_share_the_tier_that_the_game_begins_in(size):
    """The start's key counts where its hash puts it; else a chain of moves breaks, and nothing in it is far."""
    with pytest.raises(TooLarge, match="a remoteness is more than 16,383"):
        solve(variant(f"{SUPPORT / 'endless.py'}:size={size}"), threads=2)
