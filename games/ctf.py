"""Capture the Flag: take the other's flag, take all his pawns, or walk your own flag past them.

Two players, each with one flag (W, B) and at least one pawn (w, b), on a square board. White begins at the top and
moves down, black up. A pawn steps forward, left or right to an empty cell, or jumps over an adjacent opposing piece,
pawn or flag, forward, left or right into the empty cell beyond and captures it; never backward, never diagonally, one
jump a move. A flag steps one cell forward, left, right or backward to an empty cell, and captures nothing.

A player has won when
    the opponent has no pawn left, or
    the opponent has no flag left, or
    his own flag is past all opposing pawns: white's on a row below them all, black's on a row above them all, or
    the opponent is to move and has no legal move.

Options
    size         cells to a side
    start        a board of size * size characters, top row first; the size follows from it
    first        who moves first

Notation
    A board is its rows written one after the other from the top, left to right: -wWw--www-------bbb--bBb-
    A position is (T row row ...), top row first: T is who moves; a captured flag is missing. b4-b3 steps, b4-b2 jumps.

Rulings
    The rules' sample call has 23 characters, two short of the board drawn above it; the drawn board is meant, and a
    board whose length is no square is refused.
    Past means strictly past: a flag on the row of an opposing pawn has not passed it.
    Who has won is judged on the board after every move, whoever moved: a pawn that walks past a flag lets it pass. If
    both have won, the player who has just moved has; having no legal move only counts where nobody has won otherwise.
    A start is judged like any other board, as if the player who does not begin had just moved. Sizes 2 to 4 begin with
    wWBb, wWw---bBb and -wWw---------bBb, larger ones as size 5 is drawn: the flag in the middle of the last row (right
    of the middle where there is none), a pawn at each side of it, three in front.

History
    No move may bring back a board that has occurred earlier in the game, and a player left without a move by that has
    lost. What has occurred belongs to a game, not to a position: playing enforces this rule, the stored values leave it
    out. A win or a loss of the starting position is the same with the rule: a player who follows the values to his win
    lowers the remoteness with each move of either side, so no board comes back on the way, and the other only has fewer
    moves by it. (A board could only come back with the same player to move: each step changes by one the sum of all
    coordinates, and what is captured stays captured.) A draw means that neither side can force an end if boards may
    come back. With the rule such a game does end, and who wins it depends on all that went before.

Program
    capture(history, player, depth) searches exactly depth moves ahead by minimax and returns the board after the best
    move. The history holds the boards of the game, the newest first, each as a text or as a list of symbols, and the
    answer is of the same form. The rules' sample call, of the board they draw, in Python:
        >>> from gamesman.games.ctf import capture
        >>> capture(["-wWw--www-------bbb--bBb-"], "w", 2)
        '-wWw--ww-w------bbb--bBb-'
"""

from collections.abc import Iterator, Sequence
from math import isqrt
from typing import Any, NamedTuple

from gamesman.bits import lowest, popcount
from gamesman.boards import squares
from gamesman.errors import MoveError, OptionError, PositionError, shorten
from gamesman.layout import Layout, Pieces, Turn
from gamesman.notation import read_step
from gamesman.options import Choice, Number, Options, Text
from gamesman.values import LOSE, UNDECIDED, WIN

players = {"w": "White", "b": "Black"}
largest = "size=4"
no_repetition = True
endgames = "gamesman.games._ctf_endgames"  # functions that number all positions with a few pawns
ABSENT: Any = ...  # an argument that `capture` is called without
SMALL_STARTS = {2: "wWBb", 3: "wWw---bBb", 4: "-wWw---------bBb"}
layout = Layout(lambda rules: squares(rules.size, rules.size), *map(Pieces, "wbWB"), Turn())

# White's pawns, black's pawns, white's flag, black's flag: masks, 0 for a captured flag. Then whose turn it is.
Position = tuple[int, int, int, int, int]


class Rules(NamedTuple):
    """Holds what one variant's functions need; a board is a mask with a bit for each cell, row by row from a1."""

    size: int
    cells: int
    board: int  # the mask of all cells
    nowhere: int  # the bit above the board, where a captured flag is
    flag_bits: int  # the width of a flag's cell in the key
    east: int  # the cells that have a neighbour to the east
    west: int
    downward: tuple[int, ...]  # for each cell, its row and all below it; for `nowhere` the whole board
    upward: tuple[int, ...]  # for each cell, its row and all above it; for `nowhere` the whole board
    start_white: int
    start_black: int
    start_white_flag: int
    start_black_flag: int
    start_turn: int
    turned: tuple[tuple[int, ...], ...]  # the mirror that keeps top and bottom


def read_board(text: str) -> tuple[int, tuple[int, int, int, int]]:
    """Read a board to play on. Returns its size and its pieces: both sides' pawns, then both sides' flags.

    >>> read_board("wWBb")
    (2, (4, 2, 8, 1))
    >>> read_board("wWb")
    Traceback (most recent call last):
    ...
    gamesman.errors.PositionError: expected a square board, like 25 cells for size 5, but 3 is no square: wWb
    """
    size = isqrt(len(text))
    if size * size != len(text) or not text:
        got = f"but {len(text)} is no square: {shorten(text)}" if text else "got nothing"
        raise PositionError(f"expected a square board, like 25 cells for size 5, {got}")
    if wrong := set(text) - set("wWbB-"):
        raise PositionError(f"expected a board of w, W, b, B or -, got {min(wrong)!r}: {shorten(text)}")
    for letter, name in zip("wb", players.values(), strict=True):
        if (flags := text.count(letter.upper())) != 1:
            got = f"got {flags or 'none'}: {shorten(text)}"
            raise PositionError(f"expected one flag {letter.upper()} of {name}, {got}")
        if letter not in text:
            raise PositionError(f"expected at least one pawn {letter} of {name}, got none: {shorten(text)}")
    return size, _pieces(size, text)


def board_text(size: int, position: tuple[int, ...]) -> str:
    """Write the board of a position, or of its pieces alone, as `read_board` reads it.

    >>> board_text(2, (4, 2, 8, 1))
    'wWBb'
    """
    board = squares(size, size)
    return board.write(layout.letters(board, position)).replace(" ", "")


def _pieces(size: int, text: str) -> tuple[int, int, int, int]:
    cells = "".join(text[i : i + size] for i in reversed(range(0, len(text), size)))
    white, black, white_flag, black_flag = (sum(1 << i for i, c in enumerate(cells) if c == of) for of in "wbWB")
    return white, black, white_flag, black_flag


def _size_of_start(o: Options) -> int:
    try:
        return read_board(o.start)[0] if o.is_given("start") else 5
    except PositionError as error:
        raise OptionError(f"start: {error}") from None


def _normal_start(text: str, o: Options) -> str:
    size = _size_of_start(o)
    if size != o.size:
        raise OptionError(f"start: expected {o.size**2} cells for size={o.size}, got {len(text)}: {shorten(text)}")
    return text


def _start_by_default(o: Options) -> str:
    if o.size in SMALL_STARTS:
        return SMALL_STARTS[o.size]
    left, right = "-" * (o.size // 2 - 1), "-" * (o.size - o.size // 2 - 2)
    between = "-" * o.size * (o.size - 4)
    return f"{left}wWw{right}{left}www{right}{between}{left}bbb{right}{left}bBb{right}"


options = [
    Number("size", default=_size_of_start, low=2, high=26, help="cells to a side; 5, or as many as start has"),
    Text("start", default=_start_by_default, normal=_normal_start, form="a board like wWBb", help="where to begin"),
    Choice("first", choices=("w", "b"), help="who moves first"),
]


def setup(o: Options) -> Rules:
    board, size, pieces = squares(o.size, o.size), o.size, _pieces(o.size, o.start)
    cells, full = len(board), board.full
    east, west = board.where(lambda x, y: x < size - 1), board.where(lambda x, y: x > 0)
    below = [(1 << (i // size + 1) * size) - 1 for i in range(cells)]
    above = [full >> i // size * size << i // size * size for i in range(cells)]
    sides = east, west, (*below, full), (*above, full)
    turned = board.turned(lambda to: max(to[:size]) < size)
    who = list(players).index(o.first)
    return Rules(size, cells, full, 1 << cells, cells.bit_length(), *sides, *pieces, who, turned)


def start(rules: Rules) -> Position:
    return rules.start_white, rules.start_black, rules.start_white_flag, rules.start_black_flag, rules.start_turn


def hash(rules: Rules, position: Position) -> int:
    """Number a position: from the low end whose turn, the cells of black's and white's flag, black's pawns, white's.

        w W          bit 2 3
        B b          bit 0 1     0100 0010 011 000 0: white's flag is on 3, black's on 0; on 4 it would be captured

    The flags are at the low end because they move most: positions that differ in nothing else are neighbours.
    """
    white, black, white_flag, black_flag, who = position
    flags = lowest(white_flag | rules.nowhere) << rules.flag_bits | lowest(black_flag | rules.nowhere)
    return ((white << rules.cells | black) << 2 * rules.flag_bits | flags) << 1 | who


def unhash(rules: Rules, key: int) -> Position:
    cell = (1 << rules.flag_bits) - 1
    white_flag = 1 << (key >> 1 + rules.flag_bits & cell) & rules.board
    black_flag = 1 << (key >> 1 & cell) & rules.board
    pawns = key >> 1 + 2 * rules.flag_bits
    return pawns >> rules.cells, pawns & rules.board, white_flag, black_flag, key & 1


def key_bound(rules: Rules) -> int:
    return 1 << 2 * rules.cells + 2 * rules.flag_bits + 1


def tier(rules: Rules, position: Position) -> int:
    """Count the pieces left, then the rows ahead of the pawns: only steps to the side and of flags keep the tier."""
    white, black, white_flag, black_flag, who = position
    pieces = popcount(white | black | white_flag | black_flag)
    return pieces * rules.size * rules.cells + rows_ahead(rules, white, 0) + rows_ahead(rules, black, 1)


def tier_name(rules: Rules, tier: int) -> str:
    each = rules.size * rules.cells
    return f"{tier // each} on the board, rows ahead of the pawns: {tier % each}"


def rows_ahead(rules: Rules, pawns: int, who: int) -> int:
    """Add up the rows that a player's pawns have ahead of them: one for each pawn and each row it can still go."""
    ahead = 0
    for _ in range(rules.size - 1):
        pawns = pawns << rules.size & rules.board if who else pawns >> rules.size
        ahead += popcount(pawns)
    return ahead


def beside(rules: Rules, cells: int, direction: int) -> int:
    """Return the cells whose neighbour to the east, west, north or south (0 to 3) is one of these."""
    if direction == 0:
        return cells >> 1 & rules.east
    if direction == 1:
        return cells << 1 & rules.west
    return cells >> rules.size if direction == 2 else cells << rules.size


def movers(rules: Rules, position: Position, kind: int) -> int:
    """Return the pieces that can make a move of a kind: 2 times its direction, plus 1 if it is a jump."""
    white, black, white_flag, black_flag, who = position
    direction = kind >> 1
    pawns = black if who else white
    if direction == 2 + who:
        pawns = 0  # never backward
    empty = beside(rules, rules.board & ~(white | black | white_flag | black_flag), direction)
    if kind & 1:
        return pawns & beside(rules, empty & (white | white_flag if who else black | black_flag), direction)
    return (pawns | (black_flag if who else white_flag)) & empty


def white_has_won(rules: Rules, position: Position) -> bool:
    """Tell whether black has no flag, or no pawn where white's flag has still to pass it."""
    white, black, white_flag, black_flag, who = position
    return black_flag == 0 or black & rules.downward[lowest(white_flag | rules.nowhere)] == 0


def black_has_won(rules: Rules, position: Position) -> bool:
    white, black, white_flag, black_flag, who = position
    return white_flag == 0 or white & rules.upward[lowest(black_flag | rules.nowhere)] == 0


def primitive(rules: Rules, position: Position) -> int:
    """Judge the board first for the player who has just moved, then for the other, then whether he has a move."""
    who = position[4]
    white_won, black_won = white_has_won(rules, position), black_has_won(rules, position)
    if white_won if who else black_won:
        return LOSE
    if white_won or black_won:
        return WIN
    for kind in range(8):
        if movers(rules, position, kind):
            return UNDECIDED
    return LOSE


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    """Yield each move: 8 times the cell it starts from, plus its kind (see `movers`)."""
    for kind in range(8):
        pieces = movers(rules, position, kind)
        while pieces:
            yield lowest(pieces) * 8 + kind
            pieces &= pieces - 1


def do_move(rules: Rules, position: Position, move: int) -> Position:
    white, black, white_flag, black_flag, who = position
    jump = move & 1
    step = _step(rules, move >> 1 & 3)
    cell = 1 << (move >> 3)
    to = 1 << (move >> 3) + step * (1 + jump)
    left = ~(jump << (move >> 3) + step)
    if who:
        if black_flag == cell:
            return white, black, white_flag, to, 0
        return white & left, black ^ cell ^ to, white_flag & left, black_flag, 0
    if white_flag == cell:
        return white, black, to, black_flag, 1
    return white ^ cell ^ to, black & left, white_flag, black_flag & left, 1


def _step(rules: Rules, direction: int) -> int:
    step = 1 if direction < 2 else rules.size
    return -step if direction & 1 else step


def undo_moves(rules: Rules, position: Position) -> Iterator[Position]:
    """Take back steps to the side and of flags; where the game was over there were no moves, and none here is stuck."""
    white, black, white_flag, black_flag, who = position
    empty = rules.board & ~(white | black | white_flag | black_flag)
    pawns, flag = (white, white_flag) if who else (black, black_flag)
    for direction in range(4):
        pieces = (pawns | flag if direction < 2 else flag) & beside(rules, empty, direction)
        step = _step(rules, direction)
        while pieces:
            cell = lowest(pieces)
            pieces &= pieces - 1
            change = 1 << cell | 1 << cell + step
            of_flag = change if flag >> cell & 1 else 0
            of_pawn = change ^ of_flag
            if who:
                before = white ^ of_pawn, black, white_flag ^ of_flag, black_flag, 0
            else:
                before = white, black ^ of_pawn, white_flag, black_flag ^ of_flag, 1
            if not white_has_won(rules, before) and not black_has_won(rules, before):
                yield before


def takeable(rules: Rules, position: Position, who: int) -> int:
    """Return the cells next to a player's pawns where an opposing piece, if there is one, can be taken."""
    white, black, white_flag, black_flag, _ = position
    pawns = black if who else white
    empty = rules.board & ~(white | black | white_flag | black_flag)
    cells = beside(rules, empty, 0) & beside(rules, pawns, 1) | beside(rules, empty, 1) & beside(rules, pawns, 0)
    return cells | beside(rules, empty, 3 - who) & beside(rules, pawns, 2 + who)


def evaluate(rules: Rules, position: Position) -> int:
    """Estimate by pawns, tempo and flags, and by what stands where a pawn could take it; no move is looked ahead.

    No board may come back: in the end pawns must step forward, for good, and who has fewer of these moves left gives
    way. So the strategy is to keep more pawns, and at home, where they hold up the other's flag: a pawn counts 100, 20
    more while that flag is not past it, 4 for each row still ahead of it; a flag 12 for each row it has gone. Who is to
    move has 50 for something to take, 600 for a flag; what he has in danger himself counts -25 for a pawn, -200 a flag.
    """
    white, black, white_flag, black_flag, who = position
    takes, hangs = takeable(rules, position, who), takeable(rules, position, 1 - who)
    white_cell, black_cell = lowest(white_flag | rules.nowhere), lowest(black_flag | rules.nowhere)
    score = 100 * (popcount(white) - popcount(black))
    score += 20 * (popcount(white & rules.upward[black_cell]) - popcount(black & rules.downward[white_cell]))
    score += 4 * (rows_ahead(rules, white, 0) - rows_ahead(rules, black, 1))
    score += 12 * (rules.size - 1 - white_cell // rules.size - black_cell // rules.size)
    score = -score if who else score
    if takes & (white if who else black):
        score += 50
    score += 600 * popcount(takes & (white_flag if who else black_flag))
    score -= 200 * popcount(hangs & (black_flag if who else white_flag))
    return score - 25 * popcount(hangs & (black if who else white))


def capture(history: Sequence[str | Sequence[str]] = ABSENT, player: str = ABSENT, depth: int = ABSENT) -> Any:
    """Return the board after the player's best move, as told above. Raises PositionError, CallError or NoAnswer."""
    # lazy: start-up time, who solves the game does not play it
    from gamesman.play.capture import best_board

    return best_board(history, player, depth)


def problem(rules: Rules, position: Position) -> str:
    flags = zip("WB", map(popcount, position[2:4]), strict=True)
    return next((f"expected at most one flag {flag}, got {count}" for flag, count in flags if count > 1), "")


def ends(rules: Rules, position: Position, move: int) -> tuple[int, int]:
    return move >> 3, (move >> 3) + _step(rules, move >> 1 & 3) * (1 + (move & 1))


def parse_move(rules: Rules, position: Position, text: str) -> int:
    (row, col), (to_row, to_col) = read_step(text, rules.size, rules.size)
    white, black, white_flag, black_flag, who = position
    own, other = (black | black_flag, white | white_flag) if who else (white | white_flag, black | black_flag)
    is_flag = (white_flag | black_flag) >> row * rules.size + col & 1
    cell, to = row * rules.size + col, to_row * rules.size + to_col
    distance, over = max(abs(row - to_row), abs(col - to_col)), (cell + to) // 2
    names, forward = layout.board(rules).names, "Black's pawns move up" if who else "White's pawns move down"
    faults = (
        (primitive(rules, position) != UNDECIDED, "the game is over"),
        (not own >> cell & 1, f"{names[cell]} holds no piece of {list(players.values())[who]}"),
        (cell == to, "a move goes to another cell"),
        (row != to_row and col != to_col, "a piece moves along a row or a column, never diagonally"),
        (is_flag and distance > 1, f"{names[cell]} holds a flag, which steps one cell and never jumps"),
        (distance > 2, "a pawn steps one cell, or jumps two"),
        (not is_flag and (to_row < row if who else to_row > row), f"{forward} or to the side, never backward"),
        ((own | other) >> to & 1, f"{names[to]} is not empty"),
        (distance == 2 and not other >> over & 1, f"there is no opposing piece at {names[over]} to jump over"),
    )
    if fault := next((why for is_so, why in faults if is_so), ""):
        raise MoveError(f"{shorten(text)}: {fault}")
    direction = (0 if to_col > col else 1) if row == to_row else (2 if to_row > row else 3)
    return cell * 8 + direction * 2 + distance - 1
