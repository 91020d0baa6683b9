"""A game file is searched here for what Python does not notice: a misspelt name, no return, an answer by chance."""

import ast
from collections.abc import Iterator
from difflib import get_close_matches
from importlib.util import find_spec
from typing import Any

from gamesman.errors import GamesmanError, did_you_mean, shorten
from gamesman.model.dropped import dropped
from gamesman.model.game import OPTIONAL, REQUIRED, SHAPES, Game
from gamesman.model.recursive import recursive
from gamesman.model.unsteady import unsteady
from gamesman.options import resolve

# Names that mean something, beside the functions.
SETTINGS = "players plural layout largest data_files endgames no_repetition no_return shapes".split()
LIKENESS = 0.75


def overlooked(game: Game) -> Iterator[str]:
    """Yield what is wrong, a line each."""
    if not (game.module.__doc__ or "").strip():
        yield f"{game.name} has no docstring; expected the rules for a person, in one sentence first"
    largest = getattr(game.module, "largest", "")
    try:
        resolve(game.options, dict(item.split("=") for item in largest.split(",") if item))
    except (AttributeError, ValueError, GamesmanError) as error:
        said = error if isinstance(error, GamesmanError) else "expected options like rows=5,cols=5"
        yield f"{game.name}: largest is {shorten(repr(largest))}: {said}"
    shapes = getattr(game.module, "shapes", {})
    pieces = str(getattr(getattr(game.module, "layout", None), "pieces", ""))
    for letter, shape in shapes.items() if isinstance(shapes, dict) else [("of pieces", shapes)]:
        if shape not in SHAPES:
            hint = did_you_mean(str(shape), SHAPES)
            yield f"{game.name}: shapes: {letter} is {shorten(repr(shape))}, not one of {', '.join(SHAPES)}{hint}"
        elif pieces and letter not in pieces:
            yield f"{game.name}: shapes: {letter} is no piece, expected letters of {pieces}"
    yield from _settings(game)
    yield from unsteady(game)
    yield from recursive(game)
    try:
        tree = ast.parse(game.path.read_bytes())
    except (OSError, ValueError, SyntaxError):  # it was changed since it was loaded, or is not there
        return
    for said in dropped(tree):
        yield f"{game.name}: {said}"
    written = {name for node in tree.body for name in _names(node)}
    meant = [name for name in [*REQUIRED, *OPTIONAL, *SETTINGS, "problem"] if name not in written]
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    if {"problem", "parse"} <= written and "problem" not in used:
        yield f"{game.name}: problem is not asked where parse is written; refuse the position in parse"
    for node in tree.body:
        for name in _names(node):
            # What nothing in the file uses is there for gamesman, which would not know it by this name.
            close = get_close_matches(name, meant, 1, LIKENESS) if name not in used else []
            if close and name not in [*REQUIRED, *OPTIONAL, *SETTINGS]:
                yield f"{game.name}: {name} on line {node.lineno} is not used (did you mean {close[0]}?)"


def _settings(game: Game) -> Iterator[str]:
    """Yield what is wrong with names that mean something and have values that mean nothing."""
    module = game.module
    for name in OPTIONAL:
        found = getattr(module, name, None)
        if found is not None and not callable(found):
            yield f"{game.name}: {name} must be a function, got {shorten(repr(found))}"
    for letter, player in game.players.items():
        if not (_is_line(letter) and len(letter) == 1 and _is_line(player)):
            example, given = "like {'w': 'White', 'b': 'Black'}", shorten(repr(game.players))
            yield f"{game.name}: players must have a letter and a name each, {example}, got {given}"
            break
    plural = getattr(module, "plural", "")
    if not callable(plural) and (not isinstance(plural, str) or set(plural) - set(game.players)):
        known = "".join(map(str, game.players))
        yield f"{game.name}: plural must be letters of players, out of {known}, got {shorten(repr(plural))}"
    for name in ("no_repetition", "no_return"):
        if not isinstance(value := getattr(module, name, False), bool):
            yield f"{game.name}: {name} must be True or False, got {shorten(repr(value))}"
    endgames = getattr(module, "endgames", None)
    if endgames is not None and not _is_module(endgames):
        yield f"{game.name}: endgames must name a module to import, got {shorten(repr(endgames))}"


def _is_line(text: Any) -> bool:
    return isinstance(text, str) and text.isprintable() and bool(text.strip())


def _is_module(name: Any) -> bool:
    try:
        return isinstance(name, str) and find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [alias.asname or alias.name for alias in node.names]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]
