"""What is doubtful of a game is told to who checks it, and forbids nothing; large boards are checked soon, too."""

import time

import pytest
from click.testing import CliRunner

from gamesman.cli.main import cli
from gamesman.model.beginning import first_file
from gamesman.model.check import check
from gamesman.model.variant import variant

RIGHT = first_file("mine", "3x3")
# The board mirrored, in which a beginner counts up to one cell too many.
MIRRORED = """

def symmetries(rules, position):
    white, black, who = position
    yield mirrored(rules, white) | {corner}, mirrored(rules, black), who


def mirrored(rules, mask):
    found = 0
    for cell in range(rules.cells):
        if mask >> cell & 1:
            found |= 1 << (rules.cells - 1 - cell)
    return found
"""
OTHER_TURN = "\n\ndef symmetries(rules, position):\n    yield position[0], position[1], 1 - position[2]\n"
SPEED = RIGHT.replace("options = [\n", 'options = [\n    Number("speed", default=1, high=3, help="steps"),\n')


def checked(tmp_path, text):
    path = tmp_path / "mine.py"
    path.write_text(text)
    result = CliRunner().invoke(cli, ["check", str(path), "--positions", "50"])
    assert (result.exit_code, "no mistake found" in result.stdout) == (0, True), result.output
    return result.stderr


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (RIGHT, ""),
        (RIGHT + MIRRORED.format(corner=0), ""),
        (
            RIGHT + MIRRORED.format(corner=1),
            "symmetries: no image is used, as none leaves (w --- --- ---), the start, as it is; one is (w --- --- w--)",
        ),
        (RIGHT + OTHER_TURN, "the start, as it is; one is (b --- --- ---)"),
        (SPEED, "the option speed is never read, so that its values are variants with the same rules"),
        (SPEED.replace("(o):", '(o):\n    assert not o.is_given("speed")'), ""),
        (SPEED.replace("(o):", "(o):\n    given = vars(o)"), ""),
        (SPEED.replace("(o):", "(o):\n    assert o.speed"), ""),
    ],
    ids="right mirrored off_by_one other_turn unread asked_whether_given handed_on read".split(),
)
def test_what_is_doubtful_is_told_and_nothing_else(tmp_path, text, said):
    told = checked(tmp_path, text)
    assert (told == "") == (said == "")
    assert said in told


def test_a_large_board_is_checked_in_seconds(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(first_file("mine", "3x3"))
    begun = time.process_time()
    tried = [check(variant(f"{path}:rows={size},cols={size}")) for size in (3, 12, 20)]
    assert tried[0] > tried[1] > tried[2] >= 20
    assert time.process_time() - begun < 15  # four here; with every name looked up among all others it took minutes
