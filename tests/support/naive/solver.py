"""Values by sweeps: every reachable position is looked at again and again until nothing changes.

`graph(game, options)` is {position: (result or None, [(move, next position), ...])} from the start on.
`solve(graph)` is {position: (value, remoteness or None)}. The player to move is the first letter of the text.

First only wins and losses, with everything else a draw: what a player can force does not ask how the rest ends. A
sweep looks at the values of the sweep before, so a position is decided in the sweep that its remoteness counts. Then,
among what neither side can force, ties: both players like a tie better than a draw, so one in reach is taken.
"""


def graph(game, options, limit=None):
    begin = game.start(options)
    found = {}
    waiting = [begin]
    while waiting:
        position = waiting.pop()
        if position in found:
            continue
        result = game.over(options, position)
        found[position] = (result, [] if result else game.moves(options, position))
        waiting.extend(after for _, after in found[position][1])
        if limit and len(found) > limit:
            raise RuntimeError(f"more than {limit} positions from {begin}")
    return found


def solve(positions):
    values: dict[str, tuple] = {
        p: ("draw", None) if result is None else (result, 0) for p, (result, _) in positions.items()
    }
    ties = {p for p, (value, _) in values.items() if value == "tie"}
    for p in ties:
        values[p] = ("draw", None)
    while True:
        new = {p: win_or_lose(p, edges, values) if edges else values[p] for p, (_, edges) in positions.items()}
        if new == values:
            break
        values = new
    for p in ties:
        values[p] = ("tie", 0)
    while True:
        new = dict(values)
        for p, (_, edges) in positions.items():
            if values[p][0] in ("draw", "tie") and edges:
                after = [values[q][1] for _, q in edges if values[q][0] == "tie"]
                if after:
                    new[p] = ("tie", 1 + min(after))
        if new == values:
            return values
        values = new


def win_or_lose(position, edges, values):
    wins, losses = [], []
    for _, after in edges:
        value, remoteness = values[after]
        mine = value if after[1] == position[1] else {"win": "lose", "lose": "win", "draw": "draw"}[value]
        if mine == "win":
            wins.append(remoteness)
        if mine == "lose":
            losses.append(remoteness)
    if wins:
        return "win", 1 + min(wins)
    if len(losses) == len(edges):
        return "lose", 1 + max(losses)
    return "draw", None


def answer(begin, positions, values):
    """Return a row of answers.csv from `start` on."""
    kinds = [value for value, _ in values.values()]
    counts = {value: kinds.count(value) for value in ("win", "lose", "tie", "draw")}
    return {
        "start": begin,
        "value": values[begin][0],
        "remoteness": values[begin][1],
        "positions": len(positions),
        **counts,
        "primitives": sum(result is not None for result, _ in positions.values()),
        "moves": sum(len(edges) for _, edges in positions.values()),
        "max_remoteness": max((r for _, r in values.values() if r is not None), default=None),
    }
