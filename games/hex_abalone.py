"""Abalone on a hexagon, moved in pairs: push the other's tokens off the board; who loses enough of them has lost.

The board has rows A, B, ... from the top and diagonals 1, 2, ... that lean like a backslash: a cell is named by both.
Blue's tokens are at the top, red's at the bottom; blue moves first. Two adjacent own tokens move together, one step
along their line. The cell before them must be empty, or hold one opposing token with an empty cell, or nothing, behind
it: that token is pushed on, or off the board. Who has lost `captures` tokens has lost the game. If the player to move
has no legal move the game is a draw.

       A  b b b b
      B  b b b b b
     C  - - b b - -         edge 4: 37 cells, 11 tokens a side
    D  - - - - - - -
     E  - - r r - - 7       diagonal 7 runs from A7 to D7, diagonal 1 from D1 to G1
      F  r r r r r 6
       G  r r r r 5
           1 2 3 4

Options
    edge         cells on each side of the hexagon
    captures     tokens whose loss decides the game: 1, 2, 4 and 6 for edges 2 to 5
    corner       who is safe on a corner cell: axis, from being pushed straight out, away from the centre;
                 any, from being pushed off at all; none, nobody

Notation
    (T row row ...), row A first: T is who moves, b or r; - is an empty cell.
    B5 C5: the tokens at B5 and C5 move, from the first towards the second.

Rulings
    The rules give edge 4 only. From edge 4 on the first and second row are full, and the middle edge - 2 cells of the
    third (edge 5: 14 tokens); edge 3 has the first row and the middle two of the second; edge 2 the first row. Red's
    are mirrored. Captures are twice the edge less 4, but at least 1, unless they are given; at most all tokens.
    Tokens move in pairs only, never alone, and never three: a third own token before the pair blocks it. Two opposing
    tokens in line block it too, as does the edge: own tokens are never pushed off.
    "Pushed off from the corner of the board in direction of the corner" is read as corner=axis; along the two edges
    that meet there a token can be pushed off. The other readings are options.
    A game without a legal move is a tie at once; in a game in which a side has lost its tokens nobody moves any more.
    A position in which both sides have lost that many cannot arise and is refused, and so is one with more tokens than
    at the start.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gamesman.bits import lowest, popcount
from gamesman.errors import MoveError, shorten
from gamesman.games._placement import check_pieces, key_place, place_bound, place_key, place_run, place_tier, tables
from gamesman.games._turning import Table, image, mask_table
from gamesman.notation import read_fields, read_rows, read_turn
from gamesman.options import Choice, Number, Options
from gamesman.values import LOSE, TIE, UNDECIDED, WIN

players = {"b": "Blue", "r": "Red"}
ROWS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Position = tuple[int, int, int]  # blue's cells, red's cells, whose turn

# Row and diagonal steps of the directions; d and 5 - d are opposite.
STEPS = ((0, 1), (1, 0), (1, -1), (-1, 1), (-1, 0), (0, -1))


class Rules(NamedTuple):
    """A board is a mask with a bit a cell, numbered so that a step is the same rotation of the mask everywhere.

     0 1      One to the right is one bit on, one down the diagonal 3 * edge - 1 bits on, and past the last bit comes
    4 5 6     the first: hexagons tile the plane, and a walk in one direction visits every cell of the tile once
     2 3      before it is back.
    """

    edge: int
    cells: int
    board: int  # the mask of all cells
    bits: tuple[int, ...]  # the bit of each cell, row by row from the top
    inside: tuple[int, ...]  # for each direction, the cells from which a step stays on the board
    off: tuple[int, ...]  # for each direction, the cells from which a token can be pushed off the board
    turned: tuple[int, ...]  # for each direction, how far a step rotates the mask
    rings: tuple[int, ...]  # the cells at least 1, 2, ... steps from the edge
    start_blue: int
    start_red: int
    mirrored: Table  # left and right exchanged; see games/_turning.py
    least: int
    full: int
    spread: int
    dense: int
    width: int
    chunks: int
    ranks: tuple[tuple[int, ...], ...]
    choose: tuple[tuple[int, ...], ...]
    masks: tuple[int, ...]
    masks_from: tuple[int, ...]
    tier_from: tuple[int, ...]
    tier_ways: tuple[tuple[int, ...], ...]


def _tokens(edge: int) -> int:
    return 3 * edge - 1 if edge >= 4 else {2: 2, 3: 5}[edge]


options = [
    Number("edge", default=4, low=2, high=13, help="cells on each side of the hexagon"),
    Number(
        "captures",
        default=lambda o: max(1, 2 * (o.edge - 2)),
        low=1,
        high=lambda o: _tokens(o.edge),
        help="tokens whose loss decides the game",
    ),
    Choice("corner", choices=("axis", "any", "none"), help="who is safe on a corner cell"),
]


def _rows(edge: int) -> list[range]:
    """The diagonals of each row."""
    above = [range(edge - row, 2 * edge) for row in range(edge)]
    return above + [range(1, 2 * edge - row) for row in range(1, edge)]


def _cells(edge: int) -> list[tuple[int, int]]:
    """All cells as row, counted from 0, and diagonal, from the top."""
    return [(row, diagonal) for row, diagonals in enumerate(_rows(edge)) for diagonal in diagonals]


def _start(edge: int) -> list[tuple[int, int]]:
    """Blue's cells at the start."""
    rows = _rows(edge)
    full = 2 if edge >= 4 else 1
    found = [(row, diagonal) for row in range(full) for diagonal in rows[row]]
    return found + [(full, diagonal) for diagonal in rows[full][full:-full]] if edge >= 3 else found


def setup(o: Options) -> Rules:
    edge = o.edge
    cells = _cells(edge)
    count, down = len(cells), 3 * edge - 1
    bit = {(row, diagonal): (diagonal - edge + row * down) % count for row, diagonal in cells}

    def mask(of: list[tuple[int, int]]) -> int:
        return sum(1 << bit[cell] for cell in of)

    inside, off, rings = [], [], []
    board = mask(cells)
    corners = [cell for cell in cells if sum((cell[0] + r, cell[1] + d) in bit for r, d in STEPS) == 3]
    for right, (row, diagonal) in enumerate(STEPS):
        inside.append(mask([(r, d) for r, d in cells if (r + row, d + diagonal) in bit]))
        tip = (edge - 1 + row * (edge - 1), edge + diagonal * (edge - 1))
        safe = {"axis": [tip], "any": corners, "none": []}[o.corner]
        off.append(board & ~inside[right] & ~mask(safe))
    for inset in range(1, edge):
        shrunk = {(r + inset, d) for r, d in _cells(edge - inset)}
        rings.append(mask([cell for cell in cells if cell in shrunk]))
    blue = _start(edge)
    red = [(2 * edge - 2 - r, 2 * edge - d) for r, d in blue]
    rows = _rows(edge)
    mirror = {bit[r, d]: bit[r, rows[r][0] + rows[r][-1] - d] for r, d in cells}
    return Rules(
        edge=edge,
        cells=count,
        board=board,
        bits=tuple(bit.values()),
        inside=tuple(inside),
        off=tuple(off),
        turned=tuple((row * down + diagonal) % count for row, diagonal in STEPS),
        rings=tuple(rings),
        start_blue=mask(blue),
        start_red=mask(red),
        mirrored=mask_table([mirror[i] for i in range(count)]),
        **tables(count, len(blue), o.captures),
    )


def start(rules: Rules) -> Position:
    return rules.start_blue, rules.start_red, 0


def hash(rules: Rules, position: Position) -> int:
    """Number a position within its tier; see games/_placement.py."""
    return place_key(rules, position[0], position[1], position[2])


def unhash(rules: Rules, key: int) -> Position:
    return key_place(rules, key)


def key_bound(rules: Rules) -> int:
    return place_bound(rules)


def tier(rules: Rules, position: Position) -> int:
    """The numbers of tokens left: a capture lowers it, any other move leaves it."""
    return place_tier(rules, position[0], position[1])


def tier_keys(rules: Rules, tier: int) -> tuple[int, int]:
    return place_run(rules, tier)


def turn(rules: Rules, position: Position) -> int:
    return position[2]


def symmetries(rules: Rules, position: Position) -> Iterator[Position]:
    yield image(rules.mirrored, position[0]), image(rules.mirrored, position[1]), position[2]


def step(rules: Rules, cells: int, direction: int) -> int:
    """The cells one step on; those that would leave the board are gone."""
    cells &= rules.inside[direction]
    turned = rules.turned[direction]
    return (cells << turned | cells >> rules.cells - turned) & rules.board


def movers(rules: Rules, own: int, other: int, direction: int) -> int:
    """The first tokens of the pairs that can move in the direction."""
    empty = rules.board & ~(own | other)
    pushable = other & (step(rules, empty, 5 - direction) | rules.off[direction])
    second = own & step(rules, empty | pushable, 5 - direction)
    return own & step(rules, second, 5 - direction)


def is_over(rules: Rules, position: Position) -> bool:
    return popcount(position[0]) == rules.least or popcount(position[1]) == rules.least


def primitive(rules: Rules, position: Position) -> int:
    own = position[1] if position[2] else position[0]
    other = position[0] if position[2] else position[1]
    if popcount(own) == rules.least:
        return LOSE
    if popcount(other) == rules.least:
        return WIN
    for direction in range(6):
        if movers(rules, own, other, direction):
            return UNDECIDED
    return TIE


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    """A move is 8 times the bit of the pair's first token, plus its direction."""
    own = position[1] if position[2] else position[0]
    other = position[0] if position[2] else position[1]
    for direction in range(6):
        tokens = movers(rules, own, other, direction)
        while tokens:
            yield lowest(tokens) * 8 + direction
            tokens &= tokens - 1


def do_move(rules: Rules, position: Position, move: int) -> Position:
    own = position[1] if position[2] else position[0]
    other = position[0] if position[2] else position[1]
    direction = move & 7
    first = 1 << (move >> 3)
    front = step(rules, step(rules, first, direction), direction)
    if front & other:
        other ^= front | step(rules, front, direction)
    own ^= first | front
    return (other, own, 0) if position[2] else (own, other, 1)


def undo_moves(rules: Rules, position: Position) -> Iterator[Position]:
    """The positions before a move without a capture: the pair steps back from `front` to the empty cell `first`.

    If a token of the other side stands directly before it, that one may have been pushed.
    """
    if not is_over(rules, position):
        own = position[0] if position[2] else position[1]
        other = position[1] if position[2] else position[0]
        empty = rules.board & ~(own | other)
        for direction in range(6):
            fronts = own & step(rules, own & step(rules, empty, direction), direction)
            while fronts:
                front = fronts & -fronts
                fronts ^= front
                first = step(rules, step(rules, front, 5 - direction), 5 - direction)
                own_before, other_before = own ^ front ^ first, other
                pushed = other & step(rules, front, direction)
                while True:
                    if position[2]:
                        yield own_before, other_before, 0
                    else:
                        yield other_before, own_before, 1
                    if not pushed:
                        break
                    other_before = other ^ pushed ^ front
                    pushed = 0


def evaluate(rules: Rules, position: Position) -> int:
    """An estimate for the player to move: tokens first, then tokens near the centre, then tokens side by side.

    200 for a token more than the other has, 4 for each step of a token away from the edge, 1 for each pair of
    neighbours: a token is pushed off only from the edge, and only pairs move and push.
    """
    own = position[1] if position[2] else position[0]
    other = position[0] if position[2] else position[1]
    score = 200 * (popcount(own) - popcount(other))
    for i in range(len(rules.rings)):
        score += 4 * (popcount(own & rules.rings[i]) - popcount(other & rules.rings[i]))
    for direction in range(3):
        score += popcount(own & step(rules, own, direction)) - popcount(other & step(rules, other, direction))
    return score


def parse(rules: Rules, text: str) -> Position:
    lengths = [len(row) for row in _rows(rules.edge)]
    fields = read_fields(text, show(rules, start(rules)))
    who = read_turn(fields[0], list(players), text)
    read_rows(fields[1:], lengths, "br-", text)
    letters = "".join(fields[1:])
    blue, red = (sum(1 << bit for bit, c in zip(rules.bits, letters, strict=True) if c == letter) for letter in players)
    check_pieces(rules, "br", blue, red, text)
    return blue, red, who


def _board(rules: Rules, position: Position) -> list[str]:
    """The rows from the top."""
    blue, red = position[:2]
    letters = iter("b" if blue >> bit & 1 else "r" if red >> bit & 1 else "-" for bit in rules.bits)
    return ["".join(next(letters) for _ in row) for row in _rows(rules.edge)]


def show(rules: Rules, position: Position) -> str:
    return f"({list(players)[position[2]]} {' '.join(_board(rules, position))})"


def draw(rules: Rules, position: Position) -> str:
    """The board with the rows' letters at the left and the diagonals' numbers at their lower ends."""
    edge = rules.edge
    pitch = 2 if edge <= 5 else 4
    lines = []
    for number, row in enumerate(_board(rules, position)):
        ended = [str(3 * edge - 1 - number)] if number >= edge else []
        cells = "".join(f"{cell:<{pitch}}" for cell in [*row, *ended])
        lines.append(" " * (abs(edge - 1 - number) * pitch // 2) + f"{ROWS[number]}  {cells}".rstrip())
    numbers = "".join(f"{diagonal:<{pitch}}" for diagonal in range(1, edge + 1))
    lines.append(" " * (edge * pitch // 2 + 3) + numbers.rstrip())
    return "\n".join(lines)


def _name(rules: Rules, bit: int) -> str:
    row, diagonal = _cells(rules.edge)[rules.bits.index(bit)]
    return f"{ROWS[row]}{diagonal}"


def move_name(rules: Rules, position: Position, move: int) -> str:
    second = step(rules, 1 << (move >> 3), move & 7)
    return f"{_name(rules, move >> 3)} {_name(rules, lowest(second))}"


def parse_move(rules: Rules, position: Position, text: str) -> int:
    name = shorten(text)
    match = re.fullmatch(r" *([A-Z])([1-9][0-9]?) +([A-Z])([1-9][0-9]?) *", text)
    if not match:
        raise MoveError(f"expected a move like B5 C5, got {name or 'nothing'}")
    cells = _cells(rules.edge)
    ends = [(ROWS.index(match[i]), int(match[i + 1])) for i in (1, 3)]
    for i, end in zip((1, 3), ends, strict=True):
        if end not in cells:
            raise MoveError(f"{name}: there is no cell {match[i]}{match[i + 1]} on a board of edge {rules.edge}")
    if is_over(rules, position):
        raise MoveError(f"{name}: the game is over")
    along = (ends[1][0] - ends[0][0], ends[1][1] - ends[0][1])
    if along not in STEPS:
        raise MoveError(f"{name}: the two tokens of a pair must be neighbours")
    own, other = (position[1], position[0]) if position[2] else (position[0], position[1])
    for i, end in zip((1, 3), ends, strict=True):
        if not own >> rules.bits[cells.index(end)] & 1:
            at = f"{match[i]}{match[i + 1]}"
            raise MoveError(f"{name}: {at} holds no token of {list(players.values())[position[2]]}")
    direction = STEPS.index(along)
    first = rules.bits[cells.index(ends[0])]
    front = step(rules, step(rules, 1 << first, direction), direction)
    if not front:
        raise MoveError(f"{name}: it would push an own token off the board")
    if front & own:
        raise MoveError(f"{name}: a third own token stands in the way at {_name(rules, lowest(front))}")
    if front & other:
        beyond = step(rules, front, direction)
        at = _name(rules, lowest(front))
        if beyond & other:
            raise MoveError(f"{name}: a pair pushes one token, and there are two or more in line at {at}")
        if beyond & own:
            raise MoveError(f"{name}: the token at {at} has no room, an own token stands behind it")
        if not beyond and not front & rules.off[direction]:
            raise MoveError(f"{name}: the token at {at} is safe in its corner")
    return first * 8 + direction
