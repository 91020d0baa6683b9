"""Capture the Flag: its notation, every way to win, and steps taken back."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.refusing import refusal

from gamesman.errors import MoveError, PositionError
from gamesman.games.ctf import board_text, read_board
from gamesman.model.variant import variant
from gamesman.solver import reference
from gamesman.values import LOSE, UNDECIDED, WIN


def play(v, moves, position=None):
    position = v.start() if position is None else position
    for move in moves.split():
        assert v.primitive(position) == UNDECIDED
        position = v.do_move(position, v.parse_move(position, move))
    return position


def names(v, position):
    return {v.move_name(position, move) for move in v.generate_moves(position)}


def reachable(v):
    found, waiting = {v.start()}, [v.start()]
    while waiting:
        position = waiting.pop()
        if v.primitive(position) == UNDECIDED:
            new = {v.do_move(position, move) for move in v.generate_moves(position)} - found
            found |= new
            waiting += new
    return found


# --- positions as text ---


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected a position like (w wWw --- bBb), got nothing"),
        ("wWw---bBb", "expected a position like (w wWw --- bBb), got wWw---bBb"),
        ("(x wWw --- bBb)", "expected w or b to move, got x: (x wWw --- bBb)"),
        ("(w wWw bBb)", "expected 3 rows of 3 cells of w, W, b, B or -, got 2 rows: (w wWw bBb)"),
        ("(w wWw -- bBb)", "expected 3 rows of 3 cells of w, W, b, B or -, got 2 cells in row 2: (w wWw -- bBb)"),
        ("(w wWw -x- bBb)", "expected 3 rows of 3 cells of w, W, b, B or -, got x: (w wWw -x- bBb)"),
        ("(w wWw --- BBb)", "expected at most one flag B, got 2: (w wWw --- BBb)"),
    ],
)
def test_a_malformed_position_is_one_line_that_says_why(text, said):
    assert refusal(PositionError, variant("ctf:size=3").parse, text) == said


@given(st.integers(2, 6), st.sampled_from("wb"), st.data())
def test_every_board_is_read_as_it_is_written_and_has_a_number_of_its_own(size, who, data):
    cells = data.draw(st.lists(st.sampled_from("wb-"), min_size=size * size, max_size=size * size))
    flags = data.draw(st.lists(st.integers(0, size * size - 1), unique=True, max_size=2))
    for flag, letter in zip(flags, data.draw(st.permutations("WB")), strict=False):
        cells[flag] = letter
    text = f"({who} {' '.join(''.join(cells[i : i + size]) for i in range(0, size * size, size))})"
    v = variant(f"ctf:size={size}")
    position = v.parse(text)
    assert v.show(position) == text
    assert v.unhash(v.hash(position)) == position
    assert 0 <= v.hash(position) < v.key_bound()


@given(st.text())
def test_no_text_makes_the_parsers_stumble(text):
    v = variant("ctf:size=3")
    with pytest.raises(PositionError):
        v.parse("!" + text)
    try:
        v.parse_move(v.start(), text)
    except MoveError as error:
        assert "\n" not in str(error)
    try:
        read_board(text)
    except PositionError as error:
        assert "\n" not in str(error)


def test_boards_of_size_5_have_keys_that_fit_the_database_and_larger_ones_say_that_theirs_do_not():
    assert variant("ctf").rules.cells == 25
    assert variant("ctf").key_bound() == 2**61
    assert variant("ctf:size=6").key_bound() > 2**63


# --- moves ---


def test_the_largest_board_is_played():
    v = variant("ctf:size=26")
    position = play(v, "m25-m24 n2-n3 n25-n24 n1-n2 n26-n25")
    assert {name for name in names(v, position) if name.startswith("n")} == {"n2-n1", "n3-n4", "n3-m3", "n3-o3"}
    assert v.parse(v.show(position)) == position
    assert v.unhash(v.hash(position)) == position
    assert 2**63 < v.hash(position) < v.key_bound()
    assert v.draw(position).splitlines()[0] == "26  " + "- " * 12 + "w - w" + " -" * 11


def test_a_game_in_full():
    """Best play from size 3: white's flag walks out, his pawn takes a pawn, then the flag."""
    v = variant("ctf:size=3")
    boards = [
        ("b3-b2", "(b w-w -W- bBb)"),
        ("a1-a2", "(w w-w bW- -Bb)"),
        ("a3-a1", "(b --w -W- wBb)"),
        ("c1-c2", "(w --w -Wb wB-)"),
        ("a1-c1", "(b --w -Wb --w)"),
    ]
    position = v.start()
    for move, board in boards:
        position = play(v, move, position)
        assert v.show(position) == board
    assert v.primitive(position) == LOSE


def test_a_pawn_that_leaves_a_cell_lets_another_jump_into_it():
    v = variant("ctf:size=3")
    position = play(v, "a3-a2 c1-c2")
    assert v.show(position) == "(w -Ww w-b bB-)"
    assert names(v, position) == {"a2-b2", "b3-a3", "b3-b2", "c3-c1"}
    position = play(v, "a2-b2", position)
    assert v.show(position) == "(b -Ww -wb bB-)"
    assert names(v, position) == {"a1-a2", "b1-c1", "c2-a2"}


def test_a_pawn_steps_forward_and_to_the_sides():
    v = variant("ctf:start=W-----w-----b--B")
    assert names(v, v.start()) == {"c3-c2", "c3-b3", "c3-d3", "a4-b4", "a4-a3"}
    assert names(v, v.parse("(b W--- --w- ---- b--B)")) == {"a1-a2", "a1-b1", "d1-c1", "d1-d2"}


def test_a_pawn_takes_by_jumping_forward_and_to_the_sides_but_not_backward():
    v = variant("ctf:size=5")
    position = v.parse("(w W---- --b-- -bwb- --b-- b---B)")
    assert {name for name in names(v, position) if name.startswith("c3")} == {"c3-a3", "c3-e3", "c3-c1"}
    after = play(v, "c3-c1", position)
    assert v.show(after) == "(b W---- --b-- -b-b- ----- b-w-B)"


def test_a_flag_steps_in_four_directions_and_takes_nothing():
    v = variant("ctf:size=5")
    position = v.parse("(w w---- --b-- --W-- ----- b---B)")
    assert {name for name in names(v, position) if name.startswith("c3")} == {"c3-b3", "c3-d3", "c3-c2"}


def test_a_piece_does_not_leave_one_side_of_the_board_for_the_other():
    v = variant("ctf:size=3")
    assert names(v, v.parse("(w -W- --w b-B)")) == {"b3-a3", "b3-c3", "b3-b2", "c2-b2"}
    assert names(v, v.parse("(b w-W b-- -B-)")) == {"a2-b2", "b1-a1", "b1-c1", "b1-b2"}


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ("c3", "expected a move like a1-a2, got c3"),
        ("c3-f3", "expected a cell from a1 to e5, got f3 in c3-f3"),
        ("b1-b2", "b1-b2: b1 holds no piece of White"),
        ("c2-c1", "c2-c1: c2 holds no piece of White"),
        ("c3-c3", "c3-c3: a move goes to another cell"),
        ("c3-b2", "c3-b2: a piece moves along a row or a column, never diagonally"),
        ("a5-a3", "a5-a3: a5 holds a flag, which steps one cell and never jumps"),
        ("c3-c4", "c3-c4: White's pawns move down or to the side, never backward"),
        ("a4-d4", "a4-d4: a pawn steps one cell, or jumps two"),
        ("c3-d3", "c3-d3: d3 is not empty"),
        ("c3-e3", "c3-e3: e3 is not empty"),
        ("a4-a2", "a4-a2: there is no opposing piece at a3 to jump over"),
    ],
)
def test_a_wrong_move_is_told_why(move, said):
    v = variant("ctf:size=5")
    assert refusal(MoveError, v.parse_move, v.parse("(w W---- w---- -bwbb ----- b---B)"), move) == said


def test_black_is_told_that_he_moves_up():
    v = variant("ctf:size=3")
    with pytest.raises(MoveError, match="b2-b1: Black's pawns move up or to the side, never backward"):
        v.parse_move(v.parse("(b wW- -b- B--)"), "b2-b1")


def test_no_move_is_left_when_the_game_is_over():
    v = variant("ctf:size=3")
    with pytest.raises(MoveError, match="a3-a2: the game is over"):
        v.parse_move(v.parse("(w wWw --- b-b)"), "a3-a2")


def test_every_move_is_read_as_it_is_named_and_no_other_text_is_one():
    v = variant("ctf:size=3")
    cells = [f"{c}{r}" for c in "abc" for r in (1, 2, 3)]
    every = [f"{a}-{b}" for a in cells for b in cells]
    for position in sorted(reachable(v))[::97]:
        if v.primitive(position) != UNDECIDED:
            continue
        moves = {v.move_name(position, move): move for move in v.generate_moves(position)}
        assert len(moves) == len(list(v.generate_moves(position)))
        for text in every:
            if text in moves:
                assert v.parse_move(position, text) == moves[text]
            else:
                with pytest.raises(MoveError):
                    v.parse_move(position, text)


# --- who has won ---


@pytest.mark.parametrize(
    ("text", "value", "why"),
    [
        ("(w wWw --- bBb)", UNDECIDED, "the first board"),
        ("(b wWw --- -B-)", LOSE, "black has no pawn left"),
        ("(w -W- --- bBb)", LOSE, "white has no pawn left"),
        ("(b wWw --- b-b)", LOSE, "black has no flag left"),
        ("(w w-w --- bBb)", LOSE, "white has no flag left"),
        ("(b w-- b-- -WB)", LOSE, "white's flag is below the only black pawn"),
        ("(b w-- --- bWB)", UNDECIDED, "beside a pawn is not past it"),
        ("(b w-- b-- bWB)", UNDECIDED, "past one pawn is not past all"),
        ("(w wB- --- bW-)", UNDECIDED, "beside a pawn is not past it"),
        ("(w -B- w-- bW-)", LOSE, "black's flag is above the only white pawn"),
        ("(w w-- b-- -WB)", WIN, "black himself has walked past the flag"),
        ("(w -B- w-b -W-)", LOSE, "both are past: black has just moved"),
        ("(b -B- w-b -W-)", LOSE, "both are past: white has just moved"),
        ("(w wWB bbb b--)", LOSE, "white has no move: the flag is shut in, every jump is off the board"),
        ("(w wWB bbb ---)", UNDECIDED, "white can jump down"),
        ("(b -bb -WB www)", LOSE, "white is past both pawns"),
    ],
)
def test_who_has_won(text, value, why):
    v = variant("ctf:size=3")
    assert v.primitive(v.parse(text)) == value, why


def test_a_player_who_has_won_needs_no_move():
    """White's flag is past black's pawns and white to move has none: he has won all the same."""
    v = variant("ctf:size=3")
    position = v.parse("(w bbb wBb wWw)")
    assert not names(v, position)
    assert v.primitive(position) == WIN


def test_a_board_of_size_2_leaves_no_move_and_is_lost():
    solution = reference.solve(variant("ctf:size=2")).summary.as_json()
    assert (solution["value"], solution["remoteness"], solution["positions"]) == ("lose", 0, 1)


# --- tiers and steps taken back ---


@pytest.mark.slow
@pytest.mark.parametrize("text", ["ctf:size=2", "ctf:size=3", "ctf:start=wW-w--B-b", "ctf:start=-wWw--Bb-,first=b"])
def test_undo_moves_takes_back_exactly_the_moves_that_stay_in_a_tier(text):
    v = variant(text)
    found = reachable(v)
    forward, back = Counter(), Counter()
    for position in found:
        if v.primitive(position) == UNDECIDED:
            for move in v.generate_moves(position):
                after = v.do_move(position, move)
                assert v.tier(after) <= v.tier(position)
                if v.tier(after) == v.tier(position):
                    forward[position, after] += 1
        for before in v.undo_moves(position):
            assert v.primitive(before) == UNDECIDED
            assert v.tier(before) == v.tier(position)
            assert position in [v.do_move(before, move) for move in v.generate_moves(before)]
            if before in found:
                back[before, position] += 1
    assert back == forward


def test_a_tier_falls_with_every_capture_and_every_step_forward():
    v = variant("ctf:size=5")
    position = v.parse("(w W---- -w-b- -wb-- ----- b---B)")
    for move, falls in [("b4-c4", 0), ("a5-b5", 0), ("b3-b2", 1), ("b3-d3", 1)]:
        assert (v.tier(play(v, move, position)) < v.tier(position)) == falls


# --- the estimate ---


def test_the_estimate_is_the_same_for_both_sides_of_a_mirrored_board():
    v = variant("ctf:size=3")
    estimate = v.game.functions["evaluate"]
    for position in sorted(p for p in reachable(v) if v.primitive(p) == UNDECIDED)[::31]:
        board = board_text(3, position)
        rows = [board[i : i + 3] for i in (6, 3, 0)]
        turned = v.parse(f"({v.letter(position)} {' '.join(rows)})".translate(str.maketrans("wWbB", "bBwW")))
        assert v.turn(turned) != v.turn(position)
        assert estimate(v.rules, position) == estimate(v.rules, turned)


def test_what_hangs_is_worth_less_and_a_flag_most():
    """Black's pawn on c3 can jump over c4 to c5; over b4 or d4 there is no jump. Nothing else is different."""
    v = variant("ctf:size=5")
    estimate = v.game.functions["evaluate"]
    boards = ["---- -W---", "---- --W--", "---- ---W-", "W--- -w---", "W--- --w--"]
    flag_safe, flag_hangs, flag_safe_too, pawn_safe, pawn_hangs = (
        estimate(v.rules, v.parse(f"(w -{board} w-b-- b---- ----B)")) for board in boards
    )
    assert flag_safe == flag_safe_too == flag_hangs + 200
    assert pawn_safe == pawn_hangs + 25
