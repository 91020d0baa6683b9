"""Dodgem: drive all your cars off the board; who cannot move has won.

Left's cars start at the left edge and go right, up or down; they leave by the right edge. Top's cars start at the
bottom edge and go up, left or right; they leave by the top edge. A cell holds one car. A player who cannot move wins:
he is off the board, or has been blocked.
"""

from typing import NamedTuple

from gamesman.bits import lowest
from gamesman.notation import cell_name, draw_grid, read_fields, read_rows, read_turn
from gamesman.options import Number
from gamesman.values import UNDECIDED, WIN

options = [Number("size", default=3, low=2, high=26, help="cells to a side")]
players = {"x": "Left", "o": "Top"}


class Rules(NamedTuple):
    size: int
    cells: int
    board: int
    left: int  # column a
    right: int  # the last column
    top: int  # the top row


def setup(o):
    n = o.size
    column = sum(1 << n * row for row in range(n))
    return Rules(n, n * n, (1 << n * n) - 1, column, column << n - 1, ((1 << n) - 1) << n * (n - 1))


def start(rules):
    return rules.left & ~1, (1 << rules.size) - 2, 0


def hash(rules, position):
    x, o, who = position
    return (x << rules.cells | o) << 1 | who


def unhash(rules, key):
    return key >> 1 + rules.cells, key >> 1 & rules.board, key & 1


def key_bound(rules):
    return 2 << 2 * rules.cells


def turn(rules, position):
    return position[2]


def movers(rules, position, direction):
    """Return the cars that can go right, up, down (Left's) or up, left, right (Top's)."""
    x, o, who = position
    empty = rules.board & ~(x | o)
    if who == 0:
        if direction == 0:
            return x & (empty >> 1 & ~rules.right | rules.right)
        if direction == 1:
            return x & empty >> rules.size
        return x & empty << rules.size
    if direction == 0:
        return o & (empty >> rules.size | rules.top)
    if direction == 1:
        return o & empty << 1 & ~rules.left
    return o & empty >> 1 & ~rules.right


def primitive(rules, position):
    for direction in range(3):
        if movers(rules, position, direction):
            return UNDECIDED
    return WIN


def generate_moves(rules, position):
    for direction in range(3):
        cars = movers(rules, position, direction)
        while cars:
            yield lowest(cars) * 3 + direction
            cars &= cars - 1


def target(rules, position, move):
    """Return the cell a car goes to; rules.cells if it leaves the board."""
    cell, direction = move // 3, move % 3
    if position[2] == 0:
        if direction == 0:
            return rules.cells if rules.right >> cell & 1 else cell + 1
        return cell + rules.size if direction == 1 else cell - rules.size
    if direction == 0:
        return min(cell + rules.size, rules.cells)
    return cell - 1 if direction == 1 else cell + 1


def do_move(rules, position, move):
    x, o, who = position
    change = (1 << move // 3 | 1 << target(rules, position, move)) & rules.board
    return (x ^ change, o, 1) if who == 0 else (x, o ^ change, 0)


def tier(rules, position):
    """Count the moves ahead that are left: cars only ever go ahead or aside."""
    x, o, who = position
    left = 0
    for i in range(rules.cells):
        if x >> i & 1:
            left += rules.size - i % rules.size
        if o >> i & 1:
            left += rules.size - i // rules.size
    return left


def rows(rules, position):
    x, o, who = position
    letters = ["x" if x >> i & 1 else "o" if o >> i & 1 else "-" for i in range(rules.cells)]
    n = rules.size
    return ["".join(letters[i * n : i * n + n]) for i in reversed(range(n))]


def show(rules, position):
    return f"({list(players)[position[2]]} {' '.join(rows(rules, position))})"


def parse(rules, text):
    who, *found = read_fields(text, show(rules, start(rules)))
    read_rows(found, [rules.size] * rules.size, "xo-", text)
    letters = "".join(reversed(found))
    x, o = (sum(1 << i for i, c in enumerate(letters) if c == letter) for letter in "xo")
    return x, o, read_turn(who, list(players), text)


def draw(rules, position):
    return draw_grid(rows(rules, position))


def move_name(rules, position, move):
    n, cell, to = rules.size, move // 3, target(rules, position, move)
    return f"{cell_name(cell // n, cell % n)}-{'off' if to == rules.cells else cell_name(to // n, to % n)}"
