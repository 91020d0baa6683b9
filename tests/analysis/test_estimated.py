"""What is estimated from games holds what is exact, and says everywhere that it is estimated."""

import json
from functools import cache
from math import inf, log10

import numpy as np
import pytest
from analysis.test_play import Chain
from click.testing import CliRunner
from support.graphs import make_variant, random_graph
from support.storing import store_solution

from gamesman import app
from gamesman.analysis import estimating, playouts
from gamesman.analysis.estimating import Asked, EstimatedComparison, Played, estimate
from gamesman.analysis.intervals import difference, share
from gamesman.analysis.judging import Judge
from gamesman.analysis.kernels.playouts import CUT
from gamesman.analysis.playouts import Games, Playouts
from gamesman.analysis.treesize import tree_size
from gamesman.cli.main import cli
from gamesman.cli.views.estimated import comparison_page
from gamesman.db import open_store
from gamesman.errors import BrokenGame
from gamesman.model.variant import variant, variants
from gamesman.search.searcher import Searcher
from gamesman.values import UNDECIDED

FEW = Asked(playouts=100, depth=1)


def exact(v):
    return Chain(v, app.reference(v).values).measures((1, 1))


def run(*words):
    return CliRunner().invoke(cli, [*words, "--estimate", "--playouts", "100", "--depth", "1"])


def holds(found, number):
    return found.low - 1e-9 <= number <= found.high + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ten_to_zero:total=6", "konane", "konane:rows=3,cols=3,misere"])
def test_intervals_hold_what_is_exact_as_often_as_they_say(name):
    v, seeds = variant(name), 100
    expected = exact(v)
    found = [Played.of(Playouts(v, seed, 100).play(100), 100).found for seed in range(seeds)]
    for measure in ("first", "second", "tie", "unfinished", "length", "length_sd", "choices"):
        held = sum(holds(each[measure], expected[measure]) for each in found)
        assert held >= 88, (measure, held)  # of 100, where 95 are expected


@pytest.mark.parametrize("seed", range(3))
def test_games_that_are_cut_off_leave_intervals_that_hold_what_is_exact(seed):
    made = random_graph(seed, nodes=30)
    v = make_variant(made.edges, made.values, made.turns, made.tiers, kind="plain")
    expected = exact(v)
    found = Played.of(Playouts(v, 5, 4).play(300), 4)
    assert found.cut
    for measure in ("first", "second", "tie", "unfinished"):
        assert holds(found.found[measure], expected[measure]), measure
    for measure in ("length", "choices"):
        if found.found[measure] is not None:  # some game has ended
            assert found.found[measure].low <= expected[measure] and found.found[measure].high == inf


def test_of_a_game_that_cannot_end_nothing_is_said(monkeypatch):
    monkeypatch.setattr(estimating, "MOST_MOVES", 50)
    v = make_variant([[1], [0]], [UNDECIDED, UNDECIDED], [0, 1], kind="plain")
    found = Played.of(Playouts(v, 1, 50).play(40), 50)
    assert (found.cut, found.found["length"], found.found["length_sd"]) == (40, None, None)
    assert found.found["first"][:3] == (0.0, 0.0, 1.0) and found.found["unfinished"][:3] == (1.0, 0.0, 1.0)
    fields = estimate(v, FEW).as_json()
    assert fields["estimated"]["random"]["choices"] == {"estimate": 0.0, "low": 0.0, "high": None}
    searching = fields["estimated"]["first_searching"]  # ended by the third time a position is there
    assert (searching["cut_off"], searching["unfinished"]["estimate"], searching["length"]) == (0, 1.0, None)


def test_a_position_without_moves_that_is_not_over_is_the_game_at_fault():
    with pytest.raises(BrokenGame, match="has no move"):
        Playouts(make_variant([[]], [UNDECIDED], [0], kind="plain"), 1, 10).play(2)


@pytest.mark.slow
def test_compiled_games_are_the_interpreted_ones(monkeypatch):
    v = variant("ten_to_zero")
    plain = Playouts(v, 3, 100)
    expected = plain.play(300)
    monkeypatch.setattr(playouts, "MOST_INTERPRETED", 0)
    compiled = Playouts(v, 3, 100)
    found = compiled.play(300)
    assert all(np.array_equal(one, other) for one, other in zip(found, expected, strict=True))
    assert compiled._form is not compiled._plain
    game = int(expected.lengths.argmax())
    walks = [[each.position(game, moves) for moves in range(expected.lengths[game] + 1)] for each in (plain, compiled)]
    assert walks[0] == walks[1] and walks[0][0] == v.start() and v.primitive(walks[0][-1]) != UNDECIDED
    for before, after in zip(walks[0], walks[0][1:], strict=False):
        assert after in [v.do_move(before, move) for move in v.generate_moves(before)]


def test_more_moves_than_there_is_room_for_are_all_drawn_from():
    v = make_variant([[*range(1, 41)], *([] for _ in range(40))], [UNDECIDED, *[0] * 40], [0] * 41, kind="plain")
    games = Playouts(v, 1, 10)
    games._moves = np.zeros(4, np.int64)
    games.play(400)
    assert len({games.position(game, 1) for game in range(400)}) == 40


def judges(v, *depths):
    games = Playouts(v, 2, 100)
    lengths = games.play(200).lengths.tolist()
    return [Judge(v, games, lengths, Searcher(v), depth, 100, 1) for depth in depths]


def test_moves_that_give_the_value_away_are_as_many_as_is_exact():
    v = variant("ten_to_zero")
    judged, shallow = (judge.moves() for judge in judges(v, 10, 1))
    assert judged.unknown == 0
    assert holds(share(judged.sure, judged.of), exact(v)["blunders_per_move"])
    assert shallow.sure <= judged.sure <= shallow.sure + shallow.unknown and shallow.unknown


def test_traps_are_as_many_as_is_exact():
    v = variant("ten_to_zero")
    judged, shallow = (judge.traps() for judge in judges(v, 10, 1))
    assert judged.unknown == 0
    # Without ties and draws a trap is where one move alone, of two or more, keeps a win.
    found = exact(v)
    moves = found["value_changes"] / found["blunders_per_move"]
    assert holds(share(judged.sure, judged.of), found["only_moves"] / moves)
    assert shallow.sure <= judged.sure <= shallow.sure + shallow.unknown and shallow.unknown


def test_sequences_of_moves_are_counted_where_all_else_is_estimated():
    fields = json.loads(run("stats", "tictactoe", "--json").stdout)
    assert [row["sequences"] for row in fields["complexity"]["by_depth"]][:4] == [1, 9, 72, 504]
    assert fields["complexity"]["log10_positions"] is None and fields["estimated"]["traps"]["high"] > 0
    shown = run("stats", "tictactoe").stdout
    assert "1 9 72 504" in shown and "counted, not estimated" in shown and "positions met at random" in shown


def test_of_differences_that_are_none_few_look_like_one():
    v, ps, held = variant("ten_to_zero:total=5"), [], 0
    for seed in range(100):
        one, other = (Played.of(Playouts(v, s, 100).play(60), 100).found["first"] for s in (seed, seed + 1000))
        found = difference(one, other, is_share=True)
        ps.append(found.p)
        held += found.low <= 0 <= found.high
    assert sum(p < 0.05 for p in ps) <= 12 and held >= 88
    assert 0.3 < np.mean(ps) < 0.7


def test_effects_in_a_grid_are_those_of_the_means_with_intervals_around():
    found = EstimatedComparison([estimate(v, FEW) for v in variants("konane:cols=3..4,misere=*")])
    entry = next(each for each in found.effects() if each["measure"] == "length")
    y = np.array([each.kinds["random"].found["length"].estimate for each in found.variants]).reshape(2, 2)
    cols, misere = entry["options"]
    assert cols["effect"] == pytest.approx((y[1] - y[0]).mean())
    assert misere["effect"] == pytest.approx((y[:, 1] - y[:, 0]).mean())
    both = entry["interactions"][0]
    assert both["effect"] == pytest.approx(y[1, 1] - y[1, 0] - y[0, 1] + y[0, 0])
    assert all(each["low"] < each["effect"] < each["high"] for each in (cols, misere, both))


def test_blunders_and_traps_are_compared_as_well():
    """At a depth at which searches see the end of every game nothing is left open."""
    found = EstimatedComparison([estimate(v, Asked(playouts=2000, depth=12)) for v in variants("konane:misere=*")])
    first, second = found.variants
    for name, of in (("traps", lambda each: each.traps), ("blunders_per_move", lambda each: each.blunders)):
        difference = found.differences(0, 1)[name]
        assert difference.difference == of(second).estimate - of(first).estimate
        assert difference.low < difference.difference < difference.high and 0 < difference.p <= 1
        (entry,) = (each for each in found.effects() if each["measure"] == name)
        assert entry["options"][0]["effect"] == pytest.approx(difference.difference)
    shown = comparison_page(found)
    assert [shown.count(f"\n{title} ") for title in ("blunders", "traps")] == [2, 2]  # of games at random alone


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["ten_to_zero", "tictactoe", "konane:rows=4", "clobber:rows=3,cols=3", "domineering:rows=4"]
)
def test_the_size_of_the_tree_is_in_its_interval_as_often_as_that_says(name):
    v, seeds = variant(name), 60

    @cache
    def sizes(position):
        if v.primitive(position) != UNDECIDED:
            return 1, 1
        games, nodes = zip(*(sizes(v.do_move(position, move)) for move in v.generate_moves(position)), strict=True)
        return sum(games), 1 + sum(nodes)

    found = [tree_size(v, 100, seed) for seed in range(seeds)]
    for measure, number in zip(("log10_games", "log10_tree"), sizes(v.start()), strict=True):
        assert sum(holds(each[measure], log10(number)) for each in found) >= 52  # of 60, where 57 are expected


@pytest.mark.parametrize("name", ["abalone", "quixo", "l_game", "dodgem", "ctf"])
def test_there_is_no_number_of_games_where_moves_go_in_circles(name):
    assert tree_size(variant(name), 10, 1) is None


@pytest.mark.slow
def test_the_size_of_the_tree_is_told_where_the_variant_is_too_large_to_solve():
    fields = json.loads(run("stats", "konane:rows=8,cols=8", "--json").stdout)
    games, nodes = (fields["estimated"][name] for name in ("log10_games", "log10_tree"))
    assert games["low"] < games["estimate"] < games["high"] and games["estimate"] < nodes["estimate"]
    assert fields["complexity"]["log10_games"] is None
    assert "nodes (10^" in run("stats", "konane:rows=4").stdout and "may go in circles" in run("stats", "ctf").stdout


def test_the_same_seed_plays_the_same_games_and_another_one_others():
    runs = [run("stats", "konane", "--json", "--seed", seed).stdout for seed in ("4", "4", "5")]
    assert runs[0] == runs[1] != runs[2]


def test_json_has_estimates_apart_from_what_is_exact():
    fields = json.loads(run("stats", "konane:rows=8,cols=8", "--json").stdout)
    assert (fields["status"], fields["play"], fields["positions"], fields["counts"]) == ("estimated", None, None, None)
    assert fields["estimated"]["random"]["games"] == 100 and fields["estimated"]["confidence"] == 0.95
    first = fields["estimated"]["random"]["first"]
    assert set(first) == {"estimate", "low", "high"} and first["low"] < first["estimate"] < first["high"]
    errors = fields["estimated"]["errors"]
    assert [each.pop("rate") for each in errors] == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert errors[-1] == fields["estimated"]["random"] and errors[0]["games"] == 10
    found = json.loads(run("compare", "konane", "konane:misere", "--json").stdout)
    assert found["status"] == "estimated" and {each["status"] for each in found["variants"]} == {"estimated"}
    for players in estimating.PLAYERS:
        assert set(found["differences"][0][players]["first"]) == {"difference", "low", "high", "p"}
    assert {each["players"] for each in found["effects"]} == {"random", "searching"}


def test_tables_say_that_they_are_estimated(database):
    store_solution(open_store(database), "tictactoe")  # which changes nothing
    shown = run("stats", "tictactoe").stdout
    assert "estimated from 100 games" in shown and "first searches 1 ahead" in shown and "not known" in shown
    assert "erring at 20 %" in shown and "a search 1 move ahead finds best" in shown and "not perfect play" in shown
    compared = run("compare", "konane:rows=3,misere=*", "ten_to_zero").stdout
    assert compared.count("\nestimated, random") == compared.count("\nestimated, searching") == 2
    assert "C less A" in compared and "p is how likely" in compared and "not perfect play" in compared


@pytest.mark.slow
def test_the_page_says_of_each_part_that_it_is_estimated(tmp_path):
    file = tmp_path / "page.html"
    result = run("compare", "konane:cols=3..4,misere=*", "--html", str(file))
    assert result.exit_code == 0, result.stderr
    text = file.read_text()
    assert "Every number here is estimated" in text and "been solved" not in text
    titles = [line for line in text.splitlines() if line.startswith("<h2>")]
    assert all("estimated" in title for title in titles if "What is compared" not in title) and len(titles) == 5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["stats", "konane", "--estimate", "--quick"], "--quick needs solved variants"),
        (["compare", "konane:misere=*", "--estimate", "--sort", "wins"], "--sort needs solved variants"),
        (["compare", "konane", "--estimate"], "two or more variants"),
        (["stats", "konane", "--playouts", "9"], "add --estimate"),
        (["compare", "konane:misere=*", "--time", "9"], "--time says how variants are estimated"),
        (["stats", "konane", "--estimate", "--playouts", "1"], "playouts must be 10 or more"),
        (["stats", "konane", "--estimate", "--depth", "2000"], "depth must be 1 to 1000"),
    ],
)
def test_a_call_that_is_wrong_says_why(words, said):
    result = CliRunner().invoke(cli, words)
    assert (result.exit_code, said in result.stderr) == (2, True)


def test_games_that_are_not_cut_off_have_both_ends():
    games = Games(np.array([0, 1, CUT]), np.array([3, 4, 5]), np.array([1, 2, 3]), np.array([6, 7, 8]))
    found = Played.of(games, 5)
    assert (found.cut, found.found["first"].low > 0, found.found["first"].high) == (1, True, share(2, 3).high)
    assert Played.of(Games(*(column[:2] for column in games)), 5).found["length"].high < inf


def test_a_page_is_refused_before_games_are_played(tmp_path):
    result = run("compare", "konane:misere=*", "--html", str(tmp_path / "page.txt"))
    assert result.exit_code == 2 and "must be a file that ends in .html" in result.stderr
