"""Tiers are shown by their names, in whatever shows tiers."""

import json

import pytest
from click.testing import CliRunner
from support.storing import store_solution

from gamesman.analysis.comparison import compare
from gamesman.analysis.profile import profile
from gamesman.cli.main import cli
from gamesman.cli.views import pictures
from gamesman.cli.views.page import as_html
from gamesman.db import open_store
from gamesman.model.variant import variant

NAMED, NUMBERED = "abalone:rows=3,cols=3", "l_game"


@pytest.fixture
def opened(database):
    def load(name):
        store_solution(open_store(database), name)
        return open_store(database).open(variant(name))

    return load


def tier_axis(name, opened):
    from matplotlib.figure import Figure

    axes = Figure().subplots()
    with opened(name) as stored:
        pictures.draw_tiers(axes, profile(stored))
    return [label.get_text() for label in axes.get_xticklabels()], axes.get_xlabel()


@pytest.mark.slow
def test_in_json_and_on_the_page_of_stats(opened):
    opened(NAMED).close()
    fields = json.loads(CliRunner().invoke(cli, ["stats", NAMED, "--json"]).stdout)
    names = [tier["name"] for tier in fields["by_tier"]]
    assert names[:2] == ["3 black, 3 white", "3 black, 2 white"]
    text = CliRunner().invoke(cli, ["stats", NAMED]).stdout
    assert all(f"  {name}\n" in text for name in names)


def test_a_few_stand_under_their_bars_and_of_many_the_first_and_last(opened):
    names, _ = tier_axis(f"{NAMED},captures=1", opened)
    assert names[0] == "3 black, 3 white"
    numbers, said = tier_axis("konane:rows=4", opened)
    assert all(number.isdecimal() for number in numbers)
    assert said == "tier, from the start of the game (14 on the board) to its end (1 on the board)"


@pytest.mark.slow
def test_side_by_side_in_json_and_on_the_page(opened):
    names = [NAMED, f"{NAMED},misere"]
    with opened(names[0]) as one, opened(names[1]) as other:
        comparison = compare([one, other])
    first = comparison.as_json()["variants"][0]["by_tier"]
    assert [tier["name"] for tier in first][:1] == ["3 black, 3 white"]
    page = as_html(comparison)
    assert f"<summary>B: {len(first)} tiers</summary>" in page
    row = [str(first[0]["tier"]), f"{first[0]['positions']:,}"]
    assert f"<td>{row[0]}</td><td>{row[1]}</td>" in page
    assert page.count('<td class="text">3 black, 3 white</td>') == 2


def test_a_game_that_names_none_has_numbers():
    v = variant(NUMBERED)
    assert not v.has("tier_name") and v.tier_name(0) == "0"
