"""Konane: what the rules' text shows, our rulings where it is silent, and boards of any size."""

import pytest
from support.naive.konane import literal_start
from support.refusing import refusal

from gamesman.errors import MoveError, OptionError, PositionError
from gamesman.model.variant import variant
from gamesman.solver.reference import solve
from gamesman.values import LOSE, UNDECIDED, WIN


def names(v, position):
    return sorted(v.move_name(position, move) for move in v.generate_moves(position))


def play(v, *moves):
    """Return the texts of the positions of a game, the start first."""
    position, texts = v.start(), [v.show(v.start())]
    for move in moves:
        position = v.do_move(position, v.parse_move(position, move))
        texts.append(v.show(position))
    return texts


def start(name):
    v = variant(name)
    return v.show(v.start())


def test_the_game_of_the_rules_comes_to_its_board_4():
    v = variant("konane")
    assert play(v, "b2-d2", "d1-b1", "a1-c1", "d3-d1") == [
        '(w "" wbwb bwb- w-wb)',
        '(b "" wbwb b--w w-wb)',
        '(w "" wbwb b--w wb--)',
        '(b "" wbwb b--w --w-)',
        "(b d1 wbw- b--- --wb)",
    ]
    assert names(v, v.parse("(b d1 wbw- b--- --wb)")) == ["d1-b1", "pass"]


def test_the_board_is_drawn_with_its_coordinates():
    v = variant("konane")
    assert v.draw(v.start()) == "3  w b w b\n2  b w b -\n1  w - w b\n\n   a b c d"


@pytest.mark.parametrize(
    ("options", "text"),
    [
        # The middle row, or the lower of two; the middle column, or the left of two, and the next to the right.
        ("rows=3,cols=3", '(w "" wbw bwb --w)'),
        ("rows=3,cols=5", '(w "" wbwbw bw-wb wb-bw)'),
        ("rows=4", '(w "" bwbw wbwb b--w wbwb)'),
        ("rows=4,cols=5", '(w "" bwbwb wbwbw bw--b wbwbw)'),
        ("rows=5,cols=3", '(w "" wbw bwb w-- bwb wbw)'),
        ("rows=1,cols=2", '(w "" --)'),
        ("rows=1,cols=6", '(w "" wb--wb)'),
        ("rows=4,cols=1", '(w "" - - b w)'),
        ("removed=d3,a3", '(w "" -bw- bwbw wbwb)'),
        ("removed=a1,b1,a3", '(w "" -bwb bwbw --wb)'),
    ],
)
def test_other_boards_begin_with_a_white_a1_and_two_cells_empty(options, text):
    assert start(f"konane:{options}") == text


def test_names_that_mean_the_same_are_one():
    for text in (
        "konane:rows=3,cols=4",
        "konane:removed=d2,b1",
        'konane:start=(w "" wbwb bwb- w-wb)',
        "konane:misere=no",
    ):
        assert variant(text).name == "konane"
    assert variant("konane:any_piece,misere=yes,cols=5").name == "konane:cols=5,misere,any_piece"
    assert variant("konane:removed=c2, b2").name == variant("konane:removed=b2,c2,b2").name == "konane:removed=b2,c2"
    assert variant('konane:start=(b  ""  wb- )').name == 'konane:start=(b "" wb-)'


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("rows=1,cols=1", "rows and cols must make a board of 2 cells or more, got 1 and 1"),
        ("removed=a1,c1", "removed must have at least one cell of each colour, got a1,c1"),
        ("removed=a1,e1", "removed: expected a cell from a1 to d3, got e1"),
        ('start=(w "" wb b)', 'start: expected 2 rows of 2 cells of w, b or -, got 1 cells in row 2: (w "" wb b)'),
        ('start=(w "" wb-),removed=a1,b1', "give start or removed, not both: start already says which cells are empty"),
        ('start=(w "" wb-),rows=2', 'start: expected 2 rows of 3 cells of w, b or -, got 1 row: (w "" wb-)'),
        ("start=(b a1 wb-)", "start: expected a piece of the player to move at a1, got none: (b a1 wb-)"),
    ],
)
def test_a_start_that_cannot_be_is_told_why(options, said):
    assert refusal(OptionError, variant, f"konane:{options}") == said


def test_a_piece_that_can_jump_on_keeps_the_turn_in_any_direction():
    v = variant('konane:start=(w "" ---- ---b wb--)')
    assert play(v, "a1-c1")[1] == '(b "" ---- ---b --w-)'
    v = variant('konane:start=(w "" ---- --b- wb--)')
    assert play(v, "a1-c1", "c1-c3")[1:] == ["(w c1 ---- --b- --w-)", '(b "" --w- ---- ----)']


def test_a_pass_ends_the_turn_and_is_for_go_again_turns_only():
    v = variant("konane:start=(w c1 ---- --b- --w-)")
    assert names(v, v.start()) == ["c1-c3", "pass"]
    assert play(v, "pass")[1] == '(b "" ---- --b- --w-)'
    with pytest.raises(MoveError, match=r"^pass is for a go-again turn"):
        v.parse_move(v.parse('(w "" ---- --b- --w-)'), "pass")


def test_only_the_piece_that_has_jumped_goes_again_unless_any_piece_may():
    text = '(w "" wb-b- wb-b- -----)'
    once, any_piece = variant(f"konane:start={text}"), variant(f"konane:start={text},any_piece")
    again = play(once, "a3-c3")[1]
    assert again == "(w c3 --wb- wb-b- -----)" and names(once, once.parse(again)) == ["c3-e3", "pass"]
    assert names(any_piece, any_piece.parse(again)) == ["a2-c2", "c3-e3", "pass"]
    with pytest.raises(MoveError, match=r"^a2-c2: only the piece at c3 may jump on, or pass$"):
        once.parse_move(once.parse(again), "a2-c2")
    # c3 is at its end, and the turn goes on only where another piece may.
    assert play(once, "a3-c3", "c3-e3")[2] == '(b "" ----w wb-b- -----)'
    assert play(any_piece, "a3-c3", "c3-e3", "a2-c2")[2:] == ["(w e3 ----w wb-b- -----)", "(w c2 ----w --wb- -----)"]


def test_who_begins_a_turn_without_a_jump_has_lost_or_with_misere_won():
    for options, value in (("", LOSE), (",misere", WIN)):
        v = variant(f'konane:start=(w "" w-b){options}')
        assert v.primitive(v.start()) == value
    v = variant("konane:start=(w a1 w-b)")
    assert v.primitive(v.start()) == UNDECIDED and names(v, v.start()) == ["pass"]


def test_a_board_that_does_not_alternate_is_numbered_by_both_colours():
    v = variant('konane:start=(b "" wwb-b bw-wb wwb--)')
    found = solve(v)
    assert len({v.hash(p) for p in found.values}) == len(found.values) > 5
    assert all(v.unhash(v.hash(p)) == p and v.hash(p) < v.key_bound() for p in found.values)


@pytest.mark.parametrize(
    ("move", "said"),
    [
        ("b2-d3", "b2-d3: a jump goes two cells along a row or a column"),
        ("b2-c2", "b2-c2: a jump goes two cells along a row or a column"),
        ("a2-c2", "a2-c2: a2 holds no piece of White"),
        ("a1-a3", "a1-a3: a3 is not empty"),
        ("a1-c1", "a1-c1: there is no opposing piece at b1 to jump over"),
        ("b2-e2", "expected a cell from a1 to d3, got e2 in b2-e2"),
        ("b2 d2", "expected a move like b2-d2, got b2 d2"),
        ("", "expected a move like b2-d2, got nothing"),
    ],
)
def test_a_wrong_move_is_told_why(move, said):
    v = variant("konane")
    assert refusal(MoveError, v.parse_move, v.start(), move) == said


@pytest.mark.parametrize(
    "text", ['(W "" wbwb bwb- w-wb)', '(w "" wbwb bwb- w-wb) b', '(w "" wbwb bwb-)', "(w a2 wbwb bwb- w-wb)"]
)
def test_a_text_that_is_no_position_is_refused(text):
    with pytest.raises(PositionError):
        variant("konane").parse(text)


@pytest.mark.parametrize(("rows", "cols"), [(1, 2), (2, 1), (3, 4), (4, 5), (7, 26), (30, 3)])
def test_masks_are_those_cell_by_cell(rows, cols):
    rules = variant(f"konane:rows={rows},cols={cols}").rules
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    assert rules.white == sum(1 << i for i, (row, col) in enumerate(cells) if (row + col) % 2 == 0)
    assert rules.black == sum(1 << i for i, (row, col) in enumerate(cells) if (row + col) % 2 == 1)
    assert rules.east == sum(1 << i for i, (_, col) in enumerate(cells) if col + 2 < cols)
    assert rules.west == sum(1 << i for i, (_, col) in enumerate(cells) if col >= 2)


def test_boards_of_any_size_are_played():
    v = variant("konane:rows=120,cols=26,any_piece")
    position = v.start()
    for _ in range(30):
        assert v.parse(v.show(position)) == position == v.unhash(v.hash(position))
        move = max(v.generate_moves(position))
        assert v.parse_move(position, v.move_name(position, move)) == move
        position = v.do_move(position, move)
    lines = v.draw(position).splitlines()
    assert lines[0].startswith("120  ") and lines[-1].endswith(" x y z") and len(lines) == 122


def test_the_default_start_of_every_board_gives_white_a_jump_if_any_pair_does():
    stuck = set()
    for rows in range(1, 13):
        for cols in range(1, 13):
            if rows * cols < 2 or (rows, cols) == (3, 4):
                continue
            v = variant(f"konane:rows={rows},cols={cols}")
            white, black, _, _ = v.start()
            gone = sorted((i // cols, i % cols) for i in range(rows * cols) if not (white | black) >> i & 1)
            assert gone == sorted(literal_start(rows, cols)), v.name
            if v.primitive(v.start()) != UNDECIDED:
                stuck.add((rows, cols))
    assert stuck == {(1, 2), (2, 1), (1, 3), (3, 1), (2, 2)}
