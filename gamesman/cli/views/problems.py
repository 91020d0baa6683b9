"""Problems are written here: as text, and as one page to print."""

from html import escape

from gamesman.analysis.puzzles import Puzzle
from gamesman.cli.display import wrapped
from gamesman.model.variant import Variant
from gamesman.values import NAMES, WIN

STYLE = """body { font: 16px/1.4 system-ui, sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em }
ol { display: grid; grid-template-columns: repeat(auto-fill, minmax(14em, 1fr)); gap: 1.5em; padding-left: 1.5em }
li { break-inside: avoid } pre { font: 18px/1.25 ui-monospace, monospace; margin: .5em 0 }
.solutions { break-before: page } .solutions li { overflow-wrap: anywhere } ol.solutions { display: block }
@media (prefers-color-scheme: dark) { @media screen { body { background: #161616; color: #eee } } }"""


def task(variant: Variant, puzzle: Puzzle) -> str:
    """Say what is to be done: White to move wins in 5."""
    start = puzzle.answer.start
    verb = "wins" if start.value == NAMES[WIN] else "ties"
    does = variant.game.does(variant.turn(puzzle.position), verb)
    return f"{variant.player(puzzle.position)} to move {does} in {start.remoteness}"


def solution(puzzle: Puzzle) -> str:
    """Write the moves, and how many of them are the only ones that keep the value."""
    only = f"  (only moves: {puzzle.only_moves})" if puzzle.only_moves else ""
    between = ", " if any(" " in name for name in puzzle.solution) else " "
    return f"{between.join(puzzle.solution)}{only}"


def problems_page(variant: Variant, found: list[Puzzle]) -> str:
    """Show problems, and behind all of them the solutions."""
    parts = []
    for number, puzzle in enumerate(found, 1):
        lines = [f"{number}. {task(variant, puzzle)}", puzzle.answer.start.text]
        if variant.has("draw"):
            lines.append(variant.draw(puzzle.position))
        parts.append("\n".join(lines))
    solutions = [wrapped(f"{number}. {solution(puzzle)}", "   ") for number, puzzle in enumerate(found, 1)]
    return "\n\n".join([*parts, "\n".join(["solutions", *solutions])])


def problems_html(variant: Variant, found: list[Puzzle]) -> str:
    """Return the same as a page of HTML, the solutions on a sheet of their own."""
    tasks = "".join(
        f"<li>{escape(task(variant, puzzle))}<pre>{escape(variant.draw(puzzle.position))}</pre></li>\n"
        for puzzle in found
    )
    solutions = "".join(f"<li>{escape(solution(puzzle))}</li>\n" for puzzle in found)
    name = escape(variant.name)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>Problems: {name}</title>'
        f"<style>{STYLE}</style></head>\n<body><h1>Problems: {name}</h1>\n<ol>\n{tasks}</ol>\n"
        f'<h2 class="solutions">Solutions</h2>\n<ol class="solutions" style="break-before: auto">\n{solutions}</ol>\n'
        "</body></html>\n"
    )
