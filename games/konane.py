"""Konane: jump over the other's pieces; who cannot jump has lost.

White and black pieces alternate on a rectangular board, less at least one of each colour. A jump is orthogonal, over
one adjacent opposing piece into the empty cell beyond; the jumped piece is removed. If the piece that has just jumped
can jump again, in any direction, it stays the same player's turn: he jumps on with that piece, or passes. A player who
has to begin a turn and cannot jump has lost.

Options
    misere       who cannot jump has won
    any_piece    on a go-again turn any own piece may jump, and there is such a turn if any own piece can jump
    removed      the cells empty at the start, at least one of each colour: removed=b2,c2
    start        any position at all

Notation
    (T L row row ...), the top row first: T is who moves, L the cell he has just jumped to, "" if the other moved last.
    b2-d2 is a jump, pass ends a go-again turn. Each is one move.

Rulings
    The first row written is the top one: only so is d1 black's own piece in the rules' board (b d1 wbw- b--- --wb).
    The default is 3x4, (w "" wbwb bwb- w-wb), as drawn in the rules. They do not say how other sizes begin: a1 is white
    and colours alternate, and the two cells removed are the middle one (the lower, left one of two) and the next to its
    right (above it where there is one column). White moves first. Where he would have no jump then, as on 3x3 and
    3x5, it is the pair of neighbours nearest the middle of the board with which he has one; of several equally near,
    the one whose lower left cell is lower, then further left, then the pair side by side. If there is none at all, the
    first pair it is.
    With any_piece, L is still the cell jumped to last, and part of the position.
"""

from collections.abc import Iterator
from typing import NamedTuple

from gamesman import naming
from gamesman.bits import lowest, popcount
from gamesman.boards import squares
from gamesman.errors import MoveError, OptionError, PositionError, shorten
from gamesman.layout import Cell, Layout, Pieces, Turn
from gamesman.notation import cell_name, read_cell, read_fields, read_step
from gamesman.options import Number, Options, Switch, Text
from gamesman.values import LOSE, UNDECIDED, WIN

players = {"w": "White", "b": "Black"}
EXAMPLE = '(w "" wbwb bwb- w-wb)'

layout = Layout(lambda rules: squares(rules.rows, rules.cols), Pieces("w"), Pieces("b"), Turn(), Cell())

Position = tuple[int, int, int, int]  # white's cells, black's cells, whose turn, the cell last jumped to or -1


class Rules(NamedTuple):
    """A board is a mask with a bit a cell, row by row from a1."""

    rows: int
    cols: int
    cells: int
    board: int  # the mask of all cells
    white: int  # the cells that white pieces can stand on; all of them if the start does not alternate
    black: int
    mixed: int  # whether the start does not alternate: then the key holds both colours
    east: int  # the cells from which a jump east stays on the board
    west: int
    misere: int
    any_piece: int
    start_white: int
    start_black: int
    start_turn: int
    start_last: int
    turned: tuple[tuple[int, ...], ...]


def _repeated(rows: int, row: int, cols: int) -> int:
    """Return a board of which every row is that one; on large boards bits one by one would take for ever."""
    return row * (((1 << rows * cols) - 1) // ((1 << cols) - 1))


def _parity_mask(rows: int, cols: int, parity: int) -> int:
    """Return the cells of one colour: those whose row and column, from 0, sum up to even (0) or to odd (1)."""
    even = ((1 << cols + cols % 2) - 1) // 3 & (1 << cols) - 1
    odd = (1 << cols) - 1 ^ even
    pair = (odd << cols | even) if parity == 0 else (even << cols | odd)
    return _repeated(rows // 2 + 1, pair, 2 * cols) & (1 << rows * cols) - 1


def _rows_in(o: Options) -> list[str]:
    """Return the rows of the start given, or those of the default board."""
    if not o.is_given("start"):
        return ["wbwb", "bwb-", "w-wb"]
    try:
        rows = read_fields(o.start, EXAMPLE)[2:]
    except PositionError as error:
        raise OptionError(f"start: {error}") from None
    if not rows:
        raise OptionError(f"start: expected a position like {EXAMPLE}, got no rows: {shorten(o.start)}")
    return rows


def _cells(text: str, rows: int, cols: int) -> list[int]:
    try:
        found = [read_cell(cell.strip(), rows, cols) for cell in text.split(",")]
    except PositionError as error:
        raise OptionError(f"removed: {error}") from None
    return [row * cols + col for row, col in found]


def _removed_by_default(o: Options) -> str:
    """Choose the centre pair if white has a jump then; else the neighbours nearest the middle that give him one."""
    if o.rows == 3 and o.cols == 4:
        return "b1,d2"
    row, col = (o.rows + 1) // 2 - 1, (o.cols + 1) // 2 - 1
    lying, upright = (0, 1), (1, 0)
    centre = (row, col, *(upright if o.cols == 1 else lying))
    if _has_jump(o, *centre):
        return _pair(*centre)

    def distance(row: int, col: int, up: int, right: int) -> int:
        away: int = (2 * row + up - o.rows + 1) ** 2 + (2 * col + right - o.cols + 1) ** 2
        return away

    pairs = [(r, c, *way) for r in range(o.rows) for c in range(o.cols) for way in (lying, upright)]
    jumping = [
        pair for pair in pairs if pair[0] + pair[2] < o.rows and pair[1] + pair[3] < o.cols and _has_jump(o, *pair)
    ]
    return _pair(*min(jumping, key=lambda pair: distance(*pair), default=centre))


def _pair(row: int, col: int, up: int, right: int) -> str:
    return f"{cell_name(row, col)},{cell_name(row + up, col + right)}"


def _has_jump(o: Options, row: int, col: int, up: int, right: int) -> bool:
    """Tell whether white has a jump into the white one of two empty cells: a cell and the next one up or right.

    He jumps along a row or a column, not over the other one, which is empty.
    """
    to_row, to_col = (row, col) if (row + col) % 2 == 0 else (row + up, col + right)
    gone_row, gone_col = row + row + up - to_row, col + col + right - to_col
    return any(
        0 <= to_row + 2 * a < o.rows
        and 0 <= to_col + 2 * b < o.cols
        and (to_row + a, to_col + b) != (gone_row, gone_col)
        for a, b in ((0, 1), (0, -1), (1, 0), (-1, 0))
    )


def _removed(text: str, o: Options) -> str:
    cells = sorted(set(_cells(text, o.rows, o.cols)))
    if len({(i // o.cols + i % o.cols) % 2 for i in cells}) < 2:
        raise OptionError(f"removed must have at least one cell of each colour, got {shorten(text)}")
    return ",".join(cell_name(i // o.cols, i % o.cols) for i in cells)


def _start_by_default(o: Options) -> str:
    if o.rows * o.cols < 2:
        raise OptionError(f"rows and cols must make a board of 2 cells or more, got {o.rows} and {o.cols}")
    left = (1 << o.rows * o.cols) - 1
    for i in _cells(o.removed, o.rows, o.cols):
        left &= ~(1 << i)
    white, black = _parity_mask(o.rows, o.cols, 0), _parity_mask(o.rows, o.cols, 1)
    return _text(o, (left & white, left & black, 0, -1))


def _text(o: Options, position: Position) -> str:
    return layout.write(layout.board(o), list(players), position, position[2])


def _read(o: Rules | Options, text: str) -> Position:
    (white, black, who, last), _ = layout.read(layout.board(o), list(players), text, EXAMPLE)
    if found := problem(o, (white, black, who, last)):
        raise PositionError(f"{found}: {shorten(text)}")
    return white, black, who, last


def _normal_start(text: str, o: Options) -> str:
    try:
        return _text(o, _read(o, text))
    except PositionError as error:
        raise OptionError(f"start: {error}") from None


options = [
    Number("rows", default=lambda o: len(_rows_in(o)), low=1, help="rows of the board; 3, or as many as start has"),
    Number("cols", default=lambda o: len(_rows_in(o)[0]), low=1, high=26, help="columns; 4, or as many as start has"),
    Text("start", default=_start_by_default, normal=_normal_start, form=f"a position like {EXAMPLE}", help="the start"),
    Text("removed", default=_removed_by_default, normal=_removed, form="cells like b2,c2", help="cells empty at first"),
    Switch("misere", help="who cannot jump wins"),
    Switch("any_piece", help="any own piece may go again"),
]


def setup(o: Options) -> Rules:
    if o.is_given("start") and o.removed != _removed_by_default(o):
        raise OptionError("give start or removed, not both: start already says which cells are empty")
    cells, cols = o.rows * o.cols, o.cols
    white, black, turn_, last = _read(o, o.start)
    even, odd = _parity_mask(o.rows, cols, 0), _parity_mask(o.rows, cols, 1)
    board = even | odd
    if not white & odd and not black & even:
        white_cells, black_cells = even, odd
    elif not white & even and not black & odd:
        white_cells, black_cells = odd, even
    else:
        white_cells = black_cells = board
    return Rules(
        rows=o.rows,
        cols=cols,
        cells=cells,
        board=board,
        white=white_cells,
        black=black_cells,
        mixed=int(white_cells == black_cells),
        east=_repeated(o.rows, (1 << cols) - 1 >> 2, cols),
        west=_repeated(o.rows, (1 << cols) - 1 >> 2 << 2, cols),
        misere=int(o.misere),
        any_piece=int(o.any_piece),
        start_white=white,
        start_black=black,
        start_turn=turn_,
        start_last=last,
        turned=layout.board(o).turned(),
    )


def start(rules: Rules) -> Position:
    return rules.start_white, rules.start_black, rules.start_turn, rules.start_last


def hash(rules: Rules, position: Position) -> int:
    """Number a position: the occupied cells in the low bits, then whose turn, then the last cell + 1.

        b w b        bit 5 4 3
        w - w        bit 2 1 0     cells 0b111101, white to move, no last cell: 0b111101

    A cell's colour follows from where it is; only on a board that does not alternate is there a mask for each colour.
    """
    white, black, who, last = position
    if rules.mixed:
        return white | (black | (who | (last + 1) << 1) << rules.cells) << rules.cells
    return white | black | (who | (last + 1) << 1) << rules.cells


def unhash(rules: Rules, key: int) -> Position:
    low = key & rules.board
    rest = key >> rules.cells
    white, black = low & rules.white, low & rules.black
    if rules.mixed:
        white, black = low, rest & rules.board
        rest >>= rules.cells
    return white, black, rest & 1, (rest >> 1) - 1


def key_bound(rules: Rules) -> int:
    return (2 * rules.cells + 2) << rules.cells * (2 if rules.mixed else 1)


def tier(rules: Rules, position: Position) -> int:
    """Return a number that every move lowers: a jump removes a piece, a pass ends a go-again turn."""
    return popcount(position[0] | position[1]) * 2 + (position[3] >= 0)


def tier_name(rules: Rules, tier: int) -> str:
    return f"{tier // 2} on the board" + ", in a go-again turn" * (tier % 2)


def jumpers(rules: Rules, pieces: int, other: int, empty: int, direction: int) -> int:
    """Return those of the pieces that can jump east, west, north or south (0 to 3)."""
    if direction == 0:
        return pieces & other >> 1 & empty >> 2 & rules.east
    if direction == 1:
        return pieces & other << 1 & empty << 2 & rules.west
    if direction == 2:
        return pieces & other >> rules.cols & empty >> 2 * rules.cols
    return pieces & other << rules.cols & empty << 2 * rules.cols


def can_jump(rules: Rules, pieces: int, other: int, empty: int) -> bool:
    return (
        jumpers(rules, pieces, other, empty, 0)
        | jumpers(rules, pieces, other, empty, 1)
        | jumpers(rules, pieces, other, empty, 2)
        | jumpers(rules, pieces, other, empty, 3)
    ) != 0


def primitive(rules: Rules, position: Position) -> int:
    white, black, who, last = position
    own = black if who else white
    other = white if who else black
    if last >= 0 or can_jump(rules, own, other, rules.board & ~(white | black)):
        return UNDECIDED
    return WIN if rules.misere else LOSE


PASS = -1


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    """Yield each jump: 4 times the cell it starts from, plus its direction."""
    white, black, who, last = position
    own = black if who else white
    other = white if who else black
    empty = rules.board & ~(white | black)
    if last >= 0:
        yield PASS
        if not rules.any_piece:
            own = 1 << last
    for direction in range(4):
        pieces = jumpers(rules, own, other, empty, direction)
        while pieces:
            yield lowest(pieces) * 4 + direction
            pieces &= pieces - 1


def do_move(rules: Rules, position: Position, move: int) -> Position:
    white, black, who, last = position
    if move == PASS:
        return white, black, 1 - who, -1
    cell, direction = move >> 2, move & 3
    step = 1 if direction < 2 else rules.cols
    if direction & 1:
        step = -step
    to = cell + 2 * step
    own = (black if who else white) ^ 1 << cell ^ 1 << to
    other = (white if who else black) ^ 1 << cell + step
    again = can_jump(rules, own if rules.any_piece else 1 << to, other, rules.board & ~(own | other))
    return other if who else own, own if who else other, who if again else 1 - who, to if again else -1


def evaluate(rules: Rules, position: Position) -> int:
    """Estimate by jumps: 10 for each that the player to move has more than the other, for who has none has lost.

    5 more for being in the middle of a turn, which may be ended by choice. With misere all of it counts the other way.
    """
    white, black, who, last = position
    own = black if who else white
    other = white if who else black
    empty = rules.board & ~(white | black)
    score = 5 if last >= 0 else 0
    for direction in range(4):
        score += 10 * popcount(jumpers(rules, own, other, empty, direction))
        score -= 10 * popcount(jumpers(rules, other, own, empty, direction))
    return -score if rules.misere else score


def mobility(rules: Rules, position: Position) -> int:
    """Count the jumps, and once more the pieces that have one: several jumps of one piece are lost together."""
    white, black, who, last = position
    own, other = (black, white) if who else (white, black)
    jumps = pieces = 0
    for direction in range(4):
        found = jumpers(rules, own, other, rules.board & ~(white | black), direction)
        jumps += popcount(found)
        pieces |= found
    return jumps + popcount(pieces)


def problem(rules: Rules | Options, position: Position) -> str:
    white, black, who, last = position
    if last >= 0 and not (black if who else white) >> last & 1:
        return f"expected a piece of the player to move at {layout.board(rules).names[last]}, got none"
    return ""


def ends(rules: Rules, position: Position, move: int) -> tuple[int, ...]:
    cell, step = move >> 2, (1, -1, rules.cols, -rules.cols)[move & 3]
    return () if move == PASS else (cell, cell + 2 * step)


def _example(rules: Rules, position: Position) -> str:
    """Name a jump: a legal one where there is one."""
    jumps = (ends(rules, position, move) for move in generate_moves(rules, position) if move != PASS)
    return next((naming.move_name(layout.board(rules), jump) for jump in jumps), "a1-c1")


def parse_move(rules: Rules, position: Position, text: str) -> int:
    white, black, who, last = position
    if text.strip() == "pass":
        if last < 0:
            raise MoveError("pass is for a go-again turn: this turn begins, so a piece must jump")
        return PASS
    (row, col), (to_row, to_col) = read_step(text, rules.rows, rules.cols, _example(rules, position))
    own, other = (black, white) if who else (white, black)
    cell, to = row * rules.cols + col, to_row * rules.cols + to_col
    name = shorten(text)
    if not own >> cell & 1:
        raise MoveError(f"{name}: {cell_name(row, col)} holds no piece of {list(players.values())[who]}")
    if last >= 0 and cell != last and not rules.any_piece:
        at = cell_name(last // rules.cols, last % rules.cols)
        raise MoveError(f"{name}: only the piece at {at} may jump on, or pass")
    if sorted((abs(row - to_row), abs(col - to_col))) != [0, 2]:
        raise MoveError(f"{name}: a jump goes two cells along a row or a column")
    over = (cell + to) // 2
    if not other >> over & 1:
        at = cell_name(over // rules.cols, over % rules.cols)
        raise MoveError(f"{name}: there is no opposing piece at {at} to jump over")
    if (white | black) >> to & 1:
        raise MoveError(f"{name}: {cell_name(to_row, to_col)} is not empty")
    if row == to_row:
        return cell * 4 + (0 if to > cell else 1)
    return cell * 4 + (2 if to > cell else 3)
