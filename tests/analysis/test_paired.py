"""Shared positions, paired: agreement, remoteness, best moves and openings, found again from reference solutions."""

import json
from itertools import combinations

import pytest
from click.testing import CliRunner
from support.storing import store_solution

from gamesman.analysis import walk
from gamesman.analysis.learning import Learnt
from gamesman.cli.main import cli
from gamesman.db import open_store
from gamesman.model.reading import agree
from gamesman.model.variant import variant, variants
from gamesman.values import NAMES, negate

pytestmark = pytest.mark.slow


@pytest.fixture(params=["interpreted", "compiled"])
def form(request, monkeypatch):
    if request.param == "compiled":
        monkeypatch.setattr(walk, "MOST_INTERPRETED", 0)


def by_text(name, solution):
    show = variant(name).show
    return {show(position): answer for position, answer in solution.values.items()}


def check_paired(pair, solutions, first, second):
    """Find agreement, remoteness and best moves again, text by text."""
    shared = pair["shared"]
    both = first.keys() & second.keys()
    if not both:
        return
    by_chance = (
        sum(sum(first[t][0] == value for t in both) * sum(second[t][0] == value for t in both) for value in range(4))
        / len(both) ** 2
    )
    observed = sum(first[t][0] == second[t][0] for t in both) / len(both)
    kappa = None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)
    assert shared["kappa"] == (None if kappa is None else pytest.approx(kappa, abs=1e-9))
    ending = [second[t][1] - first[t][1] for t in both if first[t][1] is not None and second[t][1] is not None]
    assert shared["end_in_both"] == len(ending)
    assert shared["mean_change"] == (pytest.approx(sum(ending) / len(ending), abs=1e-9) if ending else None)
    names = [pair["first"], pair["second"]]
    moves = stay = 0
    for text in both:
        one, other = (best_moves(name, solutions[name], text) for name in names)
        if one and other:
            moves += len(one)
            stay += len(one & other)
    if shared["best_moves"] is not None:
        assert shared["best_moves"] == {"moves": moves, "stay": stay, "share": stay / moves if moves else None}
    if shared["opening"] is not None:
        opening, text = shared["opening"], variant(names[0]).show(variant(names[0]).start())
        for move in opening["moves"]:
            assert all(move in best_moves(name, solutions[name], text) for name in names)
            v = variant(names[0])
            text = v.show(v.do_move(v.parse(text), v.parse_move(v.parse(text), move)))
        assert text == opening["position"]
        best = [best_moves(name, solutions[name], text) for name in names]
        assert [set(found) for found in opening["best"]] == best and not best[0] & best[1]
        assert [NAMES.index(value) for value in opening["value"]] == [first[text][0], second[text][0]]


def best_moves(name, solution, text):
    """The names of the best moves, from the values of where all moves lead."""
    v = variant(name)
    position = v.parse(text)
    value, remoteness = solution.values[position]
    if v.primitive(position) >= 0:
        return set()
    found = set()
    for move in v.generate_moves(position):
        child = v.do_move(position, move)
        own, ahead = solution.values[child]
        own = own if v.turn(child) == v.turn(position) else negate(own)
        if own == value and (remoteness is None or ahead == remoteness - 1):
            found.add(v.move_name(position, move))
    return found


def check(texts, database):
    store = open_store(database)
    solutions = {v.name: store_solution(store, v.name) for text in texts for v in variants(text)}
    result = CliRunner().invoke(cli, ["compare", *texts, "--json"])
    assert result.exit_code == 0, result.stderr
    found = json.loads(result.stdout)
    texts_of = {name: by_text(name, solution) for name, solution in solutions.items()}
    assert len(found["pairs"]) == len([*combinations(solutions, 2)])
    for pair in found["pairs"]:
        check_paired(pair, solutions, texts_of[pair["first"]], texts_of[pair["second"]])
    return [pair["shared"] for pair in found["pairs"]]


def test_pairs_of_many_kinds_of_variants(database):
    """Other keys, other moves, other values; with and without symmetries in common."""
    found = check(["konane:rows=4,misere=*", "konane:rows=4,any_piece"], database)
    found += check(["konane", "konane:removed=a1,a2"], database)
    assert sum(shared["best_moves"]["moves"] > 0 for shared in found) >= 3
    assert sum(shared["opening"] is not None for shared in found) >= 1


@pytest.mark.parametrize("text", ["abalone:rows=3,cols=3,captures=1,misere=*", "ten_to_zero:total=9|10,most=2..3"])
def test_pairs_of_other_games(text, database):
    assert any(shared["positions"] for shared in check([text], database))


def test_more_moves_than_a_word_has_bits(form, database):
    (shared,) = check(["ten_to_zero:total=150,most=70|140"], database)
    assert shared["best_moves"]["moves"] > shared["best_moves"]["stay"] > 0


def test_what_functions_read_tells_whether_variants_number_alike():
    plain, misere, freeze = (variant(f"abalone{options}") for options in ("", ":misere", ":freeze"))
    numbers = ["hash", "unhash", "tier"]
    assert agree(numbers, plain, misere) and agree(["generate_moves"], plain, misere)
    assert agree(numbers, plain, freeze) and not agree(["generate_moves"], plain, freeze)
    assert not agree(numbers, plain, variant("abalone:captures=1"))
    assert not agree(numbers, plain, variant("konane"))
    assert Learnt().as_json() == {"moves": 0, "stay": 0, "share": None}
