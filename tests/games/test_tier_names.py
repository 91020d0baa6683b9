"""The names of tiers: every game that has tiers says in words what is in each, and says it of no other."""

import pytest
from support.small_variants import small
from test_conformance import positions

from gamesman.model.game import built_in, load
from gamesman.model.variant import variant


@pytest.mark.parametrize("game", built_in())
def test_tiers_that_differ_have_names_that_differ(game):
    assert ("tier" in load(game).functions) == ("tier_name" in load(game).functions)
    for v in small(game):
        tiers = {v.tier(position) for position in positions(v)}
        assert len({v.tier_name(tier) for tier in tiers}) == len(tiers), v.name


@pytest.mark.parametrize(
    "name, position, said",
    [
        ("abalone", "(w bb-- b--w b--w -www)", "4 black, 5 white"),
        ("hex_abalone:edge=3", "(b bb- -bb- ----- -rr- rr-)", "4 blue, 4 red"),
        ("hare_and_hounds", "", "cells not yet passed by the hounds: 31"),
        ("konane", "", "10 on the board"),
        ("konane:rows=1,cols=5,start=(w c1 w-w-b)", "(w c1 w-w-b)", "3 on the board, in a go-again turn"),
        ("ctf:size=3", "(w wWw --- bBb)", "6 on the board, rows ahead of the pawns: 8"),
        ("tictactoe", "(x o-- -x- ---)", "7 empty"),
        ("l_game", "", "0"),
    ],
)
def test_a_name_is_true_of_its_positions(name, position, said):
    v = variant(name)
    assert v.tier_name(v.tier(v.parse(position) if position else v.start())) == said
