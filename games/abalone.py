"""Abalone on a rectangle: push the other's pieces off the board; the first to take enough of them wins.

Each side has rows + cols - 3 pieces. Black's stand on the lower and left edges, white's on the upper and right ones,
and the NW and SE corners are empty. Black moves first. A move takes one own piece one step in any of the 8 directions;
own pieces standing directly in its way, in line, are moved along with it. If the line then meets opposing pieces it
pushes them, provided that it is longer than theirs and that the cell beyond them is empty or off the board; the piece
pushed off is captured. The first to make the captures wins. A player who cannot move is trapped, and has lost.

Options
    captures     pieces to be captured; at most all of them
    misere       the first to make the captures loses, and who is trapped wins
    freeze       pieces that the opponent could push are frozen

Notation
    (T row row ...), the bottom row first: T is who moves, b or w; - is an empty cell.
    a2-b3 takes the piece at a2; the cell stepped to names the direction, whatever stands there.

Rulings
    The first row written is row 1, the bottom one: only so does (b bbb- b--w b--w -www) put black on the lower left
    edges and leave the NW and SE corners empty, as the rules say.
    The line moved starts at the piece taken and is counted from it forward, so that k own pieces push j opposing ones
    only if k > j; there is no limit of three. Anything else in the way blocks the move. An own piece is never pushed
    off.
    The game is over as soon as the captures are made, whether or not the player then to move is trapped.
    Captures are counted from the pieces left; a position in which both sides have lost that many cannot arise and is
    refused, and so is one with more pieces than at the start.
    freeze: the whole line that a move of the basic rules could push (or push off) on this very board, were it the
    opponent's turn, is frozen. Whether his own pieces are frozen does not count. A frozen piece can neither be taken
    nor be moved along, so a line that runs into a frozen piece of its own side is blocked. All frozen is trapped.
"""

from collections.abc import Iterator
from typing import NamedTuple

from games._placement import check_pieces, key_place, place_bound, place_key, place_run, place_tier, tables
from gamesman.bits import lowest, popcount
from gamesman.errors import MoveError, shorten
from gamesman.notation import cell_name, draw_grid, read_fields, read_rows, read_step, read_turn
from gamesman.options import Number, Options, Switch
from gamesman.values import LOSE, UNDECIDED, WIN

players = {"b": "Black", "w": "White"}

Position = tuple[int, int, int]  # black's cells, white's cells, whose turn

# Row and column steps of the directions; d and 7 - d are opposite, and from 4 on a step goes to a higher cell.
STEPS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


class Rules(NamedTuple):
    """A board is a mask with a bit a cell, row by row from a1."""

    rows: int
    cols: int
    cells: int
    board: int  # the mask of all cells
    inside: tuple[int, ...]  # for each direction, the cells from which a step stays on the board
    distance: tuple[int, ...]  # for each direction, how far apart the bits of neighbours are
    pushable: int  # no more pieces than this can be pushed: they, a longer line, all within the board
    longest: int  # no more pieces than this can stand behind another in a line that moves
    rings: tuple[int, ...]  # the cells at least 1, 2, ... steps from the edge
    misere: int
    freeze: int
    start_black: int
    start_white: int
    least: int
    full: int
    spread: int
    dense: int
    width: int
    ranks: tuple[tuple[int, ...], ...]
    choose: tuple[tuple[int, ...], ...]
    masks: tuple[int, ...]
    masks_from: tuple[int, ...]
    tier_from: tuple[int, ...]
    tier_ways: tuple[tuple[int, ...], ...]


options = [
    Number("rows", default=4, low=3, help="rows of the board"),
    Number("cols", default=4, low=3, high=26, help="columns of the board"),
    Number("captures", default=2, low=1, high=lambda o: o.rows + o.cols - 3, help="captures that decide the game"),
    Switch("misere", help="the first to make the captures loses"),
    Switch("freeze", help="a piece that could be pushed cannot move"),
]


def setup(o: Options) -> Rules:
    rows, cols, cells = o.rows, o.cols, o.rows * o.cols
    board = (1 << cells) - 1
    column = board // ((1 << cols) - 1)  # column a
    row = (1 << cols) - 1  # row 1
    edge = {-1: row, 1: row << cells - cols}
    side = {-1: column, 1: column << cols - 1}
    inside = tuple(board & ~(edge.get(up, 0) | side.get(right, 0)) for up, right in STEPS)
    rings: list[int] = []
    inner = board
    while inner and len(rings) < 12:
        inner &= (inner & ~side[-1]) << 1 & (inner & ~side[1]) >> 1 & inner << cols & inner >> cols
        rings.append(inner)
    between = column & ~(edge[-1] | edge[1])
    return Rules(
        rows=rows,
        cols=cols,
        cells=cells,
        board=board,
        inside=inside,
        distance=tuple(abs(up * cols + right) for up, right in STEPS),
        pushable=(max(rows, cols) - 1) // 2,
        longest=max(rows, cols) - 2,
        rings=tuple(rings),
        misere=int(o.misere),
        freeze=int(o.freeze),
        start_black=row >> 1 | between,
        start_white=(row & ~1) << cells - cols | between << cols - 1,
        **tables(cells, rows + cols - 3, o.captures),
    )


def start(rules: Rules) -> Position:
    return rules.start_black, rules.start_white, 0


def hash(rules: Rules, position: Position) -> int:
    """Number a position within its tier; see games/_placement.py."""
    return place_key(rules, position[0], position[1], position[2])


def unhash(rules: Rules, key: int) -> Position:
    return key_place(rules, key)


def key_bound(rules: Rules) -> int:
    return place_bound(rules)


def tier(rules: Rules, position: Position) -> int:
    """The numbers of pieces left: a capture lowers it, any other move leaves it."""
    return place_tier(rules, position[0], position[1])


def tier_keys(rules: Rules, tier: int) -> tuple[int, int]:
    return place_run(rules, tier)


def turn(rules: Rules, position: Position) -> int:
    return position[2]


def step(rules: Rules, cells: int, direction: int) -> int:
    """The cells one step on; those that would leave the board are gone."""
    cells &= rules.inside[direction]
    if direction >= 4:
        return cells << rules.distance[direction]
    return cells >> rules.distance[direction]


def yielding(rules: Rules, pieces: int, empty: int, direction: int) -> int:
    """Those of the pieces that have nothing behind them, seen in the direction, but an empty cell or the edge."""
    return pieces & (step(rules, empty, 7 - direction) | ~rules.inside[direction])


def pushers(rules: Rules, own: int, other: int, empty: int, direction: int) -> int:
    """The pieces that can be taken to push j opposing ones with a line of exactly j + 1, for every j."""
    found = 0
    pushed = yielding(rules, other, empty, direction)
    backed = own  # the pieces with at least j of their own directly behind them
    for count in range(1, rules.pushable + 1):
        backed = own & step(rules, backed, direction)
        fronts = backed & step(rules, pushed, 7 - direction)
        back = count * rules.distance[direction]
        found |= fronts >> back if direction >= 4 else fronts << back
        pushed = other & step(rules, pushed, 7 - direction)
    return found


def movers(rules: Rules, own: int, other: int, empty: int, direction: int) -> int:
    """The pieces that can be taken in the direction; `own` without those that are frozen."""
    found = pushers(rules, own, other, empty, direction) | own & step(rules, empty, 7 - direction)
    line = found
    for _ in range(rules.longest):
        line = own & step(rules, line, 7 - direction)
        found |= line
    return found


def frozen(rules: Rules, own: int, other: int) -> int:
    """Those of the own pieces that the other side could push by a move of the basic rules."""
    found = 0
    empty = rules.board & ~(own | other)
    for direction in range(8):
        chain = yielding(rules, own, empty, direction)
        backed = step(rules, other, direction)  # the cells that j + 1 opposing pieces stand directly behind
        pushed = 0
        for _ in range(rules.pushable):
            backed = step(rules, other & backed, direction)
            pushed |= chain & backed
            chain = own & step(rules, chain, 7 - direction)
        for _ in range(rules.pushable):
            found |= pushed
            pushed = own & step(rules, pushed, direction)
    return found


def free(rules: Rules, own: int, other: int) -> int:
    """Those of the own pieces that may be moved."""
    return own & ~frozen(rules, own, other) if rules.freeze else own


def is_over(rules: Rules, position: Position) -> bool:
    return popcount(position[0]) == rules.least or popcount(position[1]) == rules.least


def primitive(rules: Rules, position: Position) -> int:
    own = position[1] if position[2] else position[0]
    other = position[0] if position[2] else position[1]
    if popcount(own) == rules.least:
        return WIN if rules.misere else LOSE
    if popcount(other) == rules.least:
        return LOSE if rules.misere else WIN
    empty = rules.board & ~(own | other)
    own = free(rules, own, other)
    for direction in range(8):
        if own & step(rules, empty, direction):
            return UNDECIDED
    for direction in range(8):
        if pushers(rules, own, other, empty, direction):
            return UNDECIDED
    return WIN if rules.misere else LOSE


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    """A move is 8 times the cell of the piece taken, plus its direction."""
    own = position[1] if position[2] else position[0]
    other = position[0] if position[2] else position[1]
    empty = rules.board & ~(own | other)
    own = free(rules, own, other)
    for direction in range(8):
        pieces = movers(rules, own, other, empty, direction)
        while pieces:
            yield lowest(pieces) * 8 + direction
            pieces &= pieces - 1


def do_move(rules: Rules, position: Position, move: int) -> Position:
    own = position[1] if position[2] else position[0]
    other = position[0] if position[2] else position[1]
    direction = move & 7
    taken = 1 << (move >> 3)
    front = step(rules, taken, direction)
    while front & own:
        front = step(rules, front, direction)
    if front & other:
        beyond = front
        while beyond & other:
            beyond = step(rules, beyond, direction)
        other ^= front | beyond
    own ^= taken | front
    return (other, own, 0) if position[2] else (own, other, 1)


def undo_moves(rules: Rules, position: Position) -> Iterator[Position]:
    """The positions before a move without a capture: the line steps back from `front` to the empty cell `taken`.

    Up to one piece fewer than the line has may have been pushed, and those now stand directly before it.
    """
    if not is_over(rules, position):
        own = position[0] if position[2] else position[1]
        other = position[1] if position[2] else position[0]
        empty = rules.board & ~(own | other)
        for direction in range(8):
            fronts = own & step(rules, empty, direction)
            length = 1
            while fronts:
                left = fronts
                while left:
                    front = left & -left
                    left ^= front
                    back = length * rules.distance[direction]
                    taken = front >> back if direction >= 4 else front << back
                    own_before, other_before = own ^ front ^ taken, other
                    pushed, last = 0, front
                    while True:
                        if not rules.freeze or is_free_line(rules, own_before, other_before, taken, length, direction):
                            if position[2]:
                                yield own_before, other_before, 0
                            else:
                                yield other_before, own_before, 1
                        pushed += 1
                        last = step(rules, last, direction)
                        if pushed == length or not last & other:
                            break
                        other_before = other ^ last ^ front
                fronts = own & step(rules, fronts, direction)
                length += 1


def is_free_line(rules: Rules, own: int, other: int, taken: int, length: int, direction: int) -> bool:
    """Whether none of the pieces of a line is frozen."""
    line = 0
    for _ in range(length):
        line |= taken
        taken = step(rules, taken, direction)
    return line & frozen(rules, own, other) == 0


def evaluate(rules: Rules, position: Position) -> int:
    """An estimate for the player to move: captures first, then pieces off the edge, then pieces side by side.

    100 for a piece more than the other has, 4 for each step of a piece away from the edge, 1 for each pair of
    neighbours: a piece is pushed off only from the edge, and only pieces in line push. With misere all of it counts the
    other way.
    """
    own = position[1] if position[2] else position[0]
    other = position[0] if position[2] else position[1]
    score = 100 * (popcount(own) - popcount(other))
    for i in range(len(rules.rings)):
        score += 4 * (popcount(own & rules.rings[i]) - popcount(other & rules.rings[i]))
    for direction in range(4, 8):
        score += popcount(own & step(rules, own, direction)) - popcount(other & step(rules, other, direction))
    score = max(-500_000, min(500_000, score))
    return -score if rules.misere else score


def parse(rules: Rules, text: str) -> Position:
    fields = read_fields(text, show(rules, start(rules)))
    who = read_turn(fields[0], list(players), text)
    read_rows(fields[1:], [rules.cols] * rules.rows, "bw-", text)
    letters = "".join(fields[1:])[::-1]
    black = int(letters.translate(str.maketrans("bw-", "100")), 2)
    white = int(letters.translate(str.maketrans("bw-", "010")), 2)
    check_pieces(rules, "bw", black, white, text)
    return black, white, who


def _board(rules: Rules, position: Position) -> list[str]:
    """The rows from the bottom."""
    black, white = (f"{mask:0{rules.cells}b}"[::-1] for mask in position[:2])
    letters = "".join("b" if b == "1" else "w" if w == "1" else "-" for b, w in zip(black, white, strict=True))
    return [letters[i : i + rules.cols] for i in range(0, rules.cells, rules.cols)]


def show(rules: Rules, position: Position) -> str:
    return f"({list(players)[position[2]]} {' '.join(_board(rules, position))})"


def draw(rules: Rules, position: Position) -> str:
    return draw_grid(_board(rules, position)[::-1])


def _name(rules: Rules, cell: int) -> str:
    return cell_name(cell // rules.cols, cell % rules.cols)


def move_name(rules: Rules, position: Position, move: int) -> str:
    up, right = STEPS[move & 7]
    cell = move >> 3
    return f"{_name(rules, cell)}-{_name(rules, cell + up * rules.cols + right)}"


def parse_move(rules: Rules, position: Position, text: str) -> int:
    (row, col), (to_row, to_col) = read_step(text, rules.rows, rules.cols)
    name = shorten(text)
    if is_over(rules, position):
        raise MoveError(f"{name}: the game is over")
    if (to_row - row, to_col - col) not in STEPS:
        raise MoveError(f"{name}: a move names a piece and a cell next to it, got two cells that are not neighbours")
    direction = STEPS.index((to_row - row, to_col - col))
    cell = row * rules.cols + col
    own, other = (position[1], position[0]) if position[2] else (position[0], position[1])
    if not own >> cell & 1:
        raise MoveError(f"{name}: {cell_name(row, col)} holds no piece of {list(players.values())[position[2]]}")
    stuck = frozen(rules, own, other) if rules.freeze else 0
    length = pushed = 0
    front = 1 << cell
    while front & own:
        if front & stuck:
            at = _name(rules, lowest(front))
            raise MoveError(f"{name}: the piece at {at} is frozen, for the opponent could push it")
        length += 1
        front = step(rules, front, direction)
    if not front:
        raise MoveError(f"{name}: it would push an own piece off the board")
    while front & other:
        pushed += 1
        front = step(rules, front, direction)
    if pushed and front & own:
        raise MoveError(f"{name}: the pieces pushed run into an own piece at {_name(rules, lowest(front))}")
    if pushed >= length:
        raise MoveError(f"{name}: a line must be longer than the one it pushes, got {length} against {pushed}")
    return cell * 8 + direction
