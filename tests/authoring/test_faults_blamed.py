"""Where a function fails at a position that no check meets, the function, the position and the move are named."""

import random

import pytest

from gamesman import app
from gamesman.compiler.agreement import _sample
from gamesman.errors import BrokenGame
from gamesman.model.beginning import first_file
from gamesman.model.check import check
from gamesman.model.variant import variant
from gamesman.solver import reference
from gamesman.values import UNDECIDED

WRITTEN = "    white, black, who = position\n    if who:\n        return white, black | 1 << move, 0\n"


def faulty(folder, position, instead):
    """The game that `gamesman new` writes, with a move that leads elsewhere from one position."""
    text = first_file("mine", "3x4")
    assert text.count(WRITTEN) == 1
    (folder / "mine.py").write_text(
        text.replace(WRITTEN, f"    if position == {position}:\n        return {instead}\n{WRITTEN}")
    )
    return variant(str(folder / "mine.py"))


def right(folder):
    (folder / "right.py").write_text(first_file("mine", "3x4"))
    return variant(str(folder / "right.py"))


def met_by_the_check(of):
    """Return what is looked at in plain Python before anything is solved, and images of it."""
    met = set()
    written = of.game.functions["show"]
    of.game.functions["show"] = lambda rules, position: met.add(position) or written(rules, position)
    check(of)
    return {image for position in met for image in of.symmetry.orbit(position)}


@pytest.mark.slow
def test_a_move_that_fails_from_an_image_that_is_not_stored_is_named(tmp_path, monkeypatch):
    """Only the proof that images are images asks for moves from there."""
    monkeypatch.setenv("GAMESMAN_DB", str(tmp_path))
    of = right(tmp_path)
    skipped = met_by_the_check(right(tmp_path)) | {
        image for position in _sample(of) for image in of.symmetry.orbit(position)
    }
    found = [
        position
        for position in reference.solve(of).values
        if position not in skipped and of.primitive(position) == UNDECIDED and of.symmetry.least(position) != position
    ]
    position = random.Random(3).choice(sorted(found))
    game = faulty(tmp_path, position, "position[0] // (move - move), 0, 0")
    said = f"do_move must not fail, got ZeroDivisionError: .*, at {of.show(position)}; nothing was kept"
    with pytest.raises(BrokenGame, match=said.replace("(", r"\(").replace(")", r"\)")):
        app.solve(game)


@pytest.mark.slow
def test_a_move_to_what_is_no_position_is_named_where_only_the_compiled_half_of_the_check_meets_it(tmp_path):
    of = right(tmp_path)
    met = met_by_the_check(right(tmp_path))
    tried = list(_sample(of))
    position = next(
        before
        for before, after in zip(tried[100:], tried[101:], strict=False)
        if before not in met and after in {of.do_move(before, move) for move in of.generate_moves(before)}
    )
    game = faulty(tmp_path, position, "-5, position[1], 1 - position[2]")
    assert check(game) == 1000
    said = (
        "do_move must put each piece on a cell of its own, got w as -5, which is no mask, .*, where move .. leads from"
    )
    with pytest.raises(BrokenGame, match=said):
        app.solve(game)
