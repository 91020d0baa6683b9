"""Mistakes that are made when a game is written: one at a time in a game that is right, each told in one line."""

import json
import re
import subprocess
import sys

import pytest
from support import ROOT

from gamesman import app
from gamesman.cli.main import cli
from gamesman.errors import BrokenGame, GamesmanError
from gamesman.model.beginning import first_file
from gamesman.model.check import check
from gamesman.model.variant import variant
from gamesman.solver.solve import solve
from gamesman.values import DRAW

RIGHT = first_file("mine", "3x3")

# What is written, what is written instead, and what is then said.
TOLD_AT_ONCE = [
    # the file
    (r'"""Mine.*?"""', "", r"^mine has no docstring; expected the rules for a person"),
    ("def do_move", "def domove", r"^mine lacks do_move \(did you mean domove\?\); see: CONTRIBUTING.md"),
    ("def start", "def begin", r"^mine lacks start; see"),
    ("def tier", "def tiers", r"^mine: tiers on line \d+ is not used \(did you mean tier\?\)"),
    ("def tier", "def undo_move(rules, position):\n    yield position\n\n\ndef tier", r"did you mean undo_moves\?"),
    (
        "def tier",
        "def keybound(rules):\n    return 99\n\n\ndef tier",
        r"keybound on line \d+ .*did you mean key_bound\?",
    ),
    ("def tier", "def evalute(rules, p):\n    return 0\n\n\ndef tier", r"did you mean evaluate\?"),
    # what a layout makes, meant to be written
    ("def tier", "def movename(rules, p, move):\n    return str(move)\n\n\ndef tier", r"did you mean move_name\?"),
    ("def tier", "def unhsh(rules, key):\n    return 0, 0, 0\n\n\ndef tier", r"did you mean unhash\?"),
    ("players =", "playrs: dict[str, str] =", r"playrs on line \d+ is not used \(did you mean players\?\)"),
    ("players =", "player =", r"^mine: player on line \d+ is not used \(did you mean players\?\)"),
    ("import each, popcount", "import eech, popcount", r"mine cannot be loaded: line 12: ImportError: .*gamesman.bits"),
    (r"def start\(rules\):", "def start(rules)", r"mine cannot be loaded: line \d+: SyntaxError: expected ':'"),
    # options
    (
        r"options = \[",
        "from gamesman.options import Choice\noptions = [\n    Choice('kind', choices=('a', 'b'), default='c'),",
        r"^kind must be a or b, got 'c' by default$",
    ),
    (
        r"options = \[",
        "from gamesman.options import Switch\noptions = [\n    Switch('kind', default='yes'),",
        r"^kind must be True or False, got 'yes' by default$",
    ),
    ("default=3, help", "default=3.0, help", r"^rows must be a whole number, got 3.0 by default$"),
    (
        r"options = \[",
        "from gamesman.options import Choice\noptions = [\n    Choice('kind', choices=()),",
        r"ValueError: kind must have choices, got \(\)$",
    ),
    # setup
    (
        r"squares\(o.rows, o.cols\)",
        "squares(o.rows, o.col)",
        r"no such option: col \(did you mean cols\?\).* on line \d+",
    ),
    (r"return Rules\(o.rows", "return Rules(o.rows, o.rows", r"setup failed: TypeError: .* on line \d+"),
    (r"return Rules\(", "return max, (", r"setup must return a NamedTuple, got tuple"),
    (
        "board.neighbours",
        "((1, 2), (3,), 4) or board.neighbours",
        r"setup must make beside .*whose rows are equally long",
    ),
    (
        "board.neighbours",
        "[1] or board.neighbours",
        r"setup must make beside an int or a table of ints, got \[1\] \(list\)",
    ),
    ("board.full", "'full'", r"setup must make board an int or a table of ints, got 'full'"),
    (
        "o.rows, o.cols, len",
        "1 << 40, o.cols, len",
        r"layout must have a board, .* of at most 1,048,576 cells, got 3,2",
    ),
    ("board.full", "1.5", r"setup must make board an int or a table of ints, got 1.5 \(float\)"),
    # start
    ("return 0, 0, 0", "return 0, 0", r"start must return a position, a tuple of 3 ints, got \(0, 0\)$"),
    ("return 0, 0, 0", "return 0.5, 0, 0", r"start must return a position, a tuple of 3 ints, got \(0.5, 0, 0\)$"),
    ("return 0, 0, 0", "return [0, 0, 0]", r"start must return a position, a tuple of ints"),
    ("return 0, 0, 0", "return 0, 0, 2", r"turn must return 0 or 1, got 2, at \(0, 0, 2\)$"),
    ("return 0, 0, 0", "return 0, 0, None", r"start must return a position"),
    # primitive
    ("    return LOSE", "    pass", r"primitive must return WIN, LOSE, TIE or UNDECIDED, got None"),
    (
        "    return LOSE",
        "    return UNDECIDED",
        r"generate_moves must yield a move where primitive says UNDECIDED, got none",
    ),
    ("    return LOSE", "    return 7", r"primitive must return WIN, LOSE, TIE or UNDECIDED, got 7"),
    ("    return LOSE", "    return True", r"primitive must return WIN, LOSE, TIE or UNDECIDED, got True"),
    ("    return LOSE", "    return LOOSE", r"primitive must not fail, got NameError: .*LOOSE.* on line \d+"),
    # generate_moves
    ("            yield cell", "            return [cell]", r"generate_moves must not fail|must yield"),
    (
        "            yield cell",
        "            yield cell\n            yield cell",
        r"must yield each move once, got 0 twice",
    ),
    ("            yield cell", "            yield str(cell)", r"generate_moves must yield an int, got '0'"),
    ("            yield cell", "            yield cell / 1", r"generate_moves must yield an int, got 0.0 \(float\)"),
    ("rules.beside", "rules.besides", r"has no attribute 'besides' \(did you mean beside\?\) on line \d+"),
    (r"rules.beside\[cell\]", "rules.beside[cell + 9]", r"IndexError: .* on line \d+, rules.beside\[cell \+ 9\], at"),
    (
        r"if not rules.beside\[cell\] & own",
        "while not rules.beside[cell] & own",
        r"must come to an end, got 100,000 moves",
    ),
    (
        "white, black, who = position\n    own",
        "white, black = position\n    own",
        r"ValueError: too many values .* on line",
    ),
    # do_move
    (
        r"return white, black \| 1 << move, 0",
        "return white, black | 1 << move",
        r"do_move must return a position, a tuple",
    ),
    (
        r"return white, black \| 1 << move, 0",
        "return white, black | 1 << move, 2",
        r"turn must return 0 or 1, got 2, at .*, where move \S+ leads",
    ),
    (r"return white, black \| 1 << move, 0", "return [white, black | 1 << move, 0]", r"do_move must return a position"),
    (r"return white, black \| 1 << move, 0", "return white, black | 1 << move + 9, 0", r"where move \S+ leads from"),
    (r"return white, black \| 1 << move, 0", "return white, -1, 0", r"where move \S+ leads from"),
    (
        r"return white, black \| 1 << move, 0",
        "return white, white, 0",
        r"do_move must put each piece on a cell of its own, got w and b both on a1, at \(1, 1, 0\), where move",
    ),
    # layout and board
    (
        r"Turn\(\)\)",
        "Turn)",
        r"on line \d+|cannot be loaded: line \d+: TypeError: a layout's fields .*: write Turn\(\)",
    ),
    (
        r'Pieces\("w"\)',
        'Pieces("b")',
        r"cannot be loaded: line \d+: ValueError: Pieces must have a letter of their own",
    ),
    (
        r"squares\(rules.rows, rules.cols\)",
        "squares(rules.rows, rules.rows - 1)",
        r"setup must make turned of the layout's board, as its turned\(\) does, got",
    ),
    (
        "board.neighbours",
        "board.mask('a9') or board.neighbours",
        r"setup failed: PositionError: expected a cell from a1 to c3, got a9 on line \d+",
    ),
    ("players =", 'largest = "row=4"\nplayers =', r"largest is 'row=4': no such option: row \(did you mean rows\?\)"),
    # tier
    (r"return rules.cells - popcount", "return popcount", r"tier must never rise, got 0, then 1 at"),
    (
        r"return rules.cells - popcount",
        "return -popcount",
        r"tier must be 0 or more, got -1, at .*, where move \S+ leads from",
    ),
    (r"return rules.cells - popcount", "return rules.cells / popcount", r"tier must not fail, got ZeroDivisionError"),
    (r"return rules.cells - popcount", "return rules.rows - popcount", r"tier must be 0 or more, got -1"),
    (
        "def tier",
        "def tier_name(rules, tier):\n    return ('none', 'one')[tier]\n\n\ndef tier",
        r"tier_name must not fail, got IndexError: .* on line \d+, \('none', 'one'\)\[tier\], at",
    ),
    # what is there for people and for pages
    ("players =", "shapes = {'q': 'disc'}\nplayers =", r"shapes: q is no piece, expected letters of wb$"),
    ("players =", "plural = 'x'\nplayers =", r"plural must be letters of players, out of wb, got 'x'$"),
    ("players =", "plural = True\nplayers =", r"plural must be letters of players, out of wb, got True$"),
    ("players =", "no_return = 'maybe'\nplayers =", r"no_return must be True or False, got 'maybe'$"),
    ("players =", "no_repetition = 5\nplayers =", r"no_repetition must be True or False, got 5$"),
    ("players =", "endgames = 'no_such'\nplayers =", r"endgames must name a module to import, got 'no_such'$"),
    ("players =", "endgames = 5\nplayers =", r"endgames must name a module to import, got 5$"),
    ("players =", "evaluate = 5\nplayers =", r"evaluate must be a function, got 5$"),
    ('"w": "White"', '"ww": "White"', r"players must have a letter and a name each, like .*, got {'ww': 'White'"),
    ('"w": "White"', '"w": 1', r"players must have a letter and a name each, like .*, got {'w': 1"),
    (
        "def tier",
        "def piles(rules, position):\n    return -1, 2\n\n\ndef tier",
        r"piles .* in each pile, got \(-1, 2\), at",
    ),
    ("def tier", "def piles(rules, position):\n    return 5\n\n\ndef tier", r"piles .* in each pile, got 5, at"),
    (
        "def tier",
        "def ends(rules, p, move):\n    return 9,\n\n\ndef tier",
        r"ends .* 0 to 8, got \(9,\) for move 0, at",
    ),
    ("def tier", "def ends(rules, p, move):\n    return move\n\n\ndef tier", r"ends .* 0 to 8, got 0 for move 0, at"),
    # symmetries
    (r"board.turned\(\)", "()", r"setup must make turned a row or more, as board.turned\(\) does, or have no such"),
    (r"board.turned\(\)", "((1, 0, 2, 3, 4, 5, 6, 7, 8),)", r"turned of the layout's board, .*, got \(1, 0, 2"),
    (r"board.turned\(\)", "board.turned()[0]", r"turned of the layout's board, .*, got 0 in it$"),
    (r"board.turned\(\)", "board.turned()[1:]", r"symmetries must yield the images of its images"),
]


def mistaken(folder, old, new):
    text, count = re.subn(old, new.replace("\\", r"\\"), RIGHT, count=1, flags=re.DOTALL)
    assert count, old
    (folder / "mine.py").write_text(text)
    return str(folder / "mine.py")


@pytest.mark.parametrize(("old", "new", "said"), TOLD_AT_ONCE)
def test_a_mistake_is_told_in_one_line_before_anything_is_solved(tmp_path, old, new, said):
    path = mistaken(tmp_path, old, new)
    try:
        check(variant(path))
        line = "mine: no complaint"
    except GamesmanError as error:
        line = str(error).replace(path, "mine")
    assert "\n" not in line
    assert re.search(said, line), line


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return 0, 0, 0", "return 0.5, 0, 0"),
        ("return 0, 0, 0", "return 0, 0"),
        ("return 0, 0, 0", "return 1 // 0"),
        (r"return white, black \| 1 << move, 0", "return white"),
        (r"return rules.cells - popcount", "return white // 0"),
        ("            yield cell", "            while True:\n                yield cell"),
        ("def tier", "def symmetries(rules, position):\n    while True:\n        yield position\n\n\ndef tier"),
    ],
)
def test_solve_says_of_a_function_that_is_asked_before_the_check_what_the_check_says(old, new, tmp_path, monkeypatch):
    path = mistaken(tmp_path, old, new)
    monkeypatch.setenv("GAMESMAN_DB", str(tmp_path))
    with pytest.raises(BrokenGame) as by_check:
        check(variant(path))
    with pytest.raises(BrokenGame) as by_solving:
        app.solve(variant(path))
    assert str(by_solving.value) == str(by_check.value)


def test_what_a_game_is_about_is_not_shown_where_its_functions_disagree(tmp_path, capsys):
    path = mistaken(tmp_path, "def do_move", "def ends(rules, position, move):\n    return 99, move\n\n\ndef do_move")
    assert cli.main(["info", path], standalone_mode=False) == 2
    said = capsys.readouterr().err
    assert re.search(
        r"mine.py: ends must return cells from 0 to 8, got \(99, 0\) for move 0, at .w --- --- ---.$", said.rstrip()
    ), said


@pytest.mark.slow
def test_a_start_that_no_move_leaves_is_pointed_out_and_a_draw(tmp_path, monkeypatch):
    path = mistaken(tmp_path, r"return white, black \| 1 << move, 0\n.*, 1\n", "pass\n    return position\n")
    monkeypatch.setenv("GAMESMAN_DB", str(tmp_path))
    said = r"do_move leads from the start back to it by every move, at \(w --- --- ---\)$"
    told: list[str] = []
    _, summary = app.solve(variant(path), tell=told.append)
    assert (summary.value, [tier.positions for tier in summary.tiers]) == (DRAW, [1])
    assert re.search(said, told[0])
    (problem,) = app.check(variant(path), 10)[1]
    assert re.search(said, problem)


def test_an_interruption_names_the_function_of_the_game_in_which_it_came(tmp_path, capsys):
    path = mistaken(tmp_path, r"    return Rules\(", "    raise KeyboardInterrupt\n    return Rules(")
    assert cli.main(["info", path], standalone_mode=False) == 1
    assert re.fullmatch(r"interrupted in setup \(.*mine.py, line \d+\)", capsys.readouterr().err.strip())


# What compiled code cannot do, and what is said of it.
REFUSED = [
    (
        "popcount\\(white \\| black\\)",
        "(white | black).bit_count()",
        r"tier, line \d+, .* use popcount or highest of gamesman.bits",
    ),
    ("popcount\\(white \\| black\\)", "bin(white | black).count('1')", r"bin\(\) cannot be compiled; use popcount of"),
    (
        "popcount\\(white \\| black\\)",
        "len([white, black])",
        r"tier.* cannot be compiled: .* compiled code cannot allocate",
    ),
    (
        r"board.neighbours\(.rook.\)",
        "tuple(1 << 70 | m for m in board.neighbours('rook'))",
        r"64 bits: beside does not",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("old", "new", "said"), REFUSED)
def test_what_cannot_be_compiled_is_told_with_what_to_write(tmp_path, old, new, said):
    with pytest.raises(GamesmanError, match=said) as caught:
        solve(variant(mistaken(tmp_path, old, new)))
    assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_what_a_game_prints_never_mixes_with_the_answer(tmp_path):
    path = mistaken(tmp_path, "    own = black", "    print(who)\n    own = black")
    words = [sys.executable, "-m", "gamesman", "solve", path, "--json"]
    result = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert json.loads(result.stdout)["positions"] > 0 and result.stderr.startswith("0\n")


@pytest.mark.slow
def test_check_says_all_that_is_overlooked_and_what_is_wrong(tmp_path, capsys):
    path = mistaken(
        tmp_path, "def tier", "def keybound(rules):\n    return 9\n\n\ndef evalute(rules, p):\n    pass\n\n\ndef tier"
    )
    text = (tmp_path / "mine.py").read_text().replace("    return LOSE", "    return 7")
    (tmp_path / "mine.py").write_text(text)
    assert cli.main(["check", path, "--json"], standalone_mode=False) == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["game"], found["ok"]) == (path, False)
    assert [re.search(r"keybound|evalute|got 7", said)[0] for said in found["problems"]] == [
        "keybound",
        "evalute",
        "got 7",
    ]


@pytest.mark.slow
def test_check_finds_at_one_position_what_no_sample_meets(capsys):
    faulty = "./tests/support/faulty.py"
    assert cli.main(["check", f"{faulty}:fault=index", "--json"], standalone_mode=False) == 1
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert "do_move must not fail, got IndexError" in problem and "rules.steps[step + (1 << 40)]" in problem
    assert cli.main(["check", f"{faulty}:fault=twice", "--json"], standalone_mode=False) == 1
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert "generate_moves must yield each move once, got 0 twice, at (5 55 0)" in problem
    assert cli.main(["check", faulty, "--positions", "3000"], standalone_mode=False) == 0
    assert capsys.readouterr().out == f"{faulty}: no mistake found at 3,000 positions\n"


def test_one_impossible_combination_of_a_range_is_named():
    from gamesman.errors import OptionError
    from gamesman.model.variant import variants

    with pytest.raises(OptionError, match="^connect4:rows=3,cols=3,line=4: line must be 1 to 3, got 4$"):
        variants("connect4:rows=3..4,cols=3,line=4")
    assert len(variants("connect4:rows=3..4,cols=3")) == 2
