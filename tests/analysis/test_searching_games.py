"""Games of players who search are like those of perfect ones where the search sees the end, and keep to the rules."""

import json
from functools import cache

import numpy as np
import pytest
from analysis.test_play import Chain
from click.testing import CliRunner
from support.graphs import make_variant

from gamesman import app
from gamesman.analysis import estimating
from gamesman.analysis.estimating import ERRING, Asked, Played, estimate
from gamesman.analysis.kernels.playouts import CUT, FIRST, RETURNED, SECOND
from gamesman.analysis.searching import SearchingGames
from gamesman.cli.main import cli
from gamesman.model.progress import Silent
from gamesman.model.variant import variant
from gamesman.search.searcher import Searcher
from gamesman.values import UNDECIDED

# With a depth at which a search of the start sees every end.
SOLVED = [("tictactoe", 9), ("konane:rows=3", 8), ("konane:rows=3,misere", 8), ("ten_to_zero", 10)]


@cache
def exact(name, kind):
    v = variant(name)
    return Chain(v, app.reference(v).values).measures(ERRING[kind])


def games_of(v, kinds, *, depth, seed=1, most_moves=1000, fewest=1, count=40, **how):
    kinds = {name: ERRING[name] for name in kinds}
    return SearchingGames(v, Searcher(v), kinds, depth, seed, most_moves, fewest).play(count, **how)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "depth"), SOLVED)
def test_intervals_hold_what_perfect_players_come_to_where_the_end_is_seen(name, depth):
    v, seeds, held = variant(name), 100, {}
    best, kinds = {}, ("first_searching", "second_searching", "errors 0.0", "errors 0.4", "errors 0.8")
    for seed in range(seeds):
        games = SearchingGames(v, Searcher(v), {kind: ERRING[kind] for kind in kinds}, depth, seed, 1000)
        games._best._known = best  # which hang on no seed
        for kind, played in games.play(60).items():
            for measure, found in Played.of(played, 1000).found.items():
                expected = exact(name, kind).get(measure)
                if expected is not None:
                    is_held = found.low - 1e-9 <= expected <= found.high + 1e-9
                    held.setdefault((kind, measure), []).append(is_held)
    for kind in kinds:
        for measure in ("first", "second", "tie", "unfinished", "length", "choices"):
            assert sum(held[kind, measure]) >= 86, (kind, measure)  # of 100, where 95 are expected
    assert np.mean([each for row in held.values() for each in row]) > 0.93


def test_who_looks_far_ahead_wins_more_often_than_who_does_not():
    v = variant("konane:rows=5,cols=5")
    wins = [games_of(v, ["first_searching"], depth=depth)["first_searching"].count(FIRST) for depth in (1, 4)]
    assert wins[0] < wins[1]


def test_the_first_games_are_the_same_however_many_are_played():
    v = variant("konane:rows=4")
    few, many = (games_of(v, ["second_searching"], depth=2, count=count)["second_searching"] for count in (5, 9))
    assert len(many) == 9 and all(np.array_equal(one, other[:5]) for one, other in zip(few, many, strict=True))


def test_a_position_that_is_there_for_the_third_time_ends_a_game_as_a_draw():
    v = make_variant([[1], [0]], [UNDECIDED, UNDECIDED], [0, 1], kind="plain")
    games = games_of(v, ["errors 0.0"], depth=1, count=20)["errors 0.0"]
    assert set(games.outcomes) == {RETURNED} and set(games.lengths) == {4}  # a, b, a, b, a
    found = Played.of(games, 1000)
    assert (found.cut, found.found["length"]) == (0, None)
    assert found.found["unfinished"].estimate == 1 and found.found["unfinished"].low > 0.8


def test_where_no_position_may_come_back_none_does():
    """Whoever is left without a move by that has lost, as in `play`; so every game ends."""
    games = games_of(variant("ctf:size=3"), ["errors 0.0", "errors 0.4"], depth=2, count=20)
    assert {int(outcome) for each in games.values() for outcome in each.outcomes} <= {FIRST, SECOND}


def test_a_game_that_goes_on_too_long_may_end_in_any_way():
    games = games_of(variant("ctf:size=3"), ["errors 0.0"], depth=2, most_moves=3)["errors 0.0"]
    assert set(games.outcomes) == {CUT}
    found = Played.of(games, 3).found
    assert (found["first"].low, found["first"].high) == (0, 1) == (found["unfinished"].low, found["unfinished"].high)


class Interrupting(Silent):
    """Presses Ctrl-C after some games."""

    def __init__(self, after):
        self.after, self.games = after, None

    def advance(self, steps):
        self.after -= steps
        if not self.after:
            self.games._interrupt()


@pytest.mark.parametrize(("after", "are_enough"), [(9, True), (3, False)])
def test_an_interruption_leaves_what_has_been_played_if_that_is_enough(after, are_enough):
    v, bars = variant("konane:rows=4"), Interrupting(after)
    bars.games = games = SearchingGames(
        v, Searcher(v), {k: ERRING[k] for k in ("errors 0.0", "errors 0.2")}, 2, 1, 99, 3
    )
    if not are_enough:
        with pytest.raises(KeyboardInterrupt):
            games.play(50, progress=bars)
        return
    found = games.play(50, progress=bars)
    assert [len(each) for each in found.values()] == [5, 4] and games.is_interrupted
    with pytest.raises(KeyboardInterrupt):
        games._interrupt()  # once more


def test_time_that_is_up_ends_games_but_not_before_there_are_enough():
    found = games_of(variant("konane:rows=4"), ["errors 0.0"], depth=2, count=50, fewest=4, seconds=1e-9)["errors 0.0"]
    assert len(found) == 4
    fields = estimate(variant("konane:rows=4"), Asked(playouts=2000, depth=2, seconds=1e-9)).as_json()["estimated"]
    assert fields["first_searching"]["games"] == 10 and fields["blunders_per_move"] is not None
    assert (fields["seconds"], fields["interrupted"]) == (1e-9, False)


def test_what_an_interruption_has_left_is_shown_and_said(monkeypatch):
    monkeypatch.setattr(estimating.SearchingGames, "__init__", interrupted_early(estimating.SearchingGames.__init__))
    words = ["stats", "konane:rows=3..4", "--estimate", "--playouts", "1000", "--depth", "1"]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 1
    assert "10 of each kind with searches, of 20: interrupted" in result.stdout and "rows=4" not in result.stdout
    assert "10 of 20 games of each kind with searches were played of konane, variant 1 of 2" in result.stderr
    result = CliRunner().invoke(cli, [*words, "--json"])
    assert json.loads(result.stdout)["estimated"]["interrupted"] is True
    result = CliRunner().invoke(cli, ["compare", *words[1:]])
    assert (result.exit_code, result.stdout) == (1, "") and "nothing to compare it with" in result.stderr


def interrupted_early(init):
    """Return a constructor of games that are interrupted as soon as there are enough of them."""

    def construct(self, *given):
        init(self, *given)
        self.is_interrupted = True
        self._must_stop = self._has_enough
        self._best._is_stopped = self._has_enough

    return construct


@pytest.mark.slow
def test_how_much_skill_decides_is_drawn(tmp_path):
    for words in (["stats", "konane"], ["compare", "konane:misere=*"]):
        file = tmp_path / f"{words[0]}.svg"
        few = ["--estimate", "--playouts", "100", "--depth", "1"]
        result = CliRunner().invoke(cli, [*words, *few, "--plot", str(file)])
        assert result.exit_code == 0, result.stderr
        assert f"written: {file}" in result.stderr and "fill-opacity: 0.15" in file.read_text()
