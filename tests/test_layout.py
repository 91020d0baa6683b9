"""What follows from a declared layout: numbers, texts, names of moves, and what is refused of each."""

from types import SimpleNamespace

import pytest
from support import ROOT

from gamesman.boards import points, squares
from gamesman.compiler.compile import Compiler
from gamesman.errors import MoveError, PositionError, TooLarge
from gamesman.layout import Cell, Count, Layout, Pieces, Turn
from gamesman.model.game import built_in, load
from gamesman.model.meaning import digest, instructions, source
from gamesman.model.random_play import random_positions
from gamesman.model.variant import variant
from gamesman.solver.solve import solve
from gamesman.values import UNDECIDED
from gamesman.writing import can_write


def module(layout, fields=(), **written):
    """A game of nothing but a layout and what is written."""
    made = SimpleNamespace(__name__="made", Rules=SimpleNamespace(_fields=fields), layout=layout, **written)
    vars(made).update(layout.functions(made))
    return made


BOARD = squares(2, 3)
EVERYTHING = Layout(lambda rules: BOARD, Pieces("x"), Turn(), Cell(), Count("most"), Pieces("o"))
RULES = SimpleNamespace(cells=6, most=4)
GAME = module(EVERYTHING, start=lambda rules: (0, 0, -1, 0, 0))


def every_position():
    return [
        (x, who, cell, count, o)
        for x in (0, 1, 0b100110, 0b111111)
        for o in (0, 0b001001 & ~x, 0b111111 & ~x)
        for who in (0, 1)
        for cell in range(-1, 6)
        for count in range(5)
    ]


def test_every_position_has_a_key_of_its_own_below_the_bound():
    keys = {GAME.hash(RULES, position): position for position in every_position()}
    assert len(keys) == len(set(every_position()))
    assert all(GAME.unhash(RULES, key) == position for key, position in keys.items())
    assert min(keys) >= 0 and max(keys) < GAME.key_bound(RULES) == 2**13 * 7 * 5


def test_every_position_is_read_as_it_is_written():
    for position in every_position():
        assert GAME.parse(RULES, GAME.show(RULES, position)) == position
    assert GAME.show(RULES, (0b000011, 1, 2, 3, 0b100000)) == "(2 c1 3 --o xx-)"
    assert GAME.show(RULES, (0, 0, -1, 0, 0)) == '(1 "" 0 --- ---)'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('(3 "" 0 --- ---)', 'expected 1 or 2 to move, got 3: (3 "" 0 --- ---)'),
        ("(1)", 'expected a cell or "" after the player to move, got nothing: (1)'),
        ("(1 a1)", "expected a number after the player to move, got nothing: (1 a1)"),
        ("(1 d1 0 --- ---)", "expected a cell from a1 to c2, got d1"),
        ("(1 a1 5 --- ---)", "expected a number from 0 to 4, got 5: (1 a1 5 --- ---)"),
        ("(1 a1 4 --- --)", "expected 2 rows of 3 cells of x, o or -, got 2 cells in row 2: (1 a1 4 --- --)"),
        ("(1 a1 4 --- --y)", "expected 2 rows of 3 cells of x, o or -, got y: (1 a1 4 --- --y)"),
    ],
)
def test_a_text_that_is_no_position_is_told_why(text, said):
    with pytest.raises(PositionError) as error:
        GAME.parse(RULES, text)
    assert str(error.value) == said


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("connect4:rows=2,cols=3", "(o --x ---)", "expected a position that can arise in the game, got (o --x ---)"),
        ("connect4:rows=2,cols=3", "(o --- ---)", "expected x to move, got o with these pieces: (o --- ---)"),
        ("teeko:size=3,pieces=2", "(b bb- b-- ---)", "expected 0 to 2 pieces b, got 3: (b bb- b-- ---)"),
        (
            "teeko:size=3,pieces=2",
            "(r --- rrb ---)",
            "expected numbers of pieces that can be at once, got 1 b and 2 r: ",
        ),
        ("teeko:size=3,pieces=2", "(b --- -rb b--)", "expected the other player to move with 2 b and 1 r: "),
        (
            "chomp",
            "(1 ##--- ----- ##### #####)",
            "expected a bar with the poisoned square, and no square without those",
        ),
        ("l_game", "(r nbb- -rb- -rb- -r-n)", "expected an L of four cells each, r and b, and two neutral pieces n: "),
    ],
)
def test_a_position_that_cannot_arise_is_refused(name, text, said):
    with pytest.raises(PositionError) as error:
        variant(name).parse(text)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize(
    ("name", "move", "said"),
    [
        ("dodgem", "a1-a2", "a1-a2 is no move here; moves: a2-a1, a2-b2, a3-b3"),
        ("dodgem", "a2-a1-a0", "expected a cell from a1 to c3, got a0; moves: a2-a1, a2-b2, a3-b3"),
        ("dodgem", "a2-c2", "a2-c2: from a2 a move goes to a1, b2"),
        ("othello:rows=4", "pass", "pass is for where there is no other move, and there is: a3, b4, c1, d2"),
        ("othello:rows=4", "b2", "b2 is taken"),
        ("othello:rows=4", "a1", "a1 is no move here; moves: a3, b4, c1, d2"),
        ("othello:rows=4", "e1", "expected a cell from a1 to d4, got e1"),
    ],
)
def test_a_move_that_is_none_is_told_why(name, move, said):
    v = variant(name)
    with pytest.raises(MoveError) as error:
        v.parse_move(v.start(), move)
    assert str(error.value) == said


def test_moves_with_names_of_the_games_own_are_answered_with_these():
    """What is put on b1 may be the one or the other: there it does not matter which cells there are."""
    names = dict(zip(range(4), ("xa1", "oa1", "xb1", "ob1"), strict=True))
    mine = module(
        Layout(lambda rules: BOARD, Pieces("x"), Turn()),
        primitive=lambda rules, position: UNDECIDED,
        generate_moves=lambda rules, position: iter(names),
        ends=lambda rules, position, move: (move // 2,),
        move_name=lambda rules, position, move: names[move],
    )
    assert [mine.parse_move(RULES, (0, 0), name) for name in names.values()] == [*names]
    for wrong in ("b1", "q", "xa1-b1"):
        with pytest.raises(MoveError, match=f"^{wrong} is no move here; moves: oa1, ob1, xa1, xb1$"):
            mine.parse_move(RULES, (0, 0), wrong)


def test_what_a_game_writes_itself_wins():
    mine = module(Layout(lambda rules: BOARD, Pieces("x"), Turn()), show=lambda rules, position: "mine")
    assert mine.show(RULES, (0, 0)) == "mine"
    assert mine.hash(RULES, (0b101, 1)) == 0b1011


def test_a_numbering_is_for_one_or_two_kinds_of_pieces():
    with pytest.raises(ValueError, match="one or two Pieces"):
        module(Layout(lambda rules: BOARD, Pieces("x"), Cell()), fields=("numbering",))


def test_tiers_are_named_by_their_pieces():
    v = variant("teeko:size=4")
    name = v.game.functions["tier_name"]
    assert name(v.rules, v.tier(v.start())) == "0 black, 0 red"
    assert name(v.rules, v.tier(v.parse("(b bbr- r--- ---- ----)"))) == "2 black, 2 red"
    assert variant("abalone").tier_name(8) == "5 black, 5 white"


def test_a_refusal_names_the_largest_that_is_not_refused():
    with pytest.raises(
        TooLarge, match=r"^othello cannot be solved: .*; the largest that was solved is othello:rows=4,"
    ):
        solve(variant("othello"))


@pytest.mark.parametrize("game", "clobber connect4 ctf domineering hex_abalone othello quixo".split())
def test_a_game_whose_usual_board_is_too_large_names_the_largest_that_was_solved(game):
    largest = load(game).smaller_than(game).removeprefix("; the largest that was solved is ")
    assert variant(largest).name == largest != game


CLOBBER = (ROOT / "games" / "clobber.py").read_text()
FIELDS = 'Pieces("w"), Pieces("b"), Turn()'


@pytest.fixture
def meanings(tmp_path):
    """What a file means, and what its compiled code is kept under, with its layout's fields replaced by others."""

    def meanings(fields):
        (tmp_path / "game.py").write_text(CLOBBER.replace(FIELDS, fields))
        game = load(str(tmp_path / "game.py"))
        functions = [game.functions[name] for name in ("hash", "unhash")]
        return game.meaning, Compiler(game).key, *(digest(functions, show=show) for show in (source, instructions))

    return meanings


def test_games_that_differ_in_their_layouts_alone_have_other_meanings(meanings):
    assert FIELDS in CLOBBER
    first, *others = map(meanings, [FIELDS, 'Turn(), Pieces("w"), Pieces("b")', 'Pieces("b"), Turn(), Pieces("w")'])
    for other in others:
        assert all(mine != theirs for mine, theirs in zip(first, other, strict=True))


def test_letters_of_a_layout_and_how_often_it_was_filled_in_are_no_part_of_the_meaning(meanings):
    meaning, _, *digests = meanings(FIELDS)
    again, _, *others = meanings('Pieces("x"), Pieces("o"), Turn()')
    assert (meaning, digests) == (again, others)
    assert meaning == load("clobber").meaning


def test_functions_of_a_layout_are_known_by_their_source():
    """Their instructions are others in other versions of Python."""
    function = load("clobber").functions["hash"]
    text, names = source(function)
    assert text.startswith("FunctionDef(name='hash'")
    assert "cells" in names


@pytest.mark.parametrize("game", [name for name in built_in() if hasattr(load(name).module, "layout")])
def test_what_is_written_for_one_board_does_what_the_functions_for_all_do(game):
    of = variant(game)
    functions, layout = of.game.functions, of.game.module.layout
    assert can_write(layout.board(of.rules), layout.pieces)
    for position in random_positions(of, 50):
        text = of.show(position)
        assert text == functions["show"](of.rules, position)
        assert of.hash(position) == functions["hash"](of.rules, position)
        assert not of.has("tier") or of.tier(position) == functions["tier"](of.rules, position)
        is_read = not {Cell, Count} & {*map(type, layout.fields)}
        assert of.unshow(text) == (position if is_read else None)
        assert of.unshow(text[:-1]) is None and of.unshow(f" {text}") is None and of.unshow(f"(_{text[2:]}") is None


def test_only_what_is_written_so_is_read_back():
    of = variant("abalone")
    for text in [
        "(b bbb- b--w b--w -wwx)",
        "(b bbb- b--w b--w -ww_)",
        "(b bbb- b--wwb--w -www)",
        "(b bbb- b--w b--w -www ",
    ]:
        assert of.unshow(text) is None
    assert of.unshow("(w ---- ---- ---- ---b)") == (1 << 15, 0, 1)  # whether it can arise is not asked


def test_every_field_is_written_for_one_board_as_for_all():
    show = GAME.show.of_rules(RULES)
    for position in every_position():
        assert show(position) == GAME.show(RULES, position)


def test_a_large_board_is_written_and_a_cell_with_two_pieces_is_not():
    of = variant("konane:rows=9,cols=9")
    assert of.parse(of.show(of.start())) == of.start()
    with pytest.raises(KeyError):
        GAME.show(RULES, (1, 0, -1, 0, 1))
    with pytest.raises(ValueError):
        GAME.show(RULES, (1 << 6, 0, -1, 0, 1))


def test_a_ring_of_points_goes_round():
    ring = points("a b c a", at=(("a", 0, 1), ("b", 1, 0), ("c", -1, 0)))
    assert ring.neighbours("line") == (0b110, 0b101, 0b011)
    assert set(ring.rays["line"][0]) == {(1, 2), (2, 1)}
    assert len(ring.symmetries) == 1


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (1, 4), (3, 3), (4, 6), (8, 8)])
def test_lines_and_neighbours_of_squares_are_those_cell_by_cell(rows, cols):
    board, cells = squares(rows, cols), [(r, c) for r in range(rows) for c in range(cols)]
    for i, (r, c) in enumerate(cells):
        near = {j for j, (r2, c2) in enumerate(cells) if max(abs(r - r2), abs(c - c2)) == 1}
        assert board.neighbours("king")[i] == sum(1 << j for j in near)
    for length in (1, 2, 3):
        ways = ((0, 1), (1, 0), (1, 1), (1, -1))
        lines = {frozenset((r + a * k, c + b * k) for k in range(length)) for r, c in cells for a, b in ways}
        inside = {sum(1 << cells.index(cell) for cell in line) for line in lines if line <= set(cells)}
        assert set(board.lines(length, "king")) == inside
