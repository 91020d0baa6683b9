"""Abalone on a rectangle: the rules and rulings, one by one, and the notation both ways."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.playing import after, names, played
from support.refusing import assert_read_or_refused, refusal

from gamesman.errors import MoveError, OptionError, PositionError
from gamesman.model.variant import variant
from gamesman.notation import cell_name
from gamesman.values import LOSE, UNDECIDED, WIN


def test_black_is_on_row_1_and_column_a_and_two_corners_are_empty():
    v = variant("abalone")
    assert v.show(v.start()) == "(b bbb- b--w b--w -www)"
    assert v.draw(v.start()).splitlines() == [
        "4  - w w w",
        "3  b - - w",
        "2  b - - w",
        "1  b b b -",
        "",
        "   a b c d",
    ]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("abalone:rows=3,cols=3", "(b bb- b-w -ww)"),
        ("abalone:rows=3,cols=5", "(b bbbb- b---w -wwww)"),
        ("abalone:rows=5,cols=3", "(b bb- b-w b-w b-w -ww)"),
    ],
)
def test_other_sizes_start_alike(name, text):
    v = variant(name)
    assert v.show(v.start()) == text


def test_a_game_goes_as_the_rules_say():
    v = variant("abalone")
    position = v.start()
    for move, text in [
        ("a1-b1", "(w -bbb b--w b--w -www)"),  # three in line, into an empty cell
        ("d4-d3", "(b -bbw b--w b--w -ww-)"),  # three push one off
        ("b1-c1", "(w --bb b--w b--w -ww-)"),  # two push one off
        ("c4-d4", "(b --bb b--w b--w -w-w)"),
        ("a3-b3", "(w --bb b--w -b-w -w-w)"),
        ("d4-d3", "(b --bw b--w -b-w -w--)"),  # the second capture
    ]:
        position = v.do_move(position, v.parse_move(position, move))
        assert v.show(position) == text
    assert v.primitive(position) == LOSE
    assert variant("abalone:misere").primitive(position) == WIN


@pytest.mark.parametrize(
    ("move", "start", "text"),
    [
        ("a1-b1", "(b bbw- ---- -ww- wbb-)", "(w -bbw ---- -ww- wbb-)"),
        ("a1-b2", "(b b--b -b-- w-w- wwb-)", "(w ---b -b-- w-b- wwbw)"),
        ("d4-d3", "(w ---- ---b bb-w bwww)", "(b ---b ---w bb-w bww-)"),
        ("c3-b3", "(w bb-- ---- bww- bw-w)", "(b bb-- ---- ww-- bw-w)"),
        ("a1-b1", "(b bb-w b--b ---- wwww)", "(w -bbw b--b ---- wwww)"),
    ],
)
def test_a_line_moves_and_pushes_a_shorter_one(move, start, text):
    assert after("abalone", move, start=start) == text


def test_three_push_two_and_four_push_three():
    assert after("abalone:cols=6", "a1-b1", start="(b bbbww- ------ bbb--- wwww--)") == (
        "(w -bbbww ------ bbb--- wwww--)"
    )
    assert after("abalone:cols=7,captures=1", "a1-b1", start="(b bbbbwww ------- bbbb--- wwwww--)") == (
        "(w -bbbbww ------- bbbb--- wwwww--)"
    )


def test_the_line_counts_from_the_piece_taken():
    v = variant("abalone")
    position = v.parse("(b bbw- ---- -ww- wbb-)")
    assert "a1-b1" in names(v, position)
    with pytest.raises(MoveError, match="b1-c1: a line must be longer than the one it pushes, got 1 against 1"):
        v.parse_move(position, "b1-c1")


def test_the_game_is_over_at_once_even_for_a_player_who_is_trapped():
    v = variant("abalone:rows=3,cols=3,captures=2")
    assert v.primitive(v.parse("(b b-- --- -ww)")) == LOSE
    assert v.primitive(v.parse("(w b-- --- -ww)")) == WIN
    misere = variant("abalone:rows=3,cols=3,misere")
    assert misere.primitive(misere.parse("(b b-- --- -ww)")) == WIN
    assert misere.primitive(misere.parse("(w b-- --- -ww)")) == LOSE


@pytest.mark.parametrize(("name", "value"), [("abalone:rows=3,cols=3", LOSE), ("abalone:rows=3,cols=3,misere", WIN)])
def test_who_is_trapped_has_lost_and_in_misere_has_won(name, value):
    v = variant(name)
    position = v.parse("(b bw- bw- bw-)")
    assert v.primitive(position) == value
    assert not names(v, position)
    assert v.primitive(v.parse("(w bw- bw- bw-)")) == UNDECIDED


def test_freeze_holds_what_could_be_pushed():
    v = variant("abalone:freeze")
    position = v.parse("(b -bww ---- bb-- bbww)")
    basic = names(variant("abalone"), position)
    held = {"b1-a1", "b1-a2", "b1-b2", "b1-c2"}
    assert held < basic
    assert names(v, position) == basic - held
    with pytest.raises(MoveError, match="b1-b2: the piece at b1 is frozen, for the opponent could push it"):
        v.parse_move(position, "b1-b2")


def test_a_frozen_piece_blocks_its_own_line():
    v = variant("abalone:rows=5,cols=6,freeze")
    position = v.parse("(b bb---b bbb--- b-w--- --w--- -wwwww)")  # c5, c4 and c3 could push c2 down
    assert "b2-c2" in names(variant("abalone:rows=5,cols=6"), position)
    assert "b2-c2" not in names(v, position)
    assert "b2-b3" in names(v, position)
    with pytest.raises(MoveError, match="b2-c2: the piece at c2 is frozen"):
        v.parse_move(position, "b2-c2")


def test_the_whole_line_pushed_is_frozen_even_by_pieces_that_are_frozen_themselves():
    v = variant("abalone:cols=6,captures=3,freeze")
    rows = "-bbwww ---b-- ---b-- bbb-ww"  # white threatens c1 and b1 from d1, black d1 from d2
    for turn, held in [("b", ("b1", "c1")), ("w", ("d1",))]:
        position = v.parse(f"({turn} {rows})")
        assert any(name.startswith(held) for name in names(variant("abalone:cols=6,captures=3"), position))
        assert not any(name.startswith(held) for name in names(v, position))


def test_all_frozen_is_trapped():
    v = variant("abalone:rows=3,cols=3,freeze")
    position = v.parse("(b b-- wwb --w)")  # c3 and b2 could push a1 off, a2 and b2 could push c2 off
    assert v.primitive(position) == LOSE
    assert variant("abalone:rows=3,cols=3,freeze,misere").primitive(position) == WIN
    assert variant("abalone:rows=3,cols=3").primitive(position) == UNDECIDED


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("", "expected a move like a1-a2, got nothing"),
        ("a1", "expected a move like a1-a2, got a1"),
        ("a1-e2", "expected a cell from a1 to d4, got e2 in a1-e2"),
        ("a1-a1", "a1-a1: a move names a piece and a cell next to it, got two cells that are not neighbours"),
        ("a1-a3", "a1-a3: a move names a piece and a cell next to it, got two cells that are not neighbours"),
        ("b2-b3", "b2-b3: b2 holds no piece of Black"),
        ("d2-c2", "d2-c2: d2 holds no piece of Black"),
        ("c1-b1", "c1-b1: it would push an own piece off the board"),
    ],
)
def test_an_illegal_move_is_told_why(move, reason):
    v = variant("abalone")
    assert refusal(MoveError, v.parse_move, v.start(), move) == reason


def test_a_push_without_room_is_told_why():
    v = variant("abalone")
    with pytest.raises(MoveError, match="the pieces pushed run into an own piece at d1"):
        v.parse_move(v.parse("(b bbwb b--w ---w --ww)"), "a1-b1")
    with pytest.raises(MoveError, match="a line must be longer than the one it pushes, got 2 against 2"):
        v.parse_move(v.parse("(b bbww b--w b--- -w--)"), "a1-b1")
    with pytest.raises(MoveError, match="a1-b1: the game is over"):
        v.parse_move(v.parse("(b bb-- b--w ---w -www)"), "a1-b1")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(b bbb- b--w b--w)", "expected 4 rows of 4 cells of b, w or -, got 3 rows: (b bbb- b--w b--w)"),
        ("(b bbb- b--w b--w -ww)", "expected 4 rows of 4 cells of b, w or -, got 3 cells in row 4"),
        ("(b bbb- b--w b--w -wwx)", "expected 4 rows of 4 cells of b, w or -, got x"),
        ("(x bbb- b--w b--w -www)", "expected b or w to move, got x"),
        ("(b bbbb b--w b--w -www)", "expected 3 to 5 pieces b, got 6"),
        ("bbb-", "expected a position like (b bbb- b--w b--w -www), got bbb-"),
    ],
)
def test_a_malformed_position_is_told_why(text, reason):
    assert refusal(PositionError, variant("abalone").parse, text).startswith(reason)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("abalone:rows=2", "rows must be 3 or more, got 2"),
        ("abalone:cols=27", "cols must be 3 to 26, got 27"),
        ("abalone:captures=6", "captures must be 1 to 5, got 6"),
        ("abalone:captures=0", "captures must be 1 to 5, got 0"),
    ],
)
def test_an_option_out_of_range_is_refused(name, reason):
    assert refusal(OptionError, variant, name) == reason


@pytest.mark.slow
@given(st.text(alphabet="abw-() 123d\n", max_size=40))
def test_any_text_is_read_or_refused_in_one_line(text):
    assert_read_or_refused(variant("abalone"), text)


@pytest.mark.parametrize("name", ["abalone:rows=3,cols=3,freeze", "abalone:rows=3,captures=1"])
def test_positions_and_moves_are_read_as_they_are_written(name):
    v = variant(name)
    for key in range(0, v.key_bound() or 0, 37):
        position = v.unhash(key)
        assert v.parse(v.show(position)) == position
        moves = list(v.generate_moves(position)) if v.primitive(position) == UNDECIDED else []
        assert len(set(moves)) == len(moves)
        assert [v.parse_move(position, v.move_name(position, move)) for move in moves] == moves


@pytest.mark.parametrize(
    ("name", "every"),
    [
        ("abalone:rows=3,cols=3,freeze", 97),
        ("abalone:rows=3,cols=5", 20_011),
        ("abalone:rows=3,cols=5,freeze", 20_011),
    ],
)
def test_a_move_can_be_read_if_and_only_if_it_is_generated(name, every):
    v = variant(name)
    cells = [cell_name(row, col) for row in range(v.rules.rows) for col in range(v.rules.cols)]
    for key in range(0, v.key_bound() or 0, every):
        position = v.unhash(key)
        read = set()
        for one in cells:
            for other in cells:
                try:
                    read.add(v.game.functions["parse_move"](v.rules, position, f"{one}-{other}"))
                except MoveError:
                    continue
        assert read == (set(v.generate_moves(position)) if v.primitive(position) == UNDECIDED else set())


@pytest.mark.parametrize("name", ["abalone:rows=26,cols=26,captures=49", "abalone:rows=200,cols=3", "abalone:cols=26"])
def test_a_board_of_any_size_can_be_played(name):
    v, position = played(name, "a1-b2")
    assert v.parse(v.show(position)) == position
    assert v.unhash(v.hash(position)) == position
    assert v.draw(position).splitlines()[-3][:8].split()[0] == "1"
    assert v.primitive(position) == UNDECIDED
    moves = list(v.generate_moves(position))
    assert [v.parse_move(position, v.move_name(position, move)) for move in moves] == moves
    assert all(position in v.undo_moves(v.do_move(position, move)) for move in moves[:3])


@pytest.mark.parametrize(
    "name", ["abalone", "abalone:rows=3,cols=7,captures=1,freeze", "abalone:rows=6,cols=5", "abalone:rows=9,cols=7"]
)
def test_a_way_looked_up_is_the_same_as_one_walked(name):
    v = variant(name)
    beyond = v.game.module.beyond
    walked = v.rules._replace(rays=(0,))
    chosen = Random(name)
    for _ in range(300):
        cells = chosen.getrandbits(v.rules.cells) | chosen.getrandbits(v.rules.cells)
        move = chosen.randrange(8) << v.rules.shift | chosen.randrange(v.rules.cells)
        assert beyond(v.rules, cells, move) == beyond(walked, cells, move)


@pytest.mark.parametrize(("name", "rays"), [("abalone:rows=9,cols=7", 8 << 6), ("abalone:rows=1000,cols=26", 1)])
def test_ways_are_listed_only_for_boards_that_fit_a_machine_word(name, rays):
    assert len(variant(name).rules.rays) == rays


def test_the_estimate_favours_captures_and_is_turned_in_misere():
    v, position = played("abalone", "a1-b1", "d4-d3")
    evaluate = v.game.functions["evaluate"]
    assert evaluate(v.rules, v.start()) == 0
    assert evaluate(v.rules, position) < 0
    misere = variant("abalone:misere")
    assert evaluate(misere.rules, position) == -evaluate(v.rules, position)
