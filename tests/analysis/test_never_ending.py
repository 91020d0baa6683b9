"""A draw never ends: it is later than every number, is said beside what leaves it out, and is no decision."""

import json

import pytest
from click.testing import CliRunner
from support.graphs import make_variant
from support.storing import store_solution

from gamesman.analysis.comparison import Comparison, effects
from gamesman.analysis.profile import profile
from gamesman.cli.main import cli
from gamesman.cli.views.compared import compare_page
from gamesman.cli.views.curves import draw_curves
from gamesman.cli.views.text import stats_page
from gamesman.db import open_store
from gamesman.values import LOSE, TIE, UNDECIDED


@pytest.fixture
def profiled(database):
    def solve(edges, values, turns=None):
        v = make_variant(edges, values, turns or [i % 2 for i in range(len(edges))], kind="plain")
        store_solution(open_store(database), v.name)
        with open_store(database).open(v) as stored:
            return profile(stored)

    return solve


@pytest.fixture
def ending(profiled):
    """0 -> 1 -> 2 -> 3, which is lost: remotenesses 3, 2, 1, 0."""
    return profiled([[1], [2], [3], []], [UNDECIDED] * 3 + [LOSE])


@pytest.fixture
def circling(profiled):
    """0 <-> 1 for ever, unless one of them goes to 2 and then to 3, which is won for the other: two draws, 1 and 0."""
    return profiled([[1, 2], [0], [3], []], [UNDECIDED] * 3 + [LOSE], [0, 1, 1, 0])


def test_what_never_ends_is_later_than_what_ends_late(ending, circling):
    """Of 16 pairs 8 have a draw in the second; of the rest 3, 2, 1, 0 against 1, 0 five are sooner and one is later."""
    assert circling.lengths == {float("inf"): 2, 1: 1, 0: 1}
    found = effects(ending, circling)
    assert found["cliffs_delta"] == {"value": (8 + 1 - 5) / 16, "size": "small"}
    assert found["kolmogorov_smirnov"] == {"value": 0.5, "size": "large"}  # within three moves all end, and half do


def test_a_median_that_never_ends_is_null_and_said_in_words(ending, circling):
    fields = circling.compare_json()
    assert (fields["median_remoteness"], fields["mean_remoteness"], fields["never_end"]) == (None, 0.5, 2)
    assert json.loads(json.dumps(fields, allow_nan=False)) == fields
    text = compare_page(Comparison([ending, circling], []))
    rows = [line.split() for line in text.splitlines()]
    expected = ["mean remoteness 1.50 0.50", "never end 0 2", "median remoteness 1.5 never"]
    for row in (*expected, "max remoteness 3 never (1)"):
        assert row.split() in rows
    assert "mean remoteness    of those that end" in text


def test_stats_say_beside_the_mean_of_what_it_is(ending, circling):
    text = stats_page(circling)
    assert "mean       0.50 moves to the end, of those that end; 2 (50.0 %) never do\n" in text
    assert "median     never, of all\n" in text
    assert "longest    1 move, of those that end; 2 never do\n" in text
    assert "never" not in stats_page(ending)


def test_ties_are_apart_from_what_is_decided(profiled):
    fields = profiled([[1, 2], [], []], [UNDECIDED, LOSE, TIE], [0, 1, 1]).compare_json()
    assert (fields["shares"]["tie"], fields["decisiveness"]) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_a_position_that_is_over_is_nobodys_turn(ending):
    """The first player moves in 0 and 2 and wins neither or both; 1 and 3 are the other's, but 3 is over."""
    assert ending.player(0) == {"positions": 2, "wins": 2, "share": 1.0}
    assert ending.player(1) == {"positions": 1, "wins": 0, "share": 0.0}


@pytest.mark.slow
def test_the_curves_of_the_picture_rise_to_all_that_ends(ending, circling):
    curves, names = drawn(ending, circling)
    assert [curve[-1] for curve in curves] == pytest.approx([100, 50])
    assert "never end" not in names[0] and names[1].endswith("50.0 % never end")


@pytest.mark.slow
def test_a_variant_that_never_ends_is_in_the_legend_of_the_picture(profiled, ending):
    _, names = drawn(ending, profiled([[1], [0]], [UNDECIDED] * 2))
    assert names[1].endswith("100.0 % never end")


def drawn(*profiles):
    """Return the curves in the picture of these profiles, and the names in its legend."""
    from matplotlib.figure import Figure

    figure = Figure()
    draw_curves(figure, Comparison([*profiles], []), 10)
    (axes,) = figure.axes
    return [line.get_ydata() for line in axes.lines], [text.get_text() for text in axes.get_legend().get_texts()]


@pytest.mark.slow
def test_misere_abalone_ends_later_though_what_ends_is_over_at_once(database):
    names = ["abalone:rows=3,cols=3", "abalone:rows=3,cols=3,misere"]
    for name in names:
        store_solution(open_store(database), name)
    said = json.loads(CliRunner().invoke(cli, ["compare", *names, "--json"]).stdout)
    assert said["pairs"][0]["effects"]["cliffs_delta"]["value"] > 0
