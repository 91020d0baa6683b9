"""What `stats` says of a variant, found again in other ways: from the reference solver, and by SQL from an export."""

import json
from collections import Counter
from math import inf
from statistics import fmean, median

import duckdb
import pytest
from click.testing import CliRunner
from support.graphs import make_variant, random_graph
from support.storing import store_solution

from gamesman.analysis import walk
from gamesman.analysis.kernels import walking
from gamesman.analysis.lookup import Lookup
from gamesman.analysis.profile import profile
from gamesman.cli.main import cli
from gamesman.cli.views.text import percent, stats_page
from gamesman.db import open_store
from gamesman.errors import Damaged
from gamesman.model.variant import variant
from gamesman.solver.reference import solve
from gamesman.values import DRAW, LOSE, NAMES, TIE, UNDECIDED, WIN, negate

VARIANTS = [
    "konane",
    "konane:rows=4,any_piece",
    "abalone:rows=3,cols=3",
    "abalone:rows=3,cols=3,captures=1,freeze",
    "ctf:size=2",
    "hex_abalone:edge=2",
    "tictactoe",
    "ten_to_zero",
]
FIXED = """variant status position value remoteness positions counts primitives moves max_remoteness tiers seconds
    cpu_seconds peak_memory database_bytes by_remoteness by_tier branching_factor""".split()


def run(*words, code=0):
    result = CliRunner().invoke(cli, [*words])
    assert (result.exit_code, result.exception if code == 0 else None) == (code, None), result.stderr
    return result


def stats(*words):
    return [json.loads(line) for line in run("stats", *words, "--json").stdout.splitlines()]


@pytest.fixture(params=["interpreted", pytest.param("compiled", marks=pytest.mark.slow)])
def form(request, monkeypatch):
    if request.param == "compiled":
        monkeypatch.setattr(walk, "MOST_INTERPRETED", 0)
    return request.param


def counted_by_hand(v, values):
    """Count what a walk counts, from a dict of positions, with the words of the definitions."""
    only, single, turns = Counter(), 0, Counter()
    first = v.turn(v.start())
    for position, (value, _) in values.items():
        if v.primitive(position) != UNDECIDED:
            continue
        turns["first" if v.turn(position) == first else "second", value] += 1
        worth = []
        for move in v.generate_moves(position):
            child = v.do_move(position, move)
            found = values[child][0]
            worth.append(found if v.turn(child) == v.turn(position) else negate(found))
        only[NAMES[value]] += worth.count(value) == 1
        single += len(worth) == 1
    return only, single, turns


def check(fields, v, solution):
    only, single, turns = counted_by_hand(v, solution.values)
    assert fields["only_moves_by_value"] == {name: only[name] for name in ("win", "lose", "tie", "draw")}
    assert fields["only_moves"] == only.total()
    assert fields["single_moves"] == single
    for player in ("first", "second"):
        found = fields[f"{player}_player"]
        assert found["wins"] == turns[player, WIN]
        assert found["positions"] == sum(n for (who, _), n in turns.items() if who == player)


@pytest.mark.slow
@pytest.mark.parametrize("name", VARIANTS)
def test_a_walk_counts_what_the_definitions_say(name, form, database):
    v = variant(name)
    solution = store_solution(open_store(database), name)
    (fields,) = stats(name)
    check(fields, v, solution)
    expected = solution.summary.stats_json()
    sizes = ("status", "database_bytes")
    for tier in expected["by_tier"]:
        tier["name"] = v.tier_name(tier["tier"])
    assert {f: fields[f] for f in FIXED if f not in sizes} == {f: expected[f] for f in FIXED if f not in sizes}
    with_moves = fields["positions"] - fields["primitives"]
    assert fields["only_move_share"] == (fields["only_moves"] / with_moves if with_moves else None)
    ends = [r for _, r in solution.values.values() if r is not None]
    assert fields["mean_remoteness"] == pytest.approx(fmean(ends))
    middle = median(inf if r is None else r for _, r in solution.values.values())
    assert fields["median_remoteness"] == (None if middle == inf else middle)
    worth = [value for value, _ in solution.values.values()]
    assert fields["never_end"] == worth.count(DRAW)
    assert fields["decisiveness"] == pytest.approx((worth.count(WIN) + worth.count(LOSE)) / fields["positions"])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", ["plain", "tiers"])
def test_a_walk_is_right_on_graphs_with_ties_draws_and_players_who_move_twice(seed, kind, database):
    graph = random_graph(seed, nodes=60)
    v = make_variant(graph.edges, graph.values, graph.turns, graph.tiers, kind=kind)
    solution = store_solution(open_store(database), v.name)
    (fields,) = stats(v.name)
    check(fields, v, solution)


@pytest.mark.slow
def test_compiled_walks_are_right_on_a_graph_without_tiers(monkeypatch, database):
    monkeypatch.setattr(walk, "MOST_INTERPRETED", 0)
    graph = random_graph(3, nodes=60)
    v = make_variant(graph.edges, graph.values, graph.turns, kind="plain")
    solution = store_solution(open_store(database), v.name)
    check(stats(v.name)[0], v, solution)


def test_little_room_for_moves_tiers_and_memory_changes_nothing(monkeypatch, form, database):
    name = "konane:rows=4,any_piece"
    v = variant(name)
    solution = store_solution(open_store(database), name)
    monkeypatch.setattr(walk, "MOVES_AT_ONCE", 1)
    monkeypatch.setattr(walk, "MOST_TIERS", 2)
    monkeypatch.setattr(walk, "TIER_BYTES", 1000)
    (fields,) = stats(name)
    check(fields, v, solution)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["konane:rows=4", "abalone:rows=3,cols=3", "ctf:size=3"])
def test_numbers_are_those_of_the_exported_positions(name, tmp_path, database):
    store_solution(open_store(database), name)
    file = tmp_path / "all.parquet"
    run("export", name, str(file), "--quiet")
    (fields,) = stats(name)
    sql = duckdb.connect()
    sql.execute(f"create view p as select * from '{file}'")

    def rows(query):
        return sql.execute(query).fetchall()

    numbers = "positions never_end mean_remoteness max_remoteness decisiveness".split()
    query = """select count(*), count(*) filter (remoteness is null), avg(remoteness), max(remoteness),
        avg((value in ('win', 'lose'))::int) from p"""
    assert rows(query) == [pytest.approx(tuple(fields[name] for name in numbers))]
    middle = inf if fields["median_remoteness"] is None else fields["median_remoteness"]
    assert rows("select median(coalesce(remoteness, 'infinity'::double)) from p") == [(middle,)]
    found = {value: n for value, n in fields["counts"].items() if n}
    assert dict(rows("select value, count(*) from p group by value")) == found
    by_remoteness = {(value, int(r)): n for value, counts in fields["by_remoteness"].items() for r, n in counts.items()}
    query = "select value, remoteness, count(*) from p where value != 'draw' group by all"
    assert {(value, r): n for value, r, n in rows(query)} == by_remoteness
    tiers = {tier["tier"]: tier["positions"] for tier in fields["by_tier"]}
    assert dict(rows("select tier, count(*) from p group by tier")) == tiers
    # The player to move is the first letter of a position's text.
    first = fields["position"][1]
    query = f"""select count(*), count(*) filter (value = 'win') from p
        where position[2] {{}} '{first}' and remoteness is distinct from 0"""
    for player, sign in (("first", "="), ("second", "!=")):
        found = fields[f"{player}_player"]
        assert rows(query.format(sign)) == [(found["positions"], found["wins"])]
        assert found["share"] == pytest.approx(found["wins"] / found["positions"])


def test_the_longest_wins_come_with_positions_that_have_them(database):
    solution = store_solution(open_store(database), "konane:rows=4,misere")
    v = variant("konane:rows=4,misere")
    (fields,) = stats(v.name)
    wins = Counter(r for value, r in solution.values.values() if value == WIN)
    found = fields["longest_wins"]
    assert [(win["remoteness"], win["positions"]) for win in found] == sorted(wins.items(), reverse=True)[:5]
    for win in found:
        assert solution.probe(v.parse(win["position"])) == (WIN, win["remoteness"])


def test_without_the_walk_the_rest_is_the_same(database):
    store_solution(open_store(database), "konane:rows=4")
    (whole,), (quick,) = stats("konane:rows=4"), stats("konane:rows=4", "--quick")
    assert list(whole) == list(quick)
    differing = [name for name in whole if whole[name] != quick[name]]
    walked = "only_moves only_move_share only_moves_by_value single_moves first_player second_player".split()
    assert differing == [*walked, *"play keeping traps hardest most_moves examples complexity opening".split()]
    assert {quick[name] for name in differing} == {None}
    assert "only move" not in run("stats", "konane:rows=4", "--quick").stdout


def test_a_database_that_lacks_a_position_is_no_source_of_numbers(database, monkeypatch, form):
    store_solution(open_store(database), "konane:rows=4")
    load = Lookup._load

    def lacking(self, number):
        tier = load(self, number)
        tier.keys[-1] += 1 << 40
        return tier

    monkeypatch.setattr(Lookup, "_load", lacking)
    said = "konane:rows=4 lacks a position that .* leads to; run: gamesman verify"
    with open_store(database).open(variant("konane:rows=4")) as stored, pytest.raises(Damaged, match=said):
        profile(stored)


@pytest.mark.slow
def test_the_page_for_people_says_what_the_json_says(database):
    store_solution(open_store(database), "abalone:rows=3,cols=3")
    (fields,) = stats("abalone:rows=3,cols=3")
    text = run("stats", "abalone:rows=3,cols=3").stdout
    assert text.startswith("abalone:rows=3,cols=3: Black to move wins in 7\n")
    assert f"({fields['only_moves']:,}) of the positions with a move, one alone keeps the value; " in text
    assert f"; {fields['single_moves']} have no other\n" in text
    assert f"{fields['branching_factor']:.2f} moves a position that has any" in text
    rows = [line.split() for line in text.splitlines()]
    assert ["7", f"{fields['by_remoteness']['win']['7']:,}", "."] in rows
    for tier in fields["by_tier"]:
        shown = [f"{n:,}" if n else "." for value, n in tier["counts"].items() if value != "tie"]
        assert [str(tier["tier"]), f"{tier['positions']:,}", *shown, *tier["name"].split()] in rows
    assert fields["by_tier"][0]["name"] == "3 black, 3 white"
    assert fields["longest_wins"][0]["position"] in text


def test_many_remotenesses_are_shown_in_few_rows(database):
    length = 200
    edges = [[i + 1] for i in range(length - 1)] + [[]]
    v = make_variant(edges, [UNDECIDED] * (length - 1) + [LOSE], [i % 2 for i in range(length)], kind="plain")
    store_solution(open_store(database), v.name)
    with open_store(database).open(v) as stored:
        text = stats_page(profile(stored))
    table = text.split("remoteness")[1].split("\n\n")[0].splitlines()[1:]
    assert len(table) <= 32
    assert sum(int(cell) for line in table for cell in line.split()[1:] if cell != ".") == length


def test_a_game_that_is_over_at_once_has_stats(database):
    store_solution(open_store(database), "hex_abalone:edge=2")
    (fields,) = stats("hex_abalone:edge=2")
    assert (fields["branching_factor"], fields["only_move_share"]) == (0, None)
    nobody = {"positions": 0, "wins": 0, "share": None}
    assert (fields["first_player"], fields["second_player"]) == (nobody, nobody)
    assert "tie" in run("stats", "hex_abalone:edge=2").stdout


def test_a_variant_of_draws_alone_has_stats(database):
    v = make_variant([[1], [0]], [UNDECIDED] * 2, [0, 1], kind="plain")
    store_solution(open_store(database), v.name)
    (fields,) = stats(v.name)
    assert (fields["mean_remoteness"], fields["decisiveness"], fields["longest_wins"]) == (None, 0, [])
    assert (fields["median_remoteness"], fields["max_remoteness"], fields["never_end"]) == (None, None, 2)
    assert "no position has a remoteness: all are draws" in run("stats", v.name).stdout


@pytest.mark.slow
@pytest.mark.parametrize("ending, beginning", [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_a_picture_is_written(ending, beginning, tmp_path, database):
    store_solution(open_store(database), "konane")
    file = tmp_path / f"konane{ending}"
    run("stats", "konane", "--plot", str(file))
    assert file.read_bytes().startswith(beginning)


@pytest.mark.parametrize(
    "words, said",
    [
        (["konane:rows=9"], "konane:rows=9 is not solved; run: gamesman solve konane:rows=9"),
        (["konane", "--plot", "x.gif"], "--plot must be a file that ends in .png, .svg or .pdf, got x.gif"),
        (["konane", "--plot", ""], "--plot must be a file that ends in .png, .svg or .pdf, got nothing"),
        (["konane", "--plot", "no/such/x.png"], "--plot must be a file in a folder that there is, got no/such/x.png"),
        (
            ["konane:misere=*", "--plot", "x.png"],
            "--plot draws one variant, got 2; to draw several run: gamesman compare",
        ),
        (["konane", "--memory", "much"], "--memory must be a size like 6G or 500M, got much"),
        (["konane:rows=x"], "rows must be a whole number, got x"),
        ([], "expected VARIANT..., got nothing; see: gamesman stats --help"),
    ],
    ids=lambda found: " ".join(found) if isinstance(found, list) else "",
)
def test_a_wrong_call_is_one_line(words, said):
    result = run("stats", *words, code=1 if "not solved" in said else 2)
    assert (result.stderr, result.stdout) == (said + "\n", "")


def test_a_picture_that_cannot_be_written_is_one_line(tmp_path, database):
    store_solution(open_store(database), "konane")
    (tmp_path / "x.png").mkdir()
    result = run("stats", "konane", "--plot", str(tmp_path / "x.png"), code=2)
    assert result.stderr.endswith("cannot be written: Is a directory\n")


def test_without_matplotlib_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    result = run("stats", "konane", "--plot", "x.png", code=2)
    assert result.stderr == "pictures need matplotlib, which is not installed; run: pip install 'gamesman[plot]'\n"


def test_percentages_do_not_round_to_nothing_or_to_all():
    assert [percent(share) for share in (0, 1e-6, 0.5, 1 - 1e-6, 1)] == [
        "0.0 %",
        "<0.1 %",
        "50.0 %",
        ">99.9 %",
        "100.0 %",
    ]


def test_values_are_where_the_kernels_expect_them():
    assert (LOSE, DRAW, TIE, WIN, walking.SINGLE) == (0, 1, 2, 3, 4)
    assert len(solve(variant("konane")).values) == 17
