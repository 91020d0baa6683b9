"""Konane on a dict of cells, read word for word from the rules."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"
OTHER = {"b": "w", "w": "b"}


def start(options):
    """The start that is given, or the full board without the removed cells.

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
    elif cols == 1:  # there is no next one to the right: the next one up
        removed = [f"a{(rows + 1) // 2}", f"a{(rows + 1) // 2 + 1}"]
    else:
        middle = (cols + 1) // 2
        removed = [f"{LETTERS[middle - 1]}{(rows + 1) // 2}", f"{LETTERS[middle]}{(rows + 1) // 2}"]
    board = {}
    for row in range(1, rows + 1):
        for col in range(1, cols + 1):
            cell = f"{LETTERS[col - 1]}{row}"
            colour = "w" if (col + row) % 2 == 0 else "b"
            board[cell] = "-" if cell in removed else colour
    return write("w", "", board, rows, cols)


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
    """The (cell jumped, cell landed on) of the piece at `cell`."""
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
    """The (move, position after it); none where the game is over."""
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
