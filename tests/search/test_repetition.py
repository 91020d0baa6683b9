"""Where positions can come back, search counts one that does as a draw, on the path and from the game's past.

GAMESMAN_HISTORIES=500 tries as many histories of each game, interpreted and compiled, and GAMESMAN_SEED=2 others.
"""

import os
import random

import pytest
from support.plain import minimax

from gamesman.model.game import built_in
from gamesman.model.variant import variant
from gamesman.play.record import GameRecord
from gamesman.search.compiled import Compiled
from gamesman.search.plain import Interpreted
from gamesman.search.returns import can_come_back
from gamesman.search.searcher import Searcher
from gamesman.values import UNDECIDED

TABLE = 1 << 20
HISTORIES = int(os.environ.get("GAMESMAN_HISTORIES", "0"))
SEED = int(os.environ.get("GAMESMAN_SEED", "1"))
# The depths are what plain minimax can look at in a moment, and the pasts how many are tried.
DEPTHS = {
    "hex_abalone:edge=3": (3, 150),
    "hex_abalone:edge=3,stuck=either": (3, 60),
    "abalone:rows=3,cols=3": (3, 120),
    "tapatan": (4, 60),
    "mu_torere": (8, 100),
    "dodgem": (4, 100),
    "quixo:size=2": (6, 60),
    "teeko:size=3,pieces=2": (6, 60),
    "hare_and_hounds": (4, 40),
    "l_game": (2, 40),
    # It forbids what the others count as a draw.
    "ctf:size=3": (5, 60),
    # No position comes back in these, whatever the past is said to be.
    "chomp:rows=3,cols=3": (4, 10),
    "clobber:rows=3,cols=3": (4, 10),
    "connect4:rows=4,cols=4": (4, 10),
    "domineering:rows=4": (3, 10),
    "konane": (8, 10),
    "othello:rows=4": (4, 10),
    "ten_to_zero": (8, 10),
    "tictactoe": (4, 10),
}


def histories(v, count, seed=SEED):
    """Positions of games in which moves like to bring back what has been, each with what has been.

    Positions that lie ahead are among it, too: what the list says has been, has been.
    """
    chance, found = random.Random(seed), []
    while len(found) < count:
        walk = to_and_fro(v, chance, chance.randrange(3, 16))
        here = chance.randrange(len(walk))
        past = [*walk[:here], *(p for p in walk[here + 1 :] if chance.random() < 0.7)]
        if v.primitive(walk[here]) == UNDECIDED:
            moves = list(v.generate_moves(walk[here]))
            past += [v.do_move(walk[here], move) for move in moves if chance.random() < 0.3]
            found.append((walk[here], past))
    return found


def to_and_fro(v, chance, most):
    walk = [v.start()]
    while len(walk) < most and v.primitive(walk[-1]) == UNDECIDED:
        children = [v.do_move(walk[-1], move) for move in v.generate_moves(walk[-1])]
        back = [child for child in children if child in walk]
        walk.append(chance.choice(back if back and chance.random() < 0.5 else children))
    return walk


def score(search, position, depth, past=()):
    search.begin(position, depth, past)
    while not search.go_on(1 << 40):
        pass
    return search.value


@pytest.mark.slow
@pytest.mark.parametrize("name", DEPTHS)
def test_scores_are_those_of_plain_minimax_with_history(name):
    agree(name, Interpreted)


@pytest.mark.slow
@pytest.mark.parametrize("name", DEPTHS if HISTORIES else ["hex_abalone:edge=3"])
def test_compiled_code_agrees_with_plain_minimax_with_history(name):
    agree(name, Compiled)


def test_every_game_is_tried():
    assert {variant(name).game.name for name in DEPTHS} == set(built_in())


def agree(name, kind):
    """Search after several pasts with one table, which is kept from each to the next."""
    v, chance, (most, count) = variant(name), random.Random(SEED), DEPTHS[name]
    search = kind(v, TABLE)
    differing = 0
    for position, past in histories(v, HISTORIES or count):
        if not search.returns and not v.game.no_repetition:
            past = ()
        depth = chance.randint(1, most)
        expected = minimax(v, position, depth, frozenset(past))
        assert score(search, position, depth, past) == expected, (v.show(position), depth)
        differing += expected != minimax(v, position, depth)
    # In the L game nothing is estimated, and hardly a game ends within 2 moves.
    assert (differing > 0) == (search.returns or v.game.no_repetition) or name == "l_game"


def test_one_position_after_several_pasts_has_several_scores():
    """The table is the same for all of them."""
    v = variant("hex_abalone:edge=3")
    search, chance = Interpreted(v, TABLE), random.Random(3)
    children = [v.do_move(v.start(), move) for move in v.generate_moves(v.start())]
    further = [v.do_move(child, move) for child in children for move in v.generate_moves(child)]
    scores = set()
    for _ in range(20):
        past = frozenset(chance.sample(further, chance.randrange(len(further))))
        found = score(search, v.start(), 2, past)
        assert found == minimax(v, v.start(), 2, past)
        scores.add(found)
    assert len(scores) > 1


def test_what_can_come_back_is_found_out_by_moves_that_keep_the_tier():
    can = {"hex_abalone", "abalone", "quixo", "dodgem", "mu_torere", "tapatan", "teeko", "hare_and_hounds", "l_game"}
    cannot = {"ctf", "konane", "chomp", "clobber", "connect4", "domineering", "othello", "tictactoe", "ten_to_zero"}
    assert {name for name in can | cannot if can_come_back(variant(name))} == can


def test_a_draw_is_avoided_by_who_is_ahead_and_sought_by_who_is_behind():
    v = variant("hex_abalone:edge=3,captures=3")
    ahead = v.parse("(b bbb -bb- ----- -r-- rr-)")
    searcher = Searcher(v, compiled=False)
    best = searcher.search(ahead, depth=2)
    child = v.do_move(ahead, best.move)
    again = searcher.search(ahead, depth=2, past=[child])
    assert again.move != best.move
    assert 0 < again.score <= best.score
    behind = v.do_move(ahead, best.move)
    replies = [v.do_move(behind, move) for move in v.generate_moves(behind)]
    for reply in replies[:3]:
        found = searcher.search(behind, depth=1, past=[reply])
        assert found.score == 0
        assert v.do_move(behind, found.move) == reply


def test_a_game_that_is_played_tells_the_search_its_past():
    v = variant("hex_abalone:edge=3")
    game = GameRecord(v)
    searcher = Searcher(v, compiled=False)
    for _ in range(8):
        found = searcher.search(game.position, depth=2, past=game.past)
        assert found.score == minimax(v, game.position, 2, frozenset(game.past))
        game.play(found.move)
