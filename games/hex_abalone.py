"""Abalone on a hexagon, moved in pairs: push the other's tokens off the board; who loses enough of them has lost.

The board has rows A, B, ... from the top and diagonals 1, 2, ... that lean like a backslash: a cell is named by both.
Blue's tokens are at the top, red's at the bottom; blue moves first. Two adjacent own tokens move together, one step
along their line. The cell before them must be empty, or hold one opposing token with an empty cell, or nothing, behind
it: that token is pushed on, or off the board. Who has lost `captures` tokens has lost the game. If the player to move
has no legal move the game is a draw; with stuck=either also if the other would have none.

       A  b b b b
      B  b b b b b
     C  - - b b - -      edge 4: 37 cells, 11 tokens a side
    D  - - - - - - -
     E  - - r r - - 7    diagonal 7 runs from A7 to D7, diagonal 1 from D1 to G1
      F  r r r r r 6
       G  r r r r 5
           1 2 3 4

Options
    edge         cells on each side of the hexagon
    captures     tokens whose loss decides the game: 1, 2, 4 and 6 for edges 2 to 5
    corner       who is safe on a corner cell: axis, from being pushed straight out, away from the centre;
                 any, from being pushed off at all; none, nobody
    stuck        whose tokens end the game as a draw when all are blocked or isolated: mover, those of the player to
                 move; either, those of one side or the other, whoever is to move

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
    "May also terminate if all tokens of a side are blocked or isolated" is read as the player to move having no move,
    since only then the game cannot go on; stuck=either takes it by the word, of any side.
    A game without a legal move is a tie at once; in a game in which a side has lost its tokens nobody moves any more.
    A position in which both sides have lost that many cannot arise and is refused, and so is one with more tokens than
    at the start.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from gamesman import naming
from gamesman.bits import lowest, popcount
from gamesman.boards import Board, hexagons
from gamesman.errors import MoveError, shorten
from gamesman.layout import Layout, Pieces, Turn
from gamesman.numbering import Numbering, numbering
from gamesman.options import Choice, Number, Options
from gamesman.values import LOSE, TIE, UNDECIDED, WIN

players = {"b": "Blue", "r": "Red"}
largest = "edge=3"

Position = tuple[int, int, int]  # blue's cells, red's cells, whose turn


class Rules(NamedTuple):
    """A board is a mask with a bit a cell; see gamesman.boards.hexagons."""

    edge: int
    cells: int
    board: int  # the mask of all cells
    inside: tuple[int, ...]  # for each direction, the cells from which a step stays on the board
    off: tuple[int, ...]  # for each direction, the cells from which a token can be pushed off the board
    shifts: tuple[int, ...]  # for each direction, how far a step rotates the mask
    rings: tuple[int, ...]  # the cells at least 1, 2, ... steps from the edge
    start_blue: int
    start_red: int
    turned: tuple[tuple[int, ...], ...]
    least: int  # tokens of a side that has lost
    numbering: Numbering
    either: int = 0  # whether a side without a move ends the game when the other is to move, too


layout = Layout(lambda rules: hexagons(rules.edge), Pieces("b"), Pieces("r"), Turn())


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
    Choice("stuck", choices=("mover", "either"), help="whose tokens, all blocked or isolated, end the game"),
]


def _start(board: Board, edge: int) -> list[int]:
    """Return blue's cells at the start."""
    full = 2 if edge >= 4 else 1
    found = [cell for row in board.rows[:full] for cell in row]
    return found + list(board.rows[full][full:-full]) if edge >= 3 else found


def setup(o: Options) -> Rules:
    board, edge = hexagons(o.edge), o.edge
    inside, near = board.inside("hex"), board.neighbours("hex")
    corners = board.mask(cell for cell, cells in enumerate(near) if popcount(cells) == 3)
    centre = board.rows[edge - 1][edge - 1]
    off, rings, inner = [], [], board.full
    for direction, ray in enumerate(board.rays["hex"][centre]):
        safe = {"axis": 1 << ray[-1], "any": corners, "none": 0}[o.corner]
        off.append(board.full & ~inside[direction] & ~safe)
    for _ in range(1, edge):
        inner = board.mask(cell for cell, cells in enumerate(near) if popcount(cells) == 6 and not cells & ~inner)
        rings.append(inner)
    blue = _start(board, edge)
    red = [board.rows[-1 - r][-1 - i] for r, row in enumerate(board.rows) for i in range(len(row)) if row[i] in blue]
    least, count = len(blue) - o.captures, range(len(blue) - o.captures, len(blue) + 1)
    return Rules(
        edge=edge,
        cells=len(board),
        board=board.full,
        inside=inside,
        off=tuple(off),
        shifts=tuple(step % len(board) for step in (1, 3 * edge - 1, 3 * edge - 2, 2 - 3 * edge, 1 - 3 * edge, -1)),
        rings=tuple(rings),
        start_blue=board.mask(blue),
        start_red=board.mask(red),
        turned=board.turned(),
        least=least,
        numbering=numbering(len(board), count, count, turns=lambda b, r: (0, 1) if b + r > 2 * least else ()),
        either=int(o.stuck == "either"),
    )


def start(rules: Rules) -> Position:
    return rules.start_blue, rules.start_red, 0


def step(rules: Rules, cells: int, direction: int) -> int:
    """Return the cells one step on; those that would leave the board are gone."""
    cells &= rules.inside[direction]
    shift = rules.shifts[direction]
    return (cells << shift | cells >> rules.cells - shift) & rules.board


def movers(rules: Rules, own: int, other: int, direction: int) -> int:
    """Return the first tokens of the pairs that can move in the direction."""
    empty = rules.board & ~(own | other)
    pushable = other & (step(rules, empty, 5 - direction) | rules.off[direction])
    second = own & step(rules, empty | pushable, 5 - direction)
    return own & step(rules, second, 5 - direction)


def can_move(rules: Rules, own: int, other: int) -> bool:
    """Tell whether a side with its own tokens would have a move, were it its turn."""
    for direction in range(6):
        if movers(rules, own, other, direction):
            return True
    return False


def is_over(rules: Rules, position: Position) -> bool:
    return popcount(position[0]) == rules.least or popcount(position[1]) == rules.least


def primitive(rules: Rules, position: Position) -> int:
    own = position[1] if position[2] else position[0]
    other = position[0] if position[2] else position[1]
    if popcount(own) == rules.least:
        return LOSE
    if popcount(other) == rules.least:
        return WIN
    if not can_move(rules, own, other) or (rules.either and not can_move(rules, other, own)):
        return TIE
    return UNDECIDED


def generate_moves(rules: Rules, position: Position) -> Iterator[int]:
    """Yield each move: 8 times the bit of the pair's first token, plus its direction."""
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
    """Yield the positions before a move without a capture: the pair steps back from `front` to the empty `first`.

    If a token of the other side stands directly before it, that one may have been pushed. With `either` there is none
    before it in which the other side was stuck.
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
                    if rules.either and not can_move(rules, other_before, own_before):
                        pass
                    elif position[2]:
                        yield own_before, other_before, 0
                    else:
                        yield other_before, own_before, 1
                    if not pushed:
                        break
                    other_before = other ^ pushed ^ front
                    pushed = 0


def evaluate(rules: Rules, position: Position) -> int:
    """Estimate by tokens first, then tokens near the centre, then tokens side by side.

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


def ends(rules: Rules, position: Position, move: int) -> tuple[int, int]:
    return move >> 3, lowest(step(rules, 1 << (move >> 3), move & 7))


def _example(rules: Rules, position: Position) -> str:
    """Name a move: a legal one where there is one."""
    for move in generate_moves(rules, position):
        return naming.move_name(layout.board(rules), ends(rules, position, move))
    return "B5 C5"


def parse_move(rules: Rules, position: Position, text: str) -> int:
    name, board = shorten(text), layout.board(rules)
    match = re.fullmatch(r" *([A-Z][1-9][0-9]?) +([A-Z][1-9][0-9]?) *", text)
    if not match:
        raise MoveError(f"expected a move like {_example(rules, position)}, got {name or 'nothing'}")
    for cell in match.groups():
        if cell not in board.names:
            raise MoveError(f"{name}: there is no cell {cell} on a board of edge {rules.edge}")
    if is_over(rules, position) or (rules.either and primitive(rules, position) == TIE):
        raise MoveError(f"{name}: the game is over")
    first, second = map(board.cell, match.groups())
    onward = [ray[:1] for ray in board.rays["hex"][first]]
    if (second,) not in onward:
        raise MoveError(f"{name}: the two tokens of a pair must be neighbours")
    direction = onward.index((second,))
    own, other = (position[1], position[0]) if position[2] else (position[0], position[1])
    for cell in first, second:
        if not own >> cell & 1:
            raise MoveError(f"{name}: {board.names[cell]} holds no token of {list(players.values())[position[2]]}")
    front = step(rules, 1 << second, direction)
    if not front:
        raise MoveError(f"{name}: it would push an own token off the board")
    at = board.names[lowest(front)]
    if front & own:
        raise MoveError(f"{name}: a third own token stands in the way at {at}")
    if front & other:
        beyond = step(rules, front, direction)
        if beyond & other:
            raise MoveError(f"{name}: a pair pushes one token, and there are two or more in line at {at}")
        if beyond & own:
            raise MoveError(f"{name}: the token at {at} has no room, an own token stands behind it")
        if not beyond and not front & rules.off[direction]:
            raise MoveError(f"{name}: the token at {at} is safe in its corner")
    return first * 8 + direction
