"""Compiled functions are not trusted before they have agreed with the interpreted ones."""

from pathlib import Path

import pytest

from gamesman.engine import trust
from gamesman.engine.compile import Compiler
from gamesman.errors import BrokenGame, TooLarge
from gamesman.variant import variant

STAIRS = (Path(__file__).parent / "stairs.py").read_text()


def checked(folder, instead="", options=""):
    """Check the game of stairs with other functions in it."""
    (folder / "mine.py").write_text(f"{STAIRS}\n\n{instead}\n")
    mine = variant(f"{folder / 'mine.py'}{options}")
    trust.check(mine, Compiler(mine.game))
    return mine


def test_a_number_that_overflows_is_told_with_its_function_and_position(tmp_path):
    # At floor 9 that is 2**63, which is negative in a machine word.
    turn = "def turn(rules, position):\n    return position[2] if (2 << 61 + position[0] // 9) // 2 >= 0 else 1\n"
    with pytest.raises(BrokenGame) as caught:
        checked(tmp_path, turn, ":floors=9")
    assert str(caught.value) == (
        f"{tmp_path}/mine.py:floors=9: turn says 0 interpreted and 1 compiled, at (9 0 0); "
        "keep to whole numbers below 2**63, and / and ** out of it"
    )


def test_keys_that_fit_no_machine_word_cannot_be_solved(tmp_path):
    high = "high = 1 << 63\nkey_bound = None\ntier_keys = None\n_hash, _unhash = hash, unhash\n"
    high += "def hash(rules, position):\n    return _hash(rules, position) + (position[0] < 2) * high\n"
    high += "def unhash(rules, key):\n    return _unhash(rules, key - high if key >= high else key)\n"
    with pytest.raises(TooLarge, match="cannot be solved: its positions are numbered up to 92233720368547758"):
        checked(tmp_path, high)


def test_where_nothing_can_be_kept_games_are_compiled_all_the_same(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    for unusable in ("/proc/nowhere", str(tmp_path / "file" / "in"), "/dev/null"):
        monkeypatch.setenv("GAMESMAN_CACHE", unusable)
        checked(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "mine.py"]
