"""Un-moves that are wrong where neither solver nor proof asks for them are told after solving all the same."""

from pathlib import Path

import pytest

import gamesman.games.teeko
from gamesman import app
from gamesman.analysis import undoing
from gamesman.errors import BrokenGame
from gamesman.model import culprit
from gamesman.model.variant import variant
from gamesman.values import DRAW

pytestmark = pytest.mark.slow

RIGHT = Path(gamesman.games.teeko.__file__).read_text()
HEAD = "    black, red, who = position\n    own, other = (black, red) if who else (red, black)\n"
OPTIONS = "size=3,pieces=3"
IMAGE, LEAST = 0, 1


def own_file(folder, fault):
    """Return Teeko as a file of one's own, whose un-moves begin with a fault."""
    assert RIGHT.count(HEAD) == 1
    path = folder / "mine.py"
    path.write_text(RIGHT.replace(HEAD, f"{HEAD}    {fault}\n"))
    return variant(f"{path}:{OPTIONS}")


def drawn_pair(game):
    """Return the last two positions of a class, one its least: a draw, so that nobody asks who leads there."""
    with app.open(game) as stored:
        for part in stored.positions(is_classes=True):
            for least in map(game.unhash, part.keys[part.values() == DRAW].tolist()):
                *_, last = stored.symmetry.orbit(least)
                if last != least and list(game.undo_moves(least)):
                    return last, least
    raise AssertionError("no draw is of a class of two")


INTERPRETED, COMPILED = 20_000, 0  # so many positions are walked in plain Python


@pytest.mark.parametrize(
    ("fault", "place", "most_interpreted", "said"),
    [
        ("return", IMAGE, INTERPRETED, r"undo_moves must yield \(.* once, got it 0 times"),
        ("yield position", IMAGE, COMPILED, r"undo_moves must yield \(.* 0 times, got it once"),
        ("own &= own - 1", LEAST, INTERPRETED, r"undo_moves must yield \(.* once, got it 0 times"),
    ],
    ids=["none at an image", "itself at an image", "too few at the least image"],
)
def test_a_fault_at_one_position_is_told_and_what_is_stored_is_kept(
    tmp_path, monkeypatch, fault, place, most_interpreted, said
):
    monkeypatch.setattr("gamesman.analysis.walk.MOST_INTERPRETED", most_interpreted)
    right = own_file(tmp_path, "pass")
    assert app.solve(right)[0] == "solved"
    at = drawn_pair(right)[place]
    game = own_file(tmp_path, f"if position == {at}:\n        {fault}")
    for find in (app.solve, app.verify):
        settings = {"is_restart": True} if find is app.solve else {}
        with pytest.raises(BrokenGame, match=rf"mine.py:{OPTIONS}: {said}, at .*; what is stored is verified$"):
            find(game, **settings)
    assert app.solve(game)[0] == "already solved"


def test_it_is_said_at_how_many_positions_un_moves_were_compared(tmp_path, monkeypatch):
    told, game = [], own_file(tmp_path, "pass")
    app.solve(game, tell=told.append)
    fields = app.verify(game)
    assert (told, fields["undone"]) == ([], fields["positions"])
    with app.open(game) as stored:
        monkeypatch.setattr(undoing, "AT_ONCE", 16)
        assert 16 < undoing.hold(stored, 0.05) < fields["positions"]
    monkeypatch.setattr(undoing, "hold", lambda *_: 7)
    app.solve(game, tell=told.append, is_restart=True)
    (line,) = told
    assert line.endswith(f"un-moves of 7 of {fields['positions']:,} positions compared with moves")


RING = '''"""A ring of six fields, on which one goes either way and never ends; nobody is ever a ghost."""

from typing import NamedTuple

options = []


class Rules(NamedTuple):
    fields: int


def setup(o):
    return Rules(6)


def start(rules):
    return 0, 0


def hash(rules, position):
    return 2 * position[0] + position[1]


def unhash(rules, key):
    return key // 2, key % 2


def turn(rules, position):
    return 0


def primitive(rules, position):
    return -1


def generate_moves(rules, position):
    yield 1
    yield 5


def do_move(rules, position, move):
    return (position[0] + move) % rules.fields, 0


def undo_moves(rules, position):
    if not position[1]:
        yield (position[0] + 1) % rules.fields, 0
        yield (position[0] + 5) % rules.fields, 0
    if position == (5, 0):
        yield 4, 1


def symmetries(rules, position):
    yield -position[0] % rules.fields, position[1]


def show(rules, position):
    return f"({position[0]} {position[1]})"


def parse(rules, text):
    field, ghost = map(int, text.strip("()").split())
    return field, ghost


def move_name(rules, position, move):
    return str(move)
'''


def test_positions_that_cannot_be_reached_may_be_led_back_to_from_one_image_alone(tmp_path):
    (tmp_path / "ring.py").write_text(RING)
    game = variant(str(tmp_path / "ring.py"))
    assert app.solve(game)[0] == "solved"
    fields = app.verify(game)
    assert (fields["positions"], fields["undone"]) == (6, 6)


def test_a_position_may_have_more_images_than_are_ever_kept(tmp_path):
    mirror = "    yield -position[0] % rules.fields, position[1]\n"
    turns = "    for turn in range(1, 70):\n        yield (position[0] + turn) % rules.fields, position[1]\n"
    text = RING.replace("Rules(6)", "Rules(70)").replace("yield 5", "yield 69").replace("+ 5)", "+ 69)")
    assert mirror in text
    (tmp_path / "ring.py").write_text(
        text.replace("(5, 0)", "(69, 0)").replace("yield 4, 1", "pass").replace(mirror, mirror + turns)
    )
    assert app.solve(variant(str(tmp_path / "ring.py")))[0] == "solved"


def test_an_un_move_that_is_missing_at_the_image_that_is_stored_is_found_from_the_other(tmp_path):
    head = "    if not position[1]:\n"
    assert head in RING
    (tmp_path / "ring.py").write_text(RING.replace(head, "    if position[0] == 1:\n        return\n" + head))
    game = variant(str(tmp_path / "ring.py"))
    four, one = game.hash((4, 0)), game.hash((1, 0))
    assert culprit.fault(game, four) == ""
    said = culprit.fault_at_images(game, four)
    assert said.endswith("ring.py: undo_moves must yield (2 0) once, got it 0 times, at (1 0)")
    assert culprit.parent(game, [four], one) == four


def test_what_un_moves_raise_at_a_position_nobody_asks_for_is_told(tmp_path):
    ghost = "    if position == (5, 0):\n        yield 4, 1\n"
    assert ghost in RING
    (tmp_path / "ring.py").write_text(
        RING.replace(ghost, "    if position[0] == 5:\n        yield 1 << position[0] - 9, 0\n")
    )
    with pytest.raises(BrokenGame, match=r"undo_moves .*negative shift count"):
        app.solve(variant(str(tmp_path / "ring.py")))
