"""One text names a variant everywhere, and whatever the text, it is a variant or an error of one line."""

import re
import string
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support import SUPPORT

from gamesman.errors import BrokenGame, CallError, GamesmanError, MoveError, OptionError, PositionError, UnknownGame
from gamesman.model.game import built_in
from gamesman.model.variant import variant, variants


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("konane", "konane"),
        ("konane:", "konane"),
        (" konane : rows = 4 ", "konane:rows=4"),
        ("konane:rows=3,cols=4,misere=no,any_piece=no", "konane"),
        ("konane:misere,rows=4", "konane:rows=4,misere"),
        ("konane:misere=yes", "konane:misere"),
        ("konane:rows=04", "konane:rows=4"),
        ("konane:removed=d2,b1", "konane"),
        ("konane:removed=a1,a2,misere", "konane:removed=a1,a2,misere"),
        ("konane:misere,removed=a2,a1", "konane:removed=a1,a2,misere"),
        ('konane:start=(w "" wbwb bwb- w-wb)', "konane"),
        ("konane:start=(b d1 wbw- b--- --wb)", "konane:start=(b d1 wbw- b--- --wb)"),
        ("konane:start=( b   d1 wbw- b--- --wb ),misere", "konane:start=(b d1 wbw- b--- --wb),misere"),
        ("abalone:cols=4,rows=3", "abalone:rows=3"),
        ("ctf:size=3,start=wWw---bBb", "ctf:size=3"),
    ],
)
def test_the_canonical_name_leaves_out_what_is_default(text, name):
    assert variant(text).name == name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("konan", "no such game: konan (did you mean konane?); run: gamesman games"),
        ("", "no such game: nothing; run: gamesman games"),
        (":rows=3", "no such game: nothing; run: gamesman games"),
        ("konane:rows=0", "rows must be 1 or more, got 0"),
        ("konane:rows=2,rows=3", "rows is given twice in rows=2,rows=3"),
        ("konane:,", "expected OPTION=VALUE, got nothing in ,"),
        ("konane:=4", "expected OPTION=VALUE, got =4 in =4"),
        ("konane:misere,", "expected OPTION=VALUE, got nothing in misere,"),
        (
            "konane:rwos=4",
            "no such option: rwos (did you mean rows?); options: rows, cols, start, removed, misere, any_piece",
        ),
        ("konane:rows=4,start=(b d1 wbw- b--- --wb)", "start: expected 4 rows of 4 cells"),
        ("konane:cols=27", "cols must be 1 to 26, got 27"),
        ("konane:rows=1,cols=1", "rows and cols must make a board of 2 cells or more, got 1 and 1"),
        ("abalone:rows=2", "rows must be 3 or more, got 2"),
        ("abalone:rows=3,cols=3,captures=4", "captures must be 1 to 3, got 4"),
        ("./nowhere.py", "no such game file: ./nowhere.py"),
        ("./nowhere.py:size=3", "no such game file: ./nowhere.py"),
    ],
)
def test_a_wrong_variant_gets_one_line(text, said):
    with pytest.raises(CallError) as raised:
        variant(text)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)
    assert raised.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("konane:rows=3..4", ["konane", "konane:rows=4"]),
        ("konane:rows=4|3|4", ["konane:rows=4", "konane"]),
        ("konane:rows=1..2|4", ["konane:rows=1", "konane:rows=2", "konane:rows=4"]),
        ("konane:rows= 1 .. 2 ", ["konane:rows=1", "konane:rows=2"]),
        ("konane:misere=*", ["konane", "konane:misere"]),
        ("konane:misere=yes|no", ["konane:misere", "konane"]),
        (
            "hex_abalone:edge=3,corner=*",
            ["hex_abalone:edge=3"] + [f"hex_abalone:edge=3,corner={c}" for c in ("any", "none")],
        ),
        ("konane:removed=a1,a2|b1,b2", ["konane:removed=a1,a2", "konane:removed=b1,b2"]),
        ("konane:rows=3..4,cols=4|5", ["konane", "konane:cols=5", "konane:rows=4", "konane:rows=4,cols=5"]),
    ],
)
def test_ranges_lists_and_stars_stand_for_all_combinations(text, names):
    assert [v.name for v in variants(text)] == names


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("konane:rows=4..3", "rows must be a range like 3..5, got 4..3"),
        ("konane:rows=..3", "rows must be a whole number, got nothing"),
        ("konane:rows=1..99999999", "expected at most 10000 variants, got rows=1..99999999"),
        ("konane:rows=1..9999,cols=1..26", "expected at most 10000 variants, got 259974"),
        ("konane:rows=*", "rows=* has no end; give a range like rows=3..5"),
        ("konane:start=*", "start=* has no end; name the texts one by one"),
        ("konane:misere=yes..no", "misere must be yes or no, got yes..no"),
        ("konane:misere=", "misere must be yes or no, got nothing"),
    ],
)
def test_a_wrong_range_gets_one_line(text, said):
    with pytest.raises(OptionError) as raised:
        variants(text)
    assert said in str(raised.value)


def test_a_fingerprint_tells_variants_apart_and_a_name_written_otherwise_does_not_matter():
    assert variant("konane:rows=4").fingerprint == variant("konane:cols=4,rows=4").fingerprint
    every = variants("konane:rows=3..5,cols=3..5,misere=*,any_piece=*")
    assert len({v.fingerprint for v in every}) == len(every) == 36


def test_a_fingerprint_changes_with_the_source_of_the_game(tmp_path):
    path = tmp_path / "stairs.py"
    text = (SUPPORT / "stairs.py").read_text()
    path.write_text(text)
    before = variant(str(path)).fingerprint
    path.write_text(text.replace("else LOSE", "else 1 - 1"))
    assert variant(str(path)).fingerprint != before


def test_a_move_is_legal_here_or_says_why_not():
    v = variant("konane")
    begun = v.start()
    assert v.move_name(begun, v.parse_move(begun, " b2-d2 ")) == "b2-d2"
    with pytest.raises(MoveError, match="pass is for a go-again turn"):
        v.parse_move(begun, "pass")


@pytest.mark.parametrize("own_parser", ["", "\n\nparse_move = None\n"])
def test_there_is_no_move_where_the_game_is_over(tmp_path, own_parser):
    path = tmp_path / "stairs.py"
    path.write_text((SUPPORT / "stairs.py").read_text() + own_parser)
    v = variant(str(path))
    said = "down is not legal in (0 1 0)" if not own_parser else "the game is over in (0 1 0): there is no move down"
    with pytest.raises(MoveError, match=f"^{re.escape(said)}$"):
        v.parse_move(v.parse("(0 1 0)"), "down")


def test_without_a_parser_of_its_own_a_game_reads_the_names_of_its_moves(tmp_path):
    path = tmp_path / "stairs.py"
    path.write_text((SUPPORT / "stairs.py").read_text() + "\n\nparse_move = draw = None\n")
    v = variant(str(path))
    assert v.parse_move(v.start(), " right ") == 1
    assert v.draw(v.start()) == v.show(v.start())
    with pytest.raises(MoveError, match=r"^expected one of right, down, got left$"):
        v.parse_move(v.start(), "left")


def test_a_parser_that_stumbles_gives_an_error_of_one_line(tmp_path):
    v = variant(str(SUPPORT / "stairs.py"))
    with pytest.raises(PositionError, match=r"^cannot read \(a b c\): ValueError: invalid literal"):
        v.parse("(a b c)")


CHARACTERS = string.ascii_lowercase + string.digits + ":=,.|*()\"'_-/\\ \n\t\0é²٣"
PIECES = [
    "konane",
    "abalone",
    "ctf",
    "hex_abalone",
    "tictactoe",
    "rows",
    "cols",
    "size",
    "edge",
    "misere",
    "start",
    "removed",
]
WORDS = st.lists(
    st.sampled_from([*PIECES, *":=,|*()", "..", "3", "4", "yes", "no", "b2", '"', "wWBb", "-", ".py", "/"]), max_size=12
)


@pytest.mark.slow
@example("konane:start=(")
@example("konane:rows=²")
@example("/")
@example("\0.py")
@example("a" * 5000 + ".py")
@example("konane:" + "rows=1|" * 20_000)
@given(st.one_of(st.text(CHARACTERS, max_size=50), WORDS.map("".join), st.text(max_size=30)))
def test_any_text_at_all_is_a_variant_or_an_error_of_one_line(text):
    for read in (variant, variants):
        try:
            found = read(text)
        except GamesmanError as error:
            assert len(str(error).splitlines()) == 1
            assert len(str(error)) < 400
        else:
            for v in found if isinstance(found, list) else [found]:
                assert variant(v.name).name == v.name


def test_an_unknown_game_is_an_error_of_its_own():
    with pytest.raises(UnknownGame):
        variant("chess")


@pytest.mark.parametrize("game", built_in())
def test_every_game_has_a_variant_without_any_options(game):
    assert variant(game).name == game


def with_data(tmp_path: Path, names: str) -> str:
    path = tmp_path / "game.py"
    path.write_text((SUPPORT / "stairs.py").read_text() + f"\n\ndata_files = {names}\n")
    return str(path)


def test_a_fingerprint_changes_with_the_files_that_a_game_says_it_reads(tmp_path):
    found = set()
    for content in ("one", "two", "one"):
        (tmp_path / "openings.txt").write_text(content)
        found.add(variant(with_data(tmp_path, '["openings.txt"]')).fingerprint)
    found.add(variant(with_data(tmp_path, "[]")).fingerprint)
    assert len(found) == 3


def test_comments_and_what_is_only_shown_leave_a_fingerprint_as_it_is(tmp_path):
    path = tmp_path / "stairs.py"
    text = (SUPPORT / "stairs.py").read_text()
    found = set()
    for other in (
        text,
        f"# a comment\n{text}",
        text.replace("def show(rules, position):", "def show(rules, position, x=0):"),
    ):
        path.write_text(other)
        found.add(variant(str(path)).fingerprint)
    assert len(found) == 1


@pytest.mark.parametrize(
    ("names", "said"),
    [('["nowhere.txt"]', "nowhere.txt, which data_files names, cannot be read: No such file"), ("3", "must be a list")],
)
def test_data_files_that_are_not_there_are_told(tmp_path, names, said):
    with pytest.raises(BrokenGame, match=said):
        variant(with_data(tmp_path, names))
