"""Capture the Flag on a dict of cells, read word for word from the rules."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"
OTHER = {"b": "w", "w": "b"}
FORWARD = {"w": -1, "b": 1}  # white moves down the board
STARTS = {2: "wWBb", 3: "wWw---bBb", 4: "-wWw---------bBb", 5: "-wWw--www-------bbb--bBb-"}


def start(options):
    """Write the start of a size.

    >>> start({"size": 3})
    '(w wWw --- bBb)'
    >>> start({"size": 6})
    '(w --wWw- --www- ------ ------ --bbb- --bBb-)'
    """
    size = options["size"]
    cells = options.get("start") or STARTS.get(size) or large(size)
    lines = [cells[i : i + size] for i in range(0, size * size, size)]
    return f"({options.get('first', 'w')} {' '.join(lines)})"


def large(size):
    """Set up as for size 5: the flag in the middle column (the right one of two) between two pawns, three in front."""
    left = "-" * (size // 2 - 1)
    right = "-" * (size - len(left) - 3)
    first, second = left + "wWw" + right, left + "www" + right
    return (
        first + second + "-" * size * (size - 4) + second.replace("w", "b") + first.replace("w", "b").replace("W", "B")
    )


def read(position):
    """Turn and the piece on every (column, row), row 1 the bottom one."""
    turn, *lines = position.strip("()").split()
    return turn, {(x, y): p for y, line in enumerate(reversed(lines), 1) for x, p in enumerate(line, 1)}


def write(turn, board):
    size = max(x for x, y in board)
    lines = ["".join(board[x, y] for x in range(1, size + 1)) for y in range(size, 0, -1)]
    return f"({turn} {' '.join(lines)})"


def name(cell):
    return f"{LETTERS[cell[0] - 1]}{cell[1]}"


def moves(options, position):
    """Return the (move, position after it), whether or not the game is over."""
    turn, board = read(position)
    pawn, flag = turn, turn.upper()
    theirs = [OTHER[turn], OTHER[turn].upper()]
    forward = FORWARD[turn]
    found: list[tuple] = []  # from, to, captured or None
    for cell, piece in board.items():
        x, y = cell
        if piece == pawn:
            for dx, dy in [(0, forward), (-1, 0), (1, 0)]:
                near, far = (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)
                if board.get(near) == "-":
                    found.append((cell, near, None))
                elif board.get(near) in theirs and board.get(far) == "-":
                    found.append((cell, far, near))
        if piece == flag:
            for dx, dy in [(0, 1), (0, -1), (-1, 0), (1, 0)]:
                near = (x + dx, y + dy)
                if board.get(near) == "-":
                    found.append((cell, near, None))
    answer = []
    for cell, to, captured in found:
        after = dict(board)
        after[to] = after[cell]
        after[cell] = "-"
        if captured:
            after[captured] = "-"
        answer.append((f"{name(cell)}-{name(to)}", write(OTHER[turn], after)))
    return answer


def has_won(player, board):
    """Tell who has won by the pieces on the board alone."""
    pawns = [y for (x, y), piece in board.items() if piece == OTHER[player]]
    if not pawns:
        return True
    if OTHER[player].upper() not in board.values():
        return True
    flags = [y for (x, y), piece in board.items() if piece == player.upper()]
    for y in flags:
        if player == "w" and all(y < pawn for pawn in pawns):
            return True
        if player == "b" and all(y > pawn for pawn in pawns):
            return True
    return False


def over(options, position):
    turn, board = read(position)
    if has_won(OTHER[turn], board):
        return "lose"  # also when both have won: the player who has just moved has
    if has_won(turn, board):
        return "win"  # what the pieces decide comes first: a game that is over has nobody to move, and so nobody stuck
    return None if moves(options, position) else "lose"
