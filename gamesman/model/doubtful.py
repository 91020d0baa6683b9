"""What the author of a game may mean and hardly does is told to who checks it, and forbids nothing."""

import ast
from collections.abc import Iterator

from gamesman.model.check import Check
from gamesman.model.variant import Variant


def doubtful(variant: Variant) -> Iterator[str]:
    """Yield what is doubtful of a game that has been checked, a line each. Raises BrokenGame.

    >>> from gamesman.model.variant import variant
    >>> [*doubtful(variant("tictactoe"))]
    []
    """
    asked = Check(variant)
    asked.begin()
    if asked.image_count and not asked.fixing:
        start = variant.start()
        here, there = asked.show(start), asked.show(asked.images(start)[0])
        yield f"symmetries: no image is used, as none leaves {here}, the start, as it is; one is {there}"
    try:
        tree = ast.parse(variant.game.path.read_bytes())
    except (OSError, ValueError, SyntaxError):  # it was changed since it was loaded, or is not there
        return
    read = _read(tree)
    for name in [kind.name for kind in variant.game.options if read is not None and kind.name not in read]:
        yield f"the option {name} is never read, so that its values are variants with the same rules"


def _read(tree: ast.Module) -> set[str] | None:
    """Return the names that follow a dot in a file, and those in quotes; None where setup hands on all options."""
    setups = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "setup"]
    if not setups or not setups[0].args.args:
        return None
    given = setups[0].args.args[0].arg
    nodes = [*ast.walk(setups[0])]
    whole = sum(isinstance(node, ast.Name) and node.id == given for node in nodes)
    parts = [node for node in nodes if isinstance(node, ast.Attribute) and _is_name(node.value, given)]
    if whole > len(parts):
        return None
    called = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    quoted = {each.value for node in called for each in node.args if isinstance(each, ast.Constant)}
    return {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)} | {*map(str, quoted)}


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
