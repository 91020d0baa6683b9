"""The boards that Capture the Flag begins with, and what of its options is refused."""

import pytest
from support.refusing import refusal

from gamesman.errors import OptionError, PositionError
from gamesman.games.ctf import board_text, read_board
from gamesman.model.variant import variant

DRAWN = "-wWw--www-------bbb--bBb-"
SAMPLE = "-wWw--www-----bbb--bBb-"


def test_the_board_drawn_in_the_rules_is_the_default():
    assert variant(f"ctf:start={DRAWN}").name == "ctf"
    assert variant("ctf").show(variant("ctf").start()) == "(w -wWw- -www- ----- -bbb- -bBb-)"


def test_the_sample_call_of_23_characters_is_refused():
    with pytest.raises(OptionError, match="start: .* but 23 is no square: -wWw--www-----bbb--bBb-"):
        variant(f"ctf:start={SAMPLE}")


@pytest.mark.parametrize(
    ("size", "board"),
    [
        (2, "wW Bb"),
        (3, "wWw --- bBb"),
        (4, "-wWw ---- ---- -bBb"),
        (6, "--wWw- --www- ------ ------ --bbb- --bBb-"),
        (7, "--wWw-- --www-- ------- ------- ------- --bbb-- --bBb--"),
    ],
)
def test_boards_of_other_sizes_begin_alike(size, board):
    v = variant(f"ctf:size={size}")
    assert v.show(v.start()) == f"(w {board})"


@pytest.mark.parametrize("size", range(2, 27))
def test_both_sides_begin_with_the_same_pieces_mirrored(size):
    board = board_text(size, variant(f"ctf:size={size}").start())
    rows = [board[i : i + size] for i in range(0, size * size, size)]
    if size > 2:
        assert [row.swapcase().translate(str.maketrans("BWbw", "wbWB")) for row in reversed(rows)] == rows
    assert {c: board.count(c) for c in "WB"} == {"W": 1, "B": 1}
    assert board.count("w") == board.count("b") == {2: 1, 3: 2, 4: 2}.get(size, 5)


def test_the_size_follows_from_the_start():
    assert variant("ctf:start=wW---b-B-").options.size == 3
    assert variant("ctf:start=wW---b-B-").name == "ctf:start=wW---b-B-"


def test_a_start_that_is_the_default_is_not_named():
    assert variant("ctf:start=-wWw---------bBb,first=w").name == "ctf:size=4"


def test_black_may_move_first():
    v = variant("ctf:size=3,first=b")
    assert v.name == "ctf:size=3,first=b"
    assert v.show(v.start()) == "(b wWw --- bBb)"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("size=1", "size must be 2 to 26, got 1"),
        ("size=27", "size must be 2 to 26, got 27"),
        ("first=x", "first must be w or b, got x"),
        ("start=w", "start: expected one flag W of White, got none: w"),
        ("start=wW-B", "start: expected at least one pawn b of Black, got none: wW-B"),
        ("start=-WbB", "start: expected at least one pawn w of White, got none: -WbB"),
        ("start=wWWbBb---", "start: expected one flag W of White, got 2: wWWbBb---"),
        ("start=wWbb", "start: expected one flag B of Black, got none: wWbb"),
        ("start=wWbX", "start: expected a board of w, W, b, B or -, got 'X': wWbX"),
        ("start=(w wW Bb)", "start: expected a board of w, W, b, B or -, got ' ': (w wW Bb)"),
        ("size=3,start=wWBb", "start: expected 9 cells for size=3, got 4: wWBb"),
    ],
)
def test_a_wrong_option_is_one_line_that_says_why(options, said):
    assert refusal(OptionError, variant, f"ctf:{options}") == said


def test_a_board_is_read_and_written():
    size, pieces = read_board(DRAWN)
    assert size == 5
    assert board_text(size, pieces) == DRAWN
    with pytest.raises(PositionError, match="got nothing"):
        read_board("")
