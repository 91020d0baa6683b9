"""What was stored before still opens, for the games that come with gamesman, and only where it is of the same rules."""

import contextlib
import lzma

import pytest
from support import SUPPORT
from support.storing import feed

from gamesman.db import open_store
from gamesman.errors import OtherRules
from gamesman.model import bundled
from gamesman.model.game import built_in, load
from gamesman.model.variant import Variant, build, variant
from gamesman.solver import reference

# Solved when fingerprints were of the text of a game's source.
EARLIER = SUPPORT / "data" / "earlier.db.xz"
STORED = ["konane", "konane:rows=2,cols=2,misere", "ten_to_zero", "tictactoe", "abalone:rows=3,cols=3,captures=1"]
STORED += ["ctf:size=2", "hex_abalone:edge=2"]


@pytest.fixture
def earlier(tmp_path):
    (tmp_path / "earlier.db").write_bytes(lzma.decompress(EARLIER.read_bytes()))
    return open_store(f"sqlite:///{tmp_path}/earlier.db")


@pytest.mark.parametrize("game", built_in())
def test_what_a_game_means_is_known_to_come_to_the_same(game):
    """If this fails, the game was written otherwise. Are all positions under the same keys, with the same values?

    Then add its meaning to bundled.json. If not, take the earlier ones away: what was solved must be solved again.
    """
    assert load(game).meaning in bundled._meanings()[game], f"{game} now means {load(game).meaning}"


def test_only_games_that_come_with_gamesman_are_known():
    assert set(bundled._sources()) <= set(bundled._meanings()) == set(built_in())


@pytest.mark.parametrize("name", STORED)
def test_a_database_written_before_opens(earlier, name):
    v = variant(name)
    with earlier.open(v) as stored:
        expected = reference.solve(v)
        assert stored.summary.tiers == expected.summary.tiers
        for position, answer in expected.values.items():
            assert stored.probe(position)[:2] == answer


def test_a_database_written_before_is_not_opened_where_the_rules_have_changed(earlier, monkeypatch):
    v = variant("konane")

    def opened(changed: Variant) -> bool:
        try:
            earlier.open(changed).close()
        except OtherRules:
            return False
        return True

    assert opened(v)
    # Another start by the same options.
    assert not opened(Variant(v.game, v.options, v.name, variant("konane:rows=4").rules))
    # Other options under the same name.
    assert not opened(Variant(v.game, variant("konane:misere").options, v.name, v.rules))
    with monkeypatch.context() as patch:
        patch.setitem(vars(v.game), "meaning", "0" * 32)
        assert not opened(v)
    with monkeypatch.context() as patch:
        patch.setattr("gamesman.model.game.built_in", list)  # a game of somebody else's
        assert not opened(v)


@pytest.mark.parametrize(
    ("name", "removed", "is_the_same"),
    [("konane", "b1,d2", True), ("konane:cols=3", "b2,c2", False), ("konane:cols=5", "c2,d2", False)],
)
def test_konane_is_not_opened_where_it_began_otherwise_before(name, removed, is_the_same):
    """Where white would have no jump with the middle pair removed, another one is removed now."""
    v = variant(name)
    before = build(v.game, {"cols": str(v.options.cols), "removed": removed})
    options = {kind.name: getattr(before.options, kind.name) for kind in v.game.options}
    start = before.show(before.start())
    stored = bundled.first_fingerprint(bundled._sources()["konane"][-1], options)
    assert before.is_solved_by(stored, start)
    assert v.is_solved_by(stored, start) == is_the_same


# What solutions of hex_abalone said before it had the option `stuck`.
BEFORE_STUCK = {
    "hex_abalone:edge=2": "823c2032af22d490a9ae9846e8bf2b7b-499c4eac20793ed5473086dbde63a432",
    "hex_abalone:edge=2,captures=2,corner=any": "823c2032af22d490a9ae9846e8bf2b7b-06da53dfc63791ea8d853a0ebff6906b",
    "hex_abalone": "823c2032af22d490a9ae9846e8bf2b7b-866f1904b7ca0615730f7e5cc60da0cb",
}


@pytest.mark.parametrize("name", BEFORE_STUCK)
def test_a_solution_from_before_a_new_option_is_one_of_its_default_alone(name):
    others = BEFORE_STUCK.keys() - {name}
    assert variant(name).is_solved_by(BEFORE_STUCK[name], None)
    assert not any(variant(other).is_solved_by(BEFORE_STUCK[name], None) for other in others)
    given = variant(name + (",stuck=either" if ":" in name else ":stuck=either"))
    assert not given.is_solved_by(BEFORE_STUCK[name], None)


def test_an_option_that_an_earlier_source_did_not_know_must_have_its_default(monkeypatch):
    v = variant("hex_abalone:edge=2")
    stored = bundled.first_fingerprint(
        bundled._sources()["hex_abalone"][-1], {"edge": 2, "captures": 1, "corner": "axis"}
    )
    start = v.show(v.start())
    assert v.is_solved_by(stored, start)
    assert not variant("hex_abalone:edge=2,stuck=either").is_solved_by(stored, start)
    assert not variant("hex_abalone:edge=2,corner=any").is_solved_by(stored, start)


@pytest.mark.parametrize("place", ["{}", "sqlite:///{}/all.db"])
@pytest.mark.parametrize("is_again", [False, True])
def test_a_solve_begun_by_an_earlier_meaning_goes_on_if_it_comes_to_the_same(tmp_path, monkeypatch, place, is_again):
    store, v = open_store(place.format(tmp_path)), variant("konane")
    now, solution = v.game.meaning, reference.solve(v)
    first = min(tier.number for tier in solution.summary.tiers)
    with monkeypatch.context() as patch, contextlib.suppress(KeyboardInterrupt):
        patch.setitem(vars(v.game), "meaning", "before")
        with store.writer(v, restart=is_again) as writer:
            feed(Stopping(writer, first), v, solution)
    monkeypatch.setattr(bundled, "_meanings", lambda: {"konane": ["before", now]})
    v = variant("konane")
    with store.writer(v, restart=is_again) as writer:
        assert list(writer.finished()) == [first]
        feed(writer, v, solution)
    with store.open(v) as stored:
        assert {position: stored.probe(position) for position in solution.values} == solution.values


class Stopping:
    """A sink that is interrupted when a tier is finished."""

    def __init__(self, sink, last):
        self._sink, self._last = sink, last

    def __getattr__(self, name):
        return getattr(self._sink, name)

    def finish(self, tier):
        self._sink.finish(tier)
        if tier.number == self._last:
            raise KeyboardInterrupt


def test_meanings_that_come_to_the_same_are_one_if_the_rules_are(monkeypatch):
    v = variant("konane")
    monkeypatch.setattr(bundled, "_meanings", lambda: {"konane": ["before", v.game.meaning]})
    rules = v.fingerprint.partition("-")[2]
    assert v.is_solved_by(f"before-{rules}", None)
    assert not v.is_solved_by(f"long-before-{rules}", None)
    assert not v.is_solved_by("before-" + "0" * 32, None)
    monkeypatch.setattr(bundled, "_meanings", lambda: {"konane": ["before"]})
    assert not v.is_solved_by(f"before-{rules}", None)
