"""What CONTRIBUTING says of writing a game is true, and enough to write one."""

import re

import pytest
from support import ROOT, SUPPORT

from gamesman.model.check import check
from gamesman.model.game import OPTIONAL, REQUIRED
from gamesman.model.overlooked import SETTINGS
from gamesman.model.variant import variant
from gamesman.options import resolve
from gamesman.solver import reference
from gamesman.solver.solve import solve
from gamesman.values import WIN

TEXT = (ROOT / "CONTRIBUTING.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
DODGEM = SUPPORT / "dodgem.py"


def test_the_game_it_prints_is_right(tmp_path):
    (tmp_path / "mygame.py").write_text(BLOCKS[0])
    v = variant(f"{tmp_path / 'mygame.py'}:total=20")
    assert check(v) == 40
    solution = reference.solve(v)
    for (left, _), (value, _) in solution.values.items():
        assert (value == WIN) == (left % 3 != 0)


def test_the_game_it_prints_is_the_one_in_games(tmp_path):
    (tmp_path / "mygame.py").write_text(BLOCKS[0])
    ours, printed = variant("ten_to_zero"), variant(str(tmp_path / "mygame.py"))
    assert reference.solve(ours).values == reference.solve(printed).values


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 4])
def test_the_board_game_it_prints_is_solved_alike_by_both_solvers(tmp_path, size):
    (tmp_path / "reach.py").write_text(BLOCKS[1])
    v = variant(f"{tmp_path / 'reach.py'}:size={size}")
    assert check(v) > 50
    expected = reference.solve(v).summary.as_json()
    found = solve(v).as_json()
    assert {key: found[key] for key in ("value", "remoteness", "positions", "counts")} == {
        key: expected[key] for key in ("value", "remoteness", "positions", "counts")
    }


def test_the_options_it_prints_are_options():
    names = {}
    exec(BLOCKS[2], names)
    o = resolve(names["options"], {"rows": "5", "misere": None})
    assert (o.rows, o.cols, o.misere, o.corner, o.start) == (5, 5, True, "safe", "")


def test_its_tables_have_every_function_of_a_game():
    required, optional = TEXT.split("REQUIRED:")[1].split("### A game on a board")[0].split("OPTIONAL:")
    rows = [set(re.findall(r"^\| `(\w+)", part, re.MULTILINE)) for part in (required, optional)]
    assert rows[0] == {"options", *REQUIRED}
    assert rows[1] == {*SETTINGS, *OPTIONAL}


def test_the_fault_it_prints_is_one_that_is_told(tmp_path):
    tier = "\n\ndef tier(rules, position):\n    return 5 - position[0] if position[0] < 3 else position[0]\n"
    (tmp_path / "mygame.py").write_text(BLOCKS[0] + tier)
    with pytest.raises(Exception, match=r"tier must never rise, got 3, then 4 at \(\d 1\), at \(\d [23]\)$") as raised:
        check(variant(str(tmp_path / "mygame.py")))
    assert "tier must never rise, got 3, then 4 at" in TEXT
    assert type(raised.value).__name__ == "BrokenGame"


def test_the_files_it_names_are_there():
    for name in re.findall(r"`((?:scripts|games|tests|gamesman|\.ci)/[\w./]*)`", TEXT):
        assert (ROOT / name).exists(), name


def test_a_game_written_from_it_alone_is_solved():
    """Dodgem 3x3 is known to be won by the first player."""
    v = variant(str(DODGEM))
    assert check(v) == 1000
    solution = reference.solve(v)
    assert solution.probe(v.start()) == (WIN, 20)
    assert solution.summary.as_json()["counts"] == {"win": 1215, "lose": 840, "tie": 0, "draw": 0}
