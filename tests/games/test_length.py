"""A game is its rules: what boards, layouts and numberings give is not written again in its file."""

import ast

import pytest

from gamesman.model.game import built_in, load

# They were before there was a kit, and say more: why a move is wrong, variants of the rules, an estimate for search.
WITH_MORE = {"abalone", "ctf", "hex_abalone", "konane"}
LONGER = {"othello": 80, "teeko": 80}


@pytest.mark.parametrize("game", sorted({*built_in()} - WITH_MORE))
def test_a_game_has_at_most_sixty_lines_beside_blank_ones_and_docstrings(game):
    text = load(game).path.read_text()
    lines = {number for number, line in enumerate(text.splitlines(), 1) if line.strip()}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            lines -= {*range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)}
    assert len(lines) <= LONGER.get(game, 60)
