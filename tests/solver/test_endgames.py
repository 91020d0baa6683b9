"""All positions of low tiers are solved, and are worth what the reference solver says, reachable or not."""

import json
import random
from dataclasses import replace

import pytest
from click.testing import CliRunner

from gamesman import app
from gamesman.cli.main import cli
from gamesman.errors import NotSolved, NotVerified, OptionError, TooLarge
from gamesman.model.endgames import sizes
from gamesman.model.tables import Tables
from gamesman.model.variant import variant, variants
from gamesman.solver.reference import solve as by_reference
from gamesman.values import UNDECIDED, WIN, pack

SOLVED = ["ctf:size=3,up_to=3", "abalone:rows=3,cols=3,captures=1,up_to=3", "teeko:size=3,pieces=2,up_to=1"]


def run(*words, code=0):
    result = CliRunner().invoke(cli, [*words])
    assert result.exit_code == code, (result.stdout, result.stderr, result.exception)
    return result


def drawn(endgames, count, seed=1):
    """Positions of the tables, anywhere in them."""
    dice, top = random.Random(seed), endgames.key_bound()
    keys = [dice.randrange(top) for _ in range(20 * count)]
    found = [endgames.unhash(key) for key in keys]
    return [position for position in found if endgames.primitive(position) == UNDECIDED][:count]


def beginning_at(whole, position):
    """The variant that begins at a position, which need not be reachable."""
    functions = {**whole.game.functions, "start": lambda rules: position}
    return replace(whole, game=replace(whole.game, functions=functions))


@pytest.mark.slow
@pytest.mark.parametrize("name", SOLVED)
def test_positions_that_cannot_be_reached_are_worth_what_the_reference_solver_says(name):
    endgames = variant(name)
    _, summary = app.solve(endgames)
    assert summary.as_json()["positions"] == sizes(endgames.whole)[endgames.up_to]
    assert summary.as_json()["position"] is None
    compared = 0
    with app.open(endgames) as stored:
        for position in drawn(endgames, 15):
            for below, worth in by_reference(beginning_at(endgames.whole, position)).values.items():
                assert stored.get(below) == worth, endgames.show(below)
                compared += 1
    assert compared > 500
    app.verify(endgames)


@pytest.mark.slow
def test_positions_that_can_be_reached_are_worth_the_same_as_in_the_whole_solution():
    whole = variant("ctf:size=3")
    app.solve(variant("ctf:size=3,up_to=3"))
    with app.tables_or_none(whole) as tables:
        assert tables is not None and tables.name == "tiers up to 3 pawns"
        in_tables = {position: worth for position, worth in by_reference(whole).values.items() if tables.has(position)}
        assert len(in_tables) > 300
        for position, worth in in_tables.items():
            assert tables.get(position) == worth


@pytest.mark.slow
def test_an_interrupted_solve_goes_on_where_it_stopped(monkeypatch):
    from gamesman.solver.complete import Complete

    endgames, solved = variant("ctf:size=3,up_to=3"), []
    real = Complete.solve

    def solve(self, number, advanced):
        if number == 3 and len(solved) == 3:
            raise KeyboardInterrupt
        solved.append(number)
        return real(self, number, advanced)

    monkeypatch.setattr(Complete, "solve", solve)
    with pytest.raises(BaseException) as raised:
        app.solve(endgames)
    assert "goes on where it stopped" in str(raised.value)
    assert [entry.status for entry in app.list()] == ["unfinished"]
    solved.append(None)
    app.solve(endgames)
    assert solved == [0, 1, 2, None, 3]
    app.verify(endgames)


@pytest.mark.slow
def test_a_record_that_is_wrong_is_found(monkeypatch):
    from gamesman.solver.complete import Complete

    endgames, real = variant("ctf:size=3,up_to=2"), Complete.parts

    def parts(self, number):
        for part in real(self, number):
            if number == 2:
                part.records[(part.records > pack(WIN, 0)).argmax()] += 2
            yield part

    monkeypatch.setattr(Complete, "parts", parts)
    app.solve(endgames)
    with pytest.raises(NotVerified):
        app.verify(endgames)


@pytest.mark.slow
def test_endgames_are_no_solution_of_the_variant(tmp_path):
    assert "endgames alone" in run("solve", "ctf:size=3", "--up-to", "2 pawns").stdout
    (entry,) = app.list()
    assert (entry.variant, entry.status, entry.positions) == ("ctf:size=3,up_to=2", "endgames", 19226)
    assert "not solved from the start" in run("list").stderr
    with pytest.raises(NotSolved):
        app.open(variant("ctf:size=3"))
    said = run("query", "ctf:size=3", code=1).stderr
    assert "ctf:size=3 is not solved" in said and "endgame tables (tiers up to 2 pawns)" in said
    there = "(w -wW --- bB-)"
    answer = json.loads(run("query", "ctf:size=3", there, "--json").stdout)
    assert [move["value"] for move in answer["moves"]][0] == answer["value"]
    assert run("query", "ctf:size=3,up_to=2", there, "--json").stdout == json.dumps(answer) + "\n"
    assert "expected a POSITION" in run("query", "ctf:size=3,up_to=2", code=2).stderr
    for words in (["play"], ["search"], ["prove"], ["line"]):
        assert "leave out up_to" in run(*words, "ctf:size=3,up_to=2", code=2).stderr
    assert "no start" in run("stats", "ctf:size=3,up_to=2", "--play", code=2).stderr
    assert json.loads(run("stats", "ctf:size=3,up_to=2", "--json", "--quick").stdout)["by_tier"][0]["name"] == "2 pawns"
    run("export", "ctf:size=3,up_to=2", str(tmp_path / "endgames.csv"))
    assert len((tmp_path / "endgames.csv").read_text().splitlines()) == 1 + 19226
    assert "no start to compare" in run("compare", "ctf:size=3,up_to=2", "ctf:size=3,up_to=1", code=2).stderr
    run("delete", "ctf:size=3,up_to=2", "--yes")
    assert list(app.list()) == []


def test_endgames_have_a_name_that_leads_back_to_them():
    for text in ("ctf:up_to=2", "ctf:size=3,up_to=1 pawn", "abalone:rows=3,up_to=0004"):
        endgames = variant(text)
        assert endgames.is_partial and variant(endgames.name).name == endgames.name
    assert [each.name for each in variants("ctf:size=3..4,up_to=1")] == ["ctf:size=3,up_to=1", "ctf:size=4,up_to=1"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "ctf:size=3,up_to=9",
            "expected a tier of ctf:size=3, here with all positions up to it: 0 (0 pawns, 182), 1 (1 pawn, ",
        ),
        ("ctf:size=3,up_to=two", "got two"),
        ("ctf:size=3,up_to", "got nothing"),
        ("abalone:rows=3,cols=3,captures=1,up_to=0", "got 0"),
    ],
)
def test_a_wrong_tier_is_answered_with_those_there_are(text, said):
    with pytest.raises(OptionError) as raised:
        variant(text)
    assert said in str(raised.value)


@pytest.mark.parametrize("name", ["konane", "connect4", "ctf:size=7", "ten_to_zero"])
def test_a_game_that_does_not_number_its_tiers_is_refused(name):
    with pytest.raises(TooLarge, match="cannot be solved up to a tier"):
        variant(f"{name}:up_to=3" if ":" not in name else f"{name},up_to=3")


def test_what_does_not_fit_memory_is_refused_with_both_numbers():
    with pytest.raises(TooLarge, match=r"ctf:up_to=8, which has 222,491,406,522 positions.* needs .* allowed"):
        app.solve(variant("ctf:up_to=8"), memory=1 << 30)


def test_what_is_over_needs_no_table():
    class Empty:
        variant = variant("ctf:size=3,up_to=2")

        def get(self, position):
            return None

    tables = Tables(Empty())
    assert tables.get(variant("ctf:size=3").parse("(b -wW --- bB-)")) is None
    over = variant("ctf:size=3").parse("(b --- --W wB-)")
    assert tables.get(over) == (variant("ctf:size=3").primitive(over), 0)
