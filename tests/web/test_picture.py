"""Every game that comes with gamesman is drawn and clicked as it declares."""

import pytest

from gamesman.model.game import built_in
from gamesman.model.random_play import random_positions
from gamesman.model.variant import variant
from gamesman.values import UNDECIDED
from gamesman.web.boards import clicks
from gamesman.web.picture import picture, placed


@pytest.mark.parametrize("name", built_in())
def test_what_stands_where_follows_a_game(name):
    game = variant(name)
    shown = picture(game)
    assert shown["kind"] != "text"
    for position in random_positions(game, 20):
        here = placed(game, position)
        if shown["kind"] == "piles":
            assert here["piles"] == [position[0]]
        else:
            assert len(here["board"]) == len(shown["names"]) and {*here["board"]} <= {*shown["pieces"], "-"}


@pytest.mark.parametrize("name", [name for name in built_in() if name != "ten_to_zero"])
def test_different_moves_are_clicked_differently(name):
    game = variant(name)
    for position in random_positions(game, 20):
        if game.primitive(position) == UNDECIDED:
            found = [tuple(clicks(game, position, move)) for move in game.generate_moves(position)]
            assert len({*found}) == len(found)


def test_a_game_that_says_nothing_has_its_text():
    shown = variant("ten_to_zero:total=1000")
    assert placed(shown, shown.start()) == {"text": "(1 1000)"}
    assert clicks(shown, shown.start(), 1) is None


def test_a_board_too_large_to_be_drawn_has_its_text():
    shown = variant("chomp:rows=100,cols=26")
    assert picture(shown)["kind"] == "text" and "text" in placed(shown, shown.start())
