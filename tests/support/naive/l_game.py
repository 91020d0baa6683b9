"""The L game on a dict of (column, row), read word for word from the rules."""

from itertools import product

OTHER = {"r": "b", "b": "r"}
CELLS = list(product(range(4), range(4)))
LONG_ARM = [(0, 0), (1, 0), (2, 0)]
FOOT = (2, 1)


def turns(cells):
    """Yield some cells turned and mirrored in all eight ways."""
    for _ in range(4):
        cells = [(y, -x) for x, y in cells]
        yield cells
        yield [(-x, y) for x, y in cells]


def ls():
    """Return every place of an L: by the end of its long arm and its foot, its cells.

    >>> len(ls())
    48
    """
    found = {}
    for turned in turns([*LONG_ARM, FOOT]):
        for x, y in CELLS:
            moved = [(x + dx, y + dy) for dx, dy in turned]
            if all(cell in CELLS for cell in moved):
                found[moved[0], moved[3]] = frozenset(moved)
    return found


PLACES = ls()


def start(options):
    return "(r nbb- -rb- -rb- -rrn)"


def read(position):
    turn, *lines = position.strip("()").split()
    return turn, {(x, 3 - i): piece for i, line in enumerate(lines) for x, piece in enumerate(line)}


def write(turn, board):
    return f"({turn} {' '.join(''.join(board[x, y] for x in range(4)) for y in (3, 2, 1, 0))})"


def name(cell):
    return "abcd"[cell[0]] + str(cell[1] + 1)


def moves(options, position):
    turn, board = read(position)
    own = frozenset(cell for cell in CELLS if board[cell] == turn)
    found = []
    for (end, foot), place in PLACES.items():
        if place == own or any(board[cell] not in (turn, "-") for cell in place):
            continue
        after = {cell: "-" if piece == turn else piece for cell, piece in board.items()} | dict.fromkeys(place, turn)
        put = f"{name(end)}-{name(foot)}"
        found.append((put, write(OTHER[turn], after)))
        for piece, empty in product(CELLS, CELLS):
            if after[piece] == "n" and after[empty] == "-":
                moved = after | {piece: "-", empty: "n"}
                found.append((f"{put} {name(piece)}-{name(empty)}", write(OTHER[turn], moved)))
    return found


def over(options, position):
    return None if moves(options, position) else "lose"
