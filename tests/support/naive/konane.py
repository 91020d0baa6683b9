"""Konane on a dict of cells, read word for word from the rules."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"
OTHER = {"b": "w", "w": "b"}


def start(options):
    """Return the start that is given, or the full board without the removed cells.

    >>> start({"rows": 3, "cols": 4})
    '(w "" wbwb bwb- w-wb)'
    >>> start({"rows": 4, "cols": 4})
    '(w "" bwbw wbwb b--w wbwb)'
    """
    if options.get("start"):
        return options["start"]
    rows, cols = options["rows"], options["cols"]
    if options.get("removed"):
        removed = options["removed"].split(",")
    elif (rows, cols) == (3, 4):
        removed = ["b1", "d2"]
    else:
        removed = [f"{LETTERS[col]}{row + 1}" for row, col in literal_start(rows, cols)]
    board = {}
    for row in range(1, rows + 1):
        for col in range(1, cols + 1):
            cell = f"{LETTERS[col - 1]}{row}"
            colour = "w" if (col + row) % 2 == 0 else "b"
            board[cell] = "-" if cell in removed else colour
    return write("w", "", board, rows, cols)


def literal_start(rows, cols):
    """Return the cells removed at the start, read from the rule word by word on a board of letters."""
    board = {(r, c): "wb"[(r + c) % 2] for r in range(rows) for c in range(cols)}

    def white_jumps(removed):
        left = {cell: "-" if cell in removed else letter for cell, letter in board.items()}
        ways = ((0, 1), (0, -1), (1, 0), (-1, 0))
        return any(
            left[r, c] == "w" and left.get((r + a, c + b)) == "b" and left.get((r + 2 * a, c + 2 * b)) == "-"
            for r, c in board
            for a, b in ways
        )

    row, col = (rows + 1) // 2 - 1, (cols + 1) // 2 - 1
    centre = ((row, col), (row + 1, col) if cols == 1 else (row, col + 1))
    if white_jumps(centre):
        return centre
    pairs = [((r, c), cell) for r, c in board for cell in ((r, c + 1), (r + 1, c)) if cell in board]

    def order(pair):
        (r, c), (r2, c2) = pair
        far = ((r + r2) / 2 - (rows - 1) / 2) ** 2 + ((c + c2) / 2 - (cols - 1) / 2) ** 2
        return far, r, c, r2 > r

    return min((pair for pair in pairs if white_jumps(pair)), key=order, default=centre)


def read(position):
    """Turn, last cell or "", the piece on every cell, rows, columns; the first row written is the top one."""
    turn, last, *lines = position.strip("()").split()
    board = {}
    for row, line in enumerate(reversed(lines), 1):
        for col, piece in enumerate(line):
            board[f"{LETTERS[col]}{row}"] = piece
    return turn, last.strip('"'), board, len(lines), len(lines[0])


def write(turn, last, board, rows, cols):
    lines = ["".join(board[f"{LETTERS[col]}{row}"] for col in range(cols)) for row in range(rows, 0, -1)]
    return " ".join([f"({turn}", last or '""', *lines]) + ")"


def jumps(board, player, cell):
    """Return the (cell jumped, cell landed on) of the piece at `cell`."""
    col, row = LETTERS.index(cell[0]), int(cell[1:])
    found = []
    for x, y in [(1, 0), (-1, 0), (0, 1), (0, -1)]:
        if not (0 <= col + 2 * x < len(LETTERS)):
            continue
        middle, target = f"{LETTERS[col + x]}{row + y}", f"{LETTERS[col + 2 * x]}{row + 2 * y}"
        if board.get(middle) == OTHER[player] and board.get(target) == "-":
            found.append((middle, target))
    return found


def moves(options, position):
    """Return the (move, position after it); none where the game is over."""
    turn, last, board, rows, cols = read(position)
    found = []
    for cell, piece in board.items():
        if piece != turn:
            continue
        if last and cell != last and not options.get("any_piece"):
            continue
        for middle, target in jumps(board, turn, cell):
            after = dict(board)
            after[cell] = after[middle] = "-"
            after[target] = turn
            if options.get("any_piece"):
                again = any(jumps(after, turn, c) for c in after if after[c] == turn)
            else:
                again = bool(jumps(after, turn, target))
            if again:
                found.append((f"{cell}-{target}", write(turn, target, after, rows, cols)))
            else:
                found.append((f"{cell}-{target}", write(OTHER[turn], "", after, rows, cols)))
    if last:
        found.append(("pass", write(OTHER[turn], "", board, rows, cols)))
    return found


def over(options, position):
    turn, last, board, rows, cols = read(position)
    if not last and not moves(options, position):
        return "win" if options.get("misere") else "lose"
    return None
