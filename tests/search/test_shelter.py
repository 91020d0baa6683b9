"""Who has a shelter does not lose, and who is said to have none does: just as solving says, in several games."""

import functools
import random

import pytest
from support.graphs import make_variant, random_graph

from gamesman.model.variant import variant
from gamesman.search import deepening, shelter
from gamesman.search.compiled import Compiled
from gamesman.search.searcher import Searcher
from gamesman.search.shelter import Shelter
from gamesman.solver.reference import solve
from gamesman.values import LOSE, TIE, UNDECIDED, WIN

MANY = 10_000_000
# Positions of hexagonal Abalone of edge 3, and in how many moves they are ties by its database.
TIES = {
    "(b rrb br-- r-bb- --b- --r)": 2,
    "(b br- rr-b --br- -b-b --r)": 4,
    "(r rb- --r- r-r-- b-br bb-)": 4,
    "(b r-- -bb- -rb-- b-br rr-)": 5,
    "(r r-b ---b rr-bb -r-- -br)": 6,
    "(b bbr ---r br-b- rr-b ---)": 7,
}


@functools.cache
def v(name):
    return variant(name)


def loses(variant, position, value, who):
    return value == (LOSE if variant.turn(position) == who else WIN)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tapatan", "dodgem", "abalone:rows=3,cols=3", "abalone:rows=3,cols=3,freeze"])
def test_a_player_is_held_just_where_he_does_not_lose(name):
    solved = solve(v(name)).values
    positions = [position for position in solved if v(name).primitive(position) == UNDECIDED]
    chance, kinds = random.Random(1), set()
    for who in (0, 1):
        kept = Shelter(v(name), who)
        for position in chance.sample(positions, min(500, len(positions))):
            holds = kept.holds(position, MANY)
            assert holds == (not loses(v(name), position, solved[position][0], who)), v(name).show(position)
            kinds.add(holds)
    assert kinds == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize(("room", "looks"), [(64, MANY), (1 << 12, 300)])
def test_where_room_or_looks_are_too_few_the_answer_is_open_or_right(room, looks, monkeypatch):
    monkeypatch.setattr(shelter, "ROOM", room)
    board, given = v("tapatan"), []
    solved = solve(board).values
    for who in (0, 1):
        kept = Shelter(board, who)
        for position, (value, _) in solved.items():
            if board.primitive(position) == UNDECIDED:
                given.append(kept.holds(position, looks))
                assert given[-1] in (None, not loses(board, position, value, who)), board.show(position)
    assert {*given} == {None, True, False}


@pytest.mark.slow
@pytest.mark.parametrize("room", [64, 1 << 10])
def test_ties_of_any_graph_are_certain_within_their_remoteness(room, monkeypatch):
    """Players may move twice in a row, positions come back, and ends of all kinds are in reach; room may run out."""
    monkeypatch.setattr(shelter, "ROOM", room)
    ties = 0
    for seed in range(300):
        board = make_variant(*random_graph(seed), kind="plain")
        solved, searcher = solve(board).values, Searcher(board)
        kept = [Shelter(board, who) for who in (0, 1)]
        for position, (value, remoteness) in solved.items():
            if board.primitive(position) != UNDECIDED:
                continue
            for who in (0, 1):
                assert kept[who].holds(position, MANY) == (not loses(board, position, value, who)), (seed, position)
            for depth in (2, 5):
                found = searcher.search(position, depth=depth)
                is_near = value == TIE and remoteness <= depth
                assert (found.value == TIE) == is_near, (seed, position, depth)
                if is_near:
                    assert found.remoteness == remoteness, (seed, position, depth)
                    child = board.do_move(position, found.move)
                    assert solved[child] == (TIE, remoteness - 1), (seed, position, depth)
                    ties += 1
    assert ties > 100


@pytest.mark.slow
@pytest.mark.parametrize("position", TIES)
def test_a_tie_is_certain_at_its_remoteness(position):
    board, depth = v("hex_abalone:edge=3"), TIES[position]
    found = Searcher(board).search(board.parse(position), depth=depth)
    assert (found.value, found.remoteness, len(found.line)) == (TIE, depth, depth)
    seen = Compiled(board, 1 << 16)
    seen.begin(board.parse(position), depth)
    while not seen.go_on(1 << 40):
        pass
    assert found.score == seen.value  # a depth says what is seen within it
    assert Searcher(board, compiled=False).search(board.parse(position), depth=depth).value is None


@pytest.mark.slow
def test_a_search_for_a_time_finds_ties_by_shelters_too():
    board = v("hex_abalone:edge=3")
    found = Searcher(board).search(board.parse("(b r-- -bb- -rb-- b-br rr-)"), seconds=20)
    assert (found.value, found.remoteness, found.score) == (TIE, 5, 0)
    assert found.seconds < 19


@pytest.mark.slow
def test_a_tie_is_kept_whatever_a_deeper_search_likes(monkeypatch):
    """Here nothing is said of how soon it is one, so that the search goes on, and finds no shelter any more."""
    board, position = v("hex_abalone:edge=3"), "(r rb- --r- r-r-- b-br bb-)"
    seek, ways = deepening.Run._sheltered_tie, []

    def once(run, depth):
        way = None if ways else seek(run, depth)
        if way:
            ways.append(way)
            run._is_vague = True
        return way

    monkeypatch.setattr(deepening.Run, "_sheltered_tie", once)
    monkeypatch.setattr(deepening.Run, "_is_shortest", lambda run, depth, way: False)
    found = Searcher(board).search(board.parse(position), depth=6)
    assert ways and (found.value, found.line) == (TIE, ways[0])
