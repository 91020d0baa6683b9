"""The images that games yield of a position are images: they form a group, and moves commute with them."""

import pytest
from test_conformance import positions

from gamesman.model.variant import variant
from gamesman.values import UNDECIDED

IMAGES = {
    "abalone": 7,
    "abalone:rows=3": 3,
    "clobber:rows=3,cols=3": 7,
    "connect4:rows=4,cols=4": 1,
    "connect4:rows=1,cols=1": 1,
    "ctf:size=4": 1,
    "domineering:rows=4": 3,
    "domineering:rows=2": 3,
    "hare_and_hounds": 1,
    "hex_abalone:edge=2": 11,
    "konane:rows=4": 7,
    "l_game": 7,
    "mu_torere": 15,
    "othello:rows=4": 7,
    "quixo:size=3": 7,
    "tapatan": 7,
    "teeko:size=4": 7,
    "tictactoe:rows=3,cols=4": 3,
}


def images(v, position):
    return list(v.game.functions["symmetries"](v.rules, position))


@pytest.mark.parametrize("name", IMAGES)
def test_there_is_an_image_for_each_way_to_turn_the_board(name):
    v = variant(name)
    assert {len(images(v, position)) for position in positions(v, 30)} == {IMAGES[name]}


@pytest.mark.parametrize("name", IMAGES)
def test_moves_of_an_image_lead_to_the_images_of_where_moves_lead(name):
    v = variant(name)
    keeping = [i for i, image in enumerate(images(v, v.start())) if image == v.start()]
    for position in positions(v, 60):
        for i in keeping:
            image = images(v, position)[i]
            assert v.turn(image) == v.turn(position)
            assert v.tier(image) == v.tier(position)
            assert v.primitive(image) == v.primitive(position)
            assert v.unhash(v.hash(image)) == image
            if v.primitive(position) == UNDECIDED:
                after = [images(v, v.do_move(position, move))[i] for move in v.generate_moves(position)]
                assert sorted(after) == sorted(v.do_move(image, move) for move in v.generate_moves(image))


@pytest.mark.parametrize("name", IMAGES)
def test_an_image_of_an_image_is_an_image_or_the_position(name):
    v = variant(name)
    for position in positions(v, 20)[-3:]:
        closed = {position, *images(v, position)}
        assert all({image, *images(v, image)} == closed for image in closed)
