"""What options do over a grid of variants, taken apart again by least squares; and the ways to ask for it."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from support.storing import store_solution

from gamesman.analysis.figures import Figure
from gamesman.analysis.grid import Factor, Grid, find_grid
from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.model.variant import variants

EIGHT = "konane:cols=3..4,misere=*,any_piece=*"


def run(*words, code=0, **settings):
    result = CliRunner().invoke(cli, [*words], **settings)
    assert (result.exit_code, result.exception if code == 0 else None) == (code, None), result.stderr
    return result


@pytest.fixture
def eight(database):
    for each in variants(EIGHT):
        store_solution(open_store(database), each.name)


def contrasts(levels):
    """Columns of a regression on one factor whose sums are 0."""
    found = np.zeros((levels, levels - 1))
    found[:-1] = np.eye(levels - 1)
    found[-1] = -1
    return found


def shares_by_regression(y):
    """The sums of squares that each factor, and each two, explain, for none is correlated with another."""
    whole = ((y - y.mean()) ** 2).sum()
    parts = {}
    grids = np.indices(y.shape).reshape(y.ndim, -1)
    columns = [contrasts(levels)[at] for levels, at in zip(y.shape, grids, strict=True)]
    for i in range(y.ndim):
        parts[i,] = columns[i]
        for j in range(i + 1, y.ndim):
            parts[i, j] = np.einsum("na,nb->nab", columns[i], columns[j]).reshape(y.size, -1)
    found = {}
    for name, part in parts.items():
        fitted = part @ np.linalg.lstsq(part, (y - y.mean()).ravel(), rcond=None)[0]
        found[name] = (fitted**2).sum() / whole
    return found


@pytest.mark.parametrize("shape", [(2,), (2, 2), (3, 2, 2), (2, 4, 3, 2)])
def test_parts_are_those_of_a_regression(shape):
    y = np.random.default_rng(1).normal(50, 20, shape)
    factors = [Factor(f"o{i}", [*range(n)]) for i, n in enumerate(shape)]
    places = [*np.ndindex(*shape)]
    grid = Grid(factors, places)
    found = grid.effects(Figure("y", False, lambda place: y[place]), places)
    expected = shares_by_regression(y)
    for i, part in enumerate(found["options"]):
        low, high = (np.take(y, end, axis=i).mean() for end in (0, -1))
        assert part["effect"] == pytest.approx(high - low, abs=1e-9)
        assert part["share"] == pytest.approx(expected[i,], abs=1e-9)
        assert [m for _, m in part["means"]] == pytest.approx([np.take(y, k, axis=i).mean() for k in range(shape[i])])
    for part in found["interactions"]:
        i, j = (int(name[1:]) for name in part["options"])
        end = {(a, b): np.take(np.take(y, b, axis=j), a, axis=i).mean() for a in (0, -1) for b in (0, -1)}
        assert part["effect"] == pytest.approx(end[-1, -1] - end[0, -1] - end[-1, 0] + end[0, 0], abs=1e-9)
        assert part["share"] == pytest.approx(expected[i, j], abs=1e-9)
    shares = [part["share"] for part in found["options"] + found["interactions"]]
    assert sum(shares) + found["rest"] == pytest.approx(1, abs=1e-9)


def test_what_does_not_vary_has_no_shares():
    grid = Grid([Factor("misere", [False, True])], [(0,), (1,)])
    found = grid.effects(Figure("y", True, lambda _: 0.1), [0, 1])
    assert found["options"] == [
        {"option": "misere", "from": "no", "to": "yes", "effect": 0, "share": None, "means": [["no", 10], ["yes", 10]]}
    ]
    none = grid.effects(Figure("y", True, lambda n: None if n else 0.1), [0, 1])
    assert none["options"] == [] and none["reason"]


@pytest.mark.parametrize(
    "texts, factors",
    [
        (["konane:rows=3..5,misere=*"], {"rows": [3, 4, 5], "misere": [False, True]}),
        (["konane:misere", "konane"], {"misere": [False, True]}),
        (["hex_abalone:edge=2..3"], {"edge": [2, 3]}),
        (["hex_abalone:edge=2,corner=*"], {"corner": ["axis", "any", "none"]}),
        (["konane:rows=3..4,misere=*", "konane:rows=5"], None),
        (["konane", "tictactoe"], None),
        (["konane:rows=4", "konane:misere"], None),
    ],
    ids=lambda found: " ".join(found) if isinstance(found, list) else "",
)
def test_a_grid_is_known_by_its_names(texts, factors):
    grid = find_grid([v for text in texts for v in variants(text)])
    assert (grid and {factor.name: factor.levels for factor in grid.factors}) == factors


@pytest.mark.slow
def test_effects_are_those_of_the_variants_numbers(eight):
    found = json.loads(run("compare", EIGHT, "--json").stdout)
    by_name = {effects["measure"]: effects for effects in found["effects"]}
    assert {"positions", "wins", "draws", "only move"} <= by_name.keys()
    wins = {fields["variant"]: 100 * fields["shares"]["win"] for fields in found["variants"]}
    misere = np.mean([n for name, n in wins.items() if "misere" in name])
    other = np.mean([n for name, n in wins.items() if "misere" not in name])
    effect = next(each for each in by_name["wins"]["options"] if each["option"] == "misere")
    assert (effect["from"], effect["to"]) == ("no", "yes")
    assert effect["effect"] == pytest.approx(misere - other, abs=1e-9)
    text = run("compare", EIGHT).stdout
    line = next(line for line in text.splitlines() if line.startswith("misere no to yes"))
    assert f"{misere - other:+.1f} ({100 * effect['share']:.0f} %)" in line
    assert "cols × misere" in text and "share" not in text.partition("What an option does")[0]


@pytest.mark.slow
def test_beyond_four_variants_distances_stand_for_the_pairs(eight):
    text = run("compare", EIGHT).stdout
    assert "A and B" not in text and "·" in text and "--all-pairs" in text
    found = json.loads(run("compare", EIGHT, "--json").stdout)
    pair = next(p for p in found["pairs"] if p["second"] == found["variants"][1]["variant"])
    assert f"B  {pair['effects']['total_variation']['value']:.2f}" in text
    every = run("compare", EIGHT, "--all-pairs").stdout
    assert "A and B share" in every and "·" not in every
    assert "G and H" in every


@pytest.mark.slow
def test_from_a_baseline_it_is_compared_with_each(eight):
    text = run("compare", EIGHT, "--baseline", "konane:misere").stdout
    assert text.startswith("A  konane:misere\n") and "A and H" in text and "B and C" not in text
    found = json.loads(run("compare", "konane", "--baseline", "konane:misere", "--json").stdout)
    assert [(pair["first"], pair["second"]) for pair in found["pairs"]] == [("konane:misere", "konane")]
    a, b = (100 * fields["shares"]["win"] for fields in found["variants"])
    text = run("compare", "konane", "--baseline", "konane:misere", "--measure", "wins").stdout
    assert f"{b:.1f} % {b - a:+.1f}" in text and "losses" not in text.partition("Cram")[0]


@pytest.mark.slow
def test_variants_are_sorted_by_a_measure(eight):
    found = json.loads(run("compare", EIGHT, "--sort", "branching-factor", "--json").stdout)
    numbers = [fields["branching_factor"] for fields in found["variants"]]
    assert numbers == sorted(numbers, reverse=True) and len(set(numbers)) > 2


@pytest.mark.slow
def test_there_may_be_more_variants_than_letters(database):
    for each in variants("ten_to_zero:total=1..30"):
        store_solution(open_store(database), each.name)
    lines = run("compare", "ten_to_zero:total=1..30", env={"COLUMNS": "80"}).stdout.splitlines()
    assert "AD  ten_to_zero:total=30" in lines
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith("wins ") for line in lines) > 1  # a table for as many variants as there is room for
    assert all("\x1b" not in line for line in lines)


@pytest.mark.slow
def test_lists_and_games_fit_the_terminal(eight):
    for words in (["list"], ["games"]):
        text = run(*words, env={"COLUMNS": "60"}).stdout
        whole = run(*words).stdout
        assert max(map(len, text.splitlines())) <= 60 < max(map(len, whole.splitlines()))
        assert set(whole.split()) <= set(text.split())
