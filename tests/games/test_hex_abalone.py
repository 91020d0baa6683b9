"""Abalone on a hexagon: the rules and rulings, one by one, the drawing, and the notation both ways."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.playing import after, names
from support.refusing import assert_read_or_refused, refusal

from gamesman.errors import MoveError, OptionError, PositionError
from gamesman.model.variant import variant
from gamesman.values import LOSE, TIE, UNDECIDED, WIN

# The rules' own drawing of the board.
DRAWN = """
            A4  A5  A6  A7
        B3  B4  B5  B6  B7
    C2  C3  C4  C5  C6  C7
D1  D2  D3  D4  D5  D6  D7
    E1  E2  E3  E4  E5  E6
        F1  F2  F3  F4  F5
            G1  G2  G3  G4
""".strip().split("\n")


def placed(turn, blue, red=""):
    """Return an edge 4 position as text, from the names of the cells."""
    letter = dict.fromkeys(blue.split(), "b") | dict.fromkeys(red.split(), "r")
    return f"({turn} {' '.join(''.join(letter.get(cell, '-') for cell in row.split()) for row in DRAWN)})"


def test_the_start_is_as_the_rules_say():
    v = variant("hex_abalone")
    assert v.show(v.start()) == "(b bbbb bbbbb --bb-- ------- --rr-- rrrrr rrrr)"
    assert v.draw(v.start()).splitlines() == [
        "   A  b b b b",
        "  B  b b b b b",
        " C  - - b b - -",
        "D  - - - - - - -",
        " E  - - r r - - 7",
        "  F  r r r r r 6",
        "   G  r r r r 5",
        "       1 2 3 4",
    ]


@pytest.mark.parametrize(
    ("edge", "text", "captures"),
    [
        (2, "(b bb --- rr)", 1),
        (3, "(b bbb -bb- ----- -rr- rrr)", 2),
        (5, "(b bbbbb bbbbbb --bbb-- -------- --------- -------- --rrr-- rrrrrr rrrrr)", 6),
    ],
)
def test_other_edges_start_alike(edge, text, captures):
    v = variant(f"hex_abalone:edge={edge}")
    assert v.show(v.start()) == text
    assert v.options.captures == captures
    assert v.name == variant(f"hex_abalone:edge={edge},captures={captures}").name


def test_every_cell_is_drawn_where_its_row_and_its_diagonal_meet():
    v = variant("hex_abalone:captures=11")
    for row, cells in enumerate(DRAWN):
        for cell in cells.split():
            drawn = v.draw(v.parse(placed("b", cell))).splitlines()
            assert drawn[row].split()[0] == cell[0]
            below, column = row, drawn[row].index("b")
            while below == row or drawn[below][column] == "-":
                below, column = below + 1, column + 1
            assert drawn[below][column] == cell[1]


def test_the_steps_go_to_the_neighbours_in_the_rules_drawing():
    v = variant("hex_abalone:captures=11")
    position = v.parse(placed("b", "D4 C4 C5 D3 D5 E3 E4", "A4"))
    moves = {name for name in names(v, position) if name.startswith("D4")}
    assert moves == {f"D4 {cell}" for cell in ("C4", "C5", "D3", "D5", "E3", "E4")}


def test_a_game_goes_as_the_rules_say():
    v = variant("hex_abalone:captures=1")
    position = v.start()
    for move, text in [
        ("B5 C5", "(r bbbb bb-bb --bb-- ----b-- --rr-- rrrrr rrrr)"),
        ("F4 E4", "(b bbbb bb-bb --bb-- ---rb-- --rr-- rrr-r rrrr)"),
    ]:
        position = v.do_move(position, v.parse_move(position, move))
        assert v.show(position) == text


@pytest.mark.parametrize(
    ("move", "before", "beyond"),
    [
        ("D3 D4", placed("b", "D3 D4 A4", "D6 G1"), placed("r", "D4 D5 A4", "D6 G1")),
        ("D4 D5", placed("b", "D4 D5 A4", "D6 G1"), placed("r", "D5 D6 A4", "D7 G1")),
        ("D5 D6", placed("b", "D5 D6 A4", "B7 G1"), placed("r", "D6 D7 A4", "B7 G1")),
        ("B4 C4", placed("b", "B4 C4 A7", "D4 G1"), placed("r", "C4 D4 A7", "E4 G1")),
        ("C5 D4", placed("b", "C5 D4 A7", "E3 G4"), placed("r", "D4 E3 A7", "F2 G4")),
        ("D3 C3", placed("b", "D3 C3 A7", "B3 G4"), placed("r", "C3 B3 A7", "G4")),
    ],
)
def test_a_pair_moves_and_pushes_one_token(move, before, beyond):
    assert after("hex_abalone:captures=11", move, start=before) == beyond


def test_a_side_that_is_stuck_ends_the_game_by_the_word_or_when_it_is_to_move():
    """Red's only two tokens stand apart; blue has a pair."""
    for turn, mover, either in (("b", UNDECIDED, TIE), ("r", TIE, TIE)):
        text = placed(turn, "D4 D5", "G1 A7")
        for stuck, value in (("mover", mover), ("either", either)):
            v = variant(f"hex_abalone:captures=11,stuck={stuck}")
            assert v.primitive(v.parse(text)) == value
    v = variant("hex_abalone:captures=11,stuck=either")
    with pytest.raises(MoveError, match="D4 D5: the game is over"):
        v.parse_move(v.parse(placed("b", "D4 D5", "G1 A7")), "D4 D5")
    assert variant("hex_abalone:stuck=mover").name == "hex_abalone"
    assert variant("hex_abalone:edge=3,stuck=either").name == "hex_abalone:edge=3,stuck=either"


@pytest.mark.parametrize("stuck", ["mover", "either"])
def test_moves_are_taken_back_where_a_side_may_be_stuck(stuck):
    """Of a few tokens anywhere: what a move leads to has it among what is taken back, and only such."""
    v, draw = variant(f"hex_abalone:edge=3,captures=5,stuck={stuck}"), random.Random(5)
    met = {UNDECIDED: 0, TIE: 0}
    for _ in range(400):
        tokens = list("bbbrrr" + "-" * 13)
        draw.shuffle(tokens)
        position = v.parse(
            f"({draw.choice('br')} {' '.join(''.join(tokens.pop() for _ in range(n)) for n in (3, 4, 5, 4, 3))})"
        )
        met[v.primitive(position)] += 1
        before = list(v.undo_moves(position))
        for earlier in before:
            assert v.primitive(earlier) == UNDECIDED
            assert position in [v.do_move(earlier, move) for move in v.generate_moves(earlier)]
        if v.primitive(position) == UNDECIDED:
            for move in v.generate_moves(position):
                child = v.do_move(position, move)
                if v.tier(child) == v.tier(position):
                    assert position in list(v.undo_moves(child))
    assert min(met.values()) > 50


CORNERED = "A4 G4"
OUT = {"C4 B4": "straight out", "A6 A5": "along the upper edge", "C2 B3": "along the left edge"}


@pytest.mark.parametrize(
    ("corner", "allowed"),
    [("axis", {"A6 A5", "C2 B3"}), ("any", set()), ("none", {"C4 B4", "A6 A5", "C2 B3"})],
)
@pytest.mark.parametrize("pair", OUT, ids=OUT.get)
def test_who_is_safe_in_a_corner(corner, allowed, pair):
    v = variant(f"hex_abalone:captures=11,corner={corner}")
    position = v.parse(placed("r", CORNERED, pair))
    if pair in allowed:
        moved = v.show(v.do_move(position, v.parse_move(position, pair)))
        assert moved == placed("b", "G4", f"{pair.split()[1]} A4")
    else:
        assert pair not in names(v, position)
        with pytest.raises(MoveError, match=f"{pair}: the token at A4 is safe in its corner"):
            v.parse_move(position, pair)


def test_a_token_on_an_edge_but_no_corner_is_never_safe():
    for corner in ("axis", "any", "none"):
        v = variant(f"hex_abalone:captures=11,corner={corner}")
        assert "C5 B5" in names(v, v.parse(placed("r", "A5 G4", "C5 B5")))


def test_who_has_lost_the_tokens_has_lost():
    v = variant("hex_abalone:edge=3")
    position = v.parse("(b bbb ---- ----- -rr- rrr)")
    assert v.primitive(position) == LOSE
    assert v.primitive(v.parse("(r bbb ---- ----- -rr- rrr)")) == WIN
    with pytest.raises(MoveError, match="A3 A4: the game is over"):
        v.parse_move(position, "A3 A4")


def test_a_player_without_a_legal_move_has_a_draw():
    v = variant("hex_abalone:edge=2")
    assert v.primitive(v.start()) == TIE
    alone = variant("hex_abalone:captures=11")
    assert alone.primitive(alone.parse(placed("b", "A4 D4 G4", "D6 D7"))) == TIE
    assert alone.primitive(alone.parse(placed("r", "A4 D4 G4", "D6 D7"))) == UNDECIDED


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("", "expected a move like C4 C5, got nothing"),
        ("A4B4", "expected a move like C4 C5, got A4B4"),
        ("a4 b4", "expected a move like C4 C5, got a4 b4"),
        ("A4-B4", "expected a move like C4 C5, got A4-B4"),
        ("A4 B4 C4", "expected a move like C4 C5, got A4 B4 C4"),
        ("A04 B4", "expected a move like C4 C5, got A04 B4"),
        ("A3 B3", "A3 B3: there is no cell A3 on a board of edge 4"),
        ("H1 G1", "H1 G1: there is no cell H1 on a board of edge 4"),
        ("A4 A6", "A4 A6: the two tokens of a pair must be neighbours"),
        ("A4 B5", "A4 B5: the two tokens of a pair must be neighbours"),
        ("C4 D4", "C4 D4: D4 holds no token of Blue"),
        ("G1 F1", "G1 F1: G1 holds no token of Blue"),
        ("B4 A4", "B4 A4: it would push an own token off the board"),
        ("A4 B4", "A4 B4: a third own token stands in the way at C4"),
    ],
)
def test_an_illegal_move_is_told_why(move, reason):
    v = variant("hex_abalone")
    assert refusal(MoveError, v.parse_move, v.start(), move) == reason


@pytest.mark.parametrize(
    ("blue", "red", "reason"),
    [
        ("D1 D2", "D3 D4", "a pair pushes one token, and there are two or more in line at D3"),
        ("D1 D2 D4", "D3 G1", "the token at D3 has no room, an own token stands behind it"),
    ],
)
def test_a_push_without_room_is_told_why(blue, red, reason):
    v = variant("hex_abalone:captures=11")
    assert refusal(MoveError, v.parse_move, v.parse(placed("b", blue, red)), "D1 D2") == f"D1 D2: {reason}"


def test_a_move_may_have_more_blanks():
    v = variant("hex_abalone")
    assert v.parse_move(v.start(), "  B5   C5 ") == v.parse_move(v.start(), "B5 C5")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("(b bbbb bbbbb --bb-- ------- --rr-- rrrrr)", "expected 7 rows of 4, 5, 6, 7, 6, 5, 4 cells of b, r or -"),
        ("(b bbb bbbbb --bb-- ------- --rr-- rrrrr rrrr)", "expected 7 rows of 4, 5, 6, 7, 6, 5, 4 cells of b, r or -"),
        ("(b bbbw bbbbb --bb-- ------- --rr-- rrrrr rrrr)", "expected 7 rows"),
        ("(w bbbb bbbbb --bb-- ------- --rr-- rrrrr rrrr)", "expected b or r to move, got w"),
        ("(b bbbb bbbbb -bbb-- ------- --rr-- rrrrr rrrr)", "expected 7 to 11 pieces b, got 12"),
    ],
)
def test_a_malformed_position_is_told_why(text, reason):
    assert refusal(PositionError, variant("hex_abalone").parse, text).startswith(reason)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("hex_abalone:edge=1", "edge must be 2 to 13, got 1"),
        ("hex_abalone:edge=14", "edge must be 2 to 13, got 14"),
        ("hex_abalone:captures=12", "captures must be 1 to 11, got 12"),
        ("hex_abalone:corner=all", "corner must be axis, any or none, got all"),
    ],
)
def test_an_option_out_of_range_is_refused(name, reason):
    assert refusal(OptionError, variant, name).startswith(reason)


@given(st.text(alphabet="ABGbr-() 1234d\n", max_size=60))
def test_any_text_is_read_or_refused_in_one_line(text):
    assert_read_or_refused(variant("hex_abalone"), text)


@pytest.mark.parametrize(
    ("name", "every"), [("edge=2", 1), ("edge=2,captures=2,corner=any", 3), ("edge=3,corner=none", 2_000_003)]
)
def test_a_move_can_be_read_if_and_only_if_it_is_generated(name, every):
    v = variant(f"hex_abalone:{name}")
    edge = v.rules.edge
    cells = [f"{row}{diagonal}" for row in "ABCDE"[: 2 * edge - 1] for diagonal in range(1, 2 * edge)]
    for key in range(0, v.key_bound() or 0, every):
        position = v.unhash(key)
        assert v.parse(v.show(position)) == position
        read = {}
        for text in (f"{one} {other}" for one in cells for other in cells):
            try:
                read[v.game.functions["parse_move"](v.rules, position, text)] = text
            except MoveError:
                continue
        moves = list(v.generate_moves(position)) if v.primitive(position) == UNDECIDED else []
        assert read == {move: v.move_name(position, move) for move in moves}
        assert len(set(moves)) == len(moves)


@pytest.mark.parametrize("edge", [5, 6, 13])
def test_a_board_of_any_size_can_be_played(edge):
    v = variant(f"hex_abalone:edge={edge}")
    position = v.start()
    for _ in range(4):
        moves = list(v.generate_moves(position))
        assert [v.parse_move(position, v.move_name(position, move)) for move in moves] == moves
        before, position = position, v.do_move(position, moves[-1])
        assert before in v.undo_moves(position)
        assert v.parse(v.show(position)) == position
        assert v.unhash(v.hash(position)) == position
    lines = v.draw(position).splitlines()
    assert [line.split()[0] for line in lines[:-1]] == list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"[: 2 * edge - 1])
    assert lines[-1].split() == [str(diagonal) for diagonal in range(1, edge + 1)]
    assert [line.split()[-1] for line in lines[edge:-1]] == [str(d) for d in range(2 * edge - 1, edge, -1)]


def test_the_estimate_favours_tokens_and_the_middle():
    v = variant("hex_abalone:captures=11")
    evaluate = v.game.functions["evaluate"]
    assert evaluate(v.rules, v.start()) == 0
    assert evaluate(v.rules, v.parse(placed("b", "D4 A4", "G4"))) > 150
    assert evaluate(v.rules, v.parse(placed("b", "D4", "G4"))) > 0
    assert evaluate(v.rules, v.parse(placed("r", "D4", "G4"))) < 0


@pytest.mark.parametrize("edge", [2, 3, 4, 5])
def test_the_estimate_is_the_same_however_the_board_is_turned(edge):
    v = variant(f"hex_abalone:edge={edge}")
    evaluate, symmetries = (v.game.functions[name] for name in ("evaluate", "symmetries"))
    chosen, position = random.Random(edge), v.start()
    for _ in range(40):
        assert {evaluate(v.rules, image) for image in symmetries(v.rules, position)} == {evaluate(v.rules, position)}
        moves = list(v.generate_moves(position)) if v.primitive(position) == UNDECIDED else []
        position = v.do_move(position, chosen.choice(moves)) if moves else v.start()
