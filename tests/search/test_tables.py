"""Search counts what tables of endgames say as certain, at every depth, compiled or not."""

import random

import pytest

from gamesman import app
from gamesman.model.variant import variant
from gamesman.search.searcher import Searcher
from gamesman.solver.reference import solve
from gamesman.values import DRAW, LOSE, TIE, UNDECIDED, WIN


@pytest.fixture
def tables():
    app.solve(variant("ctf:size=3,up_to=3"))
    with app.tables_or_none(variant("ctf:size=3")) as found:
        yield found


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [True, False])
def test_what_a_search_knows_by_tables_is_true(tables, compiled):
    whole = variant("ctf:size=3")
    values = solve(whole).values
    beyond = [p for p in values if whole.primitive(p) == UNDECIDED and not tables.has(p)]
    positions = random.Random(1).sample(beyond, 100)
    helped, alone = Searcher(whole, compiled=compiled, tables=tables), Searcher(whole, compiled=compiled)
    more = 0
    for position in positions:
        value, remoteness = values[position]
        for depth in (1, 3):
            found = helped.search(position, depth)
            if found.value is not None:
                assert found.value == value and found.remoteness >= remoteness
                assert found.remoteness == remoteness or found.remoteness > depth
            more += (found.value is not None) - (alone.search(position, depth).value is not None)
    assert more > 5
    assert {values[position][0] for position in positions} >= {WIN, LOSE}


@pytest.mark.slow
def test_a_position_of_the_tables_is_not_searched(tables):
    whole = variant("ctf:size=3")
    found = Searcher(whole, tables=tables).search(whole.parse("(w -wW --- bBb)"), 1)
    assert found.source == "tables" and found.nodes == 0
    assert (found.value, found.remoteness) == tables.get(found.position)


@pytest.mark.slow
def test_what_has_been_can_make_a_win_uncertain(tables):
    """A win stands unless a sooner one of the same player has been: then it is searched."""
    whole = variant("ctf:size=3")
    dice, endgames = random.Random(2), tables.endgames
    first, count = endgames.tier_keys(2)
    drawn = (endgames.unhash(first + dice.randrange(count)) for _ in range(100_000))
    wins = [p for p in drawn if whole.primitive(p) == UNDECIDED and tables.get(p)[0] == WIN]
    late = next(p for p in wins if tables.get(p)[1] >= 5)
    here = whole.tier(late)
    soon = next(p for p in wins if whole.turn(p) == whole.turn(late) and tables.get(p)[1] < 5 and whole.tier(p) == here)
    searcher = Searcher(whole, compiled=False, tables=tables)
    assert searcher.search(late, 1).source == "tables"
    assert searcher.search(soon, 1, past=[late]).source == "tables"
    assert searcher.search(late, 1, past=[soon]).source == "search"


@pytest.mark.slow
def test_draws_of_the_tables_are_draws_where_positions_may_come_back():
    """Abalone has them, and no rule against what comes back."""
    name = "abalone:rows=3,cols=3,captures=2"
    app.solve(variant(f"{name},up_to=7"))
    whole = variant(name)
    values = solve(whole).values
    with app.tables_or_none(whole) as tables:
        searchers = [Searcher(whole, compiled=compiled, tables=tables) for compiled in (True, False)]
        beyond = [p for p in values if whole.primitive(p) == UNDECIDED and not tables.has(p)]
        for position in random.Random(3).sample(beyond, 40):
            first, second = (searcher.search(position, 3) for searcher in searchers)
            assert (first.score, first.value) == (second.score, second.value)
            if first.value is not None:
                assert first.value == values[position][0] not in (DRAW, TIE)
