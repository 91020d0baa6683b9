"""Rectangular Abalone on a dict of cells, read word for word from the rules."""

DIRECTIONS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
OTHER = {"b": "w", "w": "b"}


def start(options):
    """Put black on row 1 and column a, white on the top row and the last column; the NW and SE corners stay empty.

    >>> start({"rows": 4, "cols": 4})
    '(b bbb- b--w b--w -www)'
    """
    rows, cols = options["rows"], options["cols"]
    board = {(x, y): "-" for x in range(1, cols + 1) for y in range(1, rows + 1)}
    for x, y in board:
        if (x, y) in [(1, rows), (cols, 1)]:
            continue
        if x == 1 or y == 1:
            board[x, y] = "b"
        if x == cols or y == rows:
            board[x, y] = "w"
    return write("b", board, rows, cols)


def read(position):
    """Read whose turn it is, and the piece on every (column, row); the first row written is row 1, the bottom one."""
    turn, *lines = position.strip("()").split()
    return turn, {(x, y): piece for y, line in enumerate(lines, 1) for x, piece in enumerate(line, 1)}


def write(turn, board, rows, cols):
    lines = ["".join(board[x, y] for x in range(1, cols + 1)) for y in range(1, rows + 1)]
    return f"({turn} {' '.join(lines)})"


def name(cell):
    return "abcdefghijklmnopqrstuvwxyz"[cell[0] - 1] + str(cell[1])


def line_from(board, cell, direction, piece):
    """Return the cells from `cell` on, in that direction, that hold `piece` without a gap; and the cell after them."""
    found = []
    while board.get(cell) == piece:
        found.append(cell)
        cell = (cell[0] + direction[0], cell[1] + direction[1])
    return found, cell


def step(board, player, cell, direction):
    """Return the own and the opposing cells that move if `player` takes the piece at `cell`; None if he may not."""
    own, beyond = line_from(board, cell, direction, player)
    if beyond not in board:
        return None  # own pieces are never pushed off
    if board[beyond] == "-":
        return own, []
    theirs, beyond = line_from(board, beyond, direction, OTHER[player])
    if len(own) > len(theirs) and board.get(beyond, "-") == "-":
        return own, theirs
    return None


def frozen(board, player):
    """Return the player's cells that the opponent could push, were it his turn, by the basic rules."""
    cells = set()
    for cell, piece in board.items():
        if piece == OTHER[player]:
            for direction in DIRECTIONS:
                moved = step(board, piece, cell, direction)
                if moved:
                    cells.update(moved[1])
    return cells


def moves(options, position):
    """Return the (move, position after it), whether or not the game is over."""
    turn, board = read(position)
    held = frozen(board, turn) if options.get("freeze") else set()
    found = []
    for cell, piece in board.items():
        if piece != turn:
            continue
        for direction in DIRECTIONS:
            moved = step(board, turn, cell, direction)
            if moved is None or held.intersection(moved[0]):
                continue
            after = dict(board)
            for c in moved[0] + moved[1]:
                after[c] = "-"
            for c in moved[0] + moved[1]:
                to = (c[0] + direction[0], c[1] + direction[1])
                if to in board:
                    after[to] = board[c]
            to = (cell[0] + direction[0], cell[1] + direction[1])
            found.append((f"{name(cell)}-{name(to)}", write(OTHER[turn], after, options["rows"], options["cols"])))
    return found


def over(options, position):
    turn, board = read(position)
    pieces = options["rows"] + options["cols"] - 3
    captures = options.get("captures", 2)
    lost = pieces - list(board.values()).count(turn)
    won = pieces - list(board.values()).count(OTHER[turn])
    if lost >= captures:
        return "win" if options.get("misere") else "lose"
    if won >= captures:
        return "lose" if options.get("misere") else "win"
    if not moves(options, position):
        return "win" if options.get("misere") else "lose"
    return None
