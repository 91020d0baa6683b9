"""Hexagonal Abalone on a dict of (row, diagonal), read word for word from the rules."""

ROWS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
OTHER = {"b": "r", "r": "b"}
NEIGHBOURS = [(0, 1), (0, -1), (1, 0), (-1, 0), (1, -1), (-1, 1)]
CAPTURES = {2: 1, 3: 2, 4: 4, 5: 6}


def diagonals(edge):
    """Return the diagonals of each row, counted from 1, so that B3 and B4 are under A4.

    >>> diagonals(4)[1], diagonals(4)[4], diagonals(4)[7]
    ([4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4])
    """
    lines = {}
    for row in range(1, 2 * edge):
        if row <= edge:
            lines[row] = list(range(edge + 1 - row, 2 * edge))
        else:
            lines[row] = list(range(1, 3 * edge - row))
    return lines


def tokens(edge):
    """Return blue's tokens in each row, from the top: each row's in its middle."""
    if edge == 2:
        return [2]
    if edge == 3:
        return [3, 2]
    return [edge, edge + 1, edge - 2]


def start(options):
    """Write the start of an edge.

    >>> start({"edge": 4})
    '(b bbbb bbbbb --bb-- ------- --rr-- rrrrr rrrr)'
    >>> start({"edge": 3})
    '(b bbb -bb- ----- -rr- rrr)'
    """
    edge = options["edge"]
    lines = ["-" * len(line) for line in diagonals(edge).values()]
    for i, count in enumerate(tokens(edge)):
        side = "-" * ((len(lines[i]) - count) // 2)
        lines[i] = side + "b" * count + side
        lines[-1 - i] = side + "r" * count + side
    return f"(b {' '.join(lines)})"


def read(position):
    turn, *lines = position.strip("()").split()
    edge = len(lines[0])
    board = {}
    for row, line in diagonals(edge).items():
        for diagonal, piece in zip(line, lines[row - 1], strict=True):
            board[row, diagonal] = piece
    return turn, board, edge


def write(turn, board, edge):
    return f"({turn} {' '.join(''.join(board[row, d] for d in line) for row, line in diagonals(edge).items())})"


def name(cell):
    return ROWS[cell[0] - 1] + str(cell[1])


def add(cell, direction, times=1):
    return cell[0] + times * direction[0], cell[1] + times * direction[1]


def is_safe(options, board, edge, cell, direction):
    """Tell whether the corner rule saves the token at `cell` from being pushed off in that direction."""
    corners = [(1, edge), (1, 2 * edge - 1), (edge, 1), (edge, 2 * edge - 1), (2 * edge - 1, 1), (2 * edge - 1, edge)]
    rule = options.get("corner", "axis")
    if rule == "none" or cell not in corners:
        return False
    if rule == "any":
        return True
    centre = (edge, edge)
    return add(cell, direction, -(edge - 1)) == centre


def moves(options, position):
    """Return the (move, position after it), whether or not the game is over."""
    turn, board, edge = read(position)
    found = []
    for first, piece in board.items():
        for direction in NEIGHBOURS:
            second = add(first, direction)
            if piece != turn or board.get(second) != turn:
                continue
            front = add(second, direction)
            if front not in board or board[front] == turn:
                continue
            after = dict(board)
            if board[front] == OTHER[turn]:
                beyond = add(front, direction)
                if beyond in board and board[beyond] != "-":
                    continue
                if beyond in board:
                    after[beyond] = OTHER[turn]
                elif is_safe(options, board, edge, front, direction):
                    continue
            after[first] = "-"
            after[front] = turn
            found.append((f"{name(first)} {name(second)}", write(OTHER[turn], after, edge)))
    return found


def over(options, position):
    turn, board, edge = read(position)
    captures = options.get("captures") or CAPTURES[edge]
    at_start = sum(tokens(edge))
    if at_start - list(board.values()).count(turn) >= captures:
        return "lose"
    if at_start - list(board.values()).count(OTHER[turn]) >= captures:
        return "win"
    sides = turn + OTHER[turn] if options.get("stuck") == "either" else turn
    return None if all(moves(options, write(side, board, edge)) for side in sides) else "tie"
