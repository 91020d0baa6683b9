"""Compiled functions are compared with interpreted ones before they are trusted, once."""

from pathlib import Path

import pytest

from gamesman.analysis import walk
from gamesman.analysis.comparison import compare
from gamesman.analysis.verify import Verification
from gamesman.compiler.cache import CodeFolder
from gamesman.compiler.trial import trial
from gamesman.db import open_store
from gamesman.errors import BrokenGame
from gamesman.model.variant import variant
from gamesman.solver.solve import solve

pytestmark = pytest.mark.slow

# Right in Python, whose ints have no end; a machine word loses all but the last two bits.
FAULTS = {
    "tier": ("return position[0]\n", "return position[0] << 62 >> 62\n"),
    "turn": ("return position[1]", "return position[1] << 64 >> 64"),
    "primitive": ("LOSE if position[0] == 0 else", "LOSE if position[0] << 64 == 0 else"),
    "hash": ("* 2 + position[1]", "* 2 + (position[1] << 64 >> 64)"),
    "do_move": ("return position[0] - move, 1", "return (position[0] << 62 >> 62) - move, 1"),
}


@pytest.fixture
def countdown(tmp_path):
    """Write the tutorial game to a file, with a piece of it replaced."""
    import gamesman.games.ten_to_zero as game

    source = Path(game.__file__).read_text()

    def write(old="", new=""):
        assert old in source, old
        path = tmp_path / "countdown.py"
        path.write_text(source.replace(old, new))
        return variant(str(path))

    return write


def test_a_user_s_own_file_is_compiled_and_solved_as_it_stands(countdown):
    assert solve(countdown()).as_json()["remoteness"] == 7


@pytest.mark.parametrize("function", FAULTS)
def test_a_function_that_a_machine_word_changes_is_told_with_the_position(function, countdown):
    with pytest.raises(BrokenGame, match=rf"countdown.py: {function} says -?\d+ interpreted and -?\d+ compiled, at \("):
        solve(countdown(*FAULTS[function]))


RARE_FRACTIONS = {
    "generate_moves": ("        yield taken\n", "        yield taken\n    if position[0] >> 40:\n        yield 0.5\n"),
    "do_move": (
        "    return position[0] - move, 1",
        "    if position[0] >> 40:\n        return 1 / 2, 0\n    return position[0] - move, 1",
    ),
    "tier": ("    return position[0]\n", "    if position[0] >> 40:\n        return 2**0.5\n    return position[0]\n"),
}


@pytest.mark.parametrize("function", RARE_FRACTIONS)
def test_a_fraction_that_no_position_tried_makes_is_told(function, countdown):
    with pytest.raises(BrokenGame, match=f"countdown.py: {function} makes a fraction, if at no position"):
        solve(countdown(*RARE_FRACTIONS[function]))


def test_what_was_checked_is_not_checked_again(monkeypatch):
    v = variant("ten_to_zero:total=11")
    solve(v)
    for check in ("gamesman.model.check.check", "gamesman.compiler.agreement.describing"):
        monkeypatch.setattr(check, lambda *_, **__: pytest.fail("checked again"))
    solve(v)


def test_code_that_has_been_kept_is_known_to_be_there(monkeypatch, tmp_path):
    """What a task needs is less then; a kernel asked for by a name that no kernel has would never be there."""
    asked = {}
    has = CodeFolder.has
    monkeypatch.setattr(CodeFolder, "has", lambda self, start: asked.setdefault(start, has(self, start)))
    monkeypatch.setattr(walk, "MOST_INTERPRETED", 0)
    store, v = open_store(f"sqlite:///{tmp_path}/all.db"), variant("konane")
    for _ in range(2):
        asked.clear()
        with store.writer(v, restart=True) as writer:
            solve(v, writer)
        with store.open(v) as stored:
            Verification(stored, memory=1 << 40).run()
            compare([stored, stored], memory=1 << 40)
    assert len(asked) == 3 and all(asked.values()), asked


def test_a_small_game_is_tried_on_all_its_positions():
    assert trial(variant("konane"), 1000) == 17
