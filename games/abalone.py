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

from gamesman.bits import highest, lowest, popcount
from gamesman.boards import squares
from gamesman.errors import MoveError, shorten
from gamesman.layout import Layout, Pieces, Turn
from gamesman.notation import cell_name, read_step
from gamesman.numbering import Numbering, numbering
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
    shift: int  # a move is direction << shift | cell
    cell_bits: int  # the bits of a move that tell its cell
    packed: int  # how many directions' moves fit one word
    rays: tuple[int, ...]  # by move, all cells ahead of the piece; a single 0 where a board does not fit a word
    misere: int
    freeze: int
    start_black: int
    start_white: int
    turned: tuple[tuple[int, ...], ...]
    least: int  # pieces of a side that has lost
    numbering: Numbering


layout = Layout(lambda rules: squares(rules.rows, rules.cols, True), Pieces("b"), Pieces("w"), Turn())


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
    shift = (cells - 1).bit_length()
    least = rows + cols - 3 - o.captures
    count = range(least, rows + cols - 2)
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
        shift=shift,
        cell_bits=(1 << shift) - 1,
        packed=max(1, 64 >> shift),
        rays=_rays(rows, cols, shift) if cells < 64 else (0,),
        misere=int(o.misere),
        freeze=int(o.freeze),
        start_black=row >> 1 | between,
        start_white=(row & ~1) << cells - cols | between << cols - 1,
        turned=squares(rows, cols).turned(),
        least=least,
        numbering=numbering(cells, count, count, turns=lambda b, w: (0, 1) if b + w > 2 * least else ()),
    )


def _rays(rows: int, cols: int, shift: int) -> tuple[int, ...]:
    rays = [0] * (8 << shift)
    for direction, (up, right) in enumerate(STEPS):
        for cell in range(rows * cols):
            row, col = cell // cols + up, cell % cols + right
            while 0 <= row < rows and 0 <= col < cols:
                rays[direction << shift | cell] |= 1 << row * cols + col
                row, col = row + up, col + right
    return tuple(rays)


def start(rules: Rules) -> Position:
    return rules.start_black, rules.start_white, 0


def step(rules: Rules, cells: int, direction: int) -> int:
    """Return the cells one step on; those that would leave the board are gone."""
    cells &= rules.inside[direction]
    if direction >= 4:
        return cells << rules.distance[direction]
    return cells >> rules.distance[direction]


def pushers(rules: Rules, own: int, other: int, room: int, direction: int) -> int:
    """Return the pieces that can be taken to push j opposing ones with a line of exactly j + 1, for every j.

    `room` are the cells before which there is an empty one.
    """
    found = 0
    pushed = other & (room | ~rules.inside[direction])
    backed = own  # the pieces with at least j of their own directly behind them
    for count in range(1, rules.pushable + 1):
        backed = own & step(rules, backed, direction)
        behind = step(rules, pushed, 7 - direction)
        fronts = backed & behind
        back = count * rules.distance[direction]
        found |= fronts >> back if direction >= 4 else fronts << back
        pushed = other & behind
    return found


def in_line(rules: Rules, own: int, heads: int, direction: int) -> int:
    """Return some own pieces, and those that stand in line behind them, seen in the direction."""
    line = found = heads
    for _ in range(rules.longest):
        line = own & step(rules, line, 7 - direction)
        found |= line
    return found


def movers(rules: Rules, own: int, other: int, empty: int, direction: int) -> int:
    """Return the pieces that can be taken in the direction; `own` is without those that are frozen."""
    room = step(rules, empty, 7 - direction)
    return in_line(rules, own, own & room | pushers(rules, own, other, room, direction), direction)


def frozen(rules: Rules, own: int, other: int) -> int:
    """Return those of the own pieces that the other side could push by a move of the basic rules."""
    found = 0
    empty = rules.board & ~(own | other)
    for direction in range(8):
        chain = own & (step(rules, empty, 7 - direction) | ~rules.inside[direction])
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
    """Return those of the own pieces that may be moved."""
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
        if pushers(rules, own, other, step(rules, empty, 7 - direction), direction):
            return UNDECIDED
    return WIN if rules.misere else LOSE


# A move is its direction and, in the low bits, the cell of the piece taken. So it is also a place in a row of 8 boards,
# one a direction, and all moves there are make a mask over that row. We take it a word at a time: 4 boards of up to 16
# cells fit a word, 2 of up to 32, else 1. To go through one word with many moves is faster than through four with few,
# because at the end of each the processor has most likely guessed that there is one more.
#
#     the first word of 4x4     direction 3       direction 2       direction 1       direction 0
#     cell                      d4 ...... a1      d4 ...... a1      d4 ...... a1      d4 ...... a1
#     move                      63 ...... 48      47 ...... 32      31 ...... 16      15 ....... 0


def beyond(rules: Rules, cells: int, move: int) -> int:
    """Return the first cell on the way of a move that is not among some cells; 0 if the way ends before it."""
    if len(rules.rays) > 1:
        ahead = rules.rays[move] & ~cells
        if move >= 4 << rules.shift:
            return ahead & -ahead
        return 1 << highest(ahead) if ahead else 0
    front = step(rules, 1 << (move & rules.cell_bits), move >> rules.shift)
    while front & cells:
        front = step(rules, front, move >> rules.shift)
    return front


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    own = position[1] if position[2] else position[0]
    other = position[0] if position[2] else position[1]
    empty = rules.board & ~(own | other)
    own = free(rules, own, other)
    for first in range(0, 8, rules.packed):
        moves = 0
        for i in range(rules.packed):
            moves |= movers(rules, own, other, empty, first + i) << (i << rules.shift)
        while moves:
            yield (first << rules.shift) + lowest(moves)
            moves &= moves - 1


def do_move(rules: Rules, position: Position, move: int) -> Position:
    own = position[1] if position[2] else position[0]
    other = position[0] if position[2] else position[1]
    front = beyond(rules, own, move)
    if front & other:
        other ^= front | beyond(rules, own | other, move)
    own ^= front | 1 << (move & rules.cell_bits)
    return (other, own, 0) if position[2] else (own, other, 1)


def undo_moves(rules: Rules, position: Position) -> Iterator[Position]:
    """Yield the positions before a move without a capture: the line steps back from `front` to the empty `taken`.

    As many pieces as stand behind `front` in the line may have been pushed, and those now stand directly before it.
    """
    if not is_over(rules, position):
        own = position[0] if position[2] else position[1]
        other = position[1] if position[2] else position[0]
        empty = rules.board & ~(own | other)
        for first in range(0, 8, rules.packed):
            moves = pushes = 0  # the moves back of all fronts; those of fronts that may have pushed
            for i in range(rules.packed):
                back = first + i
                fronts = in_line(rules, own, own & step(rules, empty, 7 - back), back)
                moves |= fronts << (i << rules.shift)
                fronts &= step(rules, own, 7 - back) & step(rules, other, back)
                pushes |= fronts << (i << rules.shift)
            while moves:
                move = (first << rules.shift) + lowest(moves)
                moves &= moves - 1
                front, taken = 1 << (move & rules.cell_bits), beyond(rules, own, move)
                before = own ^ front ^ taken
                if is_free_line(rules, before, other, front, taken, move):
                    if position[2]:
                        yield before, other, 0
                    else:
                        yield other, before, 1
            while pushes:
                move = (first << rules.shift) + lowest(pushes)
                pushes &= pushes - 1
                front, taken = 1 << (move & rules.cell_bits), beyond(rules, own, move)
                before = own ^ front ^ taken
                back = move >> rules.shift
                rear, last = step(rules, front, back), step(rules, front, 7 - back)
                while rear & own and last & other:
                    other_before = other ^ last ^ front
                    if is_free_line(rules, before, other_before, front, taken, move):
                        if position[2]:
                            yield before, other_before, 0
                        else:
                            yield other_before, before, 1
                    rear, last = step(rules, rear, back), step(rules, last, 7 - back)


def is_free_line(rules: Rules, own: int, other: int, front: int, taken: int, move: int) -> bool:
    """Tell whether no piece from `taken` up to just before `front` is frozen; `move` leads back from `front`."""
    if rules.freeze:
        stuck = frozen(rules, own, other)
        while front != taken:
            front = step(rules, front, move >> rules.shift)
            if front & stuck:
                return False
    return True


def captures(rules: Rules, own: int, other: int) -> int:
    """Count the opposing pieces that could be pushed off the board by moves of the basic rules."""
    count = 0
    for direction in range(8):
        pushed, backed = other & ~rules.inside[direction], own
        for _ in range(rules.pushable):
            backed = own & step(rules, backed, direction)
            pushed = step(rules, pushed, 7 - direction)  # what stands behind a line to the edge
            count += popcount(backed & pushed)
            pushed &= other
    return count


def evaluate(rules: Rules, position: Position) -> int:
    """Estimate by captures, made and threatened, then by pieces off the edge, then by pieces side by side.

    100 for a piece more than the other has, 4 for each step of a piece off the edge, 2 for each pair; 60 if there is a
    piece to capture, 300 if it decides the game, -20 for each, three at most, that the other could. Misere reverses it.
    """
    own = position[1] if position[2] else position[0]
    other = position[0] if position[2] else position[1]
    score = 100 * (popcount(own) - popcount(other)) - 20 * min(3, captures(rules, other, own))
    for i in range(len(rules.rings)):
        score += 4 * (popcount(own & rules.rings[i]) - popcount(other & rules.rings[i]))
    for direction in range(4, 8):
        score += 2 * (popcount(own & step(rules, own, direction)) - popcount(other & step(rules, other, direction)))
    if captures(rules, own, other):
        score += 300 if popcount(other) == rules.least + 1 else 60
    return -score if rules.misere else score


def ends(rules: Rules, position: Position, move: int) -> tuple[int, int]:
    up, right = STEPS[move >> rules.shift]
    cell = move & rules.cell_bits
    return cell, cell + up * rules.cols + right


def parse_move(rules: Rules, position: Position, text: str) -> int:
    (row, col), (to_row, to_col) = read_step(text, rules.rows, rules.cols)
    name, names = shorten(text), layout.board(rules).names
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
            at = names[lowest(front)]
            raise MoveError(f"{name}: the piece at {at} is frozen, for the opponent could push it")
        length += 1
        front = step(rules, front, direction)
    if not front:
        raise MoveError(f"{name}: it would push an own piece off the board")
    while front & other:
        pushed += 1
        front = step(rules, front, direction)
    if pushed and front & own:
        raise MoveError(f"{name}: the pieces pushed run into an own piece at {names[lowest(front)]}")
    if pushed >= length:
        raise MoveError(f"{name}: a line must be longer than the one it pushes, got {length} against {pushed}")
    return direction << rules.shift | cell
