"""What `stats` says of play, found again: position by position, with plain moves and systems solved directly."""

import json
import random
from math import sqrt

import numpy as np
import pytest
from click.testing import CliRunner
from support.graphs import make_variant, random_graph
from support.storing import store_solution

from gamesman.analysis import comparison, flow, graph, play, profile, walk
from gamesman.cli.main import cli
from gamesman.cli.views import skill
from gamesman.db import open_store
from gamesman.model.variant import variant
from gamesman.values import DRAW, LOSE, TIE, UNDECIDED, WIN, negate, preference

SMALL = ["konane", "konane:rows=3,cols=3,misere", "ten_to_zero", "hex_abalone:edge=2", "dodgem:size=2", "ctf:size=2"]
POINTS = {WIN: 1.0, TIE: 0.5, DRAW: 0.5, LOSE: 0.0}


@pytest.fixture(params=["interpreted", pytest.param("compiled", marks=pytest.mark.slow)])
def form(request, monkeypatch):
    if request.param == "compiled":
        monkeypatch.setattr(walk, "MOST_INTERPRETED", 0)
        monkeypatch.setattr(graph, "MOST_INTERPRETED", 0)
    return request.param


class Chain:
    """All positions of a variant, not up to symmetry, with every move of each and what it is worth."""

    def __init__(self, v, values):
        self.number = {position: i for i, position in enumerate(values)}
        self.start = self.number[v.start()]
        self.value = [value for value, _ in values.values()]
        first = v.turn(v.start())
        self.who = [v.turn(position) ^ first for position in values]
        self.moves = []
        for position in values:
            found = []
            if v.primitive(position) == UNDECIDED:
                for move in v.generate_moves(position):
                    child = v.do_move(position, move)
                    value, remoteness = values[child]
                    own = value if v.turn(child) == v.turn(position) else negate(value)
                    found.append((self.number[child], own, preference(own, remoteness or 0)))
            self.moves.append(found)

    def measures(self, rates):
        """Return the fields of one kind of players."""
        n = len(self.moves)
        chances, best_of = np.zeros((n, n)), []
        for i, moves in enumerate(self.moves):
            best = [m for m in moves if m[2] == max(each[2] for each in moves)]
            best_of.append(best)
            for to, _, _ in moves:
                chances[i, to] += rates[self.who[i]] / len(moves)
            for to, _, _ in best:
                chances[i, to] += (1 - rates[self.who[i]]) / len(best)
        ends = np.array([not moves for moves in self.moves])
        reaches = ends.copy()
        while (further := reaches | (chances[:, reaches].sum(axis=1) > 0)).sum() > reaches.sum():
            reaches = further
        inside = np.flatnonzero(reaches & ~ends)
        first, second, tie = np.zeros(n), np.zeros(n), np.zeros(n)
        for i in np.flatnonzero(ends):
            won = {WIN: self.who[i] == 0, LOSE: self.who[i] == 1}.get(self.value[i])
            (tie if won is None else first if won else second)[i] = 1
        solving = np.linalg.inv(np.eye(len(inside)) - chances[np.ix_(inside, inside)])

        def ahead(gain, at_end):
            """Solve x = gain + chances x inside, x being `at_end` where the game is over."""
            found = at_end.astype(float)
            found[inside] = solving @ (gain + chances @ np.where(ends, at_end, 0))[inside]
            return found

        zero = np.zeros(n)
        wins, losses, ties = (ahead(zero, each)[self.start] for each in (first, second, tie))
        finish = ahead(zero, ends.astype(float))
        once = ahead(np.where(reaches & ~ends, chances @ finish, 0), zero)
        square = ahead(np.where(reaches & ~ends, chances @ finish + 2 * (chances @ once), 0), zero)
        mean = once[self.start] / finish[self.start] if finish[self.start] else None
        counted = reaches & ~ends

        def total(of):
            return ahead(np.where(counted, of, 0.0), zero)[self.start]

        blunder, points = np.zeros(n), np.zeros(n)
        for i, moves in enumerate(self.moves):
            for _, own, _ in moves:
                chance = rates[self.who[i]] / len(moves)
                blunder[i] += chance * (own != self.value[i])
                points[i] += chance * (POINTS[self.value[i]] - POINTS[own])
        choice = np.array([len(moves) > 1 for moves in self.moves])
        only = np.array([sum(m[1] == v for m in moves) == 1 for moves, v in zip(self.moves, self.value, strict=True)])
        played = total(np.ones(n))
        return {
            "first": wins,
            "second": losses,
            "tie": ties,
            "unfinished": 1 - finish[self.start],
            "length": mean,
            "length_sd": None if mean is None else sqrt(max(0, square[self.start] / finish[self.start] - mean**2)),
            "blunders_per_move": total(blunder) / played if played else None,
            "points_per_move": total(points) / played if played else None,
            "value_changes": total(blunder),
            "choices": total(choice),
            "only_moves": total(choice & only),
        }


def run(name, *words):
    result = CliRunner().invoke(cli, ["stats", name, *words, "--json"])
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["play"]


def check(found, v, values):
    chain = Chain(v, values)
    kinds = {"random": (1, 1), "first_perfect": (0, 1), "second_perfect": (1, 0)}
    pairs = [(found[name], rates) for name, rates in kinds.items()]
    pairs += [(fields, (fields["rate"], fields["rate"])) for fields in found["errors"]]
    assert [fields["rate"] for fields in found["errors"]] == [e / 10 for e in range(11)]
    for fields, rates in pairs:
        for name, expected in chain.measures(rates).items():
            near = None if expected is None else pytest.approx(expected, rel=1e-9, abs=1e-9)
            if name == "length_sd" and expected is not None and expected < 1e-6:
                near = 0  # where all games are as long, rounding makes no spread
            assert fields[name] == near, (name, rates)
        assert sum(fields[name] for name in ("first", "second", "tie", "unfinished")) == pytest.approx(1, abs=1e-12)
    assert 0 <= found["error_bound"] < 1e-9


def test_random_tic_tac_toe_is_what_everybody_finds(database):
    store_solution(open_store(database), "tictactoe")
    found = run("tictactoe")["random"]
    assert [round(100 * found[who], 1) for who in ("first", "second", "tie")] == [58.5, 28.8, 12.7]


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_measures_of_play_are_those_of_every_position_walked_by_hand(name, database):
    v = variant(name)
    solution = store_solution(open_store(database), name)
    check(run(name), v, solution.values)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("few", [200, 0])
def test_play_on_graphs_with_circles_ties_and_players_who_move_twice(seed, few, database, form, monkeypatch):
    monkeypatch.setattr(flow, "FEW_ROWS", few)
    made = random_graph(seed, nodes=40)
    v = make_variant(made.edges, made.values, made.turns, made.tiers, kind="tiers" if seed % 2 else "plain")
    solution = store_solution(open_store(database), v.name)
    check(run(v.name), v, solution.values)


@pytest.mark.parametrize("name", ["tictactoe", "konane:rows=4,misere", "dodgem:size=2", "hex_abalone:edge=2", 0, 1])
def test_what_is_counted_beside_play_is_what_a_walk_counts(name, database):
    v = name
    if isinstance(name, int):
        made = random_graph(name, nodes=40)
        v = make_variant(made.edges, made.values, made.turns, made.tiers, kind="tiers").name
    store = open_store(database)
    store_solution(store, v)
    with store.open(variant(v)) as stored:
        walked, played = profile.profile(stored).stats_json(), profile.described(stored).stats_json()
    assert walked["play"] is None and played["play"] is not None
    assert all(played[field] == number for field, number in walked.items() if number is not None)
    assert walked["single_moves"] is not None and walked["first_player"] is not None


def test_a_game_that_cannot_end_is_unfinished_and_has_no_length(database):
    v = make_variant([[1], [0]], [UNDECIDED, UNDECIDED], [0, 1], kind="plain")
    store_solution(open_store(database), v.name)
    found = run(v.name)["random"]
    assert (found["unfinished"], found["length"], found["length_sd"], found["blunders_per_move"]) == (
        1,
        None,
        None,
        None,
    )


def test_few_kinds_of_players_at_a_time_are_the_same(database, monkeypatch):
    store_solution(open_store(database), "konane:rows=4")
    whole = run("konane:rows=4")
    monkeypatch.setattr(play._Walker, "width", lambda *_: 2)
    assert run("konane:rows=4")["first_perfect"] == pytest.approx(whole["first_perfect"])


@pytest.mark.slow
def test_random_play_is_what_playouts_find(database):
    store_solution(open_store(database), "abalone:rows=3,cols=3")
    v, dice, games = variant("abalone:rows=3,cols=3"), random.Random(5), 4000
    found = run(v.name)["random"]
    wins, lengths = 0, []
    for _ in range(games):
        position, length = v.start(), 0
        while (value := v.primitive(position)) == UNDECIDED:
            position = v.do_move(position, dice.choice(list(v.generate_moves(position))))
            length += 1
        wins += (value == WIN) == (v.turn(position) == v.turn(v.start()))
        lengths.append(length)
    assert wins / games == pytest.approx(found["first"], abs=5 * sqrt(0.25 / games))
    assert np.mean(lengths) == pytest.approx(found["length"], abs=5 * found["length_sd"] / sqrt(games))


def test_a_large_variant_is_followed_when_that_is_asked_for(database, monkeypatch):
    store_solution(open_store(database), "tictactoe")
    monkeypatch.setattr(profile, "MOST_UNASKED", 10)
    assert run("tictactoe") is None
    assert run("tictactoe", "--play")["random"]["tie"] > 0.1


def test_stats_shows_play_by_who_plays(database):
    store_solution(open_store(database), "tictactoe")
    shown = CliRunner().invoke(cli, ["stats", "tictactoe"]).stdout
    assert "both random" in shown and "58.5 %" in shown and "erring at 50 %" in shown
    narrow = CliRunner(env={"COLUMNS": "80"}).invoke(cli, ["stats", "tictactoe"]).stdout
    assert max(map(len, narrow.splitlines())) <= 80 and narrow.split() == shown.split()
    quick = CliRunner().invoke(cli, ["stats", "tictactoe", "--quick", "--play"])
    assert quick.exit_code == 2 and "leave out --quick" in quick.stderr


@pytest.mark.slow
def test_the_picture_has_the_curve_over_the_rate_of_errors(database, tmp_path):
    store_solution(open_store(database), "tictactoe")
    file = tmp_path / "tictactoe.svg"
    result = CliRunner().invoke(cli, ["stats", "tictactoe", "--plot", str(file)])
    assert result.exit_code == 0, result.stderr
    drawn = file.read_text()
    assert "How much skill decides" in drawn and "second player wins" in drawn and "never ends" not in drawn


@pytest.mark.slow
def test_a_page_and_a_picture_have_the_curves_of_variants_that_are_small_together(database, tmp_path, monkeypatch):
    for name in ("konane", "konane:misere"):
        store_solution(open_store(database), name)
    exact, page, file = {}, tmp_path / "page.html", tmp_path / "both.svg"
    draw = skill.draw_traces
    monkeypatch.setattr(skill, "draw_traces", lambda f, traces, *a: exact.update(dict(traces)) or draw(f, traces, *a))

    def compared(*words):
        result = CliRunner().invoke(cli, ["compare", "konane:misere=*", "--html", str(page), *words])
        assert result.exit_code == 0, result.stderr
        return "players err" in page.read_text()

    assert compared("--plot", str(file)) and "How much skill decides" in file.read_text()
    for name, shares in exact.items():
        rows = profile.described(open_store(database).open(variant(name))).stats_json()["play"]["errors"]
        assert [(row["rate"], (100 * row["first"],) * 3) for row in rows] == [(e, each["first"]) for e, each in shares]
    assert len(exact) == 2 and not compared("--quick")
    monkeypatch.setattr(comparison, "MOST_UNASKED", 33)
    assert not compared()  # 34 positions together
