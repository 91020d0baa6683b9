"""Functions that number positions are written here as source: compiled code has no loops over fields of several kinds.

Without a numbering by counts the fields stand side by side in the key, the last one lowest:

    Pieces, Pieces, Turn     (x << rules.cells | o) << 1 | who
    a Cell                   key * (rules.cells + 1) + cell + 1
    a Count                  key * (rules.most + 1) + count
"""

import linecache
from collections.abc import Callable, Collection, Sequence
from itertools import combinations, count
from typing import Any

from gamesman.numbering import key_place, place_bound, place_key, place_run, place_tier
from gamesman.turning import turn_cell, turn_mask

_numbers = count()
_NAMES = [key_place, place_bound, place_key, place_run, place_tier, turn_cell, turn_mask]


def generated(fields: Sequence[Any], rules_fields: Collection[str], module: str) -> dict[str, Callable[..., Any]]:
    """Make the functions that compiled code needs of a layout, for rules with these fields."""
    kinds = [type(field).__name__ for field in fields]
    names = [f"f{i}" for i in range(len(fields))]
    source = _counted(kinds, names) if "numbering" in rules_fields else _side_by_side(fields, kinds, names)
    if "Turn" in kinds:
        source.append(f"def turn(rules, position):\n    return position[{kinds.index('Turn')}]")
    if "turned" in rules_fields:
        source.append(_symmetries(kinds, names))
    source.append(_is_apart(kinds, names))
    text = "\n\n\n".join(source) + "\n"
    file = f"<layout {next(_numbers)} of {module}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    found: dict[str, Any] = {"__name__": module, **{function.__name__: function for function in _NAMES}}
    exec(compile(text, file, "exec"), found)
    if "symmetries" in found and kinds[:2] == ["Pieces"] * 2 and kinds.count("Pieces") == 2 and kinds.count("Cell") < 2:
        # As gamesman.model.symmetry.cells_turned asks.
        found["symmetries"].cells_turned = [i for i, kind in enumerate(kinds) if kind == "Cell"]
    return {part.split("(")[0].removeprefix("def "): found[part.split("(")[0].removeprefix("def ")] for part in source}


def _counted(kinds: Sequence[str], names: Sequence[str]) -> list[str]:
    masks = [name for name, kind in zip(names, kinds, strict=True) if kind == "Pieces"]
    who = next((name for name, kind in zip(names, kinds, strict=True) if kind == "Turn"), "0")
    if not 1 <= len(masks) <= 2 or {*kinds} - {"Pieces", "Turn"}:
        raise ValueError("a numbering by counts is for one or two Pieces, and a Turn")
    first, second = (*masks, "0")[:2]
    read = [*masks, *(["unused"] if len(masks) == 1 else []), who if who != "0" else "unused"]
    taken = f"    {_tuple(names)} = position\n"
    return [
        f"def hash(rules, position):\n{taken}    return place_key(rules.numbering, {first}, {second}, {who})",
        f"def unhash(rules, key):\n    {_tuple(read)} = key_place(rules.numbering, key)\n    return {_tuple(names)}",
        "def key_bound(rules):\n    return place_bound(rules.numbering)",
        f"def tier(rules, position):\n{taken}    return place_tier(rules.numbering, {first}, {second})",
        "def tier_keys(rules, tier):\n    return place_run(rules.numbering, tier)",
    ]


def _side_by_side(fields: Sequence[Any], kinds: Sequence[str], names: Sequence[str]) -> list[str]:
    key, bound, take = "0", "1", []
    for field, kind, name in zip(fields, kinds, names, strict=True):
        if kind in ("Pieces", "Turn"):
            bits = "rules.cells" if kind == "Pieces" else "1"
            key, bound = f"({key}) << {bits} | {name}" if key != "0" else name, f"({bound}) << {bits}"
            take.append(f"    {name} = key & (1 << {bits}) - 1\n    key >>= {bits}\n")
        else:
            many, shift = ("(rules.cells + 1)", 1) if kind == "Cell" else (f"(rules.{field.most} + 1)", 0)
            key, bound = f"({key}) * {many} + {name} + {shift}", f"({bound}) * {many}"
            take.append(f"    {name} = key % {many} - {shift}\n    key //= {many}\n")
    return [
        f"def hash(rules, position):\n    {_tuple(names)} = position\n    return {key}",
        f"def unhash(rules, key):\n{''.join(reversed(take))}    return {_tuple(names)}",
        f"def key_bound(rules):\n    return {bound}",
    ]


def _symmetries(kinds: Sequence[str], names: Sequence[str]) -> str:
    turned = {"Pieces": "turn_mask(turned, {})", "Cell": "turn_cell(turned, {})"}
    images = [turned.get(kind, "{}").format(name) for kind, name in zip(kinds, names, strict=True)]
    return (
        f"def symmetries(rules, position):\n    {_tuple(names)} = position\n"
        f"    for turned in rules.turned:\n        yield {_tuple(images)}"
    )


def _is_apart(kinds: Sequence[str], names: Sequence[str]) -> str:
    """Tell whether no cell holds two pieces: a key has room for that, and a text has not."""
    masks = [name for name, kind in zip(names, kinds, strict=True) if kind == "Pieces"]
    twice = " | ".join(f"{first} & {second}" for first, second in combinations(masks, 2)) or "0"
    return f"def is_apart(rules, position):\n    {_tuple(names)} = position\n    return ({twice}) == 0"


def _tuple(names: Sequence[str]) -> str:
    return ", ".join(names) + "," * (len(names) == 1)
