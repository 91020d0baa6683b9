"""Games give the values that others have published; each row says where from."""

import pytest

from gamesman.model.variant import variant
from gamesman.solver.reference import solve
from gamesman.values import DRAW, LOSE, TIE, WIN

PUBLISHED = [
    # Domineering: Breuker, Uiterwijk, van den Herik, Solving 8x8 Domineering, 2000: the first wins on these squares.
    ("domineering:rows=1", LOSE),
    ("domineering:rows=2", WIN),
    ("domineering:rows=3", WIN),
    ("domineering:rows=4", WIN),
    # Clobber on 1 by 2n, colours alternating: Albert, Grossman, Nowakowski, Wolfe, An introduction to Clobber, 2005,
    # and Chen et al., arXiv 2509.08985: the first wins but for n = 3.
    ("clobber:rows=1,cols=2", WIN),
    ("clobber:rows=1,cols=4", WIN),
    ("clobber:rows=1,cols=6", LOSE),
    ("clobber:rows=1,cols=8", WIN),
    ("clobber:rows=1,cols=10", WIN),
    ("clobber:rows=1,cols=12", WIN),
    # Chomp: the first wins on all bars but a single square (Gale, A curious Nim-type game, 1974: strategy stealing).
    ("chomp:rows=1,cols=1", LOSE),
    ("chomp:rows=1,cols=7", WIN),
    ("chomp:rows=3,cols=5", WIN),
    ("chomp", WIN),
    ("chomp:rows=5,cols=5", WIN),
    # Dodgem 3x3: Berlekamp, Conway, Guy, Winning Ways, chapter 22: the first wins.
    ("dodgem", WIN),
    # Tapatan with the middle allowed to the first piece: Gardner, Mathematical Carnival: the first wins.
    ("tapatan", WIN),
    # Mu torere: Ascher, Ethnomathematics, 1991, and Jelliss, Games and Puzzles Journal 17: neither can force a win.
    ("mu_torere", DRAW),
    # Hare and Hounds: Winning Ways, chapter 21: the hounds win; they begin.
    ("hare_and_hounds", WIN),
    # Quixo: Tanaka, Bonnet, Tixeuil, Tamura, Quixo is solved, 2020: the first wins on 3x3 and on 4x4.
    ("quixo:size=3", WIN),
    # The L game: Winning Ways, chapter 12: neither can force a win.
    ("l_game", DRAW),
    # Connect 4: Tromp's table of board sizes: the usual line on 4x4 and on 5 by 4 is a tie.
    ("connect4:rows=4,cols=4", TIE),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "value"), PUBLISHED)
def test_the_start_has_the_published_value(name, value):
    v = variant(name)
    assert solve(v).probe(v.start())[0] == value


@pytest.mark.slow
def test_connect_4_has_as_many_positions_as_published():
    # Tromp, John's Connect Four Playground: legal positions by width and height.
    assert solve(variant("connect4:rows=4,cols=4")).summary.as_json()["positions"] == 161_029


@pytest.mark.slow
def test_the_second_wins_othello_on_4_by_4():
    # Feinstein, as told by Wikipedia: on 4x4 the second player wins.
    v = variant("othello:rows=4")
    assert solve(v).probe(v.start())[0] == LOSE


def test_mu_torere_has_46_placements_but_for_turns_of_the_board():
    # Jelliss counts 46, whoever moves, and not all of them need arise.
    v = variant("mu_torere")
    classes = set()
    for key in range(v.key_bound()):
        position = v.unhash(key)
        classes.add(min([position, *v.game.functions["symmetries"](v.rules, position)])[:2])
    assert len(classes) == 46


def test_the_l_game_has_2296_placements_but_for_turns_of_the_board():
    # De Bono's own count, neutral pieces alike.
    v = variant("l_game")
    placed = {
        (red, blue, 1 << i | 1 << j, 0)
        for red in v.rules.places
        for blue in v.rules.places
        for j in range(16)
        for i in range(j)
        if not red & blue and not (red | blue) & (1 << i | 1 << j)
    }
    classes = {min([position, *v.game.functions["symmetries"](v.rules, position)]) for position in placed}
    assert (len(placed), len(classes)) == (18_368, 2_296)
