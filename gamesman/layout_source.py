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
from gamesman.placing import placer, tier_placer
from gamesman.turning import turn_cell, turn_mask

Position = tuple[int, ...]

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
    if "numbering" in rules_fields and kinds == ["Pieces", "Pieces", "Turn"]:
        for name in ("hash", "unhash", "tier"):  # as db.keys asks
            found[name].is_counted = True
    if "symmetries" in found and kinds[:2] == ["Pieces"] * 2 and kinds.count("Pieces") == 2 and kinds.count("Cell") < 2:
        # As gamesman.model.symmetry.cells_turned asks.
        found["symmetries"].cells_turned = [i for i, kind in enumerate(kinds) if kind == "Cell"]
    functions = {name: found[name] for name in (part.split("(")[0].removeprefix("def ") for part in source)}
    if "numbering" in rules_fields:
        for name, of_rules in _of_rules(kinds).items():
            functions[name].of_rules = of_rules
    return functions


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


def _of_rules(kinds: Sequence[str]) -> dict[str, Callable[[Any], Callable[[Position], int]]]:
    """Return what makes `hash` and `tier` of some rules for plain Python: they take a third of the time."""
    masks = [i for i, kind in enumerate(kinds) if kind == "Pieces"]
    first, second, who = [*masks, -1][0], [*masks, -1][1], kinds.index("Turn") if "Turn" in kinds else -1
    is_usual = second >= 0 and who >= 0

    def hash_of(rules: Any) -> Callable[[Position], int]:
        place = placer(rules.numbering)
        if is_usual:
            return lambda position: place(position[first], position[second], position[who])
        return lambda position: place(*[(*position, 0)[i] for i in (first, second, who)])

    def tier_of(rules: Any) -> Callable[[Position], int]:
        place = tier_placer(rules.numbering)
        if is_usual:
            return lambda position: place(position[first], position[second])
        return lambda position: place(*[(*position, 0)[i] for i in (first, second)])

    return {"hash": hash_of, "tier": tier_of}


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
