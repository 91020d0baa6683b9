"""A variant's low tiers make a variant of their own here, of all positions in them, whether they can be reached or not.

    ctf:up_to=4      the endgames of ctf in tier 4 and below

It has the game's functions, so that whatever solves, stores, proves and reads variants does it with these as well; but
no symmetries, since each position has a place of its own, and un-moves only where they are known to hold for positions
that cannot be reached. What numbers the positions of a tier without gaps is the game's `tier_keys`; a game whose keys
are others names a module, `endgames`, that has

    FUNCTIONS                   the functions that number positions, in the place of the game's own
    sizes(rules)                how many positions there are up to each tier, from tier 0 on
    more_rules(rules, tier)     what these functions need beside the rules: fields, by their names
"""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from typing import Any

from gamesman.errors import BrokenGame, OptionError, TooLarge, shorten
from gamesman.model.symmetry import rules_class
from gamesman.model.variant import UP_TO, Position, Variant
from gamesman.values import KEY_LIMIT, UNDECIDED

MOST_TIERS = 10_000
MOST_LISTED = 12
TRIED = 1000  # keys at which a position is looked for to begin at


@dataclass(frozen=True)
class Endgames(Variant):
    """Is the variant of all positions of a variant's tiers up to one."""

    whole: Variant
    up_to: int

    @property
    def is_partial(self) -> bool:
        return True

    def key_bound(self) -> int:
        return max(sum(self.tier_keys(tier)) for tier in range(self.up_to + 1))

    def is_solved_by(self, fingerprint: str, start: str | None) -> bool:
        return fingerprint == self.fingerprint


def sizes(variant: Variant) -> list[int]:
    """Return how many positions the tables up to each tier have, from tier 0 on, up to the tier of the start.

    There are none of a game that does not number its positions tier by tier. Raises TooLarge for such a game.

    >>> from gamesman.model.variant import variant
    >>> sizes(variant("ctf"))[:5]
    [1302, 61402, 1388602, 20046202, 207468602]
    """
    module = _module(variant)
    found: list[int] = []
    if module is not None:
        found = module.sizes(variant.rules)
    elif variant.has("tier_keys"):
        highest = min(variant.tier(variant.start()), MOST_TIERS)
        found = list(accumulate(variant.tier_keys(tier)[1] for tier in range(highest + 1)))
    if not found or not found[-1] or found[0] >= KEY_LIMIT:
        raise TooLarge(
            f"{variant.name} cannot be solved up to a tier: its game does not number the positions of a tier without "
            "gaps (tier_keys); it can be searched and proved"
        )
    return found


def endgames(variant: Variant, text: str | None) -> Endgames:
    """Return the variant of a variant's endgames up to a tier, named by its number or its name. Raises OptionError.

    >>> from gamesman.model.variant import variant
    >>> endgames(variant("ctf"), "4 pawns").name
    'ctf:up_to=4'
    >>> endgames(variant("ctf:size=2"), "7")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    gamesman.errors.OptionError: expected a tier of ctf:size=2, here with all positions up to it: 0 (0 pawns, 42), ...
    """
    if isinstance(variant, Endgames):
        raise OptionError(f"{variant.name} has its tier already; give it once")
    found, text = sizes(variant), text or ""
    tier = int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else None
    tables = _of(variant, len(found) - 1)
    if tier is None:
        wanted = " ".join(text.lower().split())
        tier = next((n for n in range(len(found)) if tables.tier_name(n).lower() == wanted), None)
    if tier is None or tier >= len(found) or not found[tier]:
        got = shorten(text) or "nothing"
        raise OptionError(
            f"expected a tier of {variant.name}, here with all positions up to it: {_listed(tables, found)}, got {got}"
        )
    return _of(variant, tier)


def _listed(tables: Variant, found: list[int]) -> str:
    """List tiers with how many positions there are up to each."""
    rows = [n for n, count in enumerate(found) if count]
    shown = [f"{n} ({_named(tables, n)}{found[n]:,})" for n in rows[:MOST_LISTED]]
    return ", ".join(shown) + (f", ... up to {rows[-1]}" if len(rows) > MOST_LISTED else "")


def _named(tables: Variant, tier: int) -> str:
    name = tables.tier_name(tier)
    return "" if name == str(tier) else f"{name}, "


def _module(variant: Variant) -> Any:
    name = getattr(variant.game.module, "endgames", None)
    try:
        return None if name is None else importlib.import_module(name)
    except Exception as error:
        said = f"{type(error).__name__}: {shorten(str(error))}"
        raise BrokenGame(f"{variant.game.name}: endgames must name a module to import, got {name!r}: {said}") from error


def _of(variant: Variant, tier: int) -> Endgames:
    """Return the variant of the endgames up to a tier that there is."""
    module = _module(variant)
    functions, rules = dict(variant.game.functions), variant.rules
    functions.pop("symmetries", None)
    if module is not None:
        functions |= module.FUNCTIONS
        more: Mapping[str, Any] = module.more_rules(rules, tier)
        rules = rules_class(type(rules), list(more))(*rules, *more.values())
    else:
        functions.pop("undo_moves", None)
    functions["start"] = partial(_example, functions, tier)
    game = replace(variant.game, functions=functions)
    return Endgames(game, variant.options, name_of(variant, tier), rules, variant, tier)


def name_of(variant: Variant, tier: int) -> str:
    """Return the name of the variant of a variant's endgames up to a tier."""
    joined = "," if ":" in variant.name.removeprefix(variant.game.name) else ":"
    return f"{variant.name}{joined}{UP_TO}={tier}"


def _example(functions: Mapping[str, Callable[..., Any]], up_to: int, rules: Any) -> Position:
    """Return a position of the highest tier, in which the game is not over if there is one: no other comes from it."""
    runs = (functions["tier_keys"](rules, tier) for tier in range(up_to, -1, -1))
    first, count = next(run for run in runs if run[1])
    found: list[Position] = [functions["unhash"](rules, first + count * i // TRIED) for i in range(TRIED)]
    return next((position for position in found if functions["primitive"](rules, position) == UNDECIDED), found[0])
