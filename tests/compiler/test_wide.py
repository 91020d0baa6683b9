"""What is compiled for boards beyond a machine word says what the same source says in plain Python."""

import random

import numpy as np
import pytest

from gamesman.compiler.compile import native_rules
from gamesman.compiler.rows import compiled_functions, position_of, putter, rows_of, shape_of, taker, words_of
from gamesman.compiler.wide import to_word
from gamesman.errors import TooLarge
from gamesman.model.random_play import random_positions
from gamesman.model.variant import variant
from gamesman.values import UNDECIDED

# Of every game whose boards can be larger than a word, boards of 64 cells to 128.
BOARDS = [
    "abalone:rows=8,cols=9,freeze",
    "chomp:rows=9,cols=14",
    "clobber:rows=10,cols=10",
    "connect4:rows=8,cols=9,line=5",
    "ctf:size=9",
    "dodgem:size=9",
    "domineering:rows=11",
    "hex_abalone:edge=6",
    "konane:rows=8,cols=8",
    "konane:rows=16,cols=8,misere",
    "othello",
    "quixo:size=9",
    "teeko:size=11",
]
POSITIONS = 150
ROOM = 20_000


@pytest.mark.slow
@pytest.mark.parametrize("name", BOARDS)
def test_wide_code_says_what_plain_python_says(name):
    board = variant(name)
    words = words_of(board)
    assert words > 1
    shape = shape_of(board, words)
    positions = sample(board)
    describe = compiled_description(board, shape)
    out = np.zeros(ROOM, np.int64)
    rules, rows = native_rules(board.rules, words), rows_of(positions, shape)
    assert [position_of(row, shape) for row in rows] == positions
    for i, position in enumerate(positions):
        wanted = plain_description(board, shape, position)
        n = describe(rules, rows, i, out)
        assert out[:n].tolist() == wanted, (name, board.show(position))


def sample(board):
    """Different positions of games played at random, long ones, too."""
    found = dict.fromkeys(random_positions(board, 8 * POSITIONS))
    chosen = list(found)
    random.Random(7).shuffle(chosen)
    return chosen[:POSITIONS]


def plain_description(board, shape, position):
    evaluate = board.game.functions.get("evaluate", lambda rules, position: 0)
    said = [board.turn(position), board.primitive(position), board.tier(position), evaluate(board.rules, position)]
    if board.primitive(position) == UNDECIDED:
        for move in board.generate_moves(position):
            said += [move, *rows_of([board.do_move(position, move)], shape)[0].tolist()]
    return said


def compiled_description(board, shape):
    compiler, functions = compiled_functions(board, shape)
    turn, primitive, tier, evaluate = (functions[name] for name in ("turn", "primitive", "tier", "evaluate"))
    generate_moves, do_move = functions["generate_moves"], functions["do_move"]
    take, put, width = taker(shape), putter(shape), sum(shape)

    def describe(rules, rows, i, out):
        position = take(rows, i)
        out[0] = turn(rules, position)
        out[1] = primitive(rules, position)
        out[2] = tier(rules, position)
        out[3] = evaluate(rules, position)
        n = 4
        if out[1] == UNDECIDED:
            scratch = rows[len(rows) - 1 :]
            kept = take(scratch, 0)
            for move in generate_moves(rules, position):
                out[n] = to_word(move)
                put(scratch, 0, do_move(rules, position, move))
                for word in range(width):
                    out[n + 1 + word] = scratch[0, word]
                n += 1 + width
            put(scratch, 0, kept)
        return n

    return compiler.kernel(describe)


def test_boards_of_a_word_are_compiled_as_words():
    board = variant("konane:rows=7,cols=9")
    assert words_of(board) == 1
    assert set(shape_of(board, 1)) == {1}
    assert isinstance(native_rules(board.rules).board, int)


def test_boards_beyond_wide_integers_are_refused_with_the_number():
    board = variant("konane:rows=20,cols=26")
    with pytest.raises(TooLarge, match="does not fit 256 bits"):
        native_rules(board.rules, words_of(board))
