"""The moves among which a player chooses evenly are those that plain minimax finds best, all of them and no other."""

import random

import pytest

from gamesman.model.random_play import random_positions
from gamesman.model.variant import variant
from gamesman.search import evenly
from gamesman.search.deepening import legal_moves
from gamesman.search.evenly import BestMoves, Stopped
from gamesman.search.plain import functions_of
from gamesman.search.scores import STATIC, outcome
from gamesman.search.searcher import Searcher
from gamesman.values import UNDECIDED


def scores(v, position, depth, path, ply=0):
    """Return what each move is worth by minimax of so many plies, to who makes it; what is on the path is a draw."""
    found = {}
    for move in legal_moves(v, position, path):
        child = v.do_move(position, move)
        worth = minimax(v, child, depth - 1, [*path, position], ply + 1)
        found[move] = worth if v.turn(child) == v.turn(position) else -worth
    return found


def minimax(v, position, depth, path, ply):
    value = v.primitive(position)
    if value != UNDECIDED:
        return outcome(value, ply)
    if position in path:
        return 0
    if v.game.no_repetition and not legal_moves(v, position, path):
        return outcome(0, ply)
    if not depth:
        score = functions_of(v)["evaluate"](v.rules, position)
        return max(-STATIC, min(STATIC, score))
    return max(scores(v, position, depth, path, ply).values())


@pytest.mark.parametrize("name", ["tictactoe", "konane:rows=4", "ctf:size=3", "abalone:rows=3,cols=3", "dodgem"])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_all_best_moves_are_found_and_no_other(name, depth):
    v, dice = variant(name), random.Random(depth)
    finder = BestMoves(Searcher(v), depth)
    for _ in range(6):
        position, been = v.start(), []
        for _ in range(12):
            if v.primitive(position) != UNDECIDED or not legal_moves(v, position, been):
                break
            worth = scores(v, position, depth, been)
            assert set(finder.of(position, been)) == {m for m, s in worth.items() if s == max(worth.values())}
            been.append(position)
            position = v.do_move(position, dice.choice(list(worth)))


def test_a_long_search_goes_on_as_machine_code_and_ends_when_it_is_to(monkeypatch):
    monkeypatch.setattr(evenly, "SWITCH_AFTER", 20)
    v, is_over = variant("tictactoe"), False
    finder = BestMoves(Searcher(v), 3, lambda: is_over)
    assert len(finder.of(v.start())) == 9 and finder._search(v.start(), 3, frozenset()).is_compiled
    is_over = True
    large = variant("konane:rows=6,cols=6")
    monkeypatch.setattr(evenly, "SLICE", 0.001)
    with pytest.raises(Stopped):
        BestMoves(Searcher(large), 8, lambda: is_over).of(large.start())


def test_what_is_kept_of_long_games_does_not_grow_with_them():
    v = variant("ctf:size=3")
    finder, been = BestMoves(Searcher(v), 1), list(random_positions(v, 60))
    for number in range(30):
        position = been[number]
        if v.primitive(position) == UNDECIDED and legal_moves(v, position, been[:number]):
            finder.of(position, been[:number])
    assert 1 < max(len(past) for _, past in finder._known) <= 8
