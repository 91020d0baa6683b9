"""What play is like is written here as text, for a terminal."""

from gamesman.analysis.play import Outcome, Play
from gamesman.cli.display import table
from gamesman.cli.views.text import percent

NAMES = {"random": "both random", "first_perfect": "first perfect", "second_perfect": "second perfect"}


def play_page(play: Play) -> str:
    """Show what comes of games by who plays them, the first player being who moves at the start."""
    head = ["played by", "first", "second", "tie", "never ends", "moves", "±", "blunders", "choices", "only move"]
    rows = [[title, *_cells(play.outcomes[name])] for name, title in NAMES.items()]
    rows += [[f"erring at {100 * rate:.0f} %", *_cells(outcome)] for rate, outcome in play.errors]
    if not any(outcome.unfinished for outcome in play.outcomes.values()):
        rows, head = [row[:4] + row[5:] for row in rows], head[:4] + head[5:]
    note = (
        "who wins games from the start; moves of those that end, and their standard deviation; a game's moves that\n"
        "give its value away, those made where there was a choice, and of these those where one move kept it"
    )
    return f"{table([head, *rows], right=range(1, len(head)))}\n{note}"


def _cells(outcome: Outcome) -> list[str]:
    shares = [percent(share) for share in (outcome.first, outcome.second, outcome.tie, outcome.unfinished)]
    lengths = ["-" if x is None else f"{x:.1f}" for x in (outcome.length, outcome.length_sd)]
    return [*shares, *lengths, *(f"{x:.2f}" for x in (outcome.blunders, outcome.choices, outcome.only_moves))]
