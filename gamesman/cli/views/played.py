"""What play is like is written here as text, for a terminal."""

from gamesman.analysis.play import Outcome, Play
from gamesman.cli.display import columns, wrapped
from gamesman.cli.views.text import percent

NAMES = {"random": "both random", "first_perfect": "first perfect", "second_perfect": "second perfect"}


def play_page(play: Play) -> str:
    """Show what comes of games by who plays them, the first player being who moves at the start."""
    head = ["played by", "first", "second", "tie", "never ends", "moves", "±", "blunders", "choices", "only"]
    rows = [[title, *_cells(play.outcomes[name])] for name, title in NAMES.items()]
    rows += [[f"erring at {100 * rate:.0f} %", *_cells(outcome)] for rate, outcome in play.errors]
    if not any(outcome.unfinished for outcome in play.outcomes.values()):
        rows, head = [row[:4] + row[5:] for row in rows], head[:4] + head[5:]
    note = (
        "who wins games from the start; moves of those that end, and their standard deviation; a game's moves that "
        "give its value away, those made where there was a choice, and of these those where one move kept it"
    )
    return f"{columns([head, *rows], right=range(1, len(head)))}\n\n{wrapped(note)}"


def further_page(play: Play) -> str:
    """Show how easy it is to go wrong, and how large the game is."""
    found, rows = play.further, []
    if found["keeping"]["share"] is not None:
        rows.append(["moves", f"{percent(found['keeping']['share'])} of all keep the value of their position"])
    share = "" if found["traps"]["share"] is None else f" ({percent(found['traps']['share'])} of those with a move)"
    rows.append(["traps", f"{found['traps']['positions']:,} positions{share} in which all moves but one lose"])
    if found["most_moves"]:
        rows.append(["most moves", f"{found['most_moves']['moves']} in {found['most_moves']['position']}"])
    for chain in found["hardest"][:1]:
        what = f"{chain['only_moves']} only-moves in a row to find, winning in {chain['remoteness']}"
        rows.append(["hardest", f"{chain['position']}: {what}"])
    for value in ("lose", "tie"):
        if found["examples"][value]:
            longest = max(found["examples"][value], key=int)
            name = {"lose": "longest loss", "tie": "longest tie"}[value]
            rows.append([name, f"{longest} moves: {found['examples'][value][longest]}"])
    if found["examples"]["draw"]:
        rows.append(["a draw", found["examples"]["draw"]])
    size = found["complexity"]
    games = "" if size["log10_games"] is None else f", games 10^{size['log10_games']:.2f}"
    rows.append(
        ["size", f"positions 10^{size['log10_positions']:.2f}, up to symmetry 10^{size['log10_classes']:.2f}{games}"]
    )
    depths = " ".join(f"{row['sequences']:,}" for row in size["by_depth"][:9])
    rows.append(["sequences", f"{depths}: of 0, 1, 2, … moves from the start"])
    return columns(rows)


def _cells(outcome: Outcome) -> list[str]:
    shares = [percent(share) for share in (outcome.first, outcome.second, outcome.tie, outcome.unfinished)]
    lengths = ["-" if x is None else f"{x:.1f}" for x in (outcome.length, outcome.length_sd)]
    return [*shares, *lengths, *(f"{x:.2f}" for x in (outcome.blunders, outcome.choices, outcome.only_moves))]
