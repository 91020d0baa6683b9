"""The file to begin a game with is written here: a small game on a board, complete, to be changed into one's own."""

import re

from gamesman.errors import CallError, shorten

TEMPLATE = '''"""{title}: put a stone on an empty cell that is beside none of your own; who cannot has lost.

Options
    {help}

Notation
    A position is (T row row ...): T is who moves, w or b. A move is the cell: {cell}.
"""

from typing import NamedTuple

from gamesman.bits import each, popcount
from gamesman.boards import {board}
from gamesman.layout import Layout, Pieces, Turn
from gamesman.options import Number
from gamesman.values import LOSE, UNDECIDED

options = [
{options}
]
players = {{"w": "White", "b": "Black"}}

# A position: the cells of w, the cells of b, each a mask with bit i for cell i, and whose turn it is.
layout = Layout(lambda rules: {made_of_rules}, Pieces("w"), Pieces("b"), Turn())


class Rules(NamedTuple):
{fields}
    cells: int
    board: int  # the mask of all cells
    beside: tuple[int, ...]  # by cell: the mask of those beside it
    turned: tuple[tuple[int, ...], ...]  # the board turned and mirrored, where the rules are the same then


def setup(o):
    """All that depends on the options alone, worked out once, in ordinary Python."""
    board = {made_of_options}
    return Rules({values}, len(board), board.full, board.neighbours("{rays}"), board.turned())


def start(rules):
    return 0, 0, 0


def tier(rules, position):
    """A number that no move raises: how many cells are empty. With it not all positions are held in memory at once."""
    white, black, who = position
    return rules.cells - popcount(white | black)


def primitive(rules, position):
    """For the player who would be to move."""
    for _ in generate_moves(rules, position):
        return UNDECIDED
    return LOSE


def generate_moves(rules, position):
    white, black, who = position
    own = black if who else white
    for cell in each(rules.board & ~(white | black)):
        if not rules.beside[cell] & own:
            yield cell


def do_move(rules, position, move):
    white, black, who = position
    if who:
        return white, black | 1 << move, 0
    return white | 1 << move, black, 1
'''


def first_file(name: str, board: str) -> str:
    """Return the text of a game file for a board like 4x4, rows by columns, or hex3, a hexagon with that edge.

    >>> print(first_file("my_game", "4x4").splitlines()[0])
    \"""My game: put a stone on an empty cell that is beside none of your own; who cannot has lost.
    """
    title = name.replace("_", " ").strip().capitalize()
    if match := re.fullmatch(r"(\d{1,2})x(\d{1,2})", board):
        rows, cols = int(match[1]), int(match[2])
        if rows >= 1 and 1 <= cols <= 26 and rows * cols <= 31:
            numbers = [("rows", rows, "", "rows of the board"), ("cols", cols, ", high=26", "columns of the board")]
            return _filled(title, numbers, "squares", "rook", "b2" if rows > 1 and cols > 1 else "a1", "rows, cols")
    elif match := re.fullmatch(r"hex([2-9])", board):
        edge = int(match[1])
        if edge <= 3:
            return _filled(
                title, [("edge", edge, ", low=2, high=13", "cells to an edge")], "hexagons", "hex", "B3", "edge"
            )
    raise CallError(
        f"--board must be rows by columns like 4x4, at most 31 cells, or hex2 or hex3, got {shorten(board)}"
    )


def _filled(title: str, numbers: list[tuple[str, int, str, str]], board: str, rays: str, cell: str, names: str) -> str:
    return TEMPLATE.format(
        title=title,
        help=f"{names}   the board",
        cell=cell,
        board=board,
        options="\n".join(
            f'    Number("{name}", default={default}{bounds}, help="{what}"),'
            for name, default, bounds, what in numbers
        ),
        made_of_rules=f"{board}({', '.join(f'rules.{name}' for name, *_ in numbers)})",
        made_of_options=f"{board}({', '.join(f'o.{name}' for name, *_ in numbers)})",
        values=", ".join(f"o.{name}" for name, *_ in numbers),
        fields="\n".join(f"    {name}: int" for name, *_ in numbers),
        rays=rays,
    )
