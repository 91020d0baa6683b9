"""A game that cannot be compiled is told why, in which function and in which line, in one line."""

import pytest
from support import SUPPORT

from gamesman.compiler import agreement
from gamesman.compiler.compile import Compiler
from gamesman.compiler.refusal import KEYWORDS, SEE_ALSO, refusal
from gamesman.errors import BrokenGame
from gamesman.model.variant import variant

pytestmark = pytest.mark.slow

STAIRS = (SUPPORT / "stairs.py").read_text()
TURN = "def turn(rules, position):\n    return position[2]\n"
ALLOCATES = "a list, a dict, a string or another object is made, and compiled code cannot allocate"

# What `turn` does instead, what is at the top of the file, and what is said of it.
REFUSED = [
    ("x = [position[2]]\n    return x[0]", "", ALLOCATES),
    ("return TURNS[position[2]]", "TURNS = {0: 0, 1: 1}", "TURNS is a dict, which compiled code cannot use"),
    ("return TURNS[position[2]]", "TURNS = [0, 1]", "TURNS is a list, which compiled code cannot use"),
    ("return int(str(position[2]))", "", "str() cannot be compiled"),
    ("global MINE\n    MINE = 1\n    return position[2]", "MINE = 0", "a global cannot be changed by compiled code"),
    ("*_, who = position\n    return who", "", "a starred name cannot be compiled; take the tuple apart in full"),
    (
        "return 0 if (who := position[2]) == 0 else who",
        "",
        "a value inside an expression has no type there, as after :=; write it on a line of its own",
    ),
    ("return beside.same(position[2])", "import beside", "import it by its name: from beside import same"),
    (
        "return position[2] + BIG * 0",
        "BIG = 1 << 80",
        "1208925819614629174706176 does not fit a machine word of 64 bits",
    ),
    (
        "return position[2] / 1 & 1",
        "",
        "a number is a fraction there; / and ** make them, and so does a number of 2**63 and more beside smaller ones",
    ),
    (
        "return (position[2], 0)[len({i for i in range(3)}) > 9]",
        "",
        "a list, a set or a dict of a loop cannot be compiled",
    ),
    (
        "if position[2] > 5:\n        return ''\n    return position[2]",
        "",
        "its returns differ: each must give an int, or a tuple of as many ints as the others",
    ),
]


def refused(folder, top, turn):
    """Return what is said of the game of stairs with another `turn`, and its source."""
    assert TURN in STAIRS
    source = STAIRS.replace(TURN, f"{top}\n\n\ndef turn(rules, position):\n    {turn}\n")
    (folder / "mine.py").write_text(source)
    (folder / "beside.py").write_text("def same(n):\n    return n\n")
    mine = variant(str(folder / "mine.py"))
    with pytest.raises(BrokenGame) as caught:
        agreement.check_compiled(mine, Compiler(mine.game))
    return str(caught.value), source


@pytest.mark.parametrize("turn, top, why", REFUSED, ids=[turn for turn, *_ in REFUSED])
def test_a_construct_that_cannot_be_compiled_is_named_with_its_function_and_line(tmp_path, turn, top, why):
    said, source = refused(tmp_path, top, turn)
    first = source.splitlines().index("def turn(rules, position):") + 1
    lines = range(first, first + len(turn.splitlines()) + 1)
    assert said in [f"{tmp_path}/mine.py: turn, line {n}, cannot be compiled: {why}; {SEE_ALSO}" for n in lines]


def test_yield_from_is_named_in_the_function_that_yields(tmp_path):
    head = "def generate_moves(rules, position):\n"
    source = STAIRS.replace(
        head, head + "    yield from other_moves(rules, position)\n\n\n" + head.replace("generate", "other")
    )
    (tmp_path / "mine.py").write_text(source)
    mine = variant(str(tmp_path / "mine.py"))
    with pytest.raises(BrokenGame, match="mine.py: generate_moves, line .* yield from cannot be compiled"):
        agreement.check_compiled(mine, Compiler(mine.game))


@pytest.mark.parametrize("head", ["def same(*, n):", "def same(*, n=1):", "def same(n=1, **others):"])
def test_what_is_taken_by_keyword_alone_is_named_with_its_function_and_line(tmp_path, head):
    said, source = refused(tmp_path, f"{head}\n    return n", "return same(n=position[2])")
    line = source.splitlines().index(head) + 1
    assert said == f"{tmp_path}/mine.py: same, line {line}, cannot be compiled: {KEYWORDS}; {SEE_ALSO}"


def test_a_generator_that_never_yields_is_named_with_its_line(tmp_path):
    source = STAIRS + "\n\ndef undo_moves(rules, position):\n    return\n    yield position\n"
    (tmp_path / "mine.py").write_text(source)
    mine = variant(str(tmp_path / "mine.py"))
    line = STAIRS.count("\n") + 3
    said = f"mine.py: undo_moves, line {line}, cannot be compiled: no yield in it is ever come to; "
    with pytest.raises(BrokenGame, match=said):
        agreement.check_compiled(mine, Compiler(mine.game))


def test_what_numba_stumbles_over_without_a_message_is_one_line_too():
    said = str(refusal(variant("tictactoe").game, IndexError("tuple index out of range")))
    assert (
        said == f"tictactoe: it cannot be compiled: numba fails with IndexError: tuple index out of range; {SEE_ALSO}"
    )


def test_a_fault_in_a_helper_is_placed_in_the_helper(tmp_path):
    (tmp_path / "other.py").write_text("NAMES = {0: 0, 1: 1}\n\n\ndef look(n):\n    return NAMES[n]\n")
    said, _ = refused(tmp_path, "from other import look", "return look(position[2])")
    assert "mine.py: look, line 5 of other.py, cannot be compiled: NAMES is a dict" in said
